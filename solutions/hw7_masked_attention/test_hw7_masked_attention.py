"""Checks of hw7: two masks, softmax and attention under a mask, and one sequence that reads another."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograder.course import FunctionCall
from autograder.reasons.agreement import same_answer
from autograder.sandbox.report import Answer
from autograder.verdict import (
    Cases,
    Compare,
    KnownCase,
    Own,
    SubmissionProxy,
    accepting,
    as_array,
    check,
    compare_or_excuse,
    mixed_by_own_weights,
    own_weights,
)
from autograder.verdict.arrays import room_for
from autograder.worker.wire import Array

SOFTMAX, ATTENTION, CROSS = "masked_softmax", "masked_attention", "cross_attention"
NOTHING = "nothing allowed"


@check(task="causal_mask", points=1, public=True)
def test_causal_mask_published(cases: Cases, compare: Compare) -> None:
    """causal_mask gives the mask of the handout's four tokens."""
    compare(cases.published("causal_mask"))


@check(task="causal_mask", points=2, public=True)
def test_causal_mask_sizes(cases: Cases, compare: Compare) -> None:
    """causal_mask lets each token see itself and those before, for any number of tokens."""
    compare(cases.other_sizes("causal_mask"))


@check(task="padding_mask", points=1, public=True)
def test_padding_mask_published(cases: Cases, compare: Compare) -> None:
    """padding_mask gives the mask of the handout's two sentences."""
    compare(cases.published("padding_mask"))


@check(task="padding_mask", points=2, public=True)
def test_padding_mask_sizes(cases: Cases, compare: Compare) -> None:
    """padding_mask shows the words of each sentence, from none to all, in any batch."""
    compare(cases.other_sizes("padding_mask"))
    compare.unchanged(cases.stored("padding_mask"))


@check(task=SOFTMAX, points=1, public=True)
def test_masked_softmax_published(cases: Cases, compare: Compare) -> None:
    """masked_softmax gives the shares of the handout's example."""
    compare(cases.published(SOFTMAX))


@check(task=SOFTMAX, points=1, public=True)
def test_masked_softmax_sizes(cases: Cases, compare: Compare) -> None:
    """masked_softmax shares out each row among its allowed keys, whatever the sizes and leading axes."""
    compare(cases.other_sizes(SOFTMAX))


@check(task=SOFTMAX, points=1, requires=["masked_softmax_sizes"], public=True)
def test_masked_softmax_nothing_allowed(cases: Cases, compare: Compare) -> None:
    """masked_softmax returns zeros for a row in which nothing is allowed."""
    compare(cases.other_sizes(SOFTMAX, NOTHING))


@check(task=SOFTMAX, points=1, requires=["masked_softmax_sizes"], public=True)
def test_masked_softmax_large(cases: Cases, compare: Compare) -> None:
    """masked_softmax stays right where scores are in the thousands, allowed ones and others."""
    compare(cases.other_sizes(SOFTMAX, "large"))


@check(task=SOFTMAX, points=1, requires=["masked_softmax_sizes"], public=True)
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
    weights_alone = [
        accepting(submission, one, 0, one.expected[0])
        for one in cases.other_sizes(ATTENTION)
    ]
    own = lambda failed: [_own_softmax(submission, cases, one) for one in failed]  # noqa: E731
    compare_or_excuse(compare, weights_alone, own)


@check(task=ATTENTION, points=1, requires=["masked_attention_weights"], public=True)
def test_masked_attention_nothing_allowed(
    submission: SubmissionProxy, cases: Cases, compare: Compare
) -> None:
    """masked_attention returns weights of 0 for a query that may look at nothing."""
    judged = []
    for known in cases.other_sizes(ATTENTION, NOTHING):
        weights = _wrong_weights_within(submission, cases, known, SOFTMAX)
        weights_only = accepting(
            submission, known, 0, known.expected[0] if weights is None else weights
        )
        if weights is None or not weights_only.is_right(submission.answer(known)):
            judged.append(accepting(submission, known, 0, known.expected[0]))
    if judged:  # otherwise masked_softmax is wrong in all of these cases, and has lost a check of its own
        compare(judged)


@check(task=ATTENTION, points=1, public=True)
def test_masked_attention_output(
    submission: SubmissionProxy, cases: Cases, compare: Compare
) -> None:
    """masked_attention mixes the values with the weights that it returns."""
    mixed = mixed_by_own_weights(
        submission, cases.other_sizes(ATTENTION), lambda Q, K, V, mask: V
    )
    for known in cases.other_sizes(ATTENTION, NOTHING):
        # Where weights are wrong, perhaps NaN, the check of the weights says so.
        if accepting(submission, known, 0, known.expected[0]).is_right(
            submission.answer(known)
        ):
            mixed.append(known)
    compare(mixed)


@check(task=ATTENTION, points=1, requires=["masked_attention_output"], public=True)
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
    own = lambda failed: [_own_attention(submission, cases, one) for one in failed]  # noqa: E731
    compare_or_excuse(compare, cases.other_sizes(CROSS), own)


@check(task=CROSS, points=1, requires=["cross_attention_sizes"], public=True)
def test_cross_attention_nothing_allowed(
    submission: SubmissionProxy, cases: Cases, compare: Compare
) -> None:
    """cross_attention returns zeros for a token that may read nothing."""
    judged = []
    for known in cases.other_sizes(CROSS, NOTHING):
        weights = _wrong_weights_within(submission, cases, known, ATTENTION, held=0)
        if weights is None or not _comes_from(weights, submission, known):
            judged.append(known)
    if judged:
        compare(judged)


@check(task=CROSS, points=1, requires=["cross_attention_sizes"], public=True)
def test_cross_attention_unchanged(cases: Cases, compare: Compare) -> None:
    """cross_attention leaves tokens, parameters and mask unchanged."""
    compare.unchanged(cases.stored(CROSS, None))


def _own_softmax(
    submission: SubmissionProxy, cases: Cases, known: KnownCase
) -> Own | None:
    """The student's softmax of an attention case's scores."""
    within = _case_within(cases, known, SOFTMAX)
    if within is None:
        return None
    weights = own_weights(submission, within)
    if weights is None:
        return None
    raw_scores = _arguments(within)[0]
    return Own(
        known,
        weights,
        lambda own: own,
        [within],
        judged=0,
        softmax=SOFTMAX,
        scores=raw_scores,
    )


def _own_attention(
    submission: SubmissionProxy, cases: Cases, known: KnownCase
) -> Own | None:
    """What the student's attention weights make of the values of a cross-attention case."""
    within = _case_within(cases, known, ATTENTION)
    if within is None:
        return None
    weights = own_weights(submission, within, held=0)
    if weights is None:
        return None
    values = _arguments(within)[2]
    step = _case_within(cases, known, SOFTMAX)
    if step is None:
        return None
    raw_scores = _arguments(step)[0]
    return Own(
        known,
        weights,
        lambda own: own @ values,
        [within],
        held=0,
        softmax=SOFTMAX,
        scores=raw_scores,
    )


def _wrong_weights_within(
    submission: SubmissionProxy,
    cases: Cases,
    known: KnownCase,
    task: str,
    held: int | None = None,
) -> Array | None:
    """The student's weights of the step within a case, where they are wrong; NaN may be among them.

    That they depend on the scores is proved by the checks that are required first.
    """
    within = _case_within(cases, known, task)
    if within is None or within.is_right(submission.answer(within)):
        return None
    value, expected = submission.answer(within).value, within.expected
    if held is not None:
        if not isinstance(value, tuple | list) or len(value) != len(expected):
            return None
        value, expected = value[held], expected[held]
    weights = as_array(value, room_for(expected))
    return weights if weights is not None and weights.shape == expected.shape else None


def _case_within(cases: Cases, known: KnownCase, task: str) -> KnownCase | None:
    """The case of the step within a case, which has the same label; students have no such cases."""
    name = f"{task}/{known.case.name.partition('/')[2]}"
    steps = [step for step in cases.known if step.case.name == name]
    return steps[0] if steps else None


def _comes_from(weights: Array, submission: SubmissionProxy, known: KnownCase) -> bool:
    """Whether the answer to a cross-attention case is what own weights lead to, NaN in the same places."""
    _, X_kv, _, _, W_v, _ = _arguments(known)
    with np.errstate(all="ignore"):  # a student's numbers may be as large as they like
        due = Answer(weights @ (X_kv @ W_v))
    return same_answer(submission.answer(known), due, known.tolerance)


def _arguments(known: KnownCase) -> tuple[Any, ...]:
    call = known.case.call
    assert isinstance(call, FunctionCall), (
        "every case of this homework calls a function"
    )
    return call.args
