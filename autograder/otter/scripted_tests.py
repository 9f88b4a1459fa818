"""Tests of variables: their own lines judge what a function of the question returns.

They run once more on the values alone, as plain data, because that is what a check has.
"""

from __future__ import annotations

import ast
import builtins
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from autograder.course.calls import Call, FunctionCall
from autograder.otter.master import Master, OtterTest
from autograder.otter.variables import QuestionFunction, free_names, imports_of
from autograder.sandbox.report import Answer, RunReport
from autograder.sandbox.request import Code
from autograder.verdict.describe import describe
from autograder.worker.composites import Composite
from autograder.worker.wire import Bag, Unsendable, encode

OF_CHECKS = frozenset({"numpy", "pandas"})
"""Libraries that the lines of a test may use where a check runs, besides Python's own."""
ON_VALUES = "it does not pass on the values alone"

Run = Callable[[Code, Sequence[Call]], RunReport]
"""Makes calls of some code in the sandbox."""


@dataclass(frozen=True)
class ScriptedTest:
    """A test of variables, whose own lines judge what a function returns.

    Attributes:
        test: the test in the master.
        function: the question as a function.
        imports: the imports that its lines need.
        shows: what its lines show for the master's answer.
    """

    test: OtterTest
    function: QuestionFunction
    imports: tuple[str, ...]
    shows: str

    @property
    def text(self) -> str:
        """What students read where it does not pass."""
        number = self.test.label.rpartition("-")[2]
        message = self.test.says.get("failure_message", "")
        text = f"Test {number} of {self.test.question} does not pass."
        return " ".join([text, *message.split()])

    @property
    def lines(self) -> list[str]:
        """Its lines, the last of which shows its value."""
        code = self.test.code
        tree = ast.parse(code)
        if _has_long_texts(tree):
            code = ast.unparse(tree)
            tree = ast.parse(code)
        lines = code.split("\n")
        last = tree.body[-1] if tree.body else None
        if not isinstance(last, ast.Expr):
            return lines
        before = lines[: last.lineno - 1]
        expression = ast.unparse(last.value)
        if isinstance(last.value, ast.Call) and ast.unparse(last.value.func) == "print":
            return [*before, expression]
        return [*before, f"show({expression})"]

    @property
    def prints(self) -> bool:
        """Whether its lines print something."""
        return "print" in free_names(self.test)


def script_tests(
    master: Master,
    solution: str,
    functions: Mapping[str, QuestionFunction],
    outputs: Mapping[OtterTest, str],
    recorder: str,
    run: Run,
) -> tuple[list[ScriptedTest], dict[OtterTest, str]]:
    """Return the tests that pass on what the functions return, and for each other one why it does not.

    Args:
        master: the master.
        solution: the code of its solution.
        functions: the questions that asked for variables, by name.
        outputs: the tests of these variables, and what each shows in the master.
        recorder: code with the function that runs a test.
        run: makes calls in the sandbox.
    """
    calls = [FunctionCall(function.name, ()) for function in functions.values()]
    plain = Code("solution.py", {"solution.py": solution})
    report = run(plain, [*calls, *calls])  # twice, to see what is random
    returned = _returned(functions, report.answers)
    imports = imports_of(master)
    scripts = []
    test_calls = []
    reasons: dict[OtterTest, str] = {}
    for test, output in outputs.items():
        function = functions[test.question]
        variables = returned[function.question]
        lines = _imports_for(test, function, imports)
        if isinstance(variables, str):
            reasons[test] = variables
        elif isinstance(lines, str):
            reasons[test] = lines
        else:
            scripts.append(ScriptedTest(test, function, lines, output))
            code = "\n".join([*lines, test.code])
            test_calls.append(FunctionCall("otter_run", (code, [], dict(variables))))
    if not scripts:
        return [], reasons

    # A check has no notebook around it.
    alone = Code("tests.py", {"tests.py": recorder})
    report = run(alone, test_calls)
    confirmed = []
    for script, answer in zip(scripts, report.answers, strict=True):
        reason = _why_not(script, answer)
        if reason:
            reasons[script.test] = reason
        else:
            confirmed.append(script)
    return confirmed, reasons


def _why_not(script: ScriptedTest, answer: Answer) -> str:
    """Say why a test does not pass on the values alone; blank if it does."""
    match answer.value:
        case [str(output), "", list()] if output.strip() == script.shows:
            return ""
        case [str(), str(error), list()] if error:
            return f"{ON_VALUES}: {error}"
        case _:
            return ON_VALUES


def _returned(
    functions: Mapping[str, QuestionFunction], answers: Sequence[Answer]
) -> dict[str, Mapping[str, Any] | str]:
    """Return the variables of each question by name, or why they cannot be judged."""
    returned: dict[str, Mapping[str, Any] | str] = {}
    second_answers = answers[len(functions) :]
    for function, first, second in zip(
        functions.values(), answers, second_answers, strict=False
    ):
        error = first.error or second.error
        if error:
            returned[function.question] = (
                f"{function.name} needs more than its own code: {error.type}: {error.message}"
            )
            continue
        values = [first.value]
        second_values = [second.value]
        if len(function.variables) > 1:
            values = list(first.value)
            second_values = list(second.value)
        values_by_name = dict(zip(function.variables, values, strict=True))
        returned[function.question] = values_by_name
        for name, value, again in zip(
            values_by_name, values, second_values, strict=True
        ):
            reason = _unsendable(value)
            if reason:
                returned[function.question] = f"{name} is {reason}"
            elif not _is_same(value, again):
                returned[function.question] = (
                    f"{name} is random, or depends on what ran before"
                )
    return returned


def _unsendable(value: Any) -> str:
    """Return what a value is if a check cannot be given it; blank if it can."""
    if isinstance(value, Unsendable):
        return describe(value)
    inner: Sequence[Any] = ()
    if isinstance(value, dict):
        inner = list(value.values())
    elif isinstance(value, list | tuple):
        inner = value
    elif isinstance(value, Composite):
        inner = list(value.parts.values())
    for item in inner:
        reason = _unsendable(item)
        if reason:
            return reason
    return ""


def _is_same(value: Any, again: Any) -> bool:
    """Return whether two runs gave the same value; NaN is the same as NaN."""
    arrays = Bag()
    other_arrays = Bag()
    if encode(value, arrays) != encode(again, other_arrays):
        return False
    for key, array in arrays.items():
        may_hold_nan = array.dtype.kind in "fc"
        if not np.array_equal(array, other_arrays[key], equal_nan=may_hold_nan):
            return False
    return True


def _imports_for(
    test: OtterTest, function: QuestionFunction, imports: Mapping[str, str]
) -> tuple[str, ...] | str:
    """Return the imports that a test needs, or why its lines cannot run outside the notebook."""
    lines = []
    for name in sorted(free_names(test)):
        if name in function.variables or hasattr(builtins, name):
            continue
        if name not in imports:
            return f"it also needs {name}, which a check does not have"
        lines.append(imports[name])
    used = re.findall(r"^(?:import|from) (\w+)", "\n".join(lines), re.MULTILINE)
    for module in used:
        if module not in OF_CHECKS and module not in sys.stdlib_module_names:
            return f"it also needs {module}, which a check does not have"
    return tuple(dict.fromkeys(lines))


def _has_long_texts(tree: ast.AST) -> bool:
    """Return whether a text goes over several lines, which would change if they were indented."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant | ast.JoinedStr):
            if node.end_lineno != node.lineno:
                return True
    return False
