"""Check what a worker says about a submission against the submission itself.

A report is written by the student's process, and parts of it are shown to students: the type and the place
of an exception, the names that a function reads. A submission could put hidden inputs into such a text.
What students see is therefore fixed text or comes from the code that was handed in; the rest is for the
staff. So an exception says no more than which known type it has and at which line it arose.
"""

from __future__ import annotations

import builtins
import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

from autograder.sandbox.report import FunctionFacts, RunReport, StudentError, visible
from autograder.sandbox.request import Code

MAGIC = " (magic)"  # what the worker appends to the name of a cell for code of its timing magics
UNKNOWN_TYPE = "an uncommon exception"
_ENDS = r"\r\n|\r|\n"  # line ends as Python counts them
_ENDS_IN_MAGIC = rf"""{_ENDS}|\\n|, ?['"]"""
KNOWN_TYPES = frozenset(
    {"TimeLimit", "MissingParameter", "NoAnswer", "crashed", "invalid_answer"}
    | {
        "AxisError",
        "LinAlgError",
        "OutOfMemoryError",
        "UFuncTypeError",
        "_UFuncBinaryResolutionError",
    }
    | {
        "_UFuncOutputCastingError",
        "_UFuncNoLoopError",
        "_UFuncInputCastingError",
        "_ArrayMemoryError",
    }
    | {
        name
        for name, one in vars(builtins).items()
        if isinstance(one, type) and issubclass(one, BaseException)
    }
)


def verified(report: RunReport, code: Code) -> RunReport:
    """Return the report with every shown text taken from the code, or left out."""
    witness = _Witness(code)
    load_error = report.load_error and witness.error(report.load_error)
    of_cells = {
        one.cell: one for one in report.stops
    }  # each once, in the notebook's order
    stops = [one for one in report.stops if one.cell is None]
    stops += [
        of_cells[cell.number] for cell in code.cells or () if cell.number in of_cells
    ]
    return replace(
        report,
        detail=f"{load_error.type} on import" if load_error else report.detail,
        answers=tuple(
            one if one.error is None else replace(one, error=witness.error(one.error))
            for one in report.answers
        ),
        load_error=load_error,
        stops=tuple(replace(one, error=witness.error(one.error)) for one in stops),
        functions={
            name: witness.facts(facts) for name, facts in report.functions.items()
        },
    )


class _Witness:
    """The code that was handed in, against which a report is checked."""

    def __init__(self, code: Code) -> None:
        self._texts = {
            **code.files,
            **{f"cell {cell.number}": cell.source for cell in code.cells or ()},
        }
        self._lines: dict[str, tuple[Sequence[str], set[str]]] = {}

    @cached_property
    def _words(self) -> frozenset[str]:
        return frozenset(
            word for text in self._texts.values() for word in re.findall(r"\w+", text)
        )

    def error(self, error: StudentError) -> StudentError:
        """The error with a known type and a line of the code, or with neither."""
        known = error.type in KNOWN_TYPES
        message = error.message if known else f"{error.type}: {error.message}"
        shown = replace(
            error, type=error.type if known else UNKNOWN_TYPE, message=message
        )
        source = self._line(error)
        if source is None:
            return replace(shown, file=None, line=None, source="")
        return replace(shown, source=visible(source.strip(), 200))

    def _line(self, error: StudentError) -> str | None:
        """The line of the code that an error names, or None where there is no such line.

        The code of a timing magic may be one string of a file: it is split into lines as they are written
        there, which are found by their text.
        """
        name = error.file or ""
        is_magic = name.endswith(MAGIC)
        if name not in self._lines:
            text = self._texts.get(name.removesuffix(MAGIC))
            split = (
                []
                if text is None
                else re.split(_ENDS_IN_MAGIC if is_magic else _ENDS, text)
            )
            self._lines[name] = split, set(map(str.strip, split)) if is_magic else set()
        lines, stripped = self._lines[name]
        if error.line is None or not 0 < error.line <= len(lines):
            return None
        if is_magic:
            return error.source if error.source in stripped else None
        return lines[error.line - 1]

    def facts(self, facts: FunctionFacts) -> FunctionFacts:
        """The names that are written in the code, and their sizes."""
        parameters, read = (
            tuple(name for name in names if name in self._words)
            for names in (facts.parameters, facts.globals_read)
        )
        sizes = {
            name: size for name, size in facts.sizes.items() if name in self._words
        }
        return FunctionFacts(parameters, read, sizes)
