"""Checks of hw4: softmax of one list of scores, and self-attention by token, in matrix form, and scaled."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from autograder.verdict import (
    Cases,
    Compare,
    Excuse,
    KnownCase,
    SubmissionProxy,
    check,
    compare_or_excuse,
    own_weights,
)
from autograder.verdict.for_checks.own_results import compare_if_right
from autograder.worker.wire import Array

SOFTMAX = "softmax"
PER_TOKEN = "self_attention_per_token"
MATRIX = "self_attention"
SCALED = "scaled_dot_product_self_attention"

SCORES = "scores"
LARGE = "large"
ZEROS = "zeros"
WHOLE = "whole"
STEPS = {"wide": "", "steps": "steps-"}
"""By the label of a case: how the labels of the softmax cases on its scores begin.

Nobody sees the case `wide`, so that no code can be written to be right for it alone; students have `steps`.
"""
REPEATED = {
    "repeated-token": "repeated-token-",
    "a-repeated-token": "a-repeated-token-",
}
"""The same for the cases with a repeated token: a softmax may be wrong for equal scores alone."""


@check(task=SOFTMAX, points=1, public=True)
def test_softmax_published(cases: Cases, compare: Compare) -> None:
    """softmax turns the published lists of scores into the published weights."""
    compare(cases.published(SOFTMAX))


@check(task=SOFTMAX, points=1, public=True)
def test_softmax_sizes(cases: Cases, compare: Compare) -> None:
    """softmax takes arrays of any number of scores, and the weights sum to 1."""
    compare(cases.other_sizes(SOFTMAX))


@check(
    task=SOFTMAX,
    points=1,
    requires=["softmax_sizes"],
    public=True,
)
def test_softmax_large(cases: Cases, compare: Compare) -> None:
    """softmax stays right where scores are in the hundreds and thousands, 0, or whole numbers."""
    compare(cases.other_sizes(SOFTMAX, LARGE))
    compare(cases.stored(SOFTMAX, WHOLE))


@check(
    task=SOFTMAX,
    points=1,
    requires=["softmax_sizes"],
    public=True,
)
def test_softmax_unchanged(cases: Cases, compare: Compare) -> None:
    """softmax returns a new array and leaves its argument unchanged."""
    compare.unchanged(cases.stored(SOFTMAX))


@check(task=PER_TOKEN, points=2, public=True)
def test_per_token_published(cases: Cases, compare: Compare) -> None:
    """The outputs computed one token at a time are the published ones."""
    compare(cases.published(PER_TOKEN))


@check(task=PER_TOKEN, points=3, public=True)
def test_per_token_sizes(cases: Cases, compare: Compare) -> None:
    """self_attention_per_token is right for any number of tokens, judged with your own softmax."""
    _with_own_softmax(cases, compare, PER_TOKEN)


@check(
    task=PER_TOKEN,
    points=1,
    requires=["per_token_sizes"],
    public=True,
)
def test_per_token_unchanged(cases: Cases, compare: Compare) -> None:
    """self_attention_per_token stays right for large scores, zeros and whole numbers, and changes no argument."""
    compare.unchanged(cases.stored(PER_TOKEN))
    _with_other_numbers(cases, compare, PER_TOKEN)


@check(task=MATRIX, points=1, public=True)
def test_matrix_published(cases: Cases, compare: Compare) -> None:
    """self_attention gives the published outputs."""
    compare(cases.published(MATRIX))


@check(task=MATRIX, points=3, public=True)
def test_matrix_sizes(cases: Cases, compare: Compare) -> None:
    """self_attention is right for any number of tokens and dimensions, judged with your own softmax."""
    _with_own_softmax(cases, compare, MATRIX)


@check(
    task=MATRIX,
    points=1,
    requires=["matrix_sizes"],
    public=True,
)
def test_matrix_unchanged(cases: Cases, compare: Compare) -> None:
    """self_attention stays right for large scores, zeros and whole numbers, and changes no argument."""
    compare.unchanged(cases.stored(MATRIX))
    _with_other_numbers(cases, compare, MATRIX)


@check(task=SCALED, points=1, public=True)
def test_scaled_published(cases: Cases, compare: Compare) -> None:
    """scaled_dot_product_self_attention gives the published outputs."""
    compare(cases.published(SCALED))


@check(task=SCALED, points=3, public=True)
def test_scaled_sizes(cases: Cases, compare: Compare) -> None:
    """scaled_dot_product_self_attention is right for any sizes, judged with your own softmax."""
    _with_own_softmax(cases, compare, SCALED)


@check(
    task=SCALED,
    points=1,
    requires=["scaled_sizes"],
    public=True,
)
def test_scaled_unchanged(cases: Cases, compare: Compare) -> None:
    """scaled_dot_product_self_attention is right for large scores, zeros and whole numbers, and changes nothing."""
    compare.unchanged(cases.stored(SCALED))
    _with_other_numbers(cases, compare, SCALED)


def _with_own_softmax(cases: Cases, compare: Compare, task: str) -> None:
    """Check that all sizes are right, or would be if the student's softmax were: one fault costs once."""

    def own_softmax(failed: Sequence[KnownCase]) -> list[Excuse | None]:
        excuses = []
        steps = STEPS
        if all(known.case.label in REPEATED for known in failed):
            steps = REPEATED
        for label, prefix in steps.items():
            known = cases.labelled(task, label)
            if known is not None:
                excuses.append(_own_softmax(compare.submission, cases, known, prefix))
        return excuses

    compare_or_excuse(compare, cases.other_sizes(task), own_softmax)


def _with_other_numbers(cases: Cases, compare: Compare, task: str) -> None:
    """Compare the answers where scores are large or 0, and for whole tokens, if the student's softmax is right."""
    softmax_cases = cases.stored(SOFTMAX, None)
    for topic in (LARGE, ZEROS, WHOLE):
        compare_if_right(compare, cases.stored(task, topic), softmax_cases)


def _own_softmax(
    submission: SubmissionProxy, cases: Cases, known: KnownCase, prefix: str
) -> Excuse | None:
    """Return a case and the student's softmax of its scores, one column per query."""
    task = known.case.task
    # The student's weights for each column of scores, and the scores.
    kind = "unscaled"
    if task == SCALED:
        kind = "scaled"
    begin = f"{prefix}{kind}-"
    softmax_cases = []
    columns = []
    columns_of_scores = []
    for softmax_case in cases.stored(SOFTMAX, SCORES):
        if not softmax_case.case.label.startswith(begin):
            continue
        weights = own_weights(submission, softmax_case)
        if weights is None:
            return None
        (scores,) = softmax_case.arguments
        softmax_cases.append(softmax_case)
        columns.append(weights)
        columns_of_scores.append(scores)

    V = _values_of(known)

    def context_of(weights: Array) -> Array | list[Array]:
        output = V @ weights
        if task == PER_TOKEN:
            return np.split(output, len(columns), axis=1)
        return output

    return Excuse(
        known,
        np.stack(columns, axis=1),
        context_of,
        weight_cases=softmax_cases,
        softmax=SOFTMAX,
        scores=np.stack(columns_of_scores, axis=1),
    )


def _values_of(known: KnownCase) -> Array:
    """Return the values V of a case, one per column."""
    X, omega_v, _, _, beta_v, _, _ = known.arguments
    if isinstance(X, list):
        X = np.hstack(X)
    return np.asarray(omega_v @ X + beta_v)
