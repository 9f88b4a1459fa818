"""Turn the bytes of a source file into text as Python would, and further where Python would give up."""

from __future__ import annotations

import codecs
import io
import tokenize

from autograder.intake.naming import shown
from autograder.intake.submission import SourceText

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
