"""What ``get_ipython()`` returns: magics and shell lines do nothing, timing magics run their code.

A notebook's cells, and a notebook exported as ``.py``, arrive with each magic as a call of this shell.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Callable
from typing import Any

from autograder.worker.inert import Inert

Run = Callable[[str, str], None]
"""Runs a source text, under a file name, among the submission's names."""


class InertShell:
    """Stands for IPython's shell, of which a worker has none."""

    RUN_THE_CELL = frozenset({"time", "timeit", "capture", "prun"})

    def __init__(self, namespace: dict[str, Any], files: dict[str, str], run: Run) -> None:
        self._namespace = namespace
        self._files = files
        self._run = run

    def run_cell_magic(self, name: str, line: str, cell: str) -> None:
        """Run the cell of a timing magic, keep the file of ``%%writefile`` or ``%%file``; forget the rest."""
        if name in ("writefile", "file"):
            self._files[line.split()[-1]] = cell
        elif name in self.RUN_THE_CELL:
            self._run("\n" + _plain_python(cell), f"{_caller()} (magic)")

    def run_line_magic(self, name: str, line: str, *args: object) -> Any:
        """Run the statement of ``%time`` and return its value; forget all other magics."""
        if name != "time":
            return None
        filename = f"{_caller()} (magic)"
        try:
            code = compile(line.strip(), filename, "eval", dont_inherit=True)
        except SyntaxError:  # a statement such as an assignment, which has no value
            return self._run(line, filename)
        return eval(code, self._namespace)

    def getoutput(self, command: str, *args: object, **kwargs: object) -> list[str]:
        return []

    def __getattr__(self, name: str) -> Any:
        return Inert()


def _plain_python(cell: str) -> str:
    """Take magics and shell lines out of a magic's own cell, which nobody has translated yet."""
    try:
        ast.parse(cell)
    except SyntaxError:
        return re.sub(r"(?m)^([ \t]*)[%!].*$", r"\1pass", cell)
    return cell


def _caller() -> str:
    return sys._getframe(2).f_code.co_filename
