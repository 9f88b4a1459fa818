"""Checks of hw5: softmax of each column, and two heads of scaled self-attention recombined."""

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

SOFTMAX = "softmax_cols"
MULTIHEAD = "multihead_scaled_self_attention"

SCORES = "scores"
LARGE = "large"
ZEROS = "zeros"
WHOLE = "whole"
STEPS = {"wide": "", "small": "small-"}
"""By the label of a case: how the labels of the softmax cases on its scores begin.

Nobody sees the case `wide`, so that no code can be written to be right for it alone; students have `small`.
"""
REPEATED = {
    "repeated-token": "repeated-token-",
    "a-repeated-token": "a-repeated-token-",
}
"""The same for the cases with a repeated token: a softmax may be wrong for equal scores alone."""


@check(task=SOFTMAX, points=1, public=True)
def test_softmax_cols_published(cases: Cases, compare: Compare) -> None:
    """softmax_cols gives the weights of the handout's example."""
    compare(cases.published(SOFTMAX))


@check(task=SOFTMAX, points=2, public=True)
def test_softmax_cols_sizes(cases: Cases, compare: Compare) -> None:
    """softmax_cols makes each column sum to 1, for any number of rows and columns."""
    compare(cases.other_sizes(SOFTMAX))


@check(
    task=SOFTMAX,
    points=2,
    requires=["softmax_cols_sizes"],
    public=True,
)
def test_softmax_cols_large(cases: Cases, compare: Compare) -> None:
    """softmax_cols stays right where scores are in the hundreds and thousands, 0, or whole numbers."""
    compare(cases.other_sizes(SOFTMAX, LARGE))
    compare(cases.stored(SOFTMAX, WHOLE))


@check(
    task=SOFTMAX,
    points=1,
    requires=["softmax_cols_sizes"],
    public=True,
)
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

    def own_softmax(failed: Sequence[KnownCase]) -> list[Excuse | None]:
        excuses = []
        steps = STEPS
        if all(known.case.label in REPEATED for known in failed):
            steps = REPEATED
        for label, prefix in steps.items():
            known = cases.labelled(MULTIHEAD, label)
            if known is not None:
                excuses.append(_own_softmax(submission, cases, known, prefix))
        return excuses

    compare_or_excuse(compare, cases.other_sizes(MULTIHEAD), own_softmax)


@check(
    task=MULTIHEAD,
    points=2,
    requires=["multihead_sizes"],
    public=True,
)
def test_multihead_unchanged(cases: Cases, compare: Compare) -> None:
    """multihead_scaled_self_attention is right for large scores, zeros and whole numbers, and changes nothing."""
    compare.unchanged(cases.stored(MULTIHEAD))
    softmax_cases = cases.stored(SOFTMAX, None)
    for topic in (LARGE, ZEROS, WHOLE):
        compare_if_right(compare, cases.stored(MULTIHEAD, topic), softmax_cases)


def _own_softmax(
    submission: SubmissionProxy, cases: Cases, known: KnownCase, prefix: str
) -> Excuse | None:
    """Return a case and the student's weights of its two heads."""
    # The student's weights of each head, and the head's scores.
    softmax_cases = []
    weights_of_heads = []
    scores_of_heads = []
    for softmax_case in cases.stored(SOFTMAX, SCORES):
        if not softmax_case.case.label.startswith(f"{prefix}head-"):
            continue
        softmax_cases.append(softmax_case)
        weights = own_weights(submission, softmax_case)
        if weights is None:
            return None
        (scores,) = softmax_case.arguments
        weights_of_heads.append(weights)
        scores_of_heads.append(scores)

    X, *parameters, omega_c = known.arguments
    omega_v1, _, _, beta_v1, _, _ = parameters[:6]
    omega_v2, _, _, beta_v2, _, _ = parameters[6:]
    V1 = omega_v1 @ X + beta_v1
    V2 = omega_v2 @ X + beta_v2

    def context_of(weights: Array) -> Array:
        weights1, weights2 = weights
        head1 = V1 @ weights1
        head2 = V2 @ weights2
        heads = np.vstack([head1, head2])
        return np.asarray(omega_c @ heads)

    return Excuse(
        known,
        np.stack(weights_of_heads),
        context_of,
        weight_cases=softmax_cases,
        softmax=SOFTMAX,
        scores=np.stack(scores_of_heads),
    )
