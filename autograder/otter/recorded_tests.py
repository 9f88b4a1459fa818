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
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from autograder.course.calls import Call, FunctionCall
from autograder.course.homework import CourseError
from autograder.otter.code import MarkedSolution, pieces_of
from autograder.otter.master import Master, OtterTest
from autograder.otter.scripted_tests import ScriptedTest, script_tests
from autograder.otter.variables import QuestionFunction
from autograder.sandbox.pool import SandboxPool
from autograder.sandbox.report import Answer, RunReport
from autograder.sandbox.request import Cell, Code, DataFiles, Limits, Request
from autograder.templates import render
from autograder.verdict.arrays import deviation
from autograder.verdict.describe import describe
from autograder.verdict.for_checks.scripts import words_and_numbers
from autograder.verdict.reference import COURSE_LIMITS, not_comparable
from autograder.worker.composites import NOTHING, Composite
from autograder.worker.wire import Tensor

AGREES = 1e-6
"""How far the solution run on its own may deviate from what the master returned."""
MOST_NUMBERS = 20_000
"""Larger inputs should be drawn in cases.py, not printed there."""
PLAIN = (type(None), int, float, str, np.ndarray, Tensor)
"""What can stand in an argument of a case, alone or in tuples, lists, dictionaries, sets and tables."""
ARGUMENTS = frozenset({"set", "table", "series"})
"""Kinds of composites that can be written in cases.py."""
LEFT = "write a separate check for it, or leave it out"
ALONE = "fails when it runs by itself, without files and network"
_VALUES = re.compile(r"close|equal|==|\bis\b")
_PROPERTY = re.compile(r"(?:\.(?:shape|ndim|size|dtype)|\b(?:len|type)\(.*\))\s*==")
_SAYS_LITTLE = ("", "True", "False", "np.True_", "np.False_")


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
    """The outcome of a master's run.

    It has cases, tests of variables, the values of variables that students assign, left-over parts, and notes.
    """

    cases: list[RecordedCase] = field(default_factory=list)
    scripted: list[ScriptedTest] = field(default_factory=list)
    values: dict[str, Any] = field(default_factory=dict)
    left: list[LeftOver] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def leave(self, test: OtterTest, why: str) -> None:
        self.left.append(LeftOver(test.question, test.cell, why, test.code))


def run_tests(
    master: Master,
    solution: MarkedSolution,
    library: str,
    pool: SandboxPool,
    functions: Mapping[str, QuestionFunction],
    data: DataFiles,
) -> MasterRun:
    """Run a master with its tests, then its solution with the calls of these tests.

    Args:
        master: the master.
        solution: its solution.
        library: what its functions compute with.
        pool: runs both.
        functions: the questions that asked for variables, by name.
        data: the files that its code reads.

    Raises:
        CourseError: the master or its solution ends without answering.
    """

    def run(code: Code, calls: Sequence[Call]) -> RunReport:
        mappings = [call.as_mapping() for call in calls]
        limits = Limits(**COURSE_LIMITS)
        request = Request(code, mappings, library, limits, data=data)
        report = pool.run(request)
        if len(report.answers) != len(calls):
            raise CourseError(
                f"{master.path} could not be run: {report.status}: {report.detail}"
            )
        return report

    # The master, followed by a cell that records calls.
    result = MasterRun()
    pieces: list[tuple[int, int]] = []
    cells = []
    for master_cell in master.code_cells:
        for place, piece in enumerate(pieces_of(master_cell)):
            pieces.append((master_cell.number, place))
            cells.append(Cell(len(pieces), piece))
    recorder = render("autograder.authoring", "otter_recorder.txt")
    cells.append(Cell(len(pieces) + 1, recorder))
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
        if stop.cell is None:
            continue
        number, place = pieces[stop.cell - 1]
        master.stopped.add((number, place))
        result.notes.append(
            f"Cell {number} {ALONE}: {stop.error.type}: {stop.error.message}."
        )
    values = report.answers[len(tests) :]
    for name, answer in zip(solution.others, values, strict=True):
        if answer.is_usable:
            result.values[name] = answer.value
    outputs: dict[OtterTest, str] = {}
    for test, answer in zip(tests, report.answers, strict=False):
        function = functions.get(test.question)
        if function is not None and function.is_tested_by(test):
            output = _output_of(test, answer, result)
            if output is not None:
                outputs[test] = output
        else:
            result.cases += _calls_of(test, answer, solution, result)

    # The solution, with each recorded call twice.
    if result.cases:
        plain = Code("solution.py", {"solution.py": solution.plain})
        recorded_calls = [case.call for case in result.cases]
        report = run(plain, [*recorded_calls, *recorded_calls])
        _confirm(result, report.answers)
        _leave_open_tasks(result)

    # What the tests of variables say of the values that the functions return.
    if outputs:
        scripts, reasons = script_tests(
            master, solution.plain, functions, outputs, recorder, run
        )
        result.scripted = scripts
        for test, reason in reasons.items():
            result.leave(test, reason)
    return result


def _output_of(test: OtterTest, answer: Answer, run: MasterRun) -> str | None:
    """Return what a test of variables shows on the master's answer; leave it where it does not pass."""
    match answer.value:
        case [str(output), str(error), list()]:
            trouble = _failure(test, output, error)
        case _:
            output = ""
            trouble = _not_run(answer)
    if trouble:
        run.leave(test, trouble)
        return None
    return output.strip()


def _leave_open_tasks(run: MasterRun) -> None:
    """Leave the tests of functions whose values no test compares: other values than the master's may be right."""
    compared = set()
    for case in run.cases:
        if compares_values(case.test):
            compared.add(case.task)
    open_tests = {}
    for case in run.cases:
        if case.task not in compared:
            open_tests[case.test.label] = case
    for case in open_tests.values():
        reason = (
            f"no test compares what {case.task} returns, so many answers may be right"
        )
        run.leave(case.test, reason)
    cases = []
    for case in run.cases:
        if case.test.label not in open_tests:
            cases.append(case)
    run.cases = cases


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
                trouble = _trouble(test, output, error, calls, solution)
        case _:
            trouble = _not_run(answer)
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


def _not_run(answer: Answer) -> str:
    """Say that a test gave no answer."""
    reason = "no answer"
    if answer.error:
        reason = answer.error.type
    return f"it could not be run: {reason}"


def _failure(test: OtterTest, output: str, error: str) -> str:
    """Say why a test does not pass on the master's own solution; blank if it does."""
    if error:
        return f"it does not pass on the master's own solution here: {error}"
    if not same_text(test.shows, output):
        return f"the master shows {test.shows[:60]!r}, and its solution gives {output[:60]!r} here"
    return ""


def _trouble(
    test: OtterTest,
    output: str,
    error: str,
    calls: Sequence[Any],
    solution: MarkedSolution,
) -> str:
    """Say why the calls of a test cannot become cases, if its run showed a reason."""
    if failure := _failure(test, output, error):
        return failure
    for name, reason in solution.refused.items():
        if re.search(rf"\b{name}\b", test.code):
            return reason
    if not calls:
        return "it calls no function that students write"
    for name, args, value, problem in calls:
        if problem:
            return f"{name} {problem}"
        size = 0
        for argument in args:
            for part in _parts(argument):
                if not isinstance(part, PLAIN):
                    return f"{name} is given {describe(argument)}"
                array = getattr(part, "array", part)
                size += getattr(array, "size", 1)
        no_value = not_comparable(_expected(value), True)
        if no_value:
            return f"{name} returns {no_value}, which cannot be compared"
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
        if not compares_values(test):
            run.notes.append(
                f"Cell {test.cell} tests a property; its check compares values and is stricter."
            )


def compares_values(test: OtterTest) -> bool:
    """Return whether a test compares a value, and not only a property of it such as its type."""
    compares = _VALUES.search(_PROPERTY.sub("", test.code))
    return bool(compares) or test.shows not in _SAYS_LITTLE


def _expected(value: Any) -> Any:
    """Return a value as an expected one, which a missing value is not."""
    if value is None:
        return NOTHING
    return value


def _parts(value: Any) -> Iterator[Any]:
    """Yield the leaves of nested tuples, lists, dictionaries, sets and tables."""
    if isinstance(value, Composite) and value.kind in ARGUMENTS:
        value = list(value.parts.values())
    if isinstance(value, dict):
        value = [*getattr(value, "sent", ()), *value.values()]
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
        keys = getattr(value, "sent", tuple(value))
        items = []
        for key, item in zip(keys, value.values(), strict=True):
            items.append(f"{literal(key)}: {literal(item)}")
        return "{" + ", ".join(items) + "}"
    if isinstance(value, Composite):
        return _composite_literal(value)
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


def _composite_literal(value: Composite) -> str:
    """Return the expression for a set, or for a table or series of pandas."""
    parts = value.parts
    if value.kind == "set":
        return f"frozenset({literal(parts['items'])})"
    index = parts["index"]
    index_argument = f", index={literal(index)}"
    if isinstance(index, np.ndarray):
        usual = np.arange(len(index))
        if np.array_equal(index, usual):
            index_argument = ""
    if value.kind == "series":
        return f"pd.Series({literal(parts['values'])}{index_argument})"
    columns = []
    for name, column in zip(parts["columns"], parts["values"], strict=True):
        columns.append(f"{literal(name)}: {literal(column)}")
    content = ", ".join(columns)
    return f"pd.DataFrame({{{content}}}{index_argument})"


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


def same_text(expected: str, output: str) -> bool:
    """Return whether two shown results say the same; NumPy 1 shows numbers otherwise than NumPy 2.

    An expected text that is blank is equal to every other.
    """
    if not expected:
        return True
    expected_words, expected_numbers = words_and_numbers(expected)
    words, numbers = words_and_numbers(output)
    if words != expected_words or len(numbers) != len(expected_numbers):
        return False
    return bool(np.allclose(expected_numbers, numbers))
