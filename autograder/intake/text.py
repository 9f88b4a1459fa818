"""A source file of a submission as text: decoded as Python would, and further where Python would give up."""

from __future__ import annotations

import codecs
import io
import re
import tokenize
from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath

from autograder.intake.naming import shown
from autograder.intake.submission import Problem
from autograder.sandbox import Cell

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_LONGEST_DECLARATION = 1000
# Codecs that Python knows but that no source file is written in; some of them take quadratic time.
_NO_ENCODINGS = frozenset({"idna", "punycode", "raw_unicode_escape", "undefined", "unicode_escape"})
_DEFINITION = re.compile(r"^(?:async[ \t]+)?(?:def|class)[ \t]+(\w+)", re.MULTILINE)


@dataclass(frozen=True)
class Script:
    """A source file as the student wrote it, its lines ending in a line feed; of a notebook, the code cells.

    ``cells`` is None for a ``.py``, and empty where there is no code to read.
    """

    path: str
    text: str
    cells: tuple[Cell, ...] | None = None
    notes: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()

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
        return not self.defined.isdisjoint(names)


def decode(data: bytes, name: str) -> Script:
    """Return a ``.py`` as text; never raises.

    A byte order mark decides, then the encoding named in the file (PEP 263), then UTF-8; what is none of
    them is read as latin-1, with a note.
    """
    notes: tuple[str, ...] = ()
    try:
        text = data.decode(_encoding(data))
    except (LookupError, SyntaxError, ValueError):
        text = data.decode("latin-1")
        notes = (f"{shown(name)} is not UTF-8, so it was read as latin-1: save it as UTF-8",)
    problem = Problem.of(name, "holds NUL bytes and is not text: save it again as UTF-8")
    return Script(name, clean(text), None, notes, (problem,) if "\0" in text else ())


def clean(text: str) -> str:
    """Return text in whole characters (UTF-7 and JSON can spell halves), its lines ending in a line feed."""
    return text.encode("utf-8", "replace").decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")


def _encoding(data: bytes) -> str:
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return encoding
    lines = io.BytesIO(data)

    def readline() -> bytes:
        line = lines.readline()  # a name of an encoding of any length would take long to look up
        return line if len(line) < _LONGEST_DECLARATION else b"pass\n"

    named = tokenize.detect_encoding(readline)[0]
    canonical = codecs.lookup(named).name.replace("-", "_")
    return "utf-8" if canonical in _NO_ENCODINGS else named
