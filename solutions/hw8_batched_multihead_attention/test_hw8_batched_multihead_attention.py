"""Checks of hw8: the heads' axes, masked attention with all heads at once, and shared keys and values."""

from __future__ import annotations

from collections.abc import Sequence

from autograder.verdict import Cases, Compare, KnownCase, SubmissionProxy, check

SPLIT, MERGE = "split_heads", "merge_heads"
MULTIHEAD, GROUPED = "multihead_attention", "grouped_query_attention"
EQUAL, EQUAL_MASKS, LARGE_MASKS = (
    "equal sizes",
    "equal sizes with masks",
    "large with masks",
)


@check(task=SPLIT, points=1, public=True)
def test_split_heads_published(cases: Cases, compare: Compare) -> None:
    """split_heads divides the handout's counted features among two heads."""
    compare(cases.published(SPLIT))


@check(task=SPLIT, points=2, public=True)
def test_split_heads_sizes(cases: Cases, compare: Compare) -> None:
    """split_heads gives each head its features of every token, for any sizes."""
    compare([*cases.other_sizes(SPLIT), *cases.other_sizes(SPLIT, EQUAL)])
    compare.unchanged(cases.stored(SPLIT, None))


@check(task=MERGE, points=1, public=True)
def test_merge_heads_published(cases: Cases, compare: Compare) -> None:
    """merge_heads puts the handout's two heads side by side."""
    compare(cases.published(MERGE))


@check(task=MERGE, points=2, public=True)
def test_merge_heads_sizes(cases: Cases, compare: Compare) -> None:
    """merge_heads gives each token the features of all its heads, for any sizes."""
    compare([*cases.other_sizes(MERGE), *cases.other_sizes(MERGE, EQUAL)])
    compare.unchanged(cases.stored(MERGE, None))


@check(task=MULTIHEAD, points=1, public=True)
def test_multihead_published(cases: Cases, compare: Compare) -> None:
    """multihead_attention gives the handout's output, without a mask and with the causal one."""
    compare(cases.published(MULTIHEAD))


@check(task=MULTIHEAD, points=2, public=True)
def test_multihead_sizes(cases: Cases, compare: Compare) -> None:
    """multihead_attention is right for any sizes."""
    compare([*cases.other_sizes(MULTIHEAD), *cases.other_sizes(MULTIHEAD, EQUAL)])


@check(task=MULTIHEAD, points=2, public=True)
def test_multihead_masks(cases: Cases, compare: Compare) -> None:
    """multihead_attention attends only where the mask is True, be it for all, per sequence or per head."""
    compare(
        [
            *cases.other_sizes(MULTIHEAD, "masks"),
            *cases.other_sizes(MULTIHEAD, EQUAL_MASKS),
        ]
    )


@check(task=MULTIHEAD, points=1, requires=["multihead_sizes"], public=True)
def test_multihead_large(
    submission: SubmissionProxy, cases: Cases, compare: Compare
) -> None:
    """multihead_attention stays right where scores are in the hundreds and thousands."""
    compare(cases.other_sizes(MULTIHEAD, "large"))
    masked = cases.stored(MULTIHEAD, LARGE_MASKS)
    # A mask that is wrong for usual scores, too, has lost the check of masks.
    if masked and _all_right(submission, cases.other_sizes(MULTIHEAD, "masks")):
        compare(masked)


@check(task=MULTIHEAD, points=1, requires=["multihead_sizes"], public=True)
def test_multihead_unchanged(cases: Cases, compare: Compare) -> None:
    """multihead_attention leaves tokens, weights and mask unchanged."""
    compare.unchanged(cases.stored(MULTIHEAD, None))


@check(task=GROUPED, points=1, public=True)
def test_grouped_query_published(cases: Cases, compare: Compare) -> None:
    """grouped_query_attention gives the handout's output of four query heads and two key heads."""
    compare(cases.published(GROUPED))


@check(task=GROUPED, points=3, public=True)
def test_grouped_query_sizes(cases: Cases, compare: Compare) -> None:
    """grouped_query_attention gives each query head the keys and values of its group, for any sizes."""
    compare([*cases.other_sizes(GROUPED), *cases.other_sizes(GROUPED, EQUAL)])


@check(task=GROUPED, points=1, public=True)
def test_grouped_query_masks(cases: Cases, compare: Compare) -> None:
    """grouped_query_attention lets queries attend only where the mask is True."""
    compare(
        [*cases.other_sizes(GROUPED, "masks"), *cases.other_sizes(GROUPED, EQUAL_MASKS)]
    )


@check(task=GROUPED, points=1, requires=["grouped_query_sizes"], public=True)
def test_grouped_query_large(
    submission: SubmissionProxy, cases: Cases, compare: Compare
) -> None:
    """grouped_query_attention stays right where scores are in the hundreds and thousands."""
    # Where multihead_attention is wrong, too, it has lost its check, mostly by a softmax that both share.
    if _all_right(submission, cases.other_sizes(MULTIHEAD, "large")):
        compare(cases.other_sizes(GROUPED, "large"))
    masked = cases.stored(GROUPED, LARGE_MASKS)
    also = [*cases.stored(MULTIHEAD, LARGE_MASKS), *cases.other_sizes(GROUPED, "masks")]
    if masked and _all_right(submission, also):
        compare(masked)


@check(task=GROUPED, points=1, requires=["grouped_query_sizes"], public=True)
def test_grouped_query_unchanged(cases: Cases, compare: Compare) -> None:
    """grouped_query_attention leaves tokens, weights and mask unchanged."""
    compare.unchanged(cases.stored(GROUPED, None))


def _all_right(submission: SubmissionProxy, known: Sequence[KnownCase]) -> bool:
    return all(case.is_right(submission.answer(case)) for case in known)
