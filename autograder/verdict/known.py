"""Reference cases: an input case, the reference solution's answer to it, and the tolerance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from autograder.course.calls import FunctionCall, ModuleCall, ObjectCall, read_call
from autograder.course.cases import NEVER_EXPECTED, Case, Group
from autograder.sandbox.report import Answer
from autograder.verdict.arrays import deviation, numbers_in
from autograder.verdict.kinds import (
    STEPS,
    exceptions_in,
    is_builtin_exception,
    is_exception,
    is_steps,
    is_structured,
)
from autograder.worker.composites import Composite
from autograder.worker.wire import Array, Bag, decode, encode

OPEN = (Group.PUBLISHED, Group.PUBLIC)
"""The groups of cases that students may see."""
SAFETY = 20.0
"""A correct answer may deviate by this multiple of the measured rounding error."""
SEPARATION = 10.0
"""The nearest mutant that shows must be at least this many tolerances away."""
LEAST_NOISE = 1e-8


@dataclass(frozen=True)
class Evidence:
    """Measured deviations of the answers to one case; they are relative, as tolerances are.

    Attributes:
        noise: the rounding error: how far float32 and float64 runs of the solution and the oracle deviate.
        printed: how far the printed decimals deviate; 0 where nothing is printed.
        nearest: the mutant that shows least.
        margin: the distance of that mutant in tolerances; None where it has another shape or is not finite.
    """

    noise: float = LEAST_NOISE
    printed: float = 0.0
    nearest: str | None = None
    margin: float | None = None

    @property
    def correct_deviation(self) -> float:
        """How far a correct answer may deviate; what deviates more is a mutant that shows."""
        return max(SAFETY * self.noise, self.printed)


@dataclass(frozen=True)
class FreshTolerance:
    """The rounding error of correct answers to the fresh cases of one kind, and their tolerance."""

    noise: float
    tolerance: float


FreshTolerances = Mapping[str, FreshTolerance]
"""By the kind of case, see ``kind_of_case``."""


def kind_of_case(case: Case) -> str:
    """Return the kind of a fresh case; those of one task and one topic share a tolerance."""
    return f"{case.task}: {case.topic}"


@dataclass(eq=False)
class KnownCase:
    """One case, its expected value and gradients, and the tolerance of its comparison.

    It remembers the answer that it judged last, with the verdict: reasons ask about the same one again and
    again. That is why the class is not frozen. Threads of an audit share cases, so the pair is replaced as a
    whole: a thread never sees the answer of one call with the verdict of another.

    Attributes:
        case: the call to make.
        expected: the reference solution's value; None where the case expects nothing.
        gradients: its gradients by the parameter's name or place, or None.
        tolerance: the largest deviation of a right answer, see ``arrays.deviation``.
        evidence: what the tolerance of a stored case rests on; fresh cases have none.
    """

    case: Case
    expected: Any
    gradients: Any
    tolerance: float
    evidence: Evidence | None = None
    _last_judged: tuple[Answer, bool] | None = field(
        default=None, init=False, repr=False
    )

    @property
    def arguments(self) -> tuple[Any, ...]:
        """The arguments of the case's call; of a module or an object, those that it is made with."""
        call = self.case.call
        assert isinstance(call, FunctionCall | ModuleCall | ObjectCall), self.case.id
        return call.args

    @property
    def expected_gradients(self) -> dict[str, Any]:
        """The gradients that the case expects, by the parameter's name or place."""
        if not self.gradients:
            return {}
        gradients = {}
        for key, value in self.gradients.items():
            if value is not None:
                gradients[key] = value
        return gradients

    @cached_property
    def is_structured(self) -> bool:
        """Whether the expected answer is more than numbers and arrays, see ``kinds.py``."""
        return is_structured(self.expected)

    @cached_property
    def size(self) -> int:
        """How many numbers are expected, in all parts of the value."""
        return numbers_in(self.expected)

    @cached_property
    def has_axis_of_one(self) -> bool:
        """Whether an expected array has an axis of length 1: there, many a mistake is right, or like another."""
        parts = [self.expected]
        if isinstance(self.expected, tuple | list):
            parts = list(self.expected)
        return any(isinstance(part, np.ndarray) and 1 in part.shape for part in parts)

    def distance(self, answer: Answer) -> float:
        """Return how far an answer is from the expected one, in the measure of tolerances.

        In a case about gradients, the gradients are compared and not the value.
        """
        if not self.case.expects:
            return 0.0
        expected = self.expected_gradients
        if not expected:
            return deviation(answer.value, self.expected)
        gradients = answer.gradients if isinstance(answer.gradients, dict) else {}
        return max(
            deviation(gradients.get(key), value) for key, value in expected.items()
        )

    def has_right_value(self, answer: Answer) -> bool:
        """Return whether the value of an answer is right, whatever its gradients are."""
        if not self.case.expects:
            return True
        return deviation(answer.value, self.expected) <= self.tolerance

    def is_right(self, answer: Answer) -> bool:
        """Return whether an answer is within the tolerance."""
        last_judged = self._last_judged  # read once: another thread may replace it
        if last_judged is not None:
            last_answer, was_right = last_judged
            if answer is last_answer:
                return was_right
        judged = self.exception_as_value(answer)
        is_right = judged.is_usable and self.distance(judged) <= self.tolerance
        self._last_judged = (answer, is_right)
        return is_right

    def exception_as_value(self, answer: Answer) -> Answer:
        """Return the answer with an expected exception as a value; see the function of this name.

        Where the steps of an object are expected, an exception of its constructor stays an error.
        """
        if is_steps(self.expected) and answer.steps is None:
            return answer
        return exception_as_value(self.case, answer)

    def raises_at(self, step: int | None) -> bool:
        """Return whether a step should raise an exception; without a step, a call or an object's constructor."""
        if not is_steps(self.expected):
            return step is None and is_exception(self.expected)
        values = self.expected.parts["values"]
        if step is None or step >= len(values):
            return False
        return is_exception(values[step])

    def written(self, inputs: Bag, expected: Bag) -> dict[str, Any]:
        """Return the case as an entry of a file; its arrays go into the two bags. See ``read_known``."""
        return {
            "name": self.case.name,
            "group": self.case.group,
            "topic": self.case.topic,
            "tolerance": self.tolerance,
            "call": encode(dict(self.case.call.as_mapping()), inputs),
            "expected": encode(self.expected, expected),
            "gradients": encode(self.gradients, expected),
        }


@dataclass(frozen=True, eq=False)
class FailedCase:
    """A case as a check judged it: its call, the value and tolerance that counted there, and the answer.

    It holds expected values and hidden inputs; students may see it for published and public cases only.
    """

    known: KnownCase
    answer: Answer
    names: Sequence[str] = ()


def exception_as_value(case: Case, answer: Answer) -> Answer:
    """Return the answer to a case; where the case expects an exception, raising it is a value.

    A subclass of the exception counts as well if it is one of Python's own. Of an object's steps, all are judged.
    """
    if (
        not case.raises
        or answer.error is None
        or not _is_expected(answer.error.type, case)
    ):
        return answer

    value = expected_exception(case.raises)
    steps = answer.steps
    if is_steps(steps):
        values = []
        for of_step in steps.parts["values"]:
            if is_exception(of_step) and _is_expected(of_step.parts["name"], case):
                of_step = value
            values.append(of_step)
        value = Composite(STEPS, {**steps.parts, "values": values})
    elif steps is not None:  # a submission may have sent anything
        value = steps
    return replace(answer, value=value, error=None)


def _is_expected(name: str, case: Case) -> bool:
    """Return whether an exception's name is that of the one that a case expects, or of a subclass."""
    if name in NEVER_EXPECTED:
        return False
    return name == case.raises or is_builtin_exception(name, case.raises)


def expected_exception(name: str) -> Composite:
    """Return the value that stands for an exception."""
    return Composite("exception", {"name": name})


KnownCases: TypeAlias = Sequence[KnownCase]


def read_known(
    entry: Mapping[str, Any],
    inputs: dict[str, Array],
    expected: dict[str, Array],
    evidence: Evidence | None = None,
) -> KnownCase:
    """Read an entry that ``KnownCase.written`` returned, with the arrays it refers to."""
    value = decode(entry["expected"], expected)
    gradients = decode(entry["gradients"], expected)
    tolerance = entry["tolerance"]
    raises = next(exceptions_in(value), "")
    case = Case(
        entry["name"],
        read_call(decode(entry["call"], inputs)),
        entry["topic"],
        tolerance,
        Group(entry["group"]),
        expects=value is not None,
        raises=raises,
    )
    return KnownCase(case, value, gradients, tolerance, evidence)
