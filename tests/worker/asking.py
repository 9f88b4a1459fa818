"""Short ways to say what a worker is asked: a module or notebook, and the calls to make."""

import textwrap
from typing import Any

from autograder.sandbox.pool import Sandbox
from autograder.sandbox.report import RunReport
from autograder.sandbox.request import Cell, Code, Limits, Request


def call(name: str, *args: object, **more: object) -> dict[str, object]:
    """A call of a function by position."""
    return {"op": "function", "name": name, "args": list(args), **more}


def read(name: str) -> dict[str, object]:
    """A look at a top-level value."""
    return {"op": "value", "name": name}


def module(source: str, entry: str = "homework.py", **siblings: str) -> Code:
    """A submission of one ``.py`` file and perhaps others beside it."""
    files = {f"{name}.py": textwrap.dedent(text) for name, text in siblings.items()}
    return Code(entry, {entry: textwrap.dedent(source), **files})


def notebook(*cells: str, **siblings: str) -> Code:
    """A submission of one notebook with these code cells."""
    files = {f"{name}.py": textwrap.dedent(text) for name, text in siblings.items()}
    numbered = [Cell(number, textwrap.dedent(source)) for number, source in enumerate(cells, 1)]
    return Code("homework.ipynb", files, numbered)


def ask(sandbox: Sandbox, code: Code, *calls: dict[str, object], limits: Limits | None = None) -> RunReport:
    """Run a submission."""
    return sandbox.run(Request(code, calls, sandbox.library, limits or Limits()))


def values(report: RunReport) -> list[Any]:
    """The returned values, all of which must be usable."""
    assert report.load_error is None, report.load_error
    assert all(answer.is_usable for answer in report.answers), report
    return [answer.value for answer in report.answers]
