"""Checks of hw3: softmax, and scaled dot-product attention made with it."""

from __future__ import annotations

from collections.abc import Sequence

from autograder.verdict import (
    Cases,
    Compare,
    Excuse,
    KnownCase,
    SubmissionProxy,
    check,
    compare_or_excuse,
    mixed_by_own_weights,
    own_weights,
)
from autograder.verdict.for_checks.own_results import compare_if_right, weights_alone

SOFTMAX = "softmax"
ATTENTION = "scaled_dot_product_attention"

LARGE = "large"
ZEROS = "zeros"
SINGLE = "single"


@check(task=SOFTMAX, points=2, public=True)
def test_softmax_published(cases: Cases, compare: Compare) -> None:
    """softmax turns ln 1, ln 3, ln 4 into 1/8, 3/8, 4/8, and takes whole numbers as well."""
    compare(cases.published(SOFTMAX))


@check(task=SOFTMAX, points=3, public=True)
def test_softmax_sizes(cases: Cases, compare: Compare) -> None:
    """softmax makes each row a distribution, for any number of rows and columns."""
    compare(cases.other_sizes(SOFTMAX))


@check(
    task=SOFTMAX,
    points=1,
    requires=["softmax_sizes"],
    public=True,
)
def test_softmax_large(cases: Cases, compare: Compare) -> None:
    """softmax stays right where scores are in the hundreds and thousands."""
    compare(cases.other_sizes(SOFTMAX, LARGE))


@check(
    task=SOFTMAX,
    points=1,
    requires=["softmax_sizes"],
    public=True,
)
def test_softmax_unchanged(cases: Cases, compare: Compare) -> None:
    """softmax returns a new array and leaves its argument unchanged."""
    compare.unchanged(cases.stored(SOFTMAX))


@check(task=ATTENTION, points=3, public=True)
def test_scaled_dot_product_attention_published(cases: Cases, compare: Compare) -> None:
    """scaled_dot_product_attention gives the weights and context vectors of the handout's examples."""
    compare(cases.published(ATTENTION))


@check(task=ATTENTION, points=5, public=True)
def test_scaled_dot_product_attention_weights(
    submission: SubmissionProxy, cases: Cases, compare: Compare
) -> None:
    """scaled_dot_product_attention applies your softmax to the rightly scaled scores, whatever the sizes."""
    judged = []
    for known in cases.other_sizes(ATTENTION):
        judged.append(weights_alone(submission, known))

    def own_softmax(failed: Sequence[KnownCase]) -> list[Excuse | None]:
        return [_own_softmax(submission, cases, known) for known in failed]

    compare_or_excuse(compare, judged, own_softmax)


@check(task=ATTENTION, points=4, public=True)
def test_scaled_dot_product_attention_context(
    submission: SubmissionProxy, cases: Cases, compare: Compare
) -> None:
    """scaled_dot_product_attention mixes the values with the attention weights that it returns."""
    known_cases = cases.other_sizes(ATTENTION)
    compare(mixed_by_own_weights(submission, known_cases, lambda Q, K, V: V))


@check(
    task=ATTENTION,
    points=1,
    requires=["scaled_dot_product_attention_context"],
    public=True,
)
def test_scaled_dot_product_attention_unchanged(cases: Cases, compare: Compare) -> None:
    """scaled_dot_product_attention is right for large scores, zeros and a single key, and changes no argument."""
    compare.unchanged(cases.published(ATTENTION))
    compare.unchanged(cases.stored(ATTENTION))
    softmax_cases = cases.stored(SOFTMAX, None)
    usual_cases = cases.stored(ATTENTION)
    steps = [*softmax_cases, *usual_cases]
    for topic in (LARGE, ZEROS, SINGLE):
        compare_if_right(compare, cases.stored(ATTENTION, topic), steps)


def _own_softmax(
    submission: SubmissionProxy, cases: Cases, known: KnownCase
) -> Excuse | None:
    """Return the student's softmax of a case's scaled scores: of the softmax case that has its label."""
    softmax_case = cases.labelled(SOFTMAX, known.case.label)
    if softmax_case is None:
        raise LookupError(f"{known.case.id} has no softmax case of its label")
    weights = own_weights(submission, softmax_case)
    if weights is None:
        return None
    (scaled_scores,) = softmax_case.arguments
    return Excuse(
        known,
        weights,
        answer_from=lambda weights: weights,
        weight_cases=[softmax_case],
        judged_part=0,
        softmax=SOFTMAX,
        scores=scaled_scores,
    )
