"""Find the submissions among the paths that somebody named."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from autograder.submissions.layout import Layout, Reading
from autograder.submissions.model import Discovery, Entry, Owner, Part, SubmissionError
from autograder.submissions.naming import SOURCE_ENDINGS, fit, is_ignored, printable, shown, stem
from autograder.submissions.recognise import read_download


@dataclass(frozen=True)
class _Found:
    """A submission that is still to be named; ``given`` is its name on disk or on the platform."""

    path: Path
    given: str
    owner: Owner | None = None
    parts: tuple[Part, ...] = ()

    @property
    def key(self) -> object:
        """What tells it from others; a group's work is there once for each member."""
        return (self.parts, self.owner and self.owner.student_id) if self.parts else self.path

    @property
    def above(self) -> list[str]:
        """The names of the folders that it lies in, the nearest first; a downloaded zip is one of them."""
        zips = [stem(self.path.name)] if any(part.member for part in self.parts) else []
        return [printable(name) for name in (*zips, *(one.name for one in self.path.parents)) if name]


def find_entries(
    paths: Sequence[Path], stubs: Collection[str] = (), layout: Layout = Layout.AUTO
) -> Discovery:
    """Return the submissions at some paths: a file is one, a folder holds them.

    A folder or zip that comes from Canvas, Moodle or Gradescope is taken apart by student, and a note says
    so. ``stubs`` are the stub file names of the course; a folder that directly holds several of them is
    noted as probably one student's.

    Raises:
        SubmissionError: a path does not exist or cannot be read, there is no submission at all, or a path
            does not have the layout that was asked for.
    """
    found: dict[object, _Found] = {}
    notes: list[str] = []
    for path in paths:
        for one in _at(Path(path), stubs, layout, notes):
            if one.key in found:
                notes.append(f"{shown(one.given)} was named twice: it is read once")
            found.setdefault(one.key, one)
    if not found:
        raise SubmissionError("; ".join(notes) or "no path was named: name a folder of submissions")
    entries = sorted(_named(list(found.values())), key=lambda entry: entry.name)
    return Discovery(tuple(entries), tuple(notes))


def _at(path: Path, stubs: Collection[str], layout: Layout, notes: list[str]) -> list[_Found]:
    """Return what lies at one path the caller named; links in it are followed, for the caller set them."""
    try:
        if not path.exists():
            raise SubmissionError(
                f"there is no file or folder {shown(str(path))}: check the spelling, "
                "or name the folder that holds the submissions"
            )
        real = path.resolve()
        reading = read_download(real, layout, stubs)
        if reading is not None:
            return _collected(real, reading, notes)
        return _within(real, stubs, notes) if real.is_dir() else [_Found(real, path.name)]
    except OSError as error:
        raise SubmissionError(
            f"{shown(str(path))} cannot be read ({error.strerror}): check its permissions"
        ) from error


def _collected(path: Path, reading: Reading, notes: list[str]) -> list[_Found]:
    students = sum(one.owner is not None for one in reading.collected)
    notes.append(
        f"{shown(path.name)} was read as a download from {reading.layout.capitalize()} "
        f"(students: {students}); --layout plain takes each file or folder in it as a submission"
    )
    notes.extend(reading.notes)
    return [_Found(one.parts[0].path, fit(one.name), one.owner, one.parts) for one in reading.collected]


def _within(folder: Path, stubs: Collection[str], notes: list[str]) -> list[_Found]:
    everything = sorted(folder.iterdir())
    entries = [path for path in everything if not is_ignored(path.name)]
    if not everything:
        raise SubmissionError(
            f"the folder {shown(str(folder))} is empty: put the submissions into it, or name another folder"
        )
    if not entries:
        names = ", ".join(shown(path.name) for path in everything[:5])
        notes.append(
            f"the folder {shown(str(folder))} holds no submissions, only files that are ignored ({names}): "
            "name another folder"
        )
    notes.extend(_one_student(folder, entries, stubs))
    return [_Found(path, path.name) for path in entries]


def _one_student(folder: Path, entries: Sequence[Path], stubs: Collection[str]) -> list[str]:
    exact = {stem(stub) + kind for stub in stubs for kind in SOURCE_ENDINGS}
    names = [path.name for path in entries if path.name in exact]
    if len(names) < 2:
        return []
    return [
        f"{shown(folder.name)} looks like one student's folder, for it holds {names[0]} and {names[1]}; "
        "here each file counts as a submission of its own. To grade the folder as one submission, "
        "name the folder above it, or zip it and name the zip"
    ]


def _named(found: list[_Found]) -> list[Entry]:
    """Give every submission a name of its own, longer and longer ones to those that still collide."""
    level = [0] * len(found)
    while True:
        names = [_name(one, level[index], index) for index, one in enumerate(found)]
        times = Counter(map(_key, names))
        clashing = [index for index, name in enumerate(names) if times[_key(name)] > 1]
        if not clashing:
            return [Entry(n, one.path, one.owner, one.parts) for n, one in zip(names, found, strict=True)]
        for index in clashing:
            level[index] += 1


def _name(one: _Found, level: int, index: int) -> str:
    """Level 0 is the name without its ending, 1 the full name, then come the folders above, one by one."""
    full = printable(one.given).strip() or "_"
    if level == 0:
        return stem(full).strip() or full
    above = one.above
    name = "-".join([*reversed(above[: level - 1]), full])
    return name if level <= len(above) + 1 else f"{name}-{index + 1}" + "-" * (level - len(above) - 2)


def _key(name: str) -> str:
    """Two names with the same key would be one folder on some file systems."""
    return unicodedata.normalize("NFC", name).casefold()
