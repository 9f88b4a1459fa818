"""Checks of hw5: softmax of each column, and two heads of scaled self-attention recombined."""

from __future__ import annotations

import numpy as np

from autograder.checks.fixtures import Cases, Compare, SubmissionProxy
from autograder.checks.mark import CheckFailed, check
from autograder.checks.own import are_weights
from autograder.comparison.compare import as_array, compare_values, matches
from autograder.reference.known import KnownCase
from autograder.worker.wire import Array

SOFTMAX = "softmax_cols"
MULTIHEAD = "multihead_scaled_self_attention"


@check(task=SOFTMAX, points=1, public=True)
def test_softmax_cols_published(submission: SubmissionProxy, cases: Cases, compare: Compare) -> None:
    """softmax_cols gives the weights of the handout's example."""
    compare(submission, cases.published(SOFTMAX))


@check(task=SOFTMAX, points=2, public=True)
def test_softmax_cols_sizes(submission: SubmissionProxy, cases: Cases, compare: Compare) -> None:
    """softmax_cols makes each column sum to 1, for any number of rows and columns."""
    compare(submission, cases.other_sizes(SOFTMAX))


@check(task=SOFTMAX, points=2, requires=["softmax_cols_sizes"])
def test_softmax_cols_large(submission: SubmissionProxy, cases: Cases, compare: Compare) -> None:
    """softmax_cols stays right where scores are in the hundreds and thousands."""
    compare(submission, cases.stored(SOFTMAX, "large"))
    compare(submission, cases.fresh(SOFTMAX, "large"))


@check(task=SOFTMAX, points=1, requires=["softmax_cols_sizes"], public=True)
def test_softmax_cols_unchanged(submission: SubmissionProxy, cases: Cases, compare: Compare) -> None:
    """softmax_cols returns a new array and leaves its argument unchanged."""
    compare.unchanged(submission, cases.stored(SOFTMAX))


@check(task=MULTIHEAD, points=5, public=True)
def test_multihead_published(submission: SubmissionProxy, cases: Cases, compare: Compare) -> None:
    """multihead_scaled_self_attention gives the published output, all 8 rows of it."""
    compare(submission, cases.published(MULTIHEAD))


@check(task=MULTIHEAD, points=7, public=True)
def test_multihead_sizes(submission: SubmissionProxy, cases: Cases, compare: Compare) -> None:
    """multihead_scaled_self_attention is right for any sizes, judged with your own softmax_cols."""
    try:
        compare(submission, cases.other_sizes(MULTIHEAD))
    except CheckFailed:
        if not _right_but_for_softmax(submission, cases):
            raise


@check(task=MULTIHEAD, points=2, requires=["multihead_sizes"], public=True)
def test_multihead_unchanged(submission: SubmissionProxy, cases: Cases, compare: Compare) -> None:
    """multihead_scaled_self_attention leaves the tokens and the parameters unchanged."""
    compare.unchanged(submission, cases.stored(MULTIHEAD))


def _right_but_for_softmax(submission: SubmissionProxy, cases: Cases) -> bool:
    """Whether the answer to the case `wide` is what the student's own, wrong weights lead to.

    Students do not have this case: their public checks show the fault in each task that it reaches.
    """
    known = next((one for one in cases.stored(MULTIHEAD) if one.case.name.endswith("/wide")), None)
    if known is None:
        return False
    weights = [as_array(submission.answer(one).value) for one in cases.stored(SOFTMAX, "scores")]
    composed = _composed(known, weights)
    if composed is None or matches(composed, known.expected, tolerance=known.tolerance):
        return False
    return compare_values(submission.answer(known).value, composed, tolerance=known.tolerance) is None


def _composed(known: KnownCase, weights: list[Array | None]) -> Array | None:
    """The case's output with these weights of the two heads, or None where they are no weights at all."""
    X, *parameters, omega_c = known.case.call.args  # type: ignore[union-attr]
    heads = []
    for own, omega_v, beta_v in zip(weights, parameters[::6], parameters[3::6], strict=True):
        if own is None or own.shape != (X.shape[1],) * 2 or not are_weights(own):
            return None
        heads.append((omega_v @ X + beta_v) @ own)
    return np.asarray(omega_c @ np.vstack(heads))
