"""Models that remember: what a call returns depends on calls before it, by other ways than the cache."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from autograder.course.calls import Call, ModuleCall
from autograder.decoders.faults import ModelFault
from autograder.decoders.logits import differ, first_part, logits_or_none
from autograder.decoders.sizes import sizes_of
from autograder.sandbox.report import StudentError
from autograder.verdict.fixtures import SubmissionProxy
from autograder.verdict.for_checks.modules import module_call
from autograder.verdict.known import KnownCase
from autograder.worker.wire import Shape

FROM_CALL_TO_CALL = "differs-from-call-to-call"
"""The label of the known mistake."""
REMEMBERS = (
    "A new model works once, and a second one, made alike and called without a cache, stops or has other logits: "
    "your model remembers the call before. For example, is there a list, or anything else that is filled, as a "
    "default, such as `cache=[]`, in the body of the class, or outside of it? These are made once, for all calls "
    "and models: take None as the default, and make it within the function."
)
REMEMBERS_ITSELF = (
    "The same model, called twice without a cache, stops or has other logits the second time: it remembers the "
    "call before, for example in an attribute such as `self.cache`. All that a call may know of the tokens before "
    "is in its argument `cache`, which is None at the beginning of new sequences."
)
HOLDS_NONE = (
    "The cache that `forward` returns holds None: return the pairs (K, V) that the blocks "
    "return."
)
KINDS_OF_ERRORS = (
    "IndexError",
    "RuntimeError",
    "ValueError",
    "TypeError",
    "AttributeError",
    "AssertionError",
)
"""What a model raises that goes on with the tokens of another call; a time limit is no such sign."""


def why_it_stops(
    submission: SubmissionProxy, known: KnownCase, call: Call
) -> ModelFault:
    """Say what a model remembers, or that its cache holds nothing; blank where it is something else.

    Args:
        submission: makes further calls.
        known: a case that calls a small model without a cache.
        call: the call that stops.
    """
    if remembers_calls(submission, known):
        return ModelFault(REMEMBERS, FROM_CALL_TO_CALL)
    if isinstance(call, ModuleCall) and call.pieces:
        if remembers_itself(submission, known):
            return ModelFault(REMEMBERS_ITSELF, FROM_CALL_TO_CALL)
        if _holds_none(submission.answer(known).value):
            return ModelFault(HOLDS_NONE)
    return ModelFault("")


def remembers_calls(submission: SubmissionProxy, known: KnownCase) -> bool:
    """Whether a new model without a cache works, and a second one, made alike, stops or has other logits.

    Args:
        submission: makes the calls.
        known: a case that calls a small model without a cache.
    """
    call = replace(module_call(known), probed=False)
    first, second = submission.calls_once("two new models", [call, call])
    if not first.is_usable:
        return False
    if second.error is not None:
        return _is_sign(second.error)
    shape = (*call.input.array.shape, sizes_of(known).vocab_size)
    return _have_other_logits(first.value, second.value, shape)


def remembers_itself(submission: SubmissionProxy, known: KnownCase) -> bool:
    """Whether a model works without a cache, and the same one, called again, stops or has other logits.

    Args:
        submission: makes the calls.
        known: a case that calls a small model without a cache.
    """
    call = replace(module_call(known), probed=False)
    rows, tokens = call.input.array.shape
    call_and_again = replace(call, pieces=(tokens,))
    first, twice = submission.calls_once("one model twice", [call, call_and_again])
    if not first.is_usable:
        return False
    if twice.error is not None:
        return _is_sign(twice.error)
    if not isinstance(twice.value, list) or len(twice.value) != 2:
        return False
    value, value_again = twice.value
    shape = (rows, tokens, sizes_of(known).vocab_size)
    return _have_other_logits(value, value_again, shape)


def _is_sign(error: StudentError) -> bool:
    return error.type in KINDS_OF_ERRORS


def _have_other_logits(value: Any, other_value: Any, shape: Shape) -> bool:
    """Whether two values both hold logits of this shape, and not the same ones."""
    logits = logits_or_none(first_part(value), shape)
    other_logits = logits_or_none(first_part(other_value), shape)
    if logits is None or other_logits is None:
        return False
    largest = np.abs(logits).max()
    return bool(differ(logits, other_logits, largest).any())


def _holds_none(value: Any) -> bool:
    """Whether the cache that a model returned with its logits holds None in place of keys and values."""
    if not isinstance(value, tuple | list) or len(value) != 2:
        return False
    _, cache = value
    if cache is None:
        return True
    if isinstance(cache, tuple | list):
        return any(part is None for part in cache)
    return False
