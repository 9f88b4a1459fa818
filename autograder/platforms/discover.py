"""Find the submissions among the paths that somebody named."""

from __future__ import annotations

import itertools
import os
import re
import unicodedata
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from autograder.intake.naming import (
    SOURCE_ENDINGS,
    as_folder_name,
    as_results_folder,
    is_ignored,
    listed,
    shortened,
    stem,
)
from autograder.intake.submission import AUTO, Discovery, Submission, SubmissionError
from autograder.platforms.recognise import read_download
from autograder.untrusted_text import name_in_message

# What people and systems put behind a name when there is such a file already, and accents.
_HIDDEN = re.compile(r"\.[^._].*\.(py|ipynb|zip)$")
_AGAIN = re.compile(r"[\u0300-\u036f]|(?:[\s_-]*(?:\(\d+\)|(?:- )?copy|final|v\d+))+$")
# So many equal names are the usual name of a file rather than the files of one student.
_MAX_NAMESAKES = 4

EntryKey = object
"""What distinguishes an entry from others: its path, or the parts of a download with their owner."""


def find_submissions(
    paths: Sequence[Path],
    stubs: Collection[str] = (),
    layout: str = AUTO,
    earlier: Mapping[str, str] | None = None,
) -> Discovery:
    """Return the submissions at some paths, sorted by name: a file is one, a folder holds them.

    A folder or zip that comes from a platform is taken apart by student, and a note says so; it must be the
    only path, or ``layout`` must say what it is. A submission never raises, whatever it is: it is an entry,
    and reading it says what is wrong.

    Args:
        paths: files, folders and zips.
        stubs: the stub file names of the course. A folder that directly holds several of them is noted as
            probably one student's; one with any of them is a submission again if one was called so.
        layout: ``auto``, ``plain`` or the name of a platform.
        earlier: the names of an earlier run, each with its path; if two could have a name, it stays with the
            one that had it.

    Raises:
        SubmissionError: a path does not exist, the only one cannot be read, there is no submission at all, or
            a path does not have the layout that was asked for.
    """
    earlier = earlier or {}
    entries: dict[EntryKey, Submission] = {}
    notes: list[str] = []
    earlier_names = set(earlier).difference(map(stem, stubs))
    earlier_paths = set(earlier.values())
    stub_files = set()
    for stub in stubs:
        for kind in SOURCE_ENDINGS:
            stub_files.add(stem(stub) + kind)
    for path in paths:
        real = Path(os.path.realpath(path))
        # The same submission may be in another week's folder now.
        was_submission = str(real) in earlier_paths or real.name in earlier_names
        if was_submission and _holds_any(real, stub_files):
            path_entries = [Submission(real.name, real)]
        else:
            path_entries = _at(
                Path(path), stub_files, layout, notes, alone=len(paths) == 1
            )
        for entry in path_entries:
            key = _key(entry)
            if key in entries:
                notes.append(
                    f"{name_in_message(entry.name)} was named twice: it is read once"
                )
            entries.setdefault(key, entry)

    # The folders in which each name stands, without those in downloads.
    folders_of_name: defaultdict[str, set[Path]] = defaultdict(set)
    for entry in entries.values():
        if not entry.parts:
            name = _folded(stem(entry.path.name))
            folders_of_name[name].add(entry.path.parent)
    repeated = []
    for name, folders in sorted(folders_of_name.items()):
        if len(folders) > 1:
            repeated.append(name)
    if repeated:
        notes.append(
            f"{listed(repeated)} came from several of the paths, and each is a separate submission; to grade "
            "them as one student's, grade the paths one after the other into the same folder"
        )
    all_notes = shortened(notes, "notes", str)
    if not entries:
        raise SubmissionError(
            "; ".join(all_notes) or "no path was named: name a folder of submissions"
        )
    named_entries = _named(entries, earlier, stub_files)
    return Discovery(
        tuple(sorted(named_entries, key=lambda entry: entry.name)), all_notes
    )


def _holds_any(folder: Path, names: Iterable[str]) -> bool:
    return any(os.path.isfile(folder / name) for name in names)


def _key(entry: Submission) -> EntryKey:
    if not entry.parts:
        return entry.path
    # A group's work is in a download once, with an entry for each member.
    owner = entry.owner and (entry.owner.student_id or entry.owner.login)
    return entry.parts, owner


def _at(
    path: Path, stubs: Collection[str], layout: str, notes: list[str], *, alone: bool
) -> list[Submission]:
    """Return the submissions at one path that the caller named.

    Links to folders are followed, because the caller set them. A link to a file is followed if it is the only
    path; among many it may be a student's, named by ``*``.
    """
    if not (os.path.exists(path) if alone else os.path.lexists(path)):
        raise SubmissionError(
            f"there is no file or folder {name_in_message(str(path))}: "
            "check the spelling, or name the folder that holds the submissions"
        )
    is_folder = os.path.isdir(path)
    real = Path(os.path.realpath(path.parent), path.name)
    if is_folder or alone:
        real = Path(os.path.realpath(path))
    try:
        download = read_download(real, layout, stubs, alone=alone)
        if isinstance(download, Discovery):
            notes.extend(download.notes)
            return [
                replace(entry, name=as_folder_name(entry.name))
                for entry in download.submissions
            ]
        if download:
            notes.append(download)
        if is_folder:
            return _in_folder(real, stubs, notes)
        return [Submission(path.name, real)]
    except OSError as error:
        if not alone:
            return [Submission(real.name, real)]
        raise SubmissionError(
            f"{name_in_message(str(path))} cannot be read ({error.strerror}): check its permissions"
        ) from error


def _in_folder(
    folder: Path, stubs: Collection[str], notes: list[str]
) -> list[Submission]:
    """Return each file and folder of a folder as a submission, and note doubtful cases."""
    all_names = sorted(os.listdir(folder))
    names = []
    for name in all_names:
        if not is_ignored(name):
            names.append(name)
    if not names:
        if all_names:
            few = ", ".join(map(name_in_message, all_names[:5]))
            content = f"holds no submissions, only files that are ignored ({few}): name another folder"
        else:
            content = "is empty: put the submissions into it, or name another folder"
        notes.append(f"the folder {name_in_message(str(folder))} {content}")
    hidden = list(filter(_HIDDEN.match, all_names))
    if hidden:
        notes.append(
            f"not read, because the name begins with a dot: {listed(hidden)}; rename submissions"
        )

    namesakes = defaultdict[str, list[str]](list)
    for name in names:
        folded = unicodedata.normalize("NFKD", stem(name)).casefold()
        namesakes[_AGAIN.sub("", folded)].append(name)
    stub_stems = set(map(stem, stubs))
    alike = []
    for name, group in namesakes.items():
        if 1 < len(group) <= _MAX_NAMESAKES and name not in stub_stems:
            alike.append(group)
    if alike:
        notes.append(
            f"{listed(alike[0])} may be one student's (such cases: {len(alike)}), but each is graded "
            "separately; to grade them as one, put them into one folder"
        )

    stub_names = []
    for name in names:
        if name in stubs:
            stub_names.append(name)
    if len(stub_names) > 1:
        notes.append(
            f"{name_in_message(folder.name)} looks like one student's folder, because it contains "
            f"{stub_names[0]} and {stub_names[1]}; here each file counts as a separate "
            "submission. To grade the folder as one submission, name the folder above it, or zip it and "
            "name the zip"
        )
    return [Submission(name, folder / name) for name in names]


def _named(
    entries: Mapping[EntryKey, Submission],
    earlier: Mapping[str, str],
    stubs: Collection[str],
) -> list[Submission]:
    """Give every submission a unique name that can be a folder's on any system.

    Names are settled within each folder first; equal names of several folders get more and more folders in
    front, and in the end a number. Who had a name keeps it; so does a file that was named, against those that
    were found in a folder next to it. The name of another file is not taken where that is still next to it,
    or is in another case, or a stub's, as many files are; otherwise a file is taken for a newer one.
    """
    in_zip = set()
    for key, entry in entries.items():
        for part in entry.parts:
            if part.member:
                in_zip.add(key)
    folders: defaultdict[Path, dict[EntryKey, Submission]] = defaultdict(dict)
    for key, entry in entries.items():
        folder = entry.path if key in in_zip else entry.path.parent
        folders[folder][key] = entry
    earlier_by_path = {path: name for name, path in earlier.items()}
    short_names: dict[EntryKey, str] = {}
    for members in folders.values():
        short_names |= _named_in_folder(members, earlier, earlier_by_path)

    names = dict(short_names)
    for level in itertools.count(1):
        clashing = _clashing(entries, names, earlier, stubs)
        if not clashing:
            break
        for place, (key, entry) in enumerate(entries.items(), 1):
            if key not in clashing:
                continue
            above = []
            if key in in_zip:
                above.append(stem(entry.path.name))
            for folder in entry.path.parents:
                if folder.name:  # the root has none
                    above.append(folder.name)
            longer = above[:level]
            longer.reverse()
            longer.append(short_names[key])
            names[key] = as_results_folder("-".join(longer))
            spent = level - len(above)
            if spent > 0:  # no folders remain to distinguish the names
                names[key] += f"-{place}" + "-" * (spent - 1)
    return [replace(entry, name=names[key]) for key, entry in entries.items()]


def _clashing(
    entries: Mapping[EntryKey, Submission],
    names: Mapping[EntryKey, str],
    earlier: Mapping[str, str],
    stubs: Collection[str],
) -> set[EntryKey]:
    """Return the entries that cannot have their names: others have them, or had them in an earlier run."""
    stub_stems = set(map(stem, stubs))
    earlier_by_folded = {_folded(name): name for name in earlier}
    clashing: set[EntryKey] = set()
    holders: defaultdict[str, list[EntryKey]] = defaultdict(list)
    for key, entry in entries.items():
        name = names[key]
        holders[_folded(name)].append(key)
        earlier_name = name
        if name not in earlier:
            earlier_name = earlier_by_folded.get(_folded(name), "")
        before = Path(earlier.get(earlier_name, entry.path))
        is_beside = before.parent == entry.path.parent and os.path.lexists(before)
        is_stub = stem(entry.name) in stub_stems
        is_others = is_beside or is_stub or earlier_name != name
        if before != entry.path and is_others and not entry.parts:
            clashing.add(key)
    for keys in holders.values():
        if len(keys) == 1:
            continue
        before_keys = []
        for key in keys:
            if earlier.get(names[key]) == str(entries[key].path):
                before_keys.append(key)
        if before_keys:
            clashing.update(set(keys) - {before_keys[0]})
            continue
        # An entry that is higher than all others keeps its name.
        depth_of_key = {key: len(entries[key].path.parts) for key in keys}
        depths = sorted(depth_of_key.values())
        for key, depth in depth_of_key.items():
            if depth >= depths[1]:
                clashing.add(key)
    return clashing


def _named_in_folder(
    entries: Mapping[EntryKey, Submission],
    earlier: Mapping[str, str],
    earlier_by_path: Mapping[str, str],
) -> dict[EntryKey, str]:
    """Name the submissions of one folder: without the ending, or in full if that name is taken.

    Results must not move because of what somebody else submits. So whoever had a name keeps it; then come
    those whom the platform knows, then those who write it in lower case.
    """

    def precedence(item: tuple[EntryKey, Submission]) -> tuple[bool, bool, str]:
        _, entry = item
        is_folded = entry.name == _folded(entry.name)
        return entry.owner is None, not is_folded, entry.name

    ranked = sorted(entries.items(), key=precedence)
    names: dict[EntryKey, str] = {}
    used_names: set[str] = set()

    def take_first(key: EntryKey, candidates: Iterator[str]) -> None:
        for name in candidates:
            if _folded(name) not in used_names:
                names[key] = name
                used_names.add(_folded(name))
                return

    for key, entry in ranked:
        take_first(key, _earlier_names(entry, earlier, earlier_by_path))
    for key, entry in ranked:
        if key not in names:
            take_first(key, iter([_short_name(entry)]))
    for key, entry in ranked:
        if key not in names:
            full = as_results_folder(entry.name)
            numbered = (f"{full}-{number}" for number in itertools.count(2))
            take_first(key, itertools.chain([full], numbered))
    return names


def _short_name(entry: Submission) -> str:
    return as_results_folder(stem(entry.name).strip() or entry.name)


def _earlier_names(
    entry: Submission, earlier: Mapping[str, str], earlier_by_path: Mapping[str, str]
) -> Iterator[str]:
    """Yield the names that a submission may have had in an earlier run."""
    short = _short_name(entry)
    here = "" if entry.parts else earlier_by_path.get(str(entry.path), "")
    if short in here:
        yield here
    full = as_results_folder(entry.name)
    with_file = f"{stem(entry.path.name)}-{short}"
    for name in (short, full, with_file):
        if Path(earlier.get(name, "")).name == entry.path.name:
            yield name


def _folded(name: str) -> str:
    """Two names that fold to the same would be one folder on some file systems."""
    return unicodedata.normalize("NFC", name).casefold()
