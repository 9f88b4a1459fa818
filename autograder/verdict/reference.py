"""Run the reference solution, and other files of the course, on cases.

Students' machines never run this: they have the published and public expected values as data.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from autograder.course.calls import Call, FunctionCall, ModuleCall, ObjectCall
from autograder.course.cases import NEVER_EXPECTED, Case, with_limits_of_tasks
from autograder.course.homework import CourseError, Homework
from autograder.sandbox.pool import SandboxPool
from autograder.sandbox.report import Answer, Status, StudentError
from autograder.sandbox.request import Code
from autograder.verdict.arrays import as_entries, leaves
from autograder.verdict.comparison import DEMANDED_DTYPES
from autograder.verdict.describe import UNSENDABLE_OBJECT, describe
from autograder.verdict.failure import called
from autograder.verdict.kinds import STEPS, are_plain, exceptions_in, structure_of
from autograder.verdict.known import (
    FreshTolerances,
    KnownCase,
    exception_as_value,
    kind_of_case,
)
from autograder.worker.composites import NOTHING
from autograder.worker.wire import Tensor

# The least tolerances: some inputs happen to be exact in float32, and their neighbours are not.
FLOOR_OF_ARRAYS = 1e-5
FLOOR_OF_TENSORS = 1e-4
COURSE_LIMITS: dict[str, Any] = {
    "seconds": 120.0,
    "cpu_seconds": 100.0,
    "memory_mb": 4096,
    "answer_mb": 256,
}
"""What a file of the course may use; the homework's limits are for submissions."""
LONGEST_OUTPUT = 2000
A_METHOD = f"{UNSENDABLE_OBJECT}method"
CALL_IT = ', which `("name", …)` calls and `".name"` only looks at'


def know(
    homework: Homework, cases: Sequence[Case], pool: SandboxPool
) -> list[KnownCase]:
    """Run the reference solution on the cases that expect something, and keep its answers.

    Raises:
        CourseError: the solution does not load, returns nothing, or something that cannot be compared.
    """
    expecting = []
    for case in cases:
        if case.expects:
            expecting.append(case)
    answers = iter(run_course_file(homework, homework.solution, expecting, pool))
    known_cases = []
    for case in cases:
        if case.expects:
            known_cases.append(known_case(homework, case, next(answers)))
        else:
            known_cases.append(KnownCase(case, None, None, 0.0))
    return known_cases


def know_fresh(
    homework: Homework,
    cases: Sequence[Case],
    tolerances: FreshTolerances,
    pool: SandboxPool,
) -> list[KnownCase]:
    """Answer fresh cases, each with the tolerance that was measured for its kind.

    Raises:
        CourseError: no tolerance was measured for a kind of case, or the solution fails.
    """
    known_cases = []
    for known in know(homework, cases, pool):
        case = known.case
        if case.expects and case.tolerance is None:
            kind = kind_of_case(case)
            if kind not in tolerances:
                raise CourseError(
                    f"{homework.id}: manifest.json has no tolerance for fresh cases of "
                    f"{kind}; run `autograder reference build`"
                )
            known = replace(known, tolerance=tolerances[kind].tolerance)
        known_cases.append(known)
    return known_cases


def known_case(homework: Homework, case: Case, answer: Answer) -> KnownCase:
    """Pair a case with the reference's answer; without its own tolerance it has the least one.

    Raises:
        CourseError: the answer holds something other than finite real numbers and booleans.
    """
    expected = NOTHING if answer.value is None else answer.value
    trouble = not_comparable(expected, case.infinite)
    if trouble:
        raise CourseError(
            f"{homework.solution}: case {case.id}: it returned {trouble}; an expected answer is made of real "
            "numbers, finite unless its Case is `infinite`, of booleans, texts, None, lists, tuples, "
            "dictionaries, sets, tables of pandas and sparse arrays"
        )
    dtype = homework.task(case.task).dtype
    if dtype is not None and not case.raises:
        arrays = [np.asarray(as_entries(leaf)) for leaf in leaves(answer.value)]
        kinds = {array.dtype.kind for array in arrays}
        demand = DEMANDED_DTYPES[dtype]
        if kinds.isdisjoint(demand.kinds):
            raise CourseError(
                f"{homework.solution}: case {case.id}: it returned no {demand.name}; "
                f'homework.toml asks for dtype = "{dtype}" of {case.task}'
            )
    tolerance = case.tolerance
    if tolerance is None:
        tolerance = least_tolerance(case.call)
    return KnownCase(case, expected, answer.gradients, tolerance)


def least_tolerance(call: Call) -> float:
    """Return the least tolerance of a call, whatever the evidence; torch works in float32."""
    if isinstance(call, ModuleCall):
        return FLOOR_OF_TENSORS
    inputs: Sequence[Any] = ()
    if isinstance(call, FunctionCall | ObjectCall):
        inputs = call.inputs
    if any(isinstance(argument, Tensor) for argument in inputs):
        return FLOOR_OF_TENSORS
    return FLOOR_OF_ARRAYS


def not_comparable(value: Any, infinite: bool = False) -> str | None:
    """Say why a value cannot be an expected value; None if it can."""
    array = as_entries(value)
    if array is not None:
        refused = np.isnan(array) if infinite else ~np.isfinite(array)
        if refused.any():
            return "NaN or infinite numbers"
        return None
    part = structure_of(value) if value is not None else None
    if part is None or (part.kind == "a set" and not are_plain(value)):
        return describe(value)
    for name, child in part.children.items():
        if child is None:
            continue
        trouble = not_comparable(child, infinite)
        if trouble and part.kind == STEPS:
            remedy = CALL_IT if trouble == A_METHOD else ""
            trouble = f"{trouble} for {name}{remedy}"
        if trouble:
            return trouble
    return None


def run_course_file(
    homework: Homework, path: Path, cases: Sequence[Case], pool: SandboxPool
) -> list[Answer]:
    """Return the answers of a course's file to cases.

    Raises:
        CourseError: the file does not load, or a call returns no value.
    """
    if not cases:
        return []
    limited = with_limits_of_tasks(homework, cases)
    returned = run_calls(limited, path, [case.call for case in cases], pool)
    answers = list(map(exception_as_value, cases, returned))
    for case, answer in zip(cases, answers, strict=True):
        why = ""
        if not answer.is_usable:
            why = _why_unusable(case.call, answer.error, limited)
        elif case.raises and not any(exceptions_in(answer.value)):
            why = f"it returned {describe(answer.value)}"
            if isinstance(case.call, ObjectCall):
                why = "no step raised anything"
        if why and case.raises:
            why = f'{why}; its Case says raises="{case.raises}"'
        if why:
            raise CourseError(f"{path}: case {case.id}: {why}")
    return answers


def _why_unusable(call: Call, error: StudentError | None, homework: Homework) -> str:
    if error is None:
        return "not defined"
    why = f"{error.type}: {error.message}"
    if error.type == "TimeLimit":
        seconds = homework.limits.of_call(call.name)
        why = f"no answer within {seconds:g} seconds"
    if error.line:
        why = f"{why} (line {error.line}: {error.source.strip()})"
    if error.step is not None:
        why = f"{called(call, error)} raised {why}"
        if error.type == "AttributeError" and not error.line:
            why = f"{why}; correct the step in cases.py, or give the class this method or attribute"
        elif error.type not in NEVER_EXPECTED:
            why = f'{why}; if that is right, write raises="{error.type}" in its Case'
    return why


def run_calls(
    homework: Homework,
    path: Path,
    calls: Sequence[Call],
    pool: SandboxPool,
    text: str | None = None,
) -> list[Answer]:
    """Return the answers of a course's file to calls, errors included.

    Args:
        homework: gives the library and the limits.
        path: the file.
        calls: the calls to make.
        pool: runs them.
        text: the file's text, if it is not to be read.

    Raises:
        CourseError: the file does not load, or its process does not survive the calls.
    """
    if not path.is_file():
        raise CourseError(f"{path} is missing")
    if text is None:
        text = path.read_text(encoding="utf-8")
    code = Code(path.name, {path.name: text})
    limits = replace(homework.limits, **COURSE_LIMITS)
    # A call that is made many times is one object in the request, which is packed once.
    mapping_of = {id(call): call.as_mapping() for call in calls}
    mappings = [mapping_of[id(call)] for call in calls]
    report = pool.run(homework.request(code, mappings, limits=limits))
    if report.status is not Status.GRADED:
        reason = report.output[-LONGEST_OUTPUT:]
        if report.load_error is not None:
            reason = report.load_error.message
        raise CourseError(f"{path} could not be run: {report.detail}: {reason}")
    if report.stops:
        # A submission may have a cell that stops; in a course's file it is a fault.
        error = report.stops[0].error
        raise CourseError(
            f"{path} stopped at line {error.line} of {error.file}: {error.type}: "
            f"{error.message}"
        )
    return list(report.answers)
