"""A case together with its expected answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from autograder.comparison.compare import as_array, compare_values, deviation
from autograder.comparison.describe import kind_of
from autograder.comparison.finding import Finding
from autograder.homework.cases import Case
from autograder.homework.model import CourseError, Homework
from autograder.reference.evidence import Evidence, least_tolerance
from autograder.reference.run import run_course_file
from autograder.sandbox.pool import SandboxPool
from autograder.sandbox.report import Answer


@dataclass(frozen=True, eq=False)
class KnownCase:
    """One case, its expected value and gradients, and the tolerance of its comparison.

    ``evidence`` is what the tolerance of a stored case rests on; fresh cases have none of their own.
    """

    case: Case
    expected: Any
    gradients: Any
    tolerance: float
    evidence: Evidence | None = None

    def compare(self, value: Any, names: Sequence[str] = ()) -> Finding | None:
        """Return what is wrong with a value, or None."""
        return compare_values(value, self.expected, tolerance=self.tolerance, names=names)

    def distance(self, answer: Answer) -> float:
        """Return how far an answer lies from the expected one; of a case about gradients, these count."""
        wanted = {key: one for key, one in (self.gradients or {}).items() if one is not None}
        if not wanted:
            return deviation(answer.value, self.expected)
        got = answer.gradients if isinstance(answer.gradients, dict) else {}
        return max(deviation(got.get(key), one) for key, one in wanted.items())


def know(homework: Homework, cases: Sequence[Case], pool: SandboxPool) -> list[KnownCase]:
    """Run the reference solution on cases and keep what it returns."""
    answers = run_course_file(homework, homework.solution, cases, pool)
    return [known_case(homework, case, answer) for case, answer in zip(cases, answers, strict=True)]


def known_case(homework: Homework, case: Case, answer: Answer) -> KnownCase:
    """Pair a case with the reference's answer; the tolerance is the least one unless the case has its own.

    Raises:
        CourseError: the answer holds something other than finite real numbers.
    """
    trouble = _no_numbers(answer.value)
    if trouble:
        raise CourseError(
            f"{homework.solution}: case {case.id}: it returned {trouble}; an expected answer is made of "
            "finite real numbers"
        )
    tolerance = least_tolerance(case.call) if case.tolerance is None else case.tolerance
    return KnownCase(case, answer.value, answer.gradients, tolerance)


def _no_numbers(value: Any) -> str | None:
    """Say what keeps a value from being compared with, if anything does."""
    array = as_array(value)
    if array is None:
        parts = value if isinstance(value, tuple | list) else ()
        return next(filter(None, map(_no_numbers, parts)), None) if parts else kind_of(value)
    return None if np.isfinite(array).all() else "NaN or infinite numbers"
