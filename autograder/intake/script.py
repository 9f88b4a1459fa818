"""One ``.py`` or notebook of a submission, as text and cells, with the questions that matching asks of it."""

from __future__ import annotations

import codecs
import io
import re
import tokenize
from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import PurePosixPath

from autograder.intake.naming import ending, shown
from autograder.intake.notebook import MAX_SOURCE_LETTERS, parse_notebook, too_much
from autograder.intake.submission import SourceFile, SourceText
from autograder.sandbox.request import Cell

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
        """The file's own name."""
        return PurePosixPath(self.path).name

    @cached_property
    def folder(self) -> str:
        """The folder it lies in, within the submission."""
        return str(PurePosixPath(self.path).parent)

    @property
    def depth(self) -> int:
        """How many folders it lies in."""
        return self.path.count("/")

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
    if ending(file.path) == ".ipynb":
        return _notebook(file)
    source = decode(file.data, file.path)
    if _NOTEBOOK_TEXT.match(source.text):
        notebook = _notebook(file)
        note = f"{shown(file.path)} is a notebook by its contents and was read as one"
        return replace(notebook, notes=(*notebook.notes, note))
    if len(source.text) > MAX_SOURCE_LETTERS:
        return Script(file.path, "", (), source.notes, (too_much(file.path),))
    return Script(file.path, source.text, None, source.notes, source.problems)


def _notebook(file: SourceFile) -> Script:
    notebook = parse_notebook(file.data, file.path)
    text = "\n".join(cell.source for cell in notebook.cells)
    return Script(file.path, text, notebook.cells, (), notebook.problems)


_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_LONGEST_DECLARATION = 1000
# Codecs that Python knows, that are no encodings of source files, and of which some take quadratic time.
_NO_ENCODINGS = frozenset({"idna", "punycode", "raw_unicode_escape", "undefined", "unicode_escape"})


def decode(data: bytes, name: str) -> SourceText:
    """Return a source file's text, its lines ending in a line feed; never raises.

    A byte order mark decides, then the encoding named in the file (PEP 263), then UTF-8; what is none of
    them is read as latin-1, with a note.
    """
    text, note = _decoded(data, name)
    text = text.encode("utf-8", "replace").decode("utf-8")  # UTF-7 can spell halves of characters
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    problem = f"{shown(name)} holds NUL bytes and is no text: save it again as UTF-8" if "\0" in text else ""
    return SourceText(text, (note,) if note else (), (problem,) if problem else ())


def _decoded(data: bytes, name: str) -> tuple[str, str]:
    try:
        return data.decode(_encoding(data)), ""
    except (LookupError, SyntaxError, ValueError):
        note = f"{shown(name)} is not UTF-8, so it was read as latin-1: save it as UTF-8"
        return data.decode("latin-1"), note


def _short(line: bytes) -> bytes:
    """Return a line that may name an encoding; of a longer one it would be the name that takes long."""
    return line if len(line) < _LONGEST_DECLARATION else b"pass\n"


def _encoding(data: bytes) -> str:
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return encoding
    lines = io.BytesIO(data)
    named = tokenize.detect_encoding(lambda: _short(lines.readline()))[0]
    canonical = codecs.lookup(named).name.replace("-", "_")
    return "utf-8" if canonical in _NO_ENCODINGS else named
