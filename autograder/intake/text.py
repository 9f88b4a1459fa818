"""Turn the bytes of a source file into text as Python would, and further where Python would give up."""

from __future__ import annotations

import codecs
import io
import tokenize
from dataclasses import dataclass

from autograder.intake.naming import shown

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


@dataclass(frozen=True)
class SourceText:
    """Decoded source; its lines end in a line feed."""

    text: str
    notes: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()


def decode(data: bytes, name: str) -> SourceText:
    """Return a source file's text; never raises.

    A byte order mark decides, then the encoding named in the file (PEP 263), then UTF-8; what is none of
    them is read as latin-1, with a note.
    """
    notes: tuple[str, ...] = ()
    try:
        text = data.decode(_encoding(data))
    except (LookupError, SyntaxError, ValueError):
        text = data.decode("latin-1")
        notes = (f"{shown(name)} is not UTF-8, so it was read as latin-1: save it as UTF-8",)
    problem = f"{shown(name)} holds NUL bytes and is not text: save it again as UTF-8"
    return SourceText(clean(text), notes, (problem,) if "\0" in text else ())


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
