"""Check a worker's claims about a submission against the submission itself.

A report is written by the student's process, and parts of it are shown to students: the type and the place
of an exception, the names that a function reads. A submission could put hidden inputs into such a text.
Students therefore see only fixed text and lines of the code that was handed in; everything else is for the
staff. So an exception reveals no more than which known type it has and at which line it arose.
"""

from __future__ import annotations

import builtins
import re
from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property

from autograder.sandbox.report import FunctionFacts, RunReport, StudentError
from autograder.sandbox.request import Code
from autograder.untrusted_text import for_report
from autograder.worker.errors import MAX_SOURCE
from autograder.worker.inert import MAGIC

UNKNOWN_TYPE = "an uncommon exception"
_LINE_ENDS = r"\r\n|\r|\n"  # as Python counts lines
_LINE_ENDS_IN_MAGIC = rf"""{_LINE_ENDS}|\\n|, ?['"]"""


def _builtin_exceptions() -> frozenset[str]:
    names = set()
    for name, value in vars(builtins).items():
        if isinstance(value, type) and issubclass(value, BaseException):
            names.add(name)
    return frozenset(names)


BUILTIN_EXCEPTIONS = _builtin_exceptions()
KNOWN_TYPES = BUILTIN_EXCEPTIONS | {
    # Of the worker and of this side.
    "TimeLimit",
    "MissingParameter",
    "NoAnswer",
    "crashed",
    "invalid_answer",
    # Of NumPy and torch.
    "AxisError",
    "LinAlgError",
    "OutOfMemoryError",
    "UFuncTypeError",
    "_ArrayMemoryError",
    "_UFuncBinaryResolutionError",
    "_UFuncInputCastingError",
    "_UFuncNoLoopError",
    "_UFuncOutputCastingError",
}


def checked_report(report: RunReport, code: Code) -> RunReport:
    """Return the report with every text for students taken from the code, or left out."""
    handed_in = _HandedInCode(code)
    report = report.with_errors(handed_in.checked_error)
    detail = report.detail
    if report.load_error is not None:
        detail = f"{report.load_error.type} on import"

    # First the stops of files, then those of cells that exist: each cell once, in the notebook's order.
    stops = []
    for stop in report.stops:
        if stop.cell is None:
            stops.append(stop)
    stops_of_cells = {stop.cell: stop for stop in report.stops}
    for cell in code.cells or ():
        if cell.number in stops_of_cells:
            stops.append(stops_of_cells[cell.number])

    functions = {
        name: handed_in.checked_facts(facts) for name, facts in report.functions.items()
    }
    return replace(report, detail=detail, stops=tuple(stops), functions=functions)


class _HandedInCode:
    """The code that was handed in, against which a report is checked."""

    def __init__(self, code: Code) -> None:
        self._texts: dict[str, str] = dict(code.files)
        for cell in code.cells or ():
            self._texts[f"cell {cell.number}"] = cell.source
        self._lines: dict[str, list[str]] = {}

    @cached_property
    def _words(self) -> frozenset[str]:
        words = set[str]()
        for text in self._texts.values():
            words.update(re.findall(r"\w+", text))
        return frozenset(words)

    def checked_error(self, error: StudentError) -> StudentError:
        """Return the error with a known type and a line of the code, or without them."""
        if error.type not in KNOWN_TYPES:
            message = f"{error.type}: {error.message}"
            error = replace(error, type=UNKNOWN_TYPE, message=message)
        source = self._source_line(error)
        if source is None:
            return replace(error, file=None, line=None, source="")
        return replace(error, source=for_report(source.strip(), MAX_SOURCE))

    def checked_facts(self, facts: FunctionFacts) -> FunctionFacts:
        """Return the names that are written in the code, and their sizes."""
        sizes = {name: facts.sizes[name] for name in self._written(facts.sizes)}
        return FunctionFacts(
            parameters=self._written(facts.parameters),
            globals_read=self._written(facts.globals_read),
            sizes=sizes,
        )

    def _written(self, names: Iterable[str]) -> tuple[str, ...]:
        written = []
        for name in names:
            if name in self._words:
                written.append(name)
        return tuple(written)

    def _source_line(self, error: StudentError) -> str | None:
        """Return the line of the code that an error names, or None if there is no such line."""
        name = error.file or ""
        if name not in self._lines:
            self._lines[name] = self._split(name)
        lines = self._lines[name]
        if error.line is None or not 0 < error.line <= len(lines):
            return None
        if not name.endswith(MAGIC):
            return lines[error.line - 1]
        if error.source in map(str.strip, lines):
            return error.source
        return None

    def _split(self, name: str) -> list[str]:
        """Split the text of a file or cell into lines; there are none where it was not handed in.

        The code of a timing magic may be one string of a file: it is split into lines as they are written
        there, which are found by their text.
        """
        if name.removesuffix(MAGIC) not in self._texts:
            return []
        line_ends = _LINE_ENDS_IN_MAGIC if name.endswith(MAGIC) else _LINE_ENDS
        return re.split(line_ends, self._texts[name.removesuffix(MAGIC)])
