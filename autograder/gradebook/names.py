"""File names may hold bytes that are no UTF-8; SQLite holds only text."""

from __future__ import annotations

import re


def to_text(name: str) -> str:
    """Return a name as text that SQLite can hold; two names never become one text."""
    return name.replace("\\", r"\\").encode("utf-8", "backslashreplace").decode("utf-8")


def from_text(text: str) -> str:
    """Return the name that ``to_text`` wrote."""
    return re.sub(r"\\(?:(\\)|u([0-9a-f]{4}))", lambda m: m[1] or chr(int(m[2], 16)), text)
