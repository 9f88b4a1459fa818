"""Checks of hw3: softmax, and scaled dot-product attention made with it."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

import numpy as np

from autograder.checks.fixtures import Cases, Compare, SubmissionProxy
from autograder.checks.mark import check
from autograder.checks.own import own_weights, part
from autograder.comparison.compare import as_array
from autograder.homework.cases import FunctionCall
from autograder.reference.known import KnownCase
from autograder.worker.wire import Array

ATTENTION = "scaled_dot_product_attention"


@check(task="softmax", points=2, public=True)
def test_softmax_published(submission: SubmissionProxy, cases: Cases, compare: Compare) -> None:
    """softmax turns ln 1, ln 3, ln 4 into 1/8, 3/8, 4/8, and takes whole numbers as well."""
    compare(submission, cases.published("softmax"))


@check(task="softmax", points=3, public=True)
def test_softmax_sizes(submission: SubmissionProxy, cases: Cases, compare: Compare) -> None:
    """softmax makes each row a distribution, for any number of rows and columns."""
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


@check(task=ATTENTION, points=3, public=True)
def test_scaled_dot_product_attention_published(
    submission: SubmissionProxy, cases: Cases, compare: Compare
) -> None:
    """scaled_dot_product_attention gives the weights and context vectors of the handout's examples."""
    compare(submission, cases.published(ATTENTION))


@check(task=ATTENTION, points=5, public=True)
def test_scaled_dot_product_attention_weights(
    submission: SubmissionProxy, cases: Cases, compare: Compare
) -> None:
    """scaled_dot_product_attention applies your softmax to the rightly scaled scores, whatever the sizes."""
    compare(submission, [_weights_only(submission, cases, known) for known in cases.other_sizes(ATTENTION)])


@check(task=ATTENTION, points=4, public=True)
def test_scaled_dot_product_attention_context(
    submission: SubmissionProxy, cases: Cases, compare: Compare
) -> None:
    """scaled_dot_product_attention mixes the values with the attention weights that it returns."""
    compare(submission, [_mixed_by_own_weights(submission, known) for known in cases.other_sizes(ATTENTION)])


@check(task=ATTENTION, points=1, requires=["scaled_dot_product_attention_context"], public=True)
def test_scaled_dot_product_attention_unchanged(
    submission: SubmissionProxy, cases: Cases, compare: Compare
) -> None:
    """scaled_dot_product_attention leaves Q, K and V unchanged."""
    compare.unchanged(submission, cases.published(ATTENTION))
    compare.unchanged(submission, cases.stored(ATTENTION))


def _weights_only(submission: SubmissionProxy, cases: Cases, known: KnownCase) -> KnownCase:
    """The case with any context accepted, and the weights that the student's own softmax makes."""
    weights, context = part(submission, known, 0), part(submission, known, 1)
    if weights is None or context is None:
        return known
    own = _own_softmax(submission, cases, known)
    by_own = replace(known, expected=(known.expected[0] if own is None else own, context))
    by_reference = replace(known, expected=(known.expected[0], context))
    return by_own if by_own.compare((weights, context)) is None else by_reference


def _own_softmax(submission: SubmissionProxy, cases: Cases, known: KnownCase) -> Array | None:
    """The student's softmax of the case's scaled scores, kept as the softmax case of the same label."""
    name = f"softmax/{known.case.name.partition('/')[2]}"
    [scores] = [one for one in cases.other_sizes("softmax") if one.case.name == name]
    own = as_array(submission.answer(scores).value)
    return own if own is not None and own.shape == scores.expected.shape and _says_something(own) else None


def _says_something(array: Array) -> bool:
    """An answer that is the same number everywhere is a placeholder."""
    return bool(np.isfinite(array).all() and np.ptp(array) > 0)


def _mixed_by_own_weights(submission: SubmissionProxy, known: KnownCase) -> KnownCase:
    """The case with the student's own weights, unless they are all zero, and the context due to them."""
    weights = own_weights(submission, known)
    if weights is None:
        return known
    V = cast(FunctionCall, known.case.call).args[2]
    return replace(known, expected=(weights, weights @ V))
