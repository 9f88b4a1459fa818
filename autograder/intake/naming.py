"""File names as students and their systems write them: cleaned, ignored, listed, or taken apart."""

from __future__ import annotations

import functools
import itertools
import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from pathlib import PurePosixPath
from typing import TypeVar

from autograder.untrusted_text import name_in_message, name_to_store

SOURCE_ENDINGS = (".py", ".ipynb")
SUBMISSION_ENDINGS = (*SOURCE_ENDINGS, ".zip")
MOST_LISTED = 6
# In bytes: file systems allow 255, and the name of a folder may be put in front.
LONGEST_FOLDER = 160
# In letters: names in zips may be longer, and normalising such a name takes quadratic time.
LONGEST_NAME = 255
MOST_LINES = 20

Line = TypeVar("Line")

_SYSTEM = frozenset({"__macosx", "__pycache__", "thumbs.db", "desktop.ini"})
_INSTALLED = frozenset({"node_modules", "site-packages", "venv"})
# Windows takes these for devices, whatever their ending.
_DEVICE = re.compile("con|prn|aux|nul|(?:com|lpt)[0-9]")


def listed(
    names: Sequence[str], total: int = 0, show: Callable[[str], str] = name_in_message
) -> str:
    """Return names for a message: the first few, and how many more there are.

    Args:
        names: the names, or the first ones.
        total: how many there are, if ``names`` are not all.
        show: makes one name fit for a message.
    """
    first_names = list(map(show, names[:MOST_LISTED]))
    count = max(len(names), total)
    more = count - len(first_names)
    last = f"{more:,} more"
    if not more:
        if len(first_names) < 2:
            return "".join(first_names)
        last = first_names.pop()
    all_but_last = ", ".join(first_names)
    return f"{all_but_last} and {last}"


def shortened(
    lines: Sequence[Line], what: str, line: Callable[[str], Line]
) -> tuple[Line, ...]:
    """Return the first twenty lines of a report, and a last line with the number of further ones.

    ``what`` names the lines in that last one, and ``line`` makes it from its text.
    """
    more = len(lines) - MOST_LINES
    if more <= 0:
        return tuple(lines)
    return (*lines[:MOST_LINES], line(f"and {more:,} more {what}"))


def as_folder_name(name: str) -> str:
    """Return a student's name on a platform as a folder's name that every system accepts."""
    allowed = re.sub(r'[/\\:*?"<>|]', "_", name)
    return as_results_folder(allowed)


def as_results_folder(name: str) -> str:
    """Return a submission's name as the name of its results folder; an id at the end of a long name stays."""
    safe = name_to_store(name).strip(" .")
    before_ending, _, _ = safe.partition(".")
    device = before_ending.rstrip().casefold()
    if _DEVICE.fullmatch(device):
        safe = f"_{safe}"
    encoded = safe.encode()
    if len(encoded) > LONGEST_FOLDER:
        half = LONGEST_FOLDER // 2
        encoded = encoded[:half] + encoded[-half:]
    short = encoded.decode(errors="ignore")
    stripped = short.strip(" .")
    return stripped or "_"


def is_ignored(name: str) -> bool:
    """Return whether a file or folder was written by the operating system or an editor, and is nobody's work."""
    if name.casefold() in _SYSTEM:
        return True
    # In a download from Moodle, the name of a student may begin with a dot.
    return name.startswith(".") and "_assignsubmission_" not in name


def is_installed(name: str) -> bool:
    """Return whether a folder inside a submission holds installed packages rather than the student's code."""
    return name.casefold() in _INSTALLED


def ending(name: str) -> str:
    """Return the file ending in lower case, with its dot."""
    return PurePosixPath(name).suffix.lower()


@functools.lru_cache(maxsize=4096)  # each file's name is compared with all stubs
def stem(name: str) -> str:
    """Return a file's name without an ending that submissions have; other endings belong to the name."""
    own_ending = ending(name)
    if own_ending not in SUBMISSION_ENDINGS:
        return name
    return name[: -len(own_ending)]


def homeworks_named_in(name: str, stubs: Mapping[str, str]) -> tuple[str, ...]:
    """Return the ids of the homeworks whose stub's name occurs in a file's name as whole words.

    Case, spaces, dashes, prefixes, suffixes and ``MixedCase`` do not count. If one stub's name is part
    of another's, only the longest counts; there is more than one homework only for equal stubs.
    """
    if len(name) > LONGEST_NAME:
        return ()
    words = _words(stem(name))
    joined = "".join(words)
    ends_of_words = itertools.accumulate(map(len, words))
    word_edges = {0, *ends_of_words}
    lengths = {}
    for homework_id, stub in stubs.items():
        words_of_stub = _words(stem(stub))
        target = "".join(words_of_stub)
        # This test spares nearly all searches: a course has many stubs, and a name is that of one.
        if not target or target not in joined:
            continue
        # A lookahead, so that occurrences may overlap.
        pattern = f"(?={re.escape(target)})"
        occurrences = re.finditer(pattern, joined)
        for occurrence in occurrences:
            start = occurrence.start()
            end = start + len(target)
            if start in word_edges and end in word_edges:
                lengths[homework_id] = len(target)
    longest = max(lengths.values(), default=0)
    homework_ids = []
    for homework_id, length in lengths.items():
        if length == longest:
            homework_ids.append(homework_id)
    return tuple(homework_ids)


@functools.lru_cache(maxsize=4096)
def _words(text: str) -> list[str]:
    """Return the words and numbers of a name in lower case; ``MixedCase`` is two words."""
    normal = unicodedata.normalize("NFKC", text)
    separated = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", normal)
    lower_case = separated.casefold()
    return re.findall(r"[^\W\d_]+|\d+", lower_case)
