"""One ``.py`` or notebook of a submission, as text and cells, with the questions that matching asks of it."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath

from autograder.intake.naming import ending, shown
from autograder.intake.notebook import MAX_SOURCE_LETTERS, parse_notebook, too_much
from autograder.intake.submission import SourceFile
from autograder.intake.text import decode
from autograder.sandbox import Cell

_DEFINITION = re.compile(r"^(?:async[ \t]+)?(?:def|class)[ \t]+(\w+)", re.MULTILINE)
_NOTEBOOK_TEXT = re.compile(r'\s*\{.*"(?:cells|worksheets)"\s*:\s*\[', re.DOTALL)


@dataclass(frozen=True)
class Script:
    """A source file as the student wrote it; ``cells`` is None for a ``.py``, empty for no real notebook."""

    path: str
    text: str
    cells: tuple[Cell, ...] | None = None
    notes: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()

    @cached_property
    def name(self) -> str:
        return PurePosixPath(self.path).name

    @cached_property
    def folder(self) -> str:
        return str(PurePosixPath(self.path).parent)

    @property
    def is_readable(self) -> bool:
        """Whether there is anything to run; what there is need not be right."""
        return self.cells is None or bool(self.cells)

    @cached_property
    def defined(self) -> frozenset[str]:
        """The names of its functions and classes on the outermost level."""
        return frozenset(_DEFINITION.findall(self.text))

    def defines(self, names: Collection[str]) -> bool:
        """Whether it defines one of the names."""
        return not self.defined.isdisjoint(names)


def read_script(file: SourceFile) -> Script:
    """Return a source file as text; never raises. A notebook's text is that of its code cells in a row."""
    notes: tuple[str, ...] = ()
    if ending(file.path) != ".ipynb":
        source = decode(file.data, file.path)
        if not _NOTEBOOK_TEXT.match(source.text):
            if len(source.text) > MAX_SOURCE_LETTERS:
                return Script(file.path, "", (), source.notes, (too_much(file.path),))
            return Script(file.path, source.text, None, source.notes, source.problems)
        notes = (f"{shown(file.path)} is a notebook by its contents and was read as one",)
    notebook = parse_notebook(file.data, file.path)
    text = "\n".join(cell.source for cell in notebook.cells)
    return Script(file.path, text, notebook.cells, notes, notebook.problems)
