"""Names as students and their systems write them: shown safely, cleaned, ignored, or taken apart."""

from __future__ import annotations

import functools
import itertools
import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from pathlib import PurePosixPath
from typing import TypeVar

SOURCE_ENDINGS = (".py", ".ipynb")
SUBMISSION_ENDINGS = (*SOURCE_ENDINGS, ".zip")
LONGEST_SHOWN = 120
MOST_LISTED = 6
LONGEST_FOLDER = (
    160  # bytes; file systems take 255, and a folder's name may go in front
)
LONGEST_NAME = 255  # letters of a file's name; some zips hold more, and normalising them takes quadratic time
MOST_LINES = 20

Line = TypeVar("Line")

_SYSTEM = frozenset({"__macosx", "__pycache__", "thumbs.db", "desktop.ini"})
_INSTALLED = frozenset({"node_modules", "site-packages", "venv"})
_DEVICES = frozenset(
    {
        "con",
        "prn",
        "aux",
        "nul",
        *(f"{port}{n}" for port in ("com", "lpt") for n in range(10)),
    }
)


def shown(name: str) -> str:
    """Return a name fit for a one-line message: odd ones quoted and escaped, long ones cut."""
    half = LONGEST_SHOWN // 2
    short = name if len(name) <= LONGEST_SHOWN else f"{name[:half]}…{name[-half:]}"
    return short if short.isprintable() and short and " " not in short else repr(short)


def listed(
    names: Sequence[str], total: int = 0, show: Callable[[str], str] = shown
) -> str:
    """Return names for a message: the first few, and how many more of ``total``."""
    few = [show(name) for name in names[:MOST_LISTED]]
    more = max(len(names), total) - len(few)
    if more:
        return f"{', '.join(few)} and {more:,} more"
    return " and ".join([", ".join(few[:-1]), few[-1]] if len(few) > 1 else few)


def shortened(
    lines: Sequence[Line], what: str, line: Callable[[str], Line]
) -> tuple[Line, ...]:
    """Return the first twenty lines of a report, and one on how many more there are."""
    more = len(lines) - MOST_LINES
    return (
        *lines[:MOST_LINES],
        *([line(f"and {more:,} more {what}")] if more > 0 else []),
    )


def printable(name: str) -> str:
    """Return the name with every unprintable character (also bytes that are not UTF-8) as an underscore."""
    return "".join(letter if letter.isprintable() else "_" for letter in name)


def fit(name: str) -> str:
    """Return a platform's name for somebody as it may name a folder on any system."""
    return fit_here(re.sub(r'[/\\:*?"<>|]', "_", name))


def fit_here(name: str) -> str:
    """Return a file's name as it may name one folder of results; where it is cut, an id at its end stays."""
    safe = printable(name).strip(" .")
    if safe.partition(".")[0].rstrip().casefold() in _DEVICES:
        safe = f"_{safe}"
    clean = safe.encode()
    if len(clean) > LONGEST_FOLDER:
        half = LONGEST_FOLDER // 2
        clean = clean[:half] + clean[-half:]
    return clean.decode(errors="ignore").strip(" .") or "_"


def is_ignored(name: str) -> bool:
    """Whether a file or folder is the operating system's or an editor's, and nobody's work."""
    return (
        name.startswith(".") and "_assignsubmission_" not in name
    ) or name.casefold() in _SYSTEM


def is_installed(name: str) -> bool:
    """Whether a folder inside a submission holds installed packages rather than the student's code."""
    return name.casefold() in _INSTALLED


def ending(name: str) -> str:
    """Return the file ending in lower case, with its dot."""
    return PurePosixPath(name).suffix.lower()


def stem(name: str) -> str:
    """Return a file's name without an ending that submissions have; other endings belong to the name."""
    return name[: -len(ending(name))] if ending(name) in SUBMISSION_ENDINGS else name


def stubs_named_by(name: str, stubs: Mapping[str, str]) -> tuple[str, ...]:
    """Return the homeworks whose stub's name occurs in a file's name as whole words.

    Case, spaces, dashes, prefixes, suffixes and ``MixedCase`` do not count. Where one stub's name lies
    within another's, only the longest counts; there is more than one homework only for equal stubs.
    """
    words = _words(stem(name)) if len(name) <= LONGEST_NAME else []
    joined, edges = "".join(words), {0, *itertools.accumulate(map(len, words))}
    lengths = {}
    for key, stub in stubs.items():
        target = "".join(_words(stem(stub)))
        starts = (
            found.start() for found in re.finditer(f"(?={re.escape(target)})", joined)
        )
        if target and any({start, start + len(target)} <= edges for start in starts):
            lengths[key] = len(target)
    longest = max(lengths.values(), default=0)
    return tuple(key for key, length in lengths.items() if length == longest)


@functools.lru_cache(maxsize=4096)
def _words(text: str) -> list[str]:
    plain = unicodedata.normalize("NFKC", text)
    parted = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", plain)
    return re.findall(r"[^\W\d_]+|\d+", parted.casefold())
