"""Marks and colours for the table: fewer where the console cannot show them."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import IO

from autograder.judging import Outcome

PLAIN = {
    "✓": "v",
    "✗": "x",
    "–": "-",
    "—": "-",
    "…": "...",
    "“": '"',
    "”": '"',
    "’": "'",
    "√": "sqrt ",
    "×": "x",
    "ᵀ": "^T",
    "·": "*",
    "→": "->",
    "≥": ">=",
    "≤": "<=",
    "±": "+-",
}
COLOURS = {"green": "32", "red": "31", "dim": "2", "bold": "1"}
MARKS = {Outcome.PASSED: ("✓", "green"), Outcome.FAILED: ("✗", "red"), Outcome.NOT_RUN: ("–", "dim")}


@dataclass(frozen=True)
class Style:
    """What the console can show; ``encoding`` is that of the stream."""

    colour: bool = False
    encoding: str = "utf-8"
    width: int = 80

    def fit(self, text: str) -> str:
        """Return the text in characters that the console has."""
        try:
            text.encode(self.encoding)
        except (UnicodeEncodeError, LookupError):
            text = "".join(PLAIN.get(letter, letter) for letter in text)
            return text.encode(self.encoding, "replace").decode(self.encoding)
        return text

    def paint(self, text: str, colour: str) -> str:
        """Return the text in a colour, where there are any."""
        return f"\033[{COLOURS[colour]}m{text}\033[0m" if self.colour else text


def style_of(stream: IO[str], width: int, colour: bool | None = None) -> Style:
    """Find out what a stream can show; ``NO_COLOR`` is respected (https://no-color.org)."""
    if colour is None:
        colour = stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return Style(colour, getattr(stream, "encoding", None) or "ascii", width)
