"""Run the reference solution, and other files of the course, on cases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from autograder.course.cases import Call, Case, FunctionCall, ModuleCall
from autograder.course.homework import CourseError, Homework
from autograder.sandbox.pool import SandboxPool
from autograder.sandbox.report import Answer, Status, StudentError
from autograder.sandbox.request import Code, Request
from autograder.verdict.arrays import as_entries, kind_of, leaves
from autograder.verdict.known import Kinds, KnownCase, kind_of_case
from autograder.worker.wire import Tensor

FLOOR_OF_ARRAYS, FLOOR_OF_TENSORS = 1e-5, 1e-4
"""The least tolerances: some inputs happen to be exact in float32, their neighbours are not."""


COURSE_LIMITS: dict[str, Any] = {
    "seconds": 120.0,
    "cpu_seconds": 100.0,
    "memory_mb": 4096,
    "answer_mb": 256,
}


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
