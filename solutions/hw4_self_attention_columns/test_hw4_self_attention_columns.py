"""Checks of hw4: softmax of one list of scores, and self-attention by token, in matrix form, and scaled."""

from __future__ import annotations

import numpy as np

from autograder.checks.fixtures import Cases, Compare, SubmissionProxy
from autograder.checks.mark import CheckFailed, check
from autograder.checks.own import are_weights
from autograder.comparison.compare import as_array, compare_values, matches
from autograder.reference.known import KnownCase
from autograder.worker.wire import Array

PER_TOKEN = "self_attention_per_token"
MATRIX = "self_attention"
SCALED = "scaled_dot_product_self_attention"


@check(task="softmax", points=1, public=True)
def test_softmax_published(submission: SubmissionProxy, cases: Cases, compare: Compare) -> None:
    """softmax turns the published lists of scores into the published weights."""
    compare(submission, cases.published("softmax"))


@check(task="softmax", points=1, public=True)
def test_softmax_sizes(submission: SubmissionProxy, cases: Cases, compare: Compare) -> None:
    """softmax takes arrays of any number of scores, and the weights sum to 1."""
    compare(submission, cases.other_sizes("softmax"))


@check(task="softmax", points=1, requires=["softmax_sizes"])
def test_softmax_large(submission: SubmissionProxy, cases: Cases, compare: Compare) -> None:
    """softmax stays right where scores are in the hundreds and thousands."""
    compare(submission, cases.stored("softmax", "large"))
    compare(submission, cases.fresh("softmax", "large"))


@check(task="softmax", points=1, requires=["softmax_sizes"], public=True)
def test_softmax_unchanged(submission: SubmissionProxy, cases: Cases, compare: Compare) -> None:
    """softmax returns a new array and leaves its argument unchanged."""
    compare.unchanged(submission, cases.stored("softmax"))


@check(task=PER_TOKEN, points=2, public=True)
def test_per_token_published(submission: SubmissionProxy, cases: Cases, compare: Compare) -> None:
    """The outputs computed one token at a time are the published ones."""
    compare(submission, cases.published(PER_TOKEN))


@check(task=PER_TOKEN, points=3, public=True)
def test_per_token_sizes(submission: SubmissionProxy, cases: Cases, compare: Compare) -> None:
    """self_attention_per_token is right for any number of tokens, judged with your own softmax."""
    _with_own_softmax(submission, cases, compare, PER_TOKEN)


@check(task=PER_TOKEN, points=1, requires=["per_token_sizes"], public=True)
def test_per_token_unchanged(submission: SubmissionProxy, cases: Cases, compare: Compare) -> None:
    """self_attention_per_token leaves the tokens and the parameters unchanged."""
    compare.unchanged(submission, cases.stored(PER_TOKEN))


@check(task=MATRIX, points=1, public=True)
def test_matrix_published(submission: SubmissionProxy, cases: Cases, compare: Compare) -> None:
    """self_attention gives the published outputs."""
    compare(submission, cases.published(MATRIX))


@check(task=MATRIX, points=3, public=True)
def test_matrix_sizes(submission: SubmissionProxy, cases: Cases, compare: Compare) -> None:
    """self_attention is right for any number of tokens and dimensions, judged with your own softmax."""
    _with_own_softmax(submission, cases, compare, MATRIX)


@check(task=MATRIX, points=1, requires=["matrix_sizes"], public=True)
def test_matrix_unchanged(submission: SubmissionProxy, cases: Cases, compare: Compare) -> None:
    """self_attention leaves the tokens and the parameters unchanged."""
    compare.unchanged(submission, cases.stored(MATRIX))


@check(task=SCALED, points=1, public=True)
def test_scaled_published(submission: SubmissionProxy, cases: Cases, compare: Compare) -> None:
    """scaled_dot_product_self_attention gives the published outputs."""
    compare(submission, cases.published(SCALED))


@check(task=SCALED, points=3, public=True)
def test_scaled_sizes(submission: SubmissionProxy, cases: Cases, compare: Compare) -> None:
    """scaled_dot_product_self_attention is right for any sizes, judged with your own softmax."""
    _with_own_softmax(submission, cases, compare, SCALED)


@check(task=SCALED, points=1, requires=["scaled_sizes"], public=True)
def test_scaled_unchanged(submission: SubmissionProxy, cases: Cases, compare: Compare) -> None:
    """scaled_dot_product_self_attention leaves the tokens and the parameters unchanged."""
    compare.unchanged(submission, cases.stored(SCALED))


def _with_own_softmax(submission: SubmissionProxy, cases: Cases, compare: Compare, task: str) -> None:
    """All sizes are right, or would be if the student's softmax were: one fault costs once."""
    try:
        compare(submission, cases.other_sizes(task))
    except CheckFailed:
        if not _right_but_for_softmax(submission, cases, task):
            raise


def _right_but_for_softmax(submission: SubmissionProxy, cases: Cases, task: str) -> bool:
    """Whether the answer to the case `wide` is what the student's own, wrong weights lead to.

    Students do not have this case: their public checks show the fault in each task that it reaches.
    """
    known = next((one for one in cases.stored(task) if one.case.name.endswith("/wide")), None)
    weights = _own_weights(submission, cases, "scaled" if task == SCALED else "unscaled")
    if known is None or weights is None:
        return False
    composed = _values_of(known) @ weights
    expected = np.split(composed, composed.shape[1], axis=1) if task == PER_TOKEN else composed
    if matches(expected, known.expected, tolerance=known.tolerance):
        return False
    answer = submission.answer(known)
    return compare_values(answer.value, expected, tolerance=known.tolerance) is None


def _own_weights(submission: SubmissionProxy, cases: Cases, kind: str) -> Array | None:
    """The student's softmax of each query's scores, one column per query; None where it gave no weights."""
    known = [one for one in cases.stored("softmax", "scores") if one.case.name.startswith(f"softmax/{kind}-")]
    columns = [as_array(submission.answer(one).value) for one in known]
    usable = [c for c in columns if c is not None and c.shape == (len(known),) and are_weights(c)]
    return np.stack(usable, axis=1) if usable and len(usable) == len(columns) else None


def _values_of(known: KnownCase) -> Array:
    """The values V of a case, one per column."""
    tokens, omega_v, _, _, beta_v, *_ = known.case.call.args  # type: ignore[union-attr]
    X = np.hstack(tokens) if isinstance(tokens, list) else tokens
    return np.asarray(omega_v @ X + beta_v)
