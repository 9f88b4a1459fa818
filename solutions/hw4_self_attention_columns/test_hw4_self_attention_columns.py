"""Checks of hw4: softmax of one list of scores, and self-attention by token, in matrix form, and scaled."""

from __future__ import annotations

import numpy as np

from autograder.verdict import (
    Cases,
    Compare,
    KnownCase,
    Own,
    SubmissionProxy,
    check,
    compare_or_excuse,
    own_weights,
)
from autograder.worker.wire import Array

PER_TOKEN = "self_attention_per_token"
MATRIX = "self_attention"
SCALED = "scaled_dot_product_self_attention"


@check(task="softmax", points=1, public=True)
def test_softmax_published(cases: Cases, compare: Compare) -> None:
    """softmax turns the published lists of scores into the published weights."""
    compare(cases.published("softmax"))


@check(task="softmax", points=1, public=True)
def test_softmax_sizes(cases: Cases, compare: Compare) -> None:
    """softmax takes arrays of any number of scores, and the weights sum to 1."""
    compare(cases.other_sizes("softmax"))


@check(task="softmax", points=1, requires=["softmax_sizes"], public=True)
def test_softmax_large(cases: Cases, compare: Compare) -> None:
    """softmax stays right where scores are in the hundreds and thousands."""
    compare(cases.other_sizes("softmax", "large"))


@check(task="softmax", points=1, requires=["softmax_sizes"], public=True)
def test_softmax_unchanged(cases: Cases, compare: Compare) -> None:
    """softmax returns a new array and leaves its argument unchanged."""
    compare.unchanged(cases.stored("softmax"))


@check(task=PER_TOKEN, points=2, public=True)
def test_per_token_published(cases: Cases, compare: Compare) -> None:
    """The outputs computed one token at a time are the published ones."""
    compare(cases.published(PER_TOKEN))


@check(task=PER_TOKEN, points=3, public=True)
def test_per_token_sizes(cases: Cases, compare: Compare) -> None:
    """self_attention_per_token is right for any number of tokens, judged with your own softmax."""
    _with_own_softmax(cases, compare, PER_TOKEN)


@check(task=PER_TOKEN, points=1, requires=["per_token_sizes"], public=True)
def test_per_token_unchanged(cases: Cases, compare: Compare) -> None:
    """self_attention_per_token leaves the tokens and the parameters unchanged."""
    compare.unchanged(cases.stored(PER_TOKEN))


@check(task=MATRIX, points=1, public=True)
def test_matrix_published(cases: Cases, compare: Compare) -> None:
    """self_attention gives the published outputs."""
    compare(cases.published(MATRIX))


@check(task=MATRIX, points=3, public=True)
def test_matrix_sizes(cases: Cases, compare: Compare) -> None:
    """self_attention is right for any number of tokens and dimensions, judged with your own softmax."""
    _with_own_softmax(cases, compare, MATRIX)


@check(task=MATRIX, points=1, requires=["matrix_sizes"], public=True)
def test_matrix_unchanged(cases: Cases, compare: Compare) -> None:
    """self_attention leaves the tokens and the parameters unchanged."""
    compare.unchanged(cases.stored(MATRIX))


@check(task=SCALED, points=1, public=True)
def test_scaled_published(cases: Cases, compare: Compare) -> None:
    """scaled_dot_product_self_attention gives the published outputs."""
    compare(cases.published(SCALED))


@check(task=SCALED, points=3, public=True)
def test_scaled_sizes(cases: Cases, compare: Compare) -> None:
    """scaled_dot_product_self_attention is right for any sizes, judged with your own softmax."""
    _with_own_softmax(cases, compare, SCALED)


@check(task=SCALED, points=1, requires=["scaled_sizes"], public=True)
def test_scaled_unchanged(cases: Cases, compare: Compare) -> None:
    """scaled_dot_product_self_attention leaves the tokens and the parameters unchanged."""
    compare.unchanged(cases.stored(SCALED))


def _with_own_softmax(cases: Cases, compare: Compare, task: str) -> None:
    """All sizes are right, or would be if the student's softmax were: one fault costs once."""
    own = lambda failed: [_own_softmax(compare.submission, cases, task)]  # noqa: E731
    compare_or_excuse(compare, cases.other_sizes(task), own)


def _own_softmax(submission: SubmissionProxy, cases: Cases, task: str) -> Own | None:
    """The case `wide` and the student's softmax of its scores, one column per query.

    Students do not have this case: their public checks show the fault in each task that it reaches.
    """
    known = next(
        (one for one in cases.stored(task) if one.case.name.endswith("/wide")), None
    )
    name = f"softmax/{'scaled' if task == SCALED else 'unscaled'}-"
    scores = [
        one
        for one in cases.stored("softmax", "scores")
        if one.case.name.startswith(name)
    ]
    columns = [
        column for one in scores if (column := own_weights(submission, one)) is not None
    ]
    if known is None or len(columns) < len(scores):
        return None
    values = _values_of(known)

    def leads_to(weights: Array) -> Array | list[Array]:
        mixed = values @ weights
        return np.split(mixed, len(scores), axis=1) if task == PER_TOKEN else mixed

    raw_scores = np.stack([one.case.call.args[0] for one in scores], axis=1)  # type: ignore[union-attr]
    return Own(
        known,
        np.stack(columns, axis=1),
        leads_to,
        scores,
        softmax="softmax",
        scores=raw_scores,
    )


def _values_of(known: KnownCase) -> Array:
    """The values V of a case, one per column."""
    tokens, omega_v, _, _, beta_v, *_ = known.case.call.args  # type: ignore[union-attr]
    X = np.hstack(tokens) if isinstance(tokens, list) else tokens
    return np.asarray(omega_v @ X + beta_v)
