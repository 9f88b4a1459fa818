"""Run an Otter master in the sandbox, and find which of its tests compare values: their calls become cases.

The master runs twice, as submissions do: first as it stands, while the calls that its tests make are
recorded; then as this kit's solution, which has to give the same answers to these calls. A test of anything
but returned values is left to people.
"""

from __future__ import annotations

import ast
import math
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from autograder.course.cases import Call, FunctionCall
from autograder.course.homework import CourseError
from autograder.otter.code import MarkedSolution, authors_code
from autograder.otter.master import Master, OtterTest
from autograder.sandbox.pool import SandboxPool
from autograder.sandbox.report import Answer, RunReport
from autograder.sandbox.request import Cell, Code, Limits, Request
from autograder.templates import render
from autograder.verdict.arrays import deviation, kind_of
from autograder.verdict.reference import COURSE_LIMITS, not_comparable
from autograder.worker.composites import NOTHING
from autograder.worker.wire import Tensor

AGREES = 1e-6
"""How far the solution run on its own may deviate from what the master returned."""
MOST_NUMBERS = 20_000
"""Larger inputs should be drawn in cases.py, not printed there."""
PLAIN = (type(None), int, float, str, np.ndarray, Tensor)
"""What can stand in an argument of a case, alone or in tuples, lists and dictionaries."""
LEFT = "write a separate check for it, or leave it out"
ALONE = "fails when it runs by itself, without files and network"
_VALUES = re.compile(r"close|equal|==|\bis\b")
_PROPERTY = re.compile(r"(?:\.(?:shape|ndim|size|dtype)|\b(?:len|type)\(.*\))\s*==")
_SAYS_LITTLE = ("", "True", "False", "np.True_", "np.False_")
_NUMBER = re.compile(r"-?\d+\.?\d*(?:e[+-]?\d+)?")


@dataclass(frozen=True)
class LeftOver:
    """A part of the master that people have to bring over: its place, the reason, its code, the remedy."""

    question: str
    cell: int
    why: str
    code: str = ""
    remedy: str = LEFT


@dataclass(frozen=True)
class RecordedCase:
    """A call that a test makes, and the master's result; its ``str`` is the line in cases.py."""

    test: OtterTest
    task: str
    name: str
    args: Sequence[Any]
    value: Any

    @property
    def call(self) -> FunctionCall:
        return FunctionCall(self.task, tuple(self.args))

    def __str__(self) -> str:
        args = "".join(f"{literal(argument)}, " for argument in self.args).rstrip()
        more = ""
        if not_comparable(self.value):
            more = ", infinite=True"
        return f'Case("{self.name}", FunctionCall("{self.task}", ({args})), "{self.test.label}"{more})'


@dataclass
class MasterRun:
    """The outcome of a master's run: cases, values of variables that students assign, left-over parts, notes."""

    cases: list[RecordedCase] = field(default_factory=list)
    values: dict[str, Any] = field(default_factory=dict)
    left: list[LeftOver] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def leave(self, test: OtterTest, why: str) -> None:
        self.left.append(LeftOver(test.question, test.cell, why, test.code))


def run_tests(
    master: Master, solution: MarkedSolution, library: str, pool: SandboxPool
) -> MasterRun:
    """Run a master with its tests, then its solution with the calls of these tests.

    Raises:
        CourseError: the master or its solution ends without answering.
    """

    def run(code: Code, calls: Sequence[Call]) -> RunReport:
        mappings = [call.as_mapping() for call in calls]
        report = pool.run(Request(code, mappings, library, Limits(**COURSE_LIMITS)))
        if len(report.answers) != len(calls):
            raise CourseError(
                f"{master.path} could not be run: {report.status}: {report.detail}"
            )
        return report

    # The master, followed by a cell that records calls.
    result = MasterRun()
    cells = []
    for master_cell in master.code_cells:
        cells.append(Cell(master_cell.number, authors_code(master_cell)))
    last_number = 0
    if cells:
        last_number = cells[-1].number
    recorder = render("autograder.authoring", "otter_recorder.txt")
    cells.append(Cell(last_number + 1, recorder))
    tests: list[OtterTest] = []
    for question in master.questions.values():
        tests += question.tests
    calls: list[Call] = []
    for test in tests:
        calls.append(FunctionCall("otter_run", (test.code, list(solution.asked))))
    for name in solution.others:
        calls.append(FunctionCall("otter_value", (name,)))
    report = run(Code(master.path.name, {}, cells), calls)
    for stop in report.stops:
        result.notes.append(
            f"Cell {stop.cell} {ALONE}: {stop.error.type}: {stop.error.message}."
        )
    values = report.answers[len(tests) :]
    for name, answer in zip(solution.others, values, strict=True):
        if answer.is_usable:
            result.values[name] = answer.value
    for test, answer in zip(tests, report.answers, strict=False):
        result.cases += _calls_of(test, answer, solution, result)

    # The solution, with each recorded call twice.
    if result.cases:
        plain = Code("solution.py", {"solution.py": solution.plain})
        recorded_calls = [case.call for case in result.cases]
        report = run(plain, [*recorded_calls, *recorded_calls])
        _confirm(result, report.answers)
    return result


def _calls_of(
    test: OtterTest, answer: Answer, solution: MarkedSolution, run: MasterRun
) -> Iterator[RecordedCase]:
    """Yield the calls of a test of returned values; leave any other test to people."""
    calls: list[Any] = []
    match answer.value:
        case [str(output), str(error), list(all_calls)]:
            for call in all_calls:
                if solution.asked[call[0]].question == test.question:
                    calls.append(call)
            calls = calls or all_calls
            trouble = _other_aim(test, solution)
            if not trouble:
                trouble = _trouble(test, output, error, calls)
        case _:
            reason = "no answer"
            if answer.error:
                reason = answer.error.type
            trouble = f"it could not be run: {reason}"
    if trouble:
        run.leave(test, trouble)
        return
    for number, (task, args, value, _) in enumerate(calls, 1):
        name = f"{task}/{test.label}"
        if len(calls) > 1:
            name = f"{name}-{number}"
        yield RecordedCase(test, task, name, args, _expected(value))


def _other_aim(test: OtterTest, solution: MarkedSolution) -> str:
    """Say what a test is about, if its code shows that it is not about returned values."""
    tree = ast.parse(test.code)
    last = tree.body[-1] if tree.body else None
    used = set()
    bound = set()
    has_try = False
    discards_a_result = False
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            used.add(node.id)
            if isinstance(node.ctx, ast.Store):
                bound.add(node.id)
        elif isinstance(node, ast.Try):
            has_try = True
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            is_shown = test.shows and node is last
            if not is_shown and ast.unparse(node.value.func) in solution.asked:
                discards_a_result = True
    others = sorted((used & solution.others.keys()) - bound)
    if others:
        return f"it tests {others[0]}, which is not a function"
    if has_try or re.search(r"\braises\b|assertRaises", test.code):
        return "it expects an exception"
    if discards_a_result:
        return "it looks at what a call prints or changes"
    return ""


def _trouble(test: OtterTest, output: str, error: str, calls: Sequence[Any]) -> str:
    """Say why the calls of a test cannot become cases, if its run showed a reason."""
    if error:
        return f"it does not pass on the master's own solution here: {error}"
    if not _same_text(test.shows, output):
        return f"the master shows {test.shows[:60]!r}, and its solution gives {output[:60]!r} here"
    if not calls:
        return "it calls no function that students write"
    for name, args, value, problem in calls:
        if problem:
            return f"{name} {problem}"
        size = 0
        for argument in args:
            for part in _parts(argument):
                if not isinstance(part, PLAIN):
                    return f"{name} is given {kind_of(argument)}"
                array = getattr(part, "array", part)
                size += getattr(array, "size", 1)
        reason = not_comparable(_expected(value), True)
        if reason:
            return f"{name} returns {reason}, which cannot be compared"
        if size > MOST_NUMBERS:
            return f"{name} is given {size:,} numbers, too many to print"
    return ""


def _confirm(run: MasterRun, answers: Sequence[Answer]) -> None:
    """Leave tests for whose calls, each made twice, the solution on its own answers differently than the master."""
    wrong: dict[str, str] = {}
    second_answers = answers[len(run.cases) :]
    for case, *both in zip(run.cases, answers, second_answers, strict=False):
        label = case.test.label
        errors = []
        for answer in both:
            if answer.error:
                errors.append(answer.error)
        if errors:
            error = errors[0]
            wrong[label] = (
                f"{case.task} needs more than its own code: {error.type}: {error.message}"
            )
            continue
        for answer in both:
            distance = deviation(_expected(answer.value), case.value)
            if not distance <= AGREES:
                wrong[label] = (
                    f"{case.task} draws random numbers, or depends on what ran before"
                )
    tests = {}
    confirmed = []
    for case in run.cases:
        tests[case.test.label] = case.test
        if case.test.label not in wrong:
            confirmed.append(case)
    run.cases = confirmed
    for test in tests.values():
        if test.label in wrong:
            run.leave(test, wrong[test.label])
            continue
        compares_values = _VALUES.search(_PROPERTY.sub("", test.code))
        if not compares_values and test.shows in _SAYS_LITTLE:
            run.notes.append(
                f"Cell {test.cell} tests a property; its check compares values and is stricter."
            )


def _expected(value: Any) -> Any:
    """Return a value as an expected one, which a missing value is not."""
    if value is None:
        return NOTHING
    return value


def _same_text(expected: str, output: str) -> bool:
    """Whether two shown results say the same; NumPy 1 shows numbers otherwise than NumPy 2."""
    if not expected:
        return True
    expected_text = _without_types(expected)
    shown_text = _without_types(output)
    if _NUMBER.sub("", expected_text) != _NUMBER.sub("", shown_text):
        return False
    expected_numbers = list(map(float, _NUMBER.findall(expected_text)))
    shown_numbers = list(map(float, _NUMBER.findall(shown_text)))
    if len(expected_numbers) != len(shown_numbers):
        return False
    return bool(np.allclose(expected_numbers, shown_numbers))


def _without_types(text: str) -> str:
    """Return a shown result without spaces and without the types that NumPy 2 writes."""
    return re.sub(r"np\.(?:\w+\(([^()]*)\)|(True|False)_)|\s", r"\1\2", text)


def _parts(value: Any) -> Iterator[Any]:
    """Yield the leaves of nested tuples, lists and dictionaries."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, tuple | list):
        for item in value:
            yield from _parts(item)
    else:
        yield value


def literal(value: Any) -> str:
    """Return the Python expression for a value in cases.py."""
    if isinstance(value, Tensor):
        array = literal(value.array)
        if value.requires_grad:
            return f"Tensor({array}, requires_grad=True)"
        return f"Tensor({array})"
    if isinstance(value, np.ndarray):
        return _array_literal(value)
    if isinstance(value, dict):
        items = [f"{key!r}: {literal(item)}" for key, item in value.items()]
        return "{" + ", ".join(items) + "}"
    if isinstance(value, list | tuple):
        items = list(map(literal, value))
        listing = ", ".join(items)
        if isinstance(value, list):
            return f"[{listing}]"
        if len(items) == 1:
            return f"({listing},)"
        return f"({listing})"
    if isinstance(value, float) and not math.isfinite(value):
        return f'float("{value}")'
    return repr(value)


def _array_literal(array: np.ndarray[Any, Any]) -> str:
    text = np.array2string(
        array, 100, separator=", ", threshold=sys.maxsize, floatmode="unique"
    )
    text = re.sub(r"\b(nan|inf)\b", r"np.\1", text)
    if not array.size:  # only the numbers would not say its shape
        return f"np.array({text}, dtype=np.{array.dtype}).reshape({array.shape})"
    if array.dtype in (np.float64, np.int64, np.bool_):
        return f"np.array({text})"
    return f"np.array({text}, dtype=np.{array.dtype})"
