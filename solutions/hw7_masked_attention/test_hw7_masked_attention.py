"""Checks of hw7: two masks, softmax and attention under a mask, and one sequence that reads another."""

from __future__ import annotations

from typing import Any

from autograder.judging import (
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

SOFTMAX, ATTENTION, CROSS = "masked_softmax", "masked_attention", "cross_attention"


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
    compare(cases.other_sizes(SOFTMAX, "nothing allowed"))


@check(task=SOFTMAX, points=1, requires=["masked_softmax_sizes"], public=True)
def test_masked_softmax_large(cases: Cases, compare: Compare) -> None:
    """masked_softmax stays right where scores are in the thousands, allowed ones and others."""
    compare(cases.other_sizes(SOFTMAX, "large"))


@check(task=SOFTMAX, points=1, requires=["masked_softmax_sizes"], public=True)
def test_masked_softmax_unchanged(cases: Cases, compare: Compare) -> None:
    """masked_softmax leaves scores and mask unchanged."""
    compare.unchanged(cases.stored(SOFTMAX))


@check(task=ATTENTION, points=1, public=True)
def test_masked_attention_published(cases: Cases, compare: Compare) -> None:
    """masked_attention gives the weights and outputs of the handout's two sentences."""
    compare(cases.published(ATTENTION))


@check(task=ATTENTION, points=2, public=True)
def test_masked_attention_weights(submission: SubmissionProxy, cases: Cases, compare: Compare) -> None:
    """masked_attention applies your masked_softmax to the rightly scaled scores, for any leading axes."""
    weights_alone = [accepting(submission, one, 0, one.expected[0]) for one in cases.other_sizes(ATTENTION)]
    own = lambda failed: [_own_softmax(submission, cases, one) for one in failed]  # noqa: E731
    compare_or_excuse(compare, weights_alone, own)


@check(task=ATTENTION, points=1, public=True)
def test_masked_attention_output(submission: SubmissionProxy, cases: Cases, compare: Compare) -> None:
    """masked_attention mixes the values with the weights that it returns."""
    known = cases.other_sizes(ATTENTION)
    compare(mixed_by_own_weights(submission, known, lambda Q, K, V, mask: V))


@check(task=ATTENTION, points=1, requires=["masked_attention_output"], public=True)
def test_masked_attention_unchanged(cases: Cases, compare: Compare) -> None:
    """masked_attention leaves its arguments unchanged."""
    compare.unchanged(cases.stored(ATTENTION))


@check(task=CROSS, points=1, public=True)
def test_cross_attention_published(cases: Cases, compare: Compare) -> None:
    """cross_attention gives the output of the handout's two sequences."""
    compare(cases.published(CROSS))


@check(task=CROSS, points=2, public=True)
def test_cross_attention_sizes(submission: SubmissionProxy, cases: Cases, compare: Compare) -> None:
    """cross_attention reads the other sequence, judged with the weights of your masked_attention."""
    own = lambda failed: [_own_attention(submission, cases, one) for one in failed]  # noqa: E731
    compare_or_excuse(compare, cases.other_sizes(CROSS), own)


@check(task=CROSS, points=1, requires=["cross_attention_sizes"], public=True)
def test_cross_attention_unchanged(cases: Cases, compare: Compare) -> None:
    """cross_attention leaves tokens, parameters and mask unchanged."""
    compare.unchanged(cases.stored(CROSS))


def _own_softmax(submission: SubmissionProxy, cases: Cases, known: KnownCase) -> Own | None:
    """The student's softmax of an attention case's scores."""
    made_by, weights = _within(submission, cases, known, SOFTMAX)
    return made_by and Own(known, weights, lambda own: own, [made_by], judged=0)


def _own_attention(submission: SubmissionProxy, cases: Cases, known: KnownCase) -> Own | None:
    """What the student's attention weights make of the values of a cross-attention case."""
    made_by, weights = _within(submission, cases, known, ATTENTION, held=0)
    return made_by and Own(known, weights, lambda own: own @ made_by.case.call.args[2], [made_by], held=0)


def _within(
    submission: SubmissionProxy, cases: Cases, known: KnownCase, task: str, held: int | None = None
) -> tuple[Any, Any]:
    """The case of the step within a case, and the student's weights of it; students have no such case."""
    name = f"{task}/{known.case.name.partition('/')[2]}"
    made_by = next((one for one in cases.other_sizes(task) if one.case.name == name), None)
    weights = own_weights(submission, made_by, held) if made_by else None
    return (None, None) if weights is None else (made_by, weights)
