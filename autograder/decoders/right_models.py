"""What a right decoder is: one whose checks all pass. The search for the one wrong line asks for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeAlias

from autograder.decoders.cached_logits import shows_no_fault
from autograder.decoders.sizes import sizes_of
from autograder.sandbox.report import Answer
from autograder.verdict.failure import CheckFailed
from autograder.verdict.fixtures import Cases, Compare, Property
from autograder.verdict.for_checks.modules import module_call
from autograder.verdict.known import KnownCase

CheckFunction: TypeAlias = Callable[[Cases, Compare], None]


def right_model(
    compare: Compare,
    published: Sequence[KnownCase],
    small: KnownCase,
    all_checks: Sequence[CheckFunction],
    own_checks: Sequence[CheckFunction],
) -> Property:
    """Return the property of a model that its checks pass.

    Args:
        compare: judges answers.
        published: the cases that the checks look at.
        small: the one of them that shows the fault.
        all_checks: those of the model.
        own_checks: the one that fails, and what it builds on.
    """
    call = module_call(small)
    vocab_size = sizes_of(small).vocab_size
    return Property(
        name=small.case.topic,
        small_call=replace(call, probed=False),
        fits=lambda answer: shows_no_fault(call, vocab_size, answer),
        calls=[known.case.call for known in published],
        has_all=lambda answers: _pass_with(all_checks, compare, published, answers),
        has_own=lambda answers: _pass_with(own_checks, compare, published, answers),
    )


def _pass_with(
    checks: Sequence[CheckFunction],
    compare: Compare,
    published: Sequence[KnownCase],
    answers: Sequence[Answer],
) -> bool:
    """Whether checks pass with other answers to the published cases."""
    answers_by_id = {}
    for known, answer in zip(published, answers, strict=True):
        if not answer.is_usable:
            return False
        answers_by_id[known.case.id] = answer
    cases = Cases(published, public_only=True)
    compare = replace(compare.with_answers(answers_by_id), cases=cases)
    return first_failing(checks, cases, compare) is None


def first_failing(
    checks: Sequence[CheckFunction], cases: Cases, compare: Compare
) -> CheckFunction | None:
    """Return the first check that fails; reasons are not looked for."""
    without_reasons = replace(compare, explain=None)
    for check in checks:
        try:
            check(cases, without_reasons)
        except CheckFailed:
            return check
    return None


def correct_first(failing: CheckFunction) -> str:
    """Say that another check says where to look."""
    sentence = (failing.__doc__ or "").strip().removesuffix(".")
    return (
        f"The check “{sentence}” fails, too. Correct that first: it says where to look."
    )
