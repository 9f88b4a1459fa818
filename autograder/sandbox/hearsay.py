"""Hold what a worker says about a submission against the submission itself.

A report is written by the student's process, and parts of it are shown to students: the type and the place
of an exception, the names that a function reads. A submission could put hidden inputs into such a text.
What is shown is therefore taken from the code that was handed in; what is not found there is left out.
"""

from __future__ import annotations

import builtins
import re
from collections.abc import Iterable
from dataclasses import replace

from autograder.sandbox.report import Answer, CellFailure, FunctionFacts, RunReport, StudentError
from autograder.sandbox.request import Code

MAGIC = " (magic)"  # what the worker adds to the name of a cell whose timing magic is run
UNKNOWN_TYPE = "Exception"
OWN_TYPES = frozenset({"TimeLimit", "MissingParameter", "NoAnswer", "crashed", "invalid_answer"})
LIBRARY_TYPES = frozenset(
    {"AxisError", "LinAlgError", "OutOfMemoryError", "UFuncTypeError", "_UFuncBinaryResolutionError"}
    | {"_UFuncOutputCastingError", "_UFuncNoLoopError", "_UFuncInputCastingError", "_ArrayMemoryError"}
)
BUILTIN_TYPES = frozenset(
    name for name, one in vars(builtins).items() if isinstance(one, type) and issubclass(one, BaseException)
)


def verified(report: RunReport, code: Code) -> RunReport:
    """Return the report with every shown text taken from the code, or left out."""
    words = _words(code)
    cells = {cell.number for cell in code.cells or ()}
    return replace(
        report,
        answers=tuple(_answer(one, code, words) for one in report.answers),
        load_error=report.load_error and _error(report.load_error, code, words),
        failed_cells=tuple(
            CellFailure(one.cell, _error(one.error, code, words))
            for one in report.failed_cells
            if one.cell in cells
        ),
        functions={name: _facts(facts, words) for name, facts in report.functions.items()},
    )


def _words(code: Code) -> frozenset[str]:
    texts = [*code.files.values(), *(cell.source for cell in code.cells or ())]
    return frozenset(word for text in texts for word in re.findall(r"\w+", text))


def _answer(answer: Answer, code: Code, words: frozenset[str]) -> Answer:
    return answer if answer.error is None else replace(answer, error=_error(answer.error, code, words))


def _error(error: StudentError, code: Code, words: frozenset[str]) -> StudentError:
    known = BUILTIN_TYPES | OWN_TYPES | LIBRARY_TYPES
    kind = error.type if error.type in known or error.type in words else UNKNOWN_TYPE
    source = _line(code, error)
    if source is None:
        return replace(error, type=kind, file=None, line=None, source="")
    return replace(error, type=kind, source=source.strip()[:200])


def _line(code: Code, error: StudentError) -> str | None:
    """The line of the code that an error names, or None where there is no such line.

    The code of a timing magic may be one string of an exported file: its lines are found by their text.
    """
    texts = {**code.files, **{f"cell {cell.number}": cell.source for cell in code.cells or ()}}
    text = texts.get((error.file or "").removesuffix(MAGIC), "")
    lines = text.splitlines()
    if error.line is not None and 0 < error.line <= len(lines):
        return lines[error.line - 1]
    return error.source if error.source and error.source in text else None


def _facts(facts: FunctionFacts, words: frozenset[str]) -> FunctionFacts:
    sizes = {name: facts.sizes[name] for name in _written(facts.sizes, words)}
    return FunctionFacts(_written(facts.parameters, words), _written(facts.globals_read, words), sizes)


def _written(names: Iterable[str], words: frozenset[str]) -> tuple[str, ...]:
    return tuple(name for name in names if name in words)
