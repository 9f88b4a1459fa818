"""Checks of hw7: two masks, softmax and attention under a mask, and one sequence that reads another."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from autograder.reasons.agreement import same_answer
from autograder.sandbox.report import Answer
from autograder.verdict import (
    Cases,
    Compare,
    Excuse,
    KnownCase,
    SubmissionProxy,
    accepting,
    as_array,
    check,
    compare_or_excuse,
    mixed_by_own_weights,
    own_weights,
)
from autograder.verdict.arrays import room_for
from autograder.verdict.for_checks.own_results import weights_alone
from autograder.worker.wire import Array

CAUSAL = "causal_mask"
PADDING = "padding_mask"
SOFTMAX = "masked_softmax"
ATTENTION = "masked_attention"
CROSS = "cross_attention"

LARGE = "large"
NOTHING = "nothing allowed"


@check(task=CAUSAL, points=1, public=True)
def test_causal_mask_published(cases: Cases, compare: Compare) -> None:
    """causal_mask gives the mask of the handout's four tokens."""
    compare(cases.published(CAUSAL))


@check(task=CAUSAL, points=2, public=True)
def test_causal_mask_sizes(cases: Cases, compare: Compare) -> None:
    """causal_mask lets each token see itself and those before, for any number of tokens."""
    compare(cases.other_sizes(CAUSAL))


@check(task=PADDING, points=1, public=True)
def test_padding_mask_published(cases: Cases, compare: Compare) -> None:
    """padding_mask gives the mask of the handout's two sentences."""
    compare(cases.published(PADDING))


@check(task=PADDING, points=2, public=True)
def test_padding_mask_sizes(cases: Cases, compare: Compare) -> None:
    """padding_mask shows the words of each sentence, from none to all, in any batch."""
    compare(cases.other_sizes(PADDING))
    compare.unchanged(cases.stored(PADDING))


@check(task=SOFTMAX, points=1, public=True)
def test_masked_softmax_published(cases: Cases, compare: Compare) -> None:
    """masked_softmax gives the shares of the handout's example."""
    compare(cases.published(SOFTMAX))


@check(task=SOFTMAX, points=1, public=True)
def test_masked_softmax_sizes(cases: Cases, compare: Compare) -> None:
    """masked_softmax shares out each row among its allowed keys, whatever the sizes and leading axes."""
    compare(cases.other_sizes(SOFTMAX))


@check(
    task=SOFTMAX,
    points=1,
    requires=["masked_softmax_sizes"],
    public=True,
)
def test_masked_softmax_nothing_allowed(cases: Cases, compare: Compare) -> None:
    """masked_softmax returns zeros for a row in which nothing is allowed."""
    compare(cases.other_sizes(SOFTMAX, NOTHING))


@check(
    task=SOFTMAX,
    points=1,
    requires=["masked_softmax_sizes"],
    public=True,
)
def test_masked_softmax_large(cases: Cases, compare: Compare) -> None:
    """masked_softmax stays right where scores are in the thousands, allowed ones and others."""
    compare(cases.other_sizes(SOFTMAX, LARGE))


@check(
    task=SOFTMAX,
    points=1,
    requires=["masked_softmax_sizes"],
    public=True,
)
def test_masked_softmax_unchanged(cases: Cases, compare: Compare) -> None:
    """masked_softmax leaves scores and mask unchanged."""
    compare.unchanged(cases.stored(SOFTMAX, None))


@check(task=ATTENTION, points=1, public=True)
def test_masked_attention_published(cases: Cases, compare: Compare) -> None:
    """masked_attention gives the weights and outputs of the handout's two sentences."""
    compare(cases.published(ATTENTION))


@check(task=ATTENTION, points=1, public=True)
def test_masked_attention_weights(
    submission: SubmissionProxy, cases: Cases, compare: Compare
) -> None:
    """masked_attention applies your masked_softmax to the rightly scaled scores, for any leading axes."""
    judged = []
    for known in cases.other_sizes(ATTENTION):
        judged.append(weights_alone(submission, known))

    def own_softmax(failed: Sequence[KnownCase]) -> list[Excuse | None]:
        return [_own_softmax(submission, cases, known) for known in failed]

    compare_or_excuse(compare, judged, own_softmax)


@check(
    task=ATTENTION,
    points=1,
    requires=["masked_attention_weights"],
    public=True,
)
def test_masked_attention_nothing_allowed(
    submission: SubmissionProxy, cases: Cases, compare: Compare
) -> None:
    """masked_attention returns weights of 0 for a query that may look at nothing."""
    judged = []
    for known in cases.other_sizes(ATTENTION, NOTHING):
        # Weights that are wrong since masked_softmax is have lost a check of their own.
        softmax_weights = _wrong_weights_within(submission, cases, known, SOFTMAX)
        if softmax_weights is not None:
            excused = accepting(submission, known, 0, softmax_weights)
            if excused.is_right(submission.answer(known)):
                continue
        judged.append(weights_alone(submission, known))
    if judged:
        compare(judged)


@check(task=ATTENTION, points=1, public=True)
def test_masked_attention_output(
    submission: SubmissionProxy, cases: Cases, compare: Compare
) -> None:
    """masked_attention mixes the values with the weights that it returns."""
    known_cases = cases.other_sizes(ATTENTION)
    judged = mixed_by_own_weights(submission, known_cases, lambda Q, K, V, mask: V)
    for known in cases.other_sizes(ATTENTION, NOTHING):
        # Where weights are wrong, perhaps NaN, the check of the weights says so.
        answer = submission.answer(known)
        if weights_alone(submission, known).is_right(answer):
            judged.append(known)
    compare(judged)


@check(
    task=ATTENTION,
    points=1,
    requires=["masked_attention_output"],
    public=True,
)
def test_masked_attention_unchanged(cases: Cases, compare: Compare) -> None:
    """masked_attention leaves its arguments unchanged."""
    compare.unchanged(cases.stored(ATTENTION, None))


@check(task=CROSS, points=1, public=True)
def test_cross_attention_published(cases: Cases, compare: Compare) -> None:
    """cross_attention gives the output of the handout's two sequences."""
    compare(cases.published(CROSS))


@check(task=CROSS, points=1, public=True)
def test_cross_attention_sizes(
    submission: SubmissionProxy, cases: Cases, compare: Compare
) -> None:
    """cross_attention reads the other sequence, judged with the weights of your masked_attention."""

    def own_attention(failed: Sequence[KnownCase]) -> list[Excuse | None]:
        return [_own_attention(submission, cases, known) for known in failed]

    compare_or_excuse(compare, cases.other_sizes(CROSS), own_attention)


@check(
    task=CROSS,
    points=1,
    requires=["cross_attention_sizes"],
    public=True,
)
def test_cross_attention_nothing_allowed(
    submission: SubmissionProxy, cases: Cases, compare: Compare
) -> None:
    """cross_attention returns zeros for a token that may read nothing."""
    judged = []
    for known in cases.other_sizes(CROSS, NOTHING):
        # An output that is wrong since masked_attention is has lost a check of its own.
        weights = _wrong_weights_within(submission, cases, known, ATTENTION, part=0)
        if weights is None or not _comes_from(weights, submission, known):
            judged.append(known)
    if judged:
        compare(judged)


@check(
    task=CROSS,
    points=1,
    requires=["cross_attention_sizes"],
    public=True,
)
def test_cross_attention_unchanged(cases: Cases, compare: Compare) -> None:
    """cross_attention leaves tokens, parameters and mask unchanged."""
    compare.unchanged(cases.stored(CROSS, None))


def _own_softmax(
    submission: SubmissionProxy, cases: Cases, known: KnownCase
) -> Excuse | None:
    """Return the student's softmax of an attention case's scores.

    The steps within a case are cases that have its label.
    """
    softmax_case = cases.labelled(SOFTMAX, known.case.label)
    if softmax_case is None:
        return None
    weights = own_weights(submission, softmax_case)
    if weights is None:
        return None
    scores, _ = softmax_case.arguments
    return Excuse(
        known,
        weights,
        answer_from=lambda weights: weights,
        weight_cases=[softmax_case],
        judged_part=0,
        softmax=SOFTMAX,
        scores=scores,
    )


def _own_attention(
    submission: SubmissionProxy, cases: Cases, known: KnownCase
) -> Excuse | None:
    """Return what the student's attention weights make of the values of a cross-attention case."""
    attention_case = cases.labelled(ATTENTION, known.case.label)
    softmax_case = cases.labelled(SOFTMAX, known.case.label)
    if attention_case is None or softmax_case is None:
        return None
    weights = own_weights(submission, attention_case, part=0)
    if weights is None:
        return None
    _, _, V, _ = attention_case.arguments
    scores, _ = softmax_case.arguments
    return Excuse(
        known,
        weights,
        answer_from=lambda weights: weights @ V,
        weight_cases=[attention_case],
        weights_part=0,
        softmax=SOFTMAX,
        scores=scores,
    )


def _wrong_weights_within(
    submission: SubmissionProxy,
    cases: Cases,
    known: KnownCase,
    task: str,
    part: int | None = None,
) -> Array | None:
    """Return the student's weights of the step within a case, where they are wrong; NaN may be among them.

    That they depend on the scores is proved by the checks that are required first.

    Args:
        submission: the submission.
        cases: the cases of the homework.
        known: the case.
        task: the step.
        part: the place of the weights in what the step returns; None where it returns nothing else.
    """
    step = cases.labelled(task, known.case.label)
    if step is None:
        return None
    answer = submission.answer(step)
    if step.is_right(answer):
        return None
    value = answer.value
    expected = step.expected
    if part is not None:
        if not isinstance(value, tuple | list):
            return None
        if len(value) != len(expected):
            return None
        value = value[part]
        expected = expected[part]
    weights = as_array(value, room_for(expected))
    if weights is None or weights.shape != expected.shape:
        return None
    return weights


def _comes_from(weights: Array, submission: SubmissionProxy, known: KnownCase) -> bool:
    """Whether the answer to a cross-attention case is what own weights lead to, NaN in the same places."""
    _, X_kv, _, _, W_v, _ = known.arguments
    V = X_kv @ W_v
    with np.errstate(all="ignore"):  # a student's numbers may be as large as they like
        due = Answer(weights @ V)
    answer = submission.answer(known)
    return same_answer(answer, due, known.tolerance)
