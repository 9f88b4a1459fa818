"""Calls of a decoder, or of what trains it, that return nothing: what is known of why, and at which line."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from autograder.course.calls import FunctionCall, ModuleCall
from autograder.course.cases import Group
from autograder.decoders.faults import ModelFault
from autograder.decoders.indices import (
    read_missing_row,
    why_no_row_in_model,
    why_no_row_in_training,
)
from autograder.decoders.memory import why_it_stops
from autograder.decoders.sizes import sizes_of
from autograder.sandbox.report import StudentError
from autograder.verdict.explanation_faults import explaining
from autograder.verdict.failure import CheckFailed, FailureKind, joined
from autograder.verdict.fixtures import Compare
from autograder.verdict.known import OPEN, KnownCase


def with_why_it_stops(
    failed: CheckFailed,
    compare: Compare,
    known: KnownCase,
    small: KnownCase,
    one_change: Callable[[], str],
) -> CheckFailed:
    """Return the failed check with what is known of why a call returned nothing; the same one if that is nothing.

    Args:
        failed: the check, which asked for an answer.
        compare: judges answers.
        known: the case without an answer. If it calls a function, this takes what a model learns from, and prompts.
        small: a case that calls a small model without a cache.
        one_change: says with which one change of the submission's own code its model is right.
    """
    failure = failed.failure
    fault = ModelFault("")
    with explaining("what the model remembers", CheckFailed):
        fault = why_it_stops(compare.submission, small, known.case.call)
    remark = fault.says
    labels = fault.labels or failure.misconceptions
    if not remark and known.case.group in OPEN:
        remark = why_no_row(known, compare.submission.answer(known).error)
    change = ""
    with explaining("the line at which a model stops"):
        is_published = known.case.group is Group.PUBLISHED
        if is_published and failure.kind is FailureKind.RAISED and not labels:
            change = one_change()
    if not remark and not change:
        return failed
    failure = replace(
        failure.reworded(joined(remark, failure.student, change)),
        cause=joined(remark, change),
        misconceptions=labels,
    )
    return CheckFailed(failure)


def why_no_row(known: KnownCase, error: StudentError | None) -> str:
    """Say which size equals an index that `nn.Embedding` has no row for."""
    missing = read_missing_row(error)
    if missing is None:
        return ""
    call = known.case.call
    if isinstance(call, ModuleCall):
        n_sequences, _ = call.input.array.shape
        is_published = known.case.group is Group.PUBLISHED
        return why_no_row_in_model(missing, sizes_of(known), n_sequences, is_published)
    assert isinstance(call, FunctionCall), "this case calls a function"
    sequences, prompts = call.args
    return why_no_row_in_training(missing, sequences.array, len(prompts.array))


def with_change(
    failed: CheckFailed, known: KnownCase, one_change: Callable[[], str]
) -> CheckFailed:
    """Return a failed check with the one change after which the model is right, if that is not said yet.

    Args:
        failed: the check.
        known: the case that it failed at.
        one_change: says with which one change of the submission's own code its model is right.
    """
    failure = failed.failure
    with explaining("the line at which logits are wrong"):
        if known.case.group is Group.PUBLISHED and failure.kind is FailureKind.VALUES:
            failure = failure.followed_by(one_change())
            return CheckFailed(replace(failure, cause=failure.student))
    return failed
