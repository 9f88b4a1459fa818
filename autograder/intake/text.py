"""A source file of a submission as text: decoded as Python would, and further where Python would give up."""

from __future__ import annotations

import ast
import codecs
import io
import math
import re
import tokenize
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import PurePosixPath

from autograder.intake.submission import Problem
from autograder.sandbox.request import Cell
from autograder.untrusted_text import name_in_message

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_LONGEST_DECLARATION = 1000
# Codecs that Python knows but that no source file is written in; some of them take quadratic time.
_NO_ENCODINGS = frozenset(
    {"idna", "punycode", "raw_unicode_escape", "undefined", "unicode_escape"}
)
# By patterns, because half of the files to be matched do not parse: notebooks' commands, unfinished code.
_DEFINITION = re.compile(r"^(?:async[ \t]+)?(?:def|class)[ \t]+(\w+)", re.MULTILINE)
# ``def softmax(scores, axis=-1) -> Array:``, also over several lines; what is in brackets is parsed.
_HEADER = re.compile(
    r"(?:async[ \t]+)?def[ \t]+\w+[ \t]*(\(.{0,2000}?\))[ \t]*(?:->[^:\n]*)?:",
    re.DOTALL,
)
_ASSIGNMENT = re.compile(r"^(\w+)[ \t]*=(?!=)", re.MULTILINE)
_IMPORT = re.compile(r"^[ \t]*(?:from|import)[ \t]+\.?(\w+)", re.MULTILINE)
# From a definition on, the rest of its line, and then the lines that are blank or begin with a blank, a comment or
# the bracket that closes its header. Nothing is tried twice (``++``), or a long file would take quadratic time.
_BODY = re.compile(r"[^\n]*((?:\n(?:[ \t#)][^\n]*+)?+)*+)")
# The names that are called, also after a dot: ``softmax`` of ``np.softmax(x)``.
_CALL = re.compile(r"\w+(?=\()")


@dataclass(frozen=True)
class Script:
    """A source file as the student wrote it, with line feeds; of a notebook, the code cells.

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
        """Whether there is any code to run, right or wrong."""
        return self.cells is None or bool(self.cells)

    @cached_property
    def defined(self) -> Mapping[str, int]:
        """The places in the text where functions and classes of the outermost level begin, by name."""
        definitions = _DEFINITION.finditer(self.text)
        return {definition[1]: definition.start() for definition in definitions}

    @cached_property
    def assigned(self) -> frozenset[str]:
        """The variables that lines of the outermost level assign."""
        return frozenset(_ASSIGNMENT.findall(self.text))

    def arguments(self, name: str) -> tuple[float, float]:
        """Return how many positional arguments a function takes, at least and at most.

        A class, and a function whose header cannot be parsed, may take any number.
        """
        header = _HEADER.match(self.text, self.defined[name])
        if header is None:
            return 0, math.inf
        return _counts_in(header[1])

    @cached_property
    def imported(self) -> frozenset[str]:
        """The modules that it imports by one name."""
        return frozenset(_IMPORT.findall(self.text))

    def called_from(self, names: Iterable[str]) -> frozenset[str]:
        """Return the functions of this file that some of its functions call, directly or through others."""
        called: set[str] = set()
        waiting = []
        for name in names:
            if name in self.defined:
                waiting.append(name)
        while waiting:
            body = _BODY.match(self.text, self.defined[waiting.pop()])
            if body is None:
                continue
            for name in _CALL.findall(body[1]):
                if name in self.defined and name not in called:
                    called.add(name)
                    waiting.append(name)
        return frozenset(called)


@lru_cache(maxsize=4096)
def _counts_in(parameters: str) -> tuple[float, float]:
    """Return how many positional arguments fit these parameters; each text is parsed once."""
    try:
        [function] = ast.parse(f"def f{parameters}: pass").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return 0, math.inf
    if not isinstance(function, ast.FunctionDef):
        return 0, math.inf
    arguments = function.args
    most = len(arguments.posonlyargs) + len(arguments.args)
    least = most - len(arguments.defaults)
    return least, math.inf if arguments.vararg else most


def decode(data: bytes, name: str) -> Script:
    """Return a ``.py`` as text; never raises.

    A byte order mark decides, then the encoding named in the file (PEP 263), then UTF-8; other files are read
    as latin-1, with a note.
    """
    notes: tuple[str, ...] = ()
    try:
        text = data.decode(_encoding(data))
    except (LookupError, SyntaxError, ValueError):
        text = data.decode("latin-1")
        notes = (
            f"{name_in_message(name)} is not UTF-8, so it was read as latin-1: save it as UTF-8",
        )
    problems: tuple[Problem, ...] = ()
    if "\0" in text:
        trouble = "holds NUL bytes and is not text: save it again as UTF-8"
        problems = (Problem.of(name, trouble),)
    return Script(name, clean(text), None, notes, problems)


def clean(text: str) -> str:
    """Return text in whole characters (UTF-7 and JSON can spell halves), its lines ending in a line feed."""
    return (
        text.encode("utf-8", "replace")
        .decode("utf-8")
        .replace("\r\n", "\n")
        .replace("\r", "\n")
    )


def _encoding(data: bytes) -> str:
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return encoding
    lines = io.BytesIO(data)

    def readline() -> bytes:
        line = lines.readline()
        # A very long name of an encoding would take long to look up.
        if len(line) < _LONGEST_DECLARATION:
            return line
        return b"pass\n"

    encoding, _ = tokenize.detect_encoding(readline)
    canonical = codecs.lookup(encoding).name.replace("-", "_")
    if canonical in _NO_ENCODINGS:
        return "utf-8"
    return encoding
