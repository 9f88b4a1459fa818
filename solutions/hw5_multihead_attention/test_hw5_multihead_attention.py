"""Checks of hw5: softmax of each column, and two heads of scaled self-attention recombined."""

from __future__ import annotations

import numpy as np

from autograder.verdict import (
    Cases,
    Compare,
    Own,
    SubmissionProxy,
    check,
    compare_or_excuse,
    own_weights,
)
from autograder.worker.wire import Array

SOFTMAX = "softmax_cols"
MULTIHEAD = "multihead_scaled_self_attention"


@check(task=SOFTMAX, points=1, public=True)
def test_softmax_cols_published(cases: Cases, compare: Compare) -> None:
    """softmax_cols gives the weights of the handout's example."""
    compare(cases.published(SOFTMAX))


@check(task=SOFTMAX, points=2, public=True)
def test_softmax_cols_sizes(cases: Cases, compare: Compare) -> None:
    """softmax_cols makes each column sum to 1, for any number of rows and columns."""
    compare(cases.other_sizes(SOFTMAX))


@check(task=SOFTMAX, points=2, requires=["softmax_cols_sizes"], public=True)
def test_softmax_cols_large(cases: Cases, compare: Compare) -> None:
    """softmax_cols stays right where scores are in the hundreds and thousands."""
    compare(cases.other_sizes(SOFTMAX, "large"))


@check(task=SOFTMAX, points=1, requires=["softmax_cols_sizes"], public=True)
def test_softmax_cols_unchanged(cases: Cases, compare: Compare) -> None:
    """softmax_cols returns a new array and leaves its argument unchanged."""
    compare.unchanged(cases.stored(SOFTMAX))


@check(task=MULTIHEAD, points=5, public=True)
def test_multihead_published(cases: Cases, compare: Compare) -> None:
    """multihead_scaled_self_attention gives the published output, all 8 rows of it."""
    compare(cases.published(MULTIHEAD))


@check(task=MULTIHEAD, points=7, public=True)
def test_multihead_sizes(
    submission: SubmissionProxy, cases: Cases, compare: Compare
) -> None:
    """multihead_scaled_self_attention is right for any sizes, judged with your own softmax_cols."""
    compare_or_excuse(
        compare,
        cases.other_sizes(MULTIHEAD),
        lambda failed: [_own_softmax(submission, cases)],
    )


@check(task=MULTIHEAD, points=2, requires=["multihead_sizes"], public=True)
def test_multihead_unchanged(cases: Cases, compare: Compare) -> None:
    """multihead_scaled_self_attention leaves the tokens and the parameters unchanged."""
    compare.unchanged(cases.stored(MULTIHEAD))


def _own_softmax(submission: SubmissionProxy, cases: Cases) -> Own | None:
    """The case `wide` and the student's weights of its two heads.

    Students do not have this case: their public checks show the fault in each task that it reaches.
    """
    known = next(
        (one for one in cases.stored(MULTIHEAD) if one.case.name.endswith("/wide")),
        None,
    )
    scores = cases.stored(SOFTMAX, "scores")
    heads = [
        weights
        for one in scores
        if (weights := own_weights(submission, one)) is not None
    ]
    if known is None or len(heads) < len(scores):
        return None
    X, *parameters, omega_c = known.case.call.args  # type: ignore[union-attr]
    values = [
        omega_v @ X + beta_v
        for omega_v, beta_v in zip(parameters[::6], parameters[3::6], strict=True)
    ]

    def leads_to(weights: Array) -> Array:
        heads = [V @ A for V, A in zip(values, weights, strict=True)]
        return np.asarray(omega_c @ np.vstack(heads))

    raw_scores = np.stack([one.case.call.args[0] for one in scores])  # type: ignore[union-attr]
    return Own(
        known, np.stack(heads), leads_to, scores, softmax=SOFTMAX, scores=raw_scores
    )
