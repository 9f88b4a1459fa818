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
# Codecs that Python knows but that no source file is written in; some of them take quadratic time.
_NO_ENCODINGS = frozenset({"idna", "punycode", "raw_unicode_escape", "undefined", "unicode_escape"})


def decode(data: bytes, name: str) -> SourceText:
    """Return a source file's text, its lines ending in a line feed; never raises.

    A byte order mark decides, then the encoding named in the file (PEP 263), then UTF-8; what is none of
    them is read as latin-1, with a note.
    """
    notes: tuple[str, ...] = ()
    try:
        text = data.decode(_encoding(data))
    except (LookupError, SyntaxError, ValueError):
        text = data.decode("latin-1")
        notes = (f"{shown(name)} is not UTF-8, so it was read as latin-1: save it as UTF-8",)
    text = text.encode("utf-8", "replace").decode("utf-8")  # UTF-7 can spell halves of characters
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    problem = f"{shown(name)} holds NUL bytes and is not text: save it again as UTF-8"
    return SourceText(text, notes, (problem,) if "\0" in text else ())


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
