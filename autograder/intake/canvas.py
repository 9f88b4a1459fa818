"""Canvas, "Download Submissions": ``lovelaceada_12345_67890_scores.py``, all files of a class in one folder.

A file that was handed in again under the same name is called ``name-1``, ``name-2`` by Canvas.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from autograder.intake.download import Item
from autograder.intake.naming import ending, listed, printable, shown, stem
from autograder.intake.submission import Collected, Layout, Owner, Reading

# The form follows ContentZipper of Canvas: the student's sortable name without spaces and in lower case,
# LATE where Canvas counts it as late, the user's number, the file's number, the file's own name. Of an
# anonymous assignment the name is missing and the number is "anon_" and five letters or digits.
_NAMED = r"(?P<name>[^/]*?)(?:(?:^|_)(?P<late>LATE))?_(?P<id>\d{1,19})"
_NAMELESS = r"(?:(?P<late>LATE)_)?(?P<id>anon_[^_\W]+)"
_UPLOAD = r"_(?P<number>\d{1,19})_(?P<file>.+)"
_ONLINE = r"_(?P<file>(?:text|link)\.html)"
_FORMS = tuple(
    re.compile(who + what, re.DOTALL) for what in (_UPLOAD, _ONLINE) for who in (_NAMELESS, _NAMED)
)
_NUMBERED = re.compile(r"(?P<base>.+)-(?P<number>[1-9]\d{0,8})", re.DOTALL)


@dataclass(frozen=True)
class Upload:
    """One file as the platform stores it: its name there, and its number, which grows with time."""

    name: str
    number: int


@dataclass(frozen=True)
class Standing:
    """A file that counts, the name it had for the student, and the earlier ones it stands in for."""

    upload: Upload
    name: str
    earlier: tuple[str, ...] = ()

    @property
    def note(self) -> str:
        """What to say about the files that do not count; empty where all do."""
        if not self.earlier:
            return ""
        counts = f"{shown(self.upload.name)} was handed in last and counts as {shown(self.name)}"
        return f"{counts}, not {listed(self.earlier)}"


@dataclass(frozen=True)
class _File:
    """One file of the download and what its name says."""

    item: Item
    name: str
    student: str
    late: bool
    upload: Upload


def share_of_canvas(items: Sequence[Item]) -> float:
    """Return the share of the items that are named by Canvas, from 0 to 1."""
    return sum(_parsed(item) is not None for item in items) / max(1, len(items))


def read_canvas(items: Sequence[Item], stubs: Collection[str] = ()) -> Reading:
    """Put together what each student handed in; of files handed in again, the last one counts."""
    students: defaultdict[str, list[_File]] = defaultdict(list)
    collected, strangers, notes = [], [], []
    for item in items:
        if file := _parsed(item):
            students[file.student].append(file)
            continue
        strangers.append(Collected(item.name, (item.part(),)))
        notes.append(
            f"{shown(item.name)} is not named by Canvas: it counts as an unknown student's submission"
        )
    for files in students.values():
        first = files[0]
        by_upload = {file.upload: file.item for file in files}
        counting = [(by_upload[one.upload], one) for one in last_ones(by_upload, stubs)]
        # A folder is an upload that somebody has unpacked.
        parts = tuple(item.part("" if item.is_folder else one.name, one.note) for item, one in counting)
        owner = Owner(first.student, printable(first.name), late=any(file.late for file in files))
        collected.append(Collected("_".join(filter(None, (first.name, first.student))), parts, owner))
    return Reading(Layout.CANVAS, (*collected, *strangers), tuple(notes))


def _parsed(item: Item) -> _File | None:
    found = next(filter(None, (form.fullmatch(item.name) for form in _FORMS)), None)
    if found is None:
        return None
    said = {"name": "", "number": "0", **found.groupdict()}
    upload = Upload(said["file"], int(said["number"]))
    return _File(item, said["name"], said["id"], said["late"] is not None, upload)


def last_ones(uploads: Iterable[Upload], stubs: Collection[str] = ()) -> list[Standing]:
    """Return the files of one student that count, under the names that the student gave them.

    A number at the end is the platform's only where the name without it was uploaded before, or is a
    stub's; and then also for modules beside such a file, for an import needs their own name. Everywhere
    else it is the student's, and the file stays as it is.
    """
    same: defaultdict[str, list[Upload]] = defaultdict(list)
    for one in sorted(uploads, key=lambda one: one.number):
        same[one.name].append(one)
    # A family is the uploads whose names differ only in the number, in the order of time.
    families: defaultdict[str, list[Upload]] = defaultdict(list)
    for one in sorted((group[-1] for group in same.values()), key=lambda one: one.number):
        families[_parted(one.name)[0]].append(one)
    stems = {stem(stub) for stub in stubs}
    sure = {base: family for base, family in families.items() if _is_sure(base, family, stems)}
    again = any(family[-1].name != base for base, family in sure.items())
    names = {family[-1]: base for base, family in sure.items()}
    for base in families.keys() - sure.keys():
        names |= {one: _module_name(one, families) if again else one.name for one in families[base]}
    found = []
    for last, name in names.items():
        base = _parted(last.name)[0]
        members = families[base] if base in sure else [last]
        earlier = tuple(one.name for member in members for one in same[member.name] if one != last)
        found.append(Standing(last, name, earlier))
    return sorted(found, key=lambda one: one.upload.number)


def _is_sure(base: str, family: Sequence[Upload], stems: Collection[str]) -> bool:
    """Whether the numbers of a family are the platform's: they grow with time from a known name."""
    numbers = [_parted(one.name)[1] for one in family]
    return (numbers[0] == 0 or stem(base) in stems) and numbers == sorted(numbers)


def _module_name(upload: Upload, families: Mapping[str, Sequence[Upload]]) -> str:
    base, number = _parted(upload.name)
    is_module = ending(base) == ".py" and stem(base).isidentifier()
    return base if number and is_module and len(families[base]) == 1 else upload.name


def _parted(name: str) -> tuple[str, int]:
    """Return a name without its number, and the number; 0 where it has none."""
    kind = PurePosixPath(name).suffix
    found = _NUMBERED.fullmatch(name.removesuffix(kind) if kind else name)
    return (found["base"] + kind, int(found["number"])) if found else (name, 0)
