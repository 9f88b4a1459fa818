"""Checks of hw3: softmax, and scaled dot-product attention made with it."""

from __future__ import annotations

from autograder.verdict import (
    Cases,
    Compare,
    KnownCase,
    Own,
    SubmissionProxy,
    accepting,
    check,
    compare_or_excuse,
    mixed_by_own_weights,
    own_weights,
)

ATTENTION = "scaled_dot_product_attention"


@check(task="softmax", points=2, public=True)
def test_softmax_published(cases: Cases, compare: Compare) -> None:
    """softmax turns ln 1, ln 3, ln 4 into 1/8, 3/8, 4/8, and takes whole numbers as well."""
    compare(cases.published("softmax"))


@check(task="softmax", points=3, public=True)
def test_softmax_sizes(cases: Cases, compare: Compare) -> None:
    """softmax makes each row a distribution, for any number of rows and columns."""
    compare(cases.other_sizes("softmax"))


@check(task="softmax", points=1, requires=["softmax_sizes"], public=True)
def test_softmax_large(cases: Cases, compare: Compare) -> None:
    """softmax stays right where scores are in the hundreds and thousands."""
    compare(cases.other_sizes("softmax", "large"))


@check(task="softmax", points=1, requires=["softmax_sizes"], public=True)
def test_softmax_unchanged(cases: Cases, compare: Compare) -> None:
    """softmax returns a new array and leaves its argument unchanged."""
    compare.unchanged(cases.stored("softmax"))


@check(task=ATTENTION, points=3, public=True)
def test_scaled_dot_product_attention_published(cases: Cases, compare: Compare) -> None:
    """scaled_dot_product_attention gives the weights and context vectors of the handout's examples."""
    compare(cases.published(ATTENTION))


@check(task=ATTENTION, points=5, public=True)
def test_scaled_dot_product_attention_weights(
    submission: SubmissionProxy, cases: Cases, compare: Compare
) -> None:
    """scaled_dot_product_attention applies your softmax to the rightly scaled scores, whatever the sizes."""
    weights_alone = [
        accepting(submission, one, 0, one.expected[0])
        for one in cases.other_sizes(ATTENTION)
    ]
    own = lambda failed: [_own_softmax(submission, cases, one) for one in failed]  # noqa: E731
    compare_or_excuse(compare, weights_alone, own)


@check(task=ATTENTION, points=4, public=True)
def test_scaled_dot_product_attention_context(
    submission: SubmissionProxy, cases: Cases, compare: Compare
) -> None:
    """scaled_dot_product_attention mixes the values with the attention weights that it returns."""
    known = cases.other_sizes(ATTENTION)
    compare(mixed_by_own_weights(submission, known, lambda Q, K, V: V))


@check(
    task=ATTENTION,
    points=1,
    requires=["scaled_dot_product_attention_context"],
    public=True,
)
def test_scaled_dot_product_attention_unchanged(cases: Cases, compare: Compare) -> None:
    """scaled_dot_product_attention leaves Q, K and V unchanged."""
    compare.unchanged(cases.published(ATTENTION))
    compare.unchanged(cases.stored(ATTENTION))


def _own_softmax(
    submission: SubmissionProxy, cases: Cases, known: KnownCase
) -> Own | None:
    """The student's softmax of the case's scaled scores, kept as the softmax case of the same label."""
    name = f"softmax/{known.case.name.partition('/')[2]}"
    [scores] = [one for one in cases.other_sizes("softmax") if one.case.name == name]
    weights = own_weights(submission, scores)
    if weights is None:
        return None
    raw_scores = scores.case.call.args[0]  # type: ignore[union-attr]
    return Own(
        known,
        weights,
        lambda own: own,
        [scores],
        judged=0,
        softmax="softmax",
        scores=raw_scores,
    )
