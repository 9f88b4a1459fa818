"""A case together with its expected answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from autograder.course.cases import (
    Call,
    Case,
    FunctionCall,
    Group,
    ModuleCall,
    read_call,
)
from autograder.course.homework import CourseError, Homework
from autograder.judging.comparison import (
    Finding,
    as_entries,
    compare_values,
    deviation,
    kind_of,
    leaves,
)
from autograder.judging.evidence import Judged
from autograder.sandbox.report import Answer, Status, StudentError
from autograder.sandbox.request import Code, Request
from autograder.worker.wire import Array, Bag, Tensor, decode, encode

if TYPE_CHECKING:  # students' machines have cases as well, and no worker processes
    from autograder.sandbox.pool import SandboxPool

OPEN = (Group.PUBLISHED, Group.PUBLIC)
"""The groups of cases that students may see."""
KnownCases: TypeAlias = "Sequence[KnownCase]"
SAFETY = 20.0
"""A correct answer may deviate by this multiple of the measured rounding error."""
SEPARATION = 10.0
"""The nearest mutant that shows must lie at least this many tolerances away."""
LEAST_NOISE = 1e-8
FLOOR_OF_ARRAYS, FLOOR_OF_TENSORS = 1e-5, 1e-4
"""The least tolerances: some inputs happen to be exact in float32, their neighbours are not."""
COURSE_LIMITS: dict[str, Any] = {
    "seconds": 120.0,
    "cpu_seconds": 100.0,
    "memory_mb": 4096,
    "answer_mb": 256,
}


@dataclass(frozen=True)
class Evidence:
    """What was measured for one case; deviations are relative, as tolerances are.

    ``noise`` is the rounding error: how far float32 and float64 runs of the solution and the oracle deviate.
    ``printed`` is how far the printed decimals do (0 where nothing is printed). ``nearest`` is the mutant
    that shows least and ``margin`` its distance in tolerances: None where it has another shape or is not
    finite.
    """

    noise: float = LEAST_NOISE
    printed: float = 0.0
    nearest: str | None = None
    margin: float | None = None

    @property
    def honest(self) -> float:
        """How far a correct answer may deviate; what lies beyond is a mutant that shows."""
        return max(SAFETY * self.noise, self.printed)


@dataclass(frozen=True)
class FreshTolerance:
    """The rounding error of correct answers to the fresh cases of one task and topic, and their tolerance."""

    noise: float
    tolerance: float


Kinds = Mapping[str, FreshTolerance]
"""By task and topic, see ``kind_of_case``."""


def kind_of_case(case: Case) -> str:
    """Fresh cases of one task and one topic share a tolerance."""
    return f"{case.task}: {case.topic}"


@dataclass(frozen=True, eq=False)
class KnownCase:
    """One case, its expected value and gradients, and the tolerance of its comparison.

    ``evidence`` is what the tolerance of a stored case rests on; fresh cases have none of their own. Where
    the case expects nothing, ``expected`` is None, and no value is wrong by itself.
    """

    case: Case
    expected: Any
    gradients: Any
    tolerance: float
    evidence: Evidence | None = None

    def compare(
        self, value: Any, names: Sequence[str] = (), *, only_booleans: bool = False
    ) -> Finding | None:
        """Return what is wrong with a value, or None; ``only_booleans`` as in ``compare_values``."""
        if not self.case.expects:
            return None
        how = (self.tolerance, names, only_booleans)
        finding = compare_values(value, self.expected, *how)
        return finding and replace(finding, judged=Judged(self, Answer(value), names))

    def distance(self, answer: Answer) -> float:
        """Return how far an answer lies from the expected one; of a case about gradients, these count."""
        wanted = {
            key: one for key, one in (self.gradients or {}).items() if one is not None
        }
        if not self.case.expects:
            return 0.0
        if not wanted:
            return deviation(answer.value, self.expected)
        got = answer.gradients if isinstance(answer.gradients, dict) else {}
        return max(deviation(got.get(key), one) for key, one in wanted.items())

    def is_right(self, answer: Answer) -> bool:
        """Whether an answer lies within the tolerance."""
        return answer.is_usable and self.distance(answer) <= self.tolerance

    def written(self, inputs: Bag, expected: Bag) -> dict[str, Any]:
        """Return the case as an entry of a file, of which the arrays go into two bags; see ``read_known``."""
        return {
            "name": self.case.name,
            "group": self.case.group,
            "topic": self.case.topic,
            "tolerance": self.tolerance,
            "call": encode(dict(self.case.call.as_mapping()), inputs),
            "expected": encode(self.expected, expected),
            "gradients": encode(self.gradients, expected),
        }


def read_known(
    entry: Mapping[str, Any],
    inputs: dict[str, Array],
    expected: dict[str, Array],
    evidence: Evidence | None = None,
) -> KnownCase:
    """Read what ``KnownCase.written`` returned."""
    call = read_call(decode(entry["call"], inputs))
    value, gradients = (
        decode(entry[key], expected) for key in ("expected", "gradients")
    )
    about = (entry["topic"], entry["tolerance"], Group(entry["group"]))
    case = Case(entry["name"], call, *about, expects=value is not None)
    return KnownCase(case, value, gradients, entry["tolerance"], evidence)


def know(
    homework: Homework, cases: Sequence[Case], pool: SandboxPool
) -> list[KnownCase]:
    """Run the reference solution on the cases that expect something, and keep what it returns."""
    asked = [case for case in cases if case.expects]
    answers = iter(run_course_file(homework, homework.solution, asked, pool))
    return [
        known_case(homework, case, next(answers))
        if case.expects
        else KnownCase(case, None, None, 0.0)
        for case in cases
    ]


def know_fresh(
    homework: Homework, cases: Sequence[Case], tolerances: Kinds, pool: SandboxPool
) -> list[KnownCase]:
    """Answer fresh cases, each with the tolerance of its kind; ``CourseError`` where none was measured."""
    known = know(homework, cases, pool)
    asked = [
        one.case for one in known if one.case.expects and one.case.tolerance is None
    ]
    kinds = {case.id: kind_of_case(case) for case in asked}
    if unmeasured := next(
        (kind for kind in kinds.values() if kind not in tolerances), None
    ):
        lacks = f"manifest.json has no tolerance for fresh cases of {unmeasured}"
        raise CourseError(f"{homework.id}: {lacks}; run `autograder reference build`")
    measured = {case: tolerances[kind].tolerance for case, kind in kinds.items()}
    return [
        replace(one, tolerance=measured.get(one.case.id, one.tolerance))
        for one in known
    ]


def known_case(homework: Homework, case: Case, answer: Answer) -> KnownCase:
    """Pair a case with the reference's answer; the tolerance is the least one unless the case has its own.

    Raises:
        CourseError: the answer holds something other than finite real numbers and booleans.
    """
    trouble = not_numbers(answer.value, case.infinite)
    if trouble:
        wanted = "an expected answer is made of booleans or of real numbers, finite unless its Case is `infinite`"
        raise CourseError(
            f"{homework.solution}: case {case.id}: it returned {trouble}; {wanted}"
        )
    kinds = {np.asarray(as_entries(one)).dtype.kind for one in leaves(answer.value)}
    if homework.task(case.task).dtype == "bool" and "b" not in kinds:
        asks = f'homework.toml asks for dtype = "bool" of {case.task}'
        raise CourseError(
            f"{homework.solution}: case {case.id}: it returned no booleans; {asks}"
        )
    tolerance = least_tolerance(case.call) if case.tolerance is None else case.tolerance
    return KnownCase(case, answer.value, answer.gradients, tolerance)


def least_tolerance(call: Call) -> float:
    """The least tolerance, whatever the evidence; torch works in float32."""
    args = call.args if isinstance(call, FunctionCall) else ()
    has_tensors = isinstance(call, ModuleCall) or any(
        isinstance(one, Tensor) for one in args
    )
    return FLOOR_OF_TENSORS if has_tensors else FLOOR_OF_ARRAYS


def not_numbers(value: Any, infinite: bool = False) -> str | None:
    """Say what keeps a value from being compared with, if anything does."""
    array = as_entries(value)
    if array is None:
        parts = value if isinstance(value, tuple | list) else ()
        said = (not_numbers(part, infinite) for part in parts)
        return next(filter(None, said), None) if parts else kind_of(value)
    if np.isnan(array).any() or not (infinite or np.isfinite(array).all()):
        return "NaN or infinite numbers"
    return None


def run_course_file(
    homework: Homework, path: Path, cases: Sequence[Case], pool: SandboxPool
) -> list[Answer]:
    """Return the file's answer to each case; ``CourseError`` where it does not load or has no value."""
    if not cases:
        return []
    answers = run_calls(homework, path, [case.call for case in cases], pool)
    for case, answer in zip(cases, answers, strict=True):
        if not answer.is_usable:
            raise CourseError(
                f"{path}: case {case.id}: {_why_unusable(answer.error, homework)}"
            )
    return answers


def _why_unusable(error: StudentError | None, homework: Homework) -> str:
    if error is None:
        return "not defined"
    limit = homework.limits.call_seconds
    said = (
        f"no answer within {limit:g} seconds"
        if error.type == "TimeLimit"
        else f"{error.type}: {error.message}"
    )
    return f"{said} (line {error.line}: {error.source.strip()})" if error.line else said


def run_calls(
    homework: Homework,
    path: Path,
    calls: Sequence[Call],
    pool: SandboxPool,
    text: str | None = None,
) -> list[Answer]:
    """Return the file's answer to each call, errors included; with another text, what that answers.

    Raises:
        CourseError: the file does not load, or its process does not survive the calls.
    """
    if not path.is_file():
        raise CourseError(f"{path} is missing")
    code = Code(
        path.name,
        {path.name: path.read_text(encoding="utf-8") if text is None else text},
    )
    limits = replace(homework.limits, **COURSE_LIMITS)
    report = pool.run(
        Request(code, [call.as_mapping() for call in calls], homework.library, limits)
    )
    if report.status is not Status.GRADED:
        reason = (
            report.load_error.message if report.load_error else report.output[-2000:]
        )
        raise CourseError(f"{path} could not be run: {report.detail}: {reason}")
    if report.stops:  # what a submission may do is a fault of a course's file
        why = report.stops[0].error
        raise CourseError(
            f"{path} stopped at line {why.line} of {why.file}: {why.type}: {why.message}"
        )
    return list(report.answers)
