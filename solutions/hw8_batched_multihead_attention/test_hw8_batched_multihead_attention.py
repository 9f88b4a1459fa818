"""Checks of hw8: the heads' axes, masked attention with all heads at once, and shared keys and values."""

from __future__ import annotations

from collections.abc import Sequence

from autograder.verdict import Cases, Compare, KnownCase, SubmissionProxy, check

SPLIT = "split_heads"
MERGE = "merge_heads"
MULTIHEAD = "multihead_attention"
GROUPED = "grouped_query_attention"

MASKS = "masks"
LARGE = "large"
LARGE_MASKS = "large with masks"
EQUAL = "equal sizes"
EQUAL_MASKS = "equal sizes with masks"


@check(task=SPLIT, points=1, public=True)
def test_split_heads_published(cases: Cases, compare: Compare) -> None:
    """split_heads divides the handout's counted features among two heads."""
    compare(cases.published(SPLIT))


@check(task=SPLIT, points=2, public=True)
def test_split_heads_sizes(cases: Cases, compare: Compare) -> None:
    """split_heads gives each head its features of every token, for any sizes."""
    compare(_any_sizes(cases, SPLIT))
    compare.unchanged(cases.stored(SPLIT, None))


@check(task=MERGE, points=1, public=True)
def test_merge_heads_published(cases: Cases, compare: Compare) -> None:
    """merge_heads puts the handout's two heads side by side."""
    compare(cases.published(MERGE))


@check(task=MERGE, points=2, public=True)
def test_merge_heads_sizes(cases: Cases, compare: Compare) -> None:
    """merge_heads gives each token the features of all its heads, for any sizes."""
    compare(_any_sizes(cases, MERGE))
    compare.unchanged(cases.stored(MERGE, None))


@check(task=MULTIHEAD, points=1, public=True)
def test_multihead_published(cases: Cases, compare: Compare) -> None:
    """multihead_attention gives the handout's output, without a mask and with the causal one."""
    compare(cases.published(MULTIHEAD))


@check(task=MULTIHEAD, points=2, public=True)
def test_multihead_sizes(cases: Cases, compare: Compare) -> None:
    """multihead_attention is right for any sizes."""
    compare(_any_sizes(cases, MULTIHEAD))


@check(task=MULTIHEAD, points=2, public=True)
def test_multihead_masks(cases: Cases, compare: Compare) -> None:
    """multihead_attention attends only where the mask is True, be it for all, per sequence or per head."""
    compare(_any_masks(cases, MULTIHEAD))


@check(
    task=MULTIHEAD,
    points=1,
    requires=["multihead_sizes"],
    public=True,
)
def test_multihead_large(
    submission: SubmissionProxy, cases: Cases, compare: Compare
) -> None:
    """multihead_attention stays right where scores are in the hundreds and thousands."""
    compare(cases.other_sizes(MULTIHEAD, LARGE))
    large_and_masked = cases.stored(MULTIHEAD, LARGE_MASKS)
    # A mask that is wrong for usual scores, too, has lost the check of masks.
    usual_and_masked = cases.other_sizes(MULTIHEAD, MASKS)
    if _all_right(submission, usual_and_masked):
        compare(large_and_masked)


@check(
    task=MULTIHEAD,
    points=1,
    requires=["multihead_sizes"],
    public=True,
)
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
    compare(_any_sizes(cases, GROUPED))


@check(task=GROUPED, points=1, public=True)
def test_grouped_query_masks(cases: Cases, compare: Compare) -> None:
    """grouped_query_attention lets queries attend only where the mask is True."""
    compare(_any_masks(cases, GROUPED))


@check(
    task=GROUPED,
    points=1,
    requires=["grouped_query_sizes"],
    public=True,
)
def test_grouped_query_large(
    submission: SubmissionProxy, cases: Cases, compare: Compare
) -> None:
    """grouped_query_attention stays right where scores are in the hundreds and thousands."""
    # Where multihead_attention is wrong, too, it has lost its check, mostly by a softmax that both share.
    large_multihead = cases.other_sizes(MULTIHEAD, LARGE)
    if _all_right(submission, large_multihead):
        compare(cases.other_sizes(GROUPED, LARGE))

    large_and_masked = cases.stored(GROUPED, LARGE_MASKS)
    large_and_masked_multihead = cases.stored(MULTIHEAD, LARGE_MASKS)
    usual_and_masked = cases.other_sizes(GROUPED, MASKS)
    softmax_is_right = _all_right(submission, large_and_masked_multihead)
    masks_are_right = _all_right(submission, usual_and_masked)
    if softmax_is_right and masks_are_right:
        compare(large_and_masked)


@check(
    task=GROUPED,
    points=1,
    requires=["grouped_query_sizes"],
    public=True,
)
def test_grouped_query_unchanged(cases: Cases, compare: Compare) -> None:
    """grouped_query_attention leaves tokens, weights and mask unchanged."""
    compare.unchanged(cases.stored(GROUPED, None))


def _any_sizes(cases: Cases, task: str) -> list[KnownCase]:
    """Return the cases whose sizes all differ, and those where some are equal."""
    all_differ = cases.other_sizes(task)
    some_are_equal = cases.other_sizes(task, EQUAL)
    return [*all_differ, *some_are_equal]


def _any_masks(cases: Cases, task: str) -> list[KnownCase]:
    """Return the cases with a mask whose sizes all differ, and those where some are equal."""
    all_differ = cases.other_sizes(task, MASKS)
    some_are_equal = cases.other_sizes(task, EQUAL_MASKS)
    return [*all_differ, *some_are_equal]


def _all_right(submission: SubmissionProxy, known_cases: Sequence[KnownCase]) -> bool:
    for known in known_cases:
        answer = submission.answer(known)
        if not known.is_right(answer):
            return False
    return True
