"""Find the submissions among the paths that somebody named."""

from __future__ import annotations

import itertools
import os
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from autograder.intake.naming import (
    SOURCE_ENDINGS,
    fit,
    fit_here,
    is_ignored,
    listed,
    shortened,
    shown,
    stem,
)
from autograder.intake.submission import Discovery, Entry, Layout, SubmissionError
from autograder.platforms.recognise import read_download

# What people and systems put behind a name when there is such a file already, and accents.
_AGAIN = re.compile(r"[\u0300-\u036f]|(?:[\s_-]*(?:\(\d+\)|(?:- )?copy|final|v\d+))+$")


def find_entries(
    paths: Sequence[Path],
    stubs: Collection[str] = (),
    layout: Layout = Layout.AUTO,
    earlier: Mapping[str, str] | None = None,
) -> Discovery:
    """Return the submissions at some paths, sorted by name: a file is one, a folder holds them.

    A folder or zip that comes from Canvas, Moodle or Gradescope is taken apart by student, and a note says
    so; it must be the only path, or ``layout`` must say what it is. ``stubs`` are the stub file names of the
    course; a folder that directly holds several of them is noted as probably one student's, and one with any
    of them is a submission again if one was called so. A submission never raises, whatever it is: it is
    an entry; reading it says what is wrong. ``earlier`` are the names of an earlier run, each with its path;
    where two could have a name, it stays with the one that had it.

    Raises:
        SubmissionError: a path does not exist, the only one cannot be read, there is no submission at all, or
            a path does not have the layout that was asked for.
    """
    found: dict[object, Entry] = {}
    notes: list[str] = []
    names = set(earlier or ()).difference(map(stem, stubs))
    known = set((earlier or {}).values())
    stubs = {stem(stub) + kind for stub in stubs for kind in SOURCE_ENDINGS}
    for path in paths:
        real = Path(os.path.realpath(path))
        was_one = (
            str(real) in known or real.name in names
        )  # in another week's folder perhaps
        is_one = was_one and any(os.path.isfile(real / stub) for stub in stubs)
        itself = [Entry(real.name, real)] if is_one else []
        for one in itself or _at(
            Path(path), stubs, layout, notes, alone=len(paths) == 1
        ):
            # A group's work is there once for each member.
            owner_key = one.owner and (one.owner.student_id or one.owner.login)
            key = (one.parts, owner_key) if one.parts else one.path
            if key in found:
                notes.append(f"{shown(one.name)} was named twice: it is read once")
            found.setdefault(key, one)
    plain = {
        (one.path.parent, _folded(stem(one.path.name)))
        for one in found.values()
        if not one.parts
    }
    places = Counter(name for _, name in plain)
    again = sorted(name for name, times in places.items() if times > 1)
    if again:
        notes.append(
            f"{listed(again)} came from several of the paths, and each is a submission of its own; to grade "
            "them as one student's, grade the paths one after the other into the same folder"
        )
    all_notes = shortened(notes, "notes", str)
    if not found:
        raise SubmissionError(
            "; ".join(all_notes) or "no path was named: name a folder of submissions"
        )
    entries = _named(found, earlier or {}, stubs)
    return Discovery(tuple(sorted(entries, key=lambda entry: entry.name)), all_notes)


def _at(
    path: Path, stubs: Collection[str], layout: Layout, notes: list[str], *, alone: bool
) -> list[Entry]:
    """Return what lies at one path the caller named.

    Links to folders are followed, for the caller set them. A link to a file is followed where it is the only
    path; among many it may be a student's, named by ``*``.
    """
    if not (os.path.exists(path) if alone else os.path.lexists(path)):
        remedy = "check the spelling, or name the folder that holds the submissions"
        raise SubmissionError(
            f"there is no file or folder {shown(str(path))}: {remedy}"
        )
    is_folder = os.path.isdir(path)
    followed = is_folder or alone
    real = (
        Path(os.path.realpath(path))
        if followed
        else Path(os.path.realpath(path.parent), path.name)
    )
    try:
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
    if not names:
        few = ", ".join(map(shown, everything[:5]))
        ignored = f"holds no submissions, only files that are ignored ({few})"
        why = (
            f"{ignored}: name"
            if everything
            else "is empty: put the submissions into it, or name"
        )
        notes.append(f"the folder {shown(str(folder))} {why} another folder")
    hidden = [
        name for name in everything if re.match(r"\.[^._].*\.(py|ipynb|zip)$", name)
    ]
    if hidden:
        notes.append(
            f"not read, because the name begins with a dot: {listed(hidden)}; rename submissions"
        )
    stems, alike = set(map(stem, stubs)), defaultdict[str, list[str]](list)
    for name in names:
        alike[
            _AGAIN.sub("", unicodedata.normalize("NFKD", stem(name)).casefold())
        ].append(name)
    several = [
        same
        for plain, same in alike.items()
        if 1 < len(same) < 5 and plain not in stems
    ]
    if several:
        notes.append(
            f"{listed(several[0])} may be one student's (such cases: {len(several)}), but each is graded "
            "by itself; to grade them as one, put them into one folder"
        )
    stub_names = [name for name in names if name in stubs]
    if len(stub_names) > 1:
        notes.append(
            f"{shown(folder.name)} looks like one student's folder, for it holds {stub_names[0]} and "
            f"{stub_names[1]}; here each file counts as a submission of its own. To grade the folder as one "
            "submission, name the folder above it, or zip it and name the zip"
        )
    return [Entry(name, folder / name) for name in names]


def _named(
    found: Mapping[object, Entry], earlier: Mapping[str, str], stubs: Collection[str]
) -> list[Entry]:
    """Give every submission a name of its own that can be a folder's on any system.

    Names are settled within each folder first; those of equal names in several folders get more and more
    folders in front, and in the end a number. Who had a name keeps it; so does a file that was named, against
    those that were found in a folder beside it. The name of another file is not taken where that lies beside
    it, or is in another case, or a stub's, as many files are; else a file is taken for a newer one.
    """
    zipped = {
        key for key, one in found.items() if any(part.member for part in one.parts)
    }
    folders: defaultdict[Path, dict[object, Entry]] = defaultdict(dict)
    for key, one in found.items():
        folders[one.path if key in zipped else one.path.parent][key] = one
    own: dict[object, str] = {}
    had = {path: name for name, path in earlier.items()}
    for members in folders.values():
        own |= _named_in_folder(members, earlier, had)
    names, stems, spelled = (
        dict(own),
        set(map(stem, stubs)),
        {_folded(name): name for name in earlier},
    )
    level = 0
    while True:
        level += 1
        holders: defaultdict[str, list[object]] = defaultdict(list)
        clashing: set[object] = set()
        for key, one in found.items():
            holders[_folded(names[key])].append(key)
            name = (
                names[key]
                if names[key] in earlier
                else spelled.get(_folded(names[key]), "")
            )
            before = Path(earlier.get(name, one.path))
            is_beside = before.parent == one.path.parent and os.path.lexists(before)
            is_others = is_beside or stem(one.name) in stems or name != names[key]
            if before != one.path and is_others and not one.parts:
                clashing.add(key)
        for same in holders.values():
            depths = sorted(
                len(found[key].path.parts) for key in same
            )  # who alone lies highest stays
            stays = [
                key for key in same if earlier.get(names[key]) == str(found[key].path)
            ][:1]
            others = set(same).difference(stays) if len(same) > 1 else ()
            clashing |= {
                key
                for key in others
                if stays or len(found[key].path.parts) >= depths[1]
            }
        if not clashing:
            return [replace(one, name=names[key]) for key, one in found.items()]
        for place, (key, one) in enumerate(found.items(), 1):
            if key in clashing:
                zips = [stem(one.path.name)] if key in zipped else []
                above = [
                    name
                    for name in (*zips, *(folder.name for folder in one.path.parents))
                    if name
                ]
                longer = fit_here("-".join([*reversed(above[:level]), own[key]]))
                spent = level - len(above)
                names[key] = (
                    longer if spent <= 0 else f"{longer}-{place}" + "-" * (spent - 1)
                )


def _named_in_folder(
    found: Mapping[object, Entry], earlier: Mapping[str, str], had: Mapping[str, str]
) -> dict[object, str]:
    """Name the submissions of one folder: without the ending, or in full where that name is taken.

    Results must not move because of what somebody else submits. So whoever had a name keeps it; then comes
    who is known to the platform, then who writes it in lower case.
    """
    ranked = sorted(
        found.items(),
        key=lambda item: (
            item[1].owner is None,
            item[1].name != _folded(item[1].name),
            item[1].name,
        ),
    )
    names: dict[object, str] = {}
    taken: set[str] = set()
    for turn, (key, one) in itertools.product(range(3), ranked):
        if key in names:
            continue
        short, full = fit_here(stem(one.name).strip() or one.name), fit_here(one.name)
        here = "" if one.parts else had.get(str(one.path), "")
        known = (short, full, f"{stem(one.path.name)}-{short}")
        before = [
            name for name in known if Path(earlier.get(name, "")).name == one.path.name
        ]
        before = [here, *before] if short in here else before
        numbered = (f"{full}-{number}" for number in itertools.count(2))
        wishes = (before, [short], itertools.chain([full], numbered))[turn]
        name = next((wish for wish in wishes if _folded(wish) not in taken), None)
        if name is not None:
            names[key] = name
            taken.add(_folded(name))
    return names


def _folded(name: str) -> str:
    """Two names that fold to the same would be one folder on some file systems."""
    return unicodedata.normalize("NFC", name).casefold()
