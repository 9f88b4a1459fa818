"""Find the submissions among the paths that somebody named."""

from __future__ import annotations

import itertools
import os
import unicodedata
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from autograder.intake.naming import SOURCE_ENDINGS, fit, fit_here, is_ignored, shown, stem, told
from autograder.intake.platforms import read_download
from autograder.intake.submission import Discovery, Entry, Layout, Owner, Part, Reading, SubmissionError


@dataclass(frozen=True)
class _Found:
    """A submission that is still to be named; ``given`` is its name on disk or on the platform."""

    path: Path
    given: str
    owner: Owner | None = None
    parts: tuple[Part, ...] = ()

    @property
    def key(self) -> object:
        """What distinguishes it from others; a group's work is there once for each member."""
        return (self.parts, self.owner and self.owner.student_id) if self.parts else self.path

    @property
    def is_member(self) -> bool:
        """Whether it lies in a downloaded zip, which is its ``path``."""
        return any(part.member for part in self.parts)

    @property
    def above(self) -> list[str]:
        """The names of the folders that it lies in, the nearest first; a downloaded zip is one of them."""
        zips = [stem(self.path.name)] if self.is_member else []
        return [name for name in (*zips, *(one.name for one in self.path.parents)) if name]


def find_entries(
    paths: Sequence[Path],
    stubs: Collection[str] = (),
    layout: Layout = Layout.AUTO,
    earlier: Mapping[str, str] | None = None,
) -> Discovery:
    """Return the submissions at some paths: a file is one, a folder holds them.

    A folder or zip that comes from Canvas, Moodle or Gradescope is taken apart by student, and a note says
    so; it must be the only path, or ``layout`` must say what it is. ``stubs`` are the stub file names of the
    course; a folder that directly holds several of them is noted as probably one student's. What somebody
    handed in never raises, whatever it is: it is an entry, and reading it says what is wrong. ``earlier`` are
    the names of an earlier run, each with its file's name; where two files could have a name, it stays with
    the file that had it.

    Raises:
        SubmissionError: a path does not exist, the only one cannot be read, there is no submission at all, or
            a path does not have the layout that was asked for.
    """
    found: dict[object, _Found] = {}
    notes: list[str] = []
    for path in paths:
        for one in _at(Path(path), stubs, layout, notes, alone=len(paths) == 1):
            if one.key in found:
                notes.append(f"{shown(one.given)} was named twice: it is read once")
            found.setdefault(one.key, one)
    if not found:
        raise SubmissionError(
            "; ".join(told(notes, "notes")) or "no path was named: name a folder of submissions"
        )
    entries = sorted(_named(list(found.values()), earlier or {}), key=lambda entry: entry.name)
    return Discovery(tuple(entries), told(notes, "notes"))


def _at(path: Path, stubs: Collection[str], layout: Layout, notes: list[str], *, alone: bool) -> list[_Found]:
    """Return what lies at one path the caller named.

    Links to folders are followed, for the caller set them. A link to a file is followed where it is the only
    path; among many it may be a student's, named by ``*``.
    """
    if not (os.path.exists(path) if alone else os.path.lexists(path)):
        raise SubmissionError(
            f"there is no file or folder {shown(str(path))}: check the spelling, "
            "or name the folder that holds the submissions"
        )
    is_folder = os.path.isdir(path)
    real = Path(os.path.realpath(path if is_folder or alone else path.parent))
    real = real if is_folder or alone else real / path.name
    try:
        reading = read_download(real, layout, stubs, alone=alone)
        if isinstance(reading, Reading):
            students = sum(one.owner is not None for one in reading.collected)
            notes.append(
                f"{shown(real.name)} was read as a download from {reading.layout.capitalize()} "
                f"(students: {students}); --layout plain takes each file or folder in it as a submission"
            )
            notes.extend(reading.notes)
            return [
                _Found(one.parts[0].path, fit(one.name), one.owner, one.parts) for one in reading.collected
            ]
        notes.extend([reading] if reading else [])
        return _within(real, stubs, notes) if is_folder else [_Found(real, path.name)]
    except OSError as error:
        if not alone:
            return [_Found(real, real.name)]
        raise SubmissionError(
            f"{shown(str(path))} cannot be read ({error.strerror}): check its permissions"
        ) from error


def _within(folder: Path, stubs: Collection[str], notes: list[str]) -> list[_Found]:
    everything = sorted(os.listdir(folder))
    names = [name for name in everything if not is_ignored(name)]
    if not everything:
        notes.append(
            f"the folder {shown(str(folder))} is empty: put the submissions into it, or name another folder"
        )
    elif not names:
        few = ", ".join(map(shown, everything[:5]))
        notes.append(
            f"the folder {shown(str(folder))} holds no submissions, only files that are ignored ({few}): "
            "name another folder"
        )
    exact = {stem(stub) + kind for stub in stubs for kind in SOURCE_ENDINGS}
    stub_names = [name for name in names if name in exact]
    if len(stub_names) > 1:
        notes.append(
            f"{shown(folder.name)} looks like one student's folder, for it holds {stub_names[0]} and "
            f"{stub_names[1]}; here each file counts as a submission of its own. To grade the folder as one "
            "submission, name the folder above it, or zip it and name the zip"
        )
    return [_Found(folder / name, name) for name in names]


def _named(found: Sequence[_Found], earlier: Mapping[str, str]) -> list[Entry]:
    """Give every submission a name of its own, that may name a folder on any system.

    Names are settled within each folder first; those of equal names in several folders get more and more
    folders in front, and in the end a number. A file that was named keeps its name against those that were
    found in a folder beside it.
    """
    folders: defaultdict[object, list[_Found]] = defaultdict(list)
    for one in found:
        folders[one.path if one.is_member else one.path.parent].append(one)
    own = {
        key: name for members in folders.values() for key, name in _named_in_folder(members, earlier).items()
    }
    names = dict(own)
    for level in itertools.count(1):
        holders: defaultdict[str, list[_Found]] = defaultdict(list)
        for one in found:
            holders[_key(names[one.key])].append(one)
        rivals = {
            one.key
            for same in holders.values()
            for one in same
            if any(len(one.path.parts) >= len(other.path.parts) for other in same if other is not one)
        }
        clashing = [(at, one) for at, one in enumerate(found, 1) if one.key in rivals]
        if not clashing:
            break
        for at, one in clashing:
            longer = fit_here("-".join([*reversed(one.above[:level]), own[one.key]]))
            spent = level - len(one.above)
            names[one.key] = longer if spent <= 0 else f"{longer}-{at}" + "-" * (spent - 1)
    return [Entry(names[one.key], one.path, one.owner, one.parts) for one in found]


def _named_in_folder(found: Iterable[_Found], earlier: Mapping[str, str]) -> dict[object, str]:
    """Name the submissions of one folder: without the ending, or in full where that name is taken.

    Results must not move because of what somebody else hands in. So whoever had a name keeps it; then comes
    who is known to the platform, then who writes it in lower case.
    """
    ranked = sorted(found, key=lambda one: (one.owner is None, one.given != _key(one.given), one.given))
    names: dict[object, str] = {}
    taken: set[str] = set()
    for turn, one in itertools.product(range(3), ranked):
        name = next((wish for wish in _wishes(one, earlier)[turn] if _key(wish) not in taken), None)
        if name is not None and one.key not in names:
            names[one.key] = name
            taken.add(_key(name))
    return names


def _wishes(one: _Found, earlier: Mapping[str, str]) -> tuple[Iterable[str], ...]:
    """Return what a submission may be called: as before, by its own name, and in full with any number."""
    short, full = fit_here(stem(one.given).strip() or one.given), fit_here(one.given)
    before = [name for name in (short, full) if earlier.get(name) == one.path.name]
    return before, [short], itertools.chain([full], (f"{full}-{number}" for number in itertools.count(2)))


def _key(name: str) -> str:
    """Two names with the same key would be one folder on some file systems."""
    return unicodedata.normalize("NFC", name).casefold()
