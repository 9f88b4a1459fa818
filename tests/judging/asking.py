"""Short ways to say what is handed in, and to read what came of it."""

import textwrap
from dataclasses import replace

from autograder.grading.suite import Suite
from autograder.sandbox.request import Cell, Code, Limits
from autograder.verdict.checks import CheckResult, Outcome
from autograder.verdict.results import HomeworkResult

DOUBLE = """
import numpy as np

def double(x):
    return 2 * x
"""
TOTALS = """
def totals(x):
    return x.sum(), np.prod(x)
"""


def code(text: str) -> Code:
    return Code("doubles.py", {"doubles.py": textwrap.dedent(text)})


def limited(suite: Suite, **limits: float) -> Suite:
    """The same homework with other limits."""
    return replace(suite, homework=replace(suite.homework, limits=Limits(**limits)))


def notebook(*cells: str) -> Code:
    return Code("doubles.ipynb", {}, [Cell(number, text) for number, text in enumerate(cells, 1)])


def outcomes(result: HomeworkResult) -> dict[str, str]:
    return {check.check: str(check.outcome) for check in result.checks}


def failed(result: HomeworkResult, task: str | None = None) -> list[CheckResult]:
    """Return the checks that failed, of a task or of all."""
    checks = [check for check in result.checks if check.outcome is Outcome.FAILED]
    return [check for check in checks if task in (None, check.task)]


def reason(result: HomeworkResult, name: str) -> str:
    return next(check.reason for check in result.checks if check.check == name)


def lasting(result: HomeworkResult) -> HomeworkResult:
    """The result without what is measured."""
    return replace(result, seconds=0.0)
