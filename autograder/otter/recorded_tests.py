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
from autograder.otter.code import Solution, authors_code
from autograder.otter.master import Master, OtterTest
from autograder.sandbox.pool import SandboxPool
from autograder.sandbox.report import Answer, RunReport
from autograder.sandbox.request import Cell, Code, Limits, Request
from autograder.templates import render
from autograder.verdict.arrays import deviation, kind_of
from autograder.verdict.reference import COURSE_LIMITS, not_numbers
from autograder.worker.wire import Tensor

AGREES = 1e-6
"""How far the solution by itself may deviate from what the master returned."""
MOST_NUMBERS = 20_000
"""Larger inputs should be drawn in cases.py, not printed there."""
PLAIN = (type(None), int, float, str, np.ndarray, Tensor)
"""What can stand in an argument of a case, alone or in tuples, lists and dictionaries."""
LEFT = "write a check of its own for it, or leave it out"
ALONE = "stops where it runs alone, without files and network"
_VALUES = re.compile(r"close|equal|==")
_PROPERTY = re.compile(r"(?:\.(?:shape|ndim|size|dtype)|\b(?:len|type)\(.*\))\s*==")
_SAYS_LITTLE = ("", "True", "False", "np.True_", "np.False_")
_NUMBER = re.compile(r"-?\d+\.?\d*(?:e[+-]?\d+)?")


@dataclass(frozen=True)
class Left:
    """A part of the master that people have to bring over: its place, the reason, its code, the remedy."""

    question: str
    cell: int
    why: str
    code: str = ""
    remedy: str = LEFT


@dataclass(frozen=True)
class Recorded:
    """A call that a test makes, and what the master returned; its ``str`` is the line in cases.py."""

    test: OtterTest
    task: str
    name: str
    args: Sequence[Any]
    value: Any

    @property
    def call(self) -> FunctionCall:
        return FunctionCall(self.task, tuple(self.args))

    def __str__(self) -> str:
        args = "".join(f"{literal(one)}, " for one in self.args).rstrip()
        more = ", infinite=True" if not_numbers(self.value) else ""
        return f'Case("{self.name}", FunctionCall("{self.task}", ({args})), "{self.test.label}"{more})'


@dataclass
class Found:
    """What a run found: cases, values of the variables that students assign, what is left to do, notes."""

    cases: list[Recorded] = field(default_factory=list)
    values: dict[str, Any] = field(default_factory=dict)
    left: list[Left] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def leave(self, test: OtterTest, why: str) -> None:
        self.left.append(Left(test.question, test.cell, why, test.code))


def run_tests(
    master: Master, solution: Solution, library: str, pool: SandboxPool
) -> Found:
    """Run a master with its tests, then its solution with the calls of these tests.

    Raises:
        CourseError: the master or its solution ends without answering.
    """

    def run(code: Code, calls: Sequence[Call]) -> RunReport:
        made = [one.as_mapping() for one in calls]
        report = pool.run(Request(code, made, library, Limits(**COURSE_LIMITS)))
        if len(report.answers) != len(calls):
            raise CourseError(
                f"{master.path} could not be run: {report.status}: {report.detail}"
            )
        return report

    found = Found()
    sources = [Cell(one.number, authors_code(one)) for one in master.code_cells]
    behind = sources[-1].number + 1 if sources else 1
    sources.append(Cell(behind, render("autograder.authoring", "otter_recorder.txt")))
    tests = [test for one in master.questions.values() for test in one.tests]
    calls = [FunctionCall("otter_run", (one.code, [*solution.asked])) for one in tests]
    reads = [FunctionCall("otter_value", (one,)) for one in solution.others]
    report = run(Code(master.path.name, {}, sources), [*calls, *reads])
    for stop in report.stops:
        found.notes.append(
            f"Cell {stop.cell} {ALONE}: {stop.error.type}: {stop.error.message}."
        )
    values = zip(solution.others, report.answers[len(tests) :], strict=True)
    found.values = {name: answer.value for name, answer in values if answer.is_usable}
    for test, answer in zip(tests, report.answers, strict=False):
        found.cases += _calls_of(test, answer, solution, found)
    if found.cases:
        plain = Code("solution.py", {"solution.py": solution.plain})
        answers = run(plain, [one.call for one in (*found.cases, *found.cases)]).answers
        _confirm(found, answers)
    return found


def _calls_of(
    test: OtterTest, answer: Answer, solution: Solution, found: Found
) -> Iterator[Recorded]:
    """Yield the calls of a test of returned values; leave any other test to people."""
    own: list[Any] = []
    match answer.value:
        case [str(shown), str(error), list(calls)]:
            own = [
                one for one in calls if solution.asked[one[0]].question == test.question
            ] or calls
            why = _other_aim(test, solution) or _trouble(test, shown, error, own)
        case _:
            why = f"it could not be run: {answer.error.type if answer.error else 'no answer'}"
    if why:
        found.leave(test, why)
        return
    for i, (task, args, value, _) in enumerate(own, 1):
        name = f"{task}/{test.label}{f'-{i}' if len(own) > 1 else ''}"
        yield Recorded(test, task, name, args, value)


def _other_aim(test: OtterTest, solution: Solution) -> str:
    """Say what a test is about, if its code shows that it is not about returned values."""
    nodes = [*ast.walk(tree := ast.parse(test.code))]
    names = [one for one in nodes if isinstance(one, ast.Name)]
    bound = {one.id for one in names if isinstance(one.ctx, ast.Store)}
    alone = [
        one.value
        for one in nodes
        if isinstance(one, ast.Expr) and isinstance(one.value, ast.Call)
    ]
    shown = (
        tree.body[-1].value
        if test.shows and isinstance(tree.body[-1], ast.Expr)
        else None
    )
    if others := sorted({one.id for one in names} & solution.others.keys() - bound):
        return f"it tests {others[0]}, which is not a function"
    if any(isinstance(one, ast.Try) for one in nodes) or re.search(
        r"\braises\b|assertRaises", test.code
    ):
        return "it expects an exception"
    if any(
        one is not shown and ast.unparse(one.func) in solution.asked for one in alone
    ):
        return "it looks at what a call prints or changes"
    return ""


def _trouble(test: OtterTest, shown: str, error: str, calls: Sequence[Any]) -> str:
    """Say why the calls of a test cannot become cases, if its run showed a reason."""
    if error:
        return f"it does not pass on the master's own solution here: {error}"
    if not _same_text(test.shows, shown):
        return f"the master shows {test.shows[:60]!r}, and its solution gives {shown[:60]!r} here"
    for name, args, value, how in calls:
        strange = (
            one
            for one in args
            if not all(isinstance(part, PLAIN) for part in _parts(one))
        )
        size = sum(
            getattr(getattr(one, "array", one), "size", 1) for one in _parts(args)
        )
        if how:
            return f"{name} {how}"
        if (other := next(strange, None)) is not None:
            return f"{name} is given {kind_of(other)}"
        if no_number := not_numbers(value, True):
            return f"{name} returns {no_number}, no numbers"
        if size > MOST_NUMBERS:
            return f"{name} is given {size:,} numbers, too many to print"
    return "" if calls else "it calls no function that students write"


def _confirm(found: Found, answers: Sequence[Answer]) -> None:
    """Leave tests whose calls, each made twice, the solution by itself answers otherwise than the master."""
    wrong: dict[str, str] = {}
    for one, *both in zip(
        found.cases, answers, answers[len(found.cases) :], strict=False
    ):
        if error := next((answer.error for answer in both if answer.error), None):
            wrong[one.test.label] = (
                f"{one.task} needs more than its own code: {error.type}: {error.message}"
            )
        elif not all(deviation(answer.value, one.value) <= AGREES for answer in both):
            wrong[one.test.label] = (
                f"{one.task} draws random numbers, or depends on what ran before"
            )
    for test in {one.test.label: one.test for one in found.cases}.values():
        if test.label in wrong:
            found.leave(test, wrong[test.label])
        elif (
            not _VALUES.search(_PROPERTY.sub("", test.code))
            and test.shows in _SAYS_LITTLE
        ):
            found.notes.append(
                f"Cell {test.cell} tests a property; its check compares values and is stricter."
            )
    found.cases = [one for one in found.cases if one.test.label not in wrong]


def _same_text(wanted: str, shown: str) -> bool:
    """Whether two shown results say the same; NumPy 1 shows numbers otherwise than NumPy 2."""
    old, new = (
        re.sub(r"np\.(?:\w+\(([^()]*)\)|(True|False)_)|\s", r"\1\2", one)
        for one in (wanted, shown)
    )
    numbers, others = ([*map(float, _NUMBER.findall(one))] for one in (old, new))
    is_alike = _NUMBER.sub("", old) == _NUMBER.sub("", new) and len(numbers) == len(
        others
    )
    return not wanted or (is_alike and bool(np.allclose(numbers, others)))


def _parts(value: Any) -> Iterator[Any]:
    """Yield what nested tuples, lists and dictionaries hold."""
    if isinstance(value, tuple | list | dict):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _parts(one)
    else:
        yield value


def literal(value: Any) -> str:
    """Return the Python expression for a value in cases.py."""
    if isinstance(value, Tensor):
        return f"Tensor({literal(value.array)}{', requires_grad=True' * value.requires_grad})"
    if isinstance(value, np.ndarray):
        text = np.array2string(
            value, 100, separator=", ", threshold=sys.maxsize, floatmode="unique"
        )
        text = re.sub(r"\b(nan|inf)\b", r"np.\1", text)
        is_usual = value.size and value.dtype in (np.float64, np.int64, np.bool_)
        shape = "" if value.size else f".reshape({value.shape})"
        return (
            f"np.array({text}{'' if is_usual else f', dtype=np.{value.dtype}'}){shape}"
        )
    if isinstance(value, list | tuple):
        inside = ", ".join(map(literal, value))
        return (
            f"[{inside}]"
            if isinstance(value, list)
            else f"({inside}{',' * (len(value) == 1)})"
        )
    if isinstance(value, dict):
        return (
            "{"
            + ", ".join(f"{key!r}: {literal(one)}" for key, one in value.items())
            + "}"
        )
    return (
        f'float("{value}")'
        if isinstance(value, float) and not math.isfinite(value)
        else repr(value)
    )
