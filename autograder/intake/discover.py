"""Find the submissions among the paths that somebody named."""

from __future__ import annotations

import itertools
import os
import unicodedata
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from autograder.intake.naming import SOURCE_ENDINGS, fit, fit_here, is_ignored, shortened, shown, stem
from autograder.intake.platforms import read_download
from autograder.intake.submission import Discovery, Entry, Layout, SubmissionError


def find_entries(
    paths: Sequence[Path],
    stubs: Collection[str] = (),
    layout: Layout = Layout.AUTO,
    earlier: Mapping[str, str] | None = None,
) -> Discovery:
    """Return the submissions at some paths, sorted by name: a file is one, a folder holds them.

    A folder or zip that comes from Canvas, Moodle or Gradescope is taken apart by student, and a note says
    so; it must be the only path, or ``layout`` must say what it is. ``stubs`` are the stub file names of the
    course; a folder that directly holds several of them is noted as probably one student's. A submission
    never raises, whatever it is: it is an entry, and reading it says what is wrong. ``earlier`` are the names
    of an earlier run, each with its path; where two could have a name, it stays with the one that had it.

    Raises:
        SubmissionError: a path does not exist, the only one cannot be read, there is no submission at all, or
            a path does not have the layout that was asked for.
    """
    found: dict[object, Entry] = {}
    notes: list[str] = []
    known = set((earlier or {}).values())
    for path in paths:
        for one in _at(Path(path), stubs, layout, notes, known, alone=len(paths) == 1):
            # A group's work is there once for each member.
            key = (one.parts, one.owner and one.owner.student_id) if one.parts else one.path
            if key in found:
                notes.append(f"{shown(one.name)} was named twice: it is read once")
            found.setdefault(key, one)
    all_notes = shortened(notes, "notes", str)
    if not found:
        raise SubmissionError("; ".join(all_notes) or "no path was named: name a folder of submissions")
    return Discovery(
        tuple(sorted(_named(found, earlier or {}, stubs), key=lambda entry: entry.name)), all_notes
    )


def _at(
    path: Path,
    stubs: Collection[str],
    layout: Layout,
    notes: list[str],
    known: Collection[str],
    *,
    alone: bool,
) -> list[Entry]:
    """Return what lies at one path the caller named; a folder that was one submission earlier still is.

    Links to folders are followed, for the caller set them. A link to a file is followed where it is the only
    path; among many it may be a student's, named by ``*``.
    """
    if not (os.path.exists(path) if alone else os.path.lexists(path)):
        raise SubmissionError(
            f"there is no file or folder {shown(str(path))}: check the spelling, "
            "or name the folder that holds the submissions"
        )
    is_folder = os.path.isdir(path)
    followed = is_folder or alone
    real = Path(os.path.realpath(path)) if followed else Path(os.path.realpath(path.parent), path.name)
    try:
        if str(real) in known and is_folder and layout in (Layout.AUTO, Layout.PLAIN):
            return [Entry(real.name, real)]
        download = read_download(real, layout, stubs, alone=alone)
        if isinstance(download, Discovery):
            notes.extend(download.notes)
            return [replace(one, name=fit(one.name)) for one in download.entries]
        if download:
            notes.append(download)
        return _in_folder(real, stubs, notes) if is_folder else [Entry(path.name, real)]
    except OSError as error:
        if not alone:
            return [Entry(real.name, real)]
        raise SubmissionError(
            f"{shown(str(path))} cannot be read ({error.strerror}): check its permissions"
        ) from error


def _in_folder(folder: Path, stubs: Collection[str], notes: list[str]) -> list[Entry]:
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
    return [Entry(name, folder / name) for name in names]


def _named(found: Mapping[object, Entry], earlier: Mapping[str, str], stubs: Collection[str]) -> list[Entry]:
    """Give every submission a name of its own that can be a folder's on any system.

    Names are settled within each folder first; those of equal names in several folders get more and more
    folders in front, and in the end a number. A file that was named keeps its name against those that were
    found in a folder beside it, and one that had a name against all others. Students hand in files that are
    called like a stub: one in another folder than the earlier one is another student's.
    """
    zipped = {key for key, one in found.items() if any(part.member for part in one.parts)}
    folders: defaultdict[Path, dict[object, Entry]] = defaultdict(dict)
    for key, one in found.items():
        folders[one.path if key in zipped else one.path.parent][key] = one
    own: dict[object, str] = {}
    for members in folders.values():
        own |= _named_in_folder(members, earlier)
    wishes = {key: _with_folders(own[key], one.path, key in zipped) for key, one in found.items()}
    had: defaultdict[Path, list[str]] = defaultdict(list)  # earlier names by path, and by folder for uploads
    for name, path in earlier.items():
        had[Path(path)].append(name)
        had[Path(path).parent].append(name)
    stems, names, kept = set(map(stem, stubs)), dict(own), dict[str, object]()
    for key, one in found.items():
        if one.parts:
            own_place = one.path if key in zipped else one.path.parent
            again = [name for name in had[own_place] if f"-{name}".endswith(f"-{own[key]}")]
        else:
            again = [name for name in had[one.path] if _short(one) in name]
        if again:
            names[key] = again[0]
            kept.setdefault(_folded(again[0]), key)
        elif not one.parts and stem(one.name) in stems:
            names[key] = next((name for name in wishes[key] if name not in earlier), own[key])
    level = 0
    while True:
        level += 1
        holders: defaultdict[str, list[object]] = defaultdict(list)
        for key in found:
            holders[_folded(names[key])].append(key)
        clashing: set[object] = set()
        for folded, same in holders.items():
            depths = sorted(len(found[key].path.parts) for key in same)  # who alone lies highest stays
            if kept.get(folded) in same:
                clashing |= {key for key in same if key != kept[folded]}
            elif len(same) > 1:
                clashing |= {key for key in same if len(found[key].path.parts) >= depths[1]}
        if not clashing:
            return [replace(one, name=names[key]) for key, one in found.items()]
        for place_in_batch, key in enumerate(found, 1):
            if key in clashing:
                spent = level - len(wishes[key])
                number = f"-{place_in_batch}" + "-" * spent
                names[key] = wishes[key][level] if spent < 0 else wishes[key][-1] + number


def _with_folders(name: str, path: Path, is_zipped: bool) -> list[str]:
    """Return a name as it is, and with more and more of the folders (or the zip) that it lies in in front."""
    zips = [stem(path.name)] if is_zipped else []
    above = [one for one in (*zips, *(folder.name for folder in path.parents)) if one]
    return [name, *(fit_here("-".join([*above[:level][::-1], name])) for level in range(1, len(above) + 1))]


def _named_in_folder(found: Mapping[object, Entry], earlier: Mapping[str, str]) -> dict[object, str]:
    """Name the submissions of one folder: without the ending, or in full where that name is taken.

    Results must not move because of what somebody else submits. So whoever had a name keeps it; then comes
    who is known to the platform, then who writes it in lower case.
    """
    ranked = sorted(
        found.items(),
        key=lambda item: (item[1].owner is None, item[1].name != _folded(item[1].name), item[1].name),
    )
    names: dict[object, str] = {}
    taken: set[str] = set()
    for turn, (key, one) in itertools.product(range(3), ranked):
        if key in names:
            continue
        short, full = _short(one), fit_here(one.name)
        before = [name for name in (short, full) if Path(earlier.get(name, "")).name == one.path.name]
        numbered = (f"{full}-{number}" for number in itertools.count(2))
        wishes = (before, [short], itertools.chain([full], numbered))[turn]
        name = next((wish for wish in wishes if _folded(wish) not in taken), None)
        if name is not None:
            names[key] = name
            taken.add(_folded(name))
    return names


def _short(entry: Entry) -> str:
    return fit_here(stem(entry.name).strip() or entry.name)


def _folded(name: str) -> str:
    """Two names that fold to the same would be one folder on some file systems."""
    return unicodedata.normalize("NFC", name).casefold()
