"""Canvas, "Download Submissions": ``lovelaceada_12345_67890_scores.py``, all files of a class in one folder.

Canvas calls a file that was submitted again under the same name ``name-1``, ``name-2``.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from autograder.intake.download import Item, Named, by_student, share
from autograder.intake.naming import ending, listed, shown, stem
from autograder.intake.submission import Discovery, Part

# The form follows ContentZipper of Canvas: the student's sortable name without spaces and in lower case,
# LATE where Canvas counts it as late, the user's number, the file's number, the file's own name. Of an
# anonymous assignment the name is missing and the number is "anon_" and five letters or digits.
_NAMED = r"(?P<name>[^/]*?)(?:(?:^|_)(?P<late>LATE))?_(?P<id>\d{1,19})"
_NAMELESS = r"(?P<name>)(?:(?P<late>LATE)_)?(?P<id>anon_[^_\W]+)"
_UPLOAD = r"_(?P<number>\d{1,19})_(?P<file>.+)"
_ONLINE = r"_(?P<number>)(?P<file>(?:text|link)\.html)"
_FORMS = tuple(
    re.compile(who + end, re.DOTALL)
    for end in (_UPLOAD, _ONLINE)
    for who in (_NAMELESS, _NAMED)
)
# What the form shares with dates: a year with its month, or a day with its time.
_DATE = re.compile(
    r"(?:19|20)\d\d_(?:[1-9]|1[0-2])"
    r"|(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:[0-2]\d|3[01])_(?:[01]\d|2[0-3])[0-5]\d(?:[0-5]\d)?"
)
_NUMBERED = re.compile(r"(?P<base>.+)-(?P<number>[1-9]\d{0,8})", re.DOTALL)


@dataclass(frozen=True)
class Upload:
    """One file as the platform stores it: its name there, and its number, which grows with time."""

    name: str
    number: int


def parse_canvas(name: str) -> re.Match[str] | None:
    """Return what the name of a file in Canvas's download says; None where Canvas did not name it."""
    return next(filter(None, (form.fullmatch(name) for form in _FORMS)), None)


def parse_undated(name: str) -> re.Match[str] | None:
    """Return the same, but None for a name with a date, or with a number that begins with 0 as no id does."""
    found = parse_canvas(name)
    numbers = (found["id"], found["number"]) if found else ()
    is_date = any(one.startswith("0") for one in numbers) or _DATE.fullmatch(
        "_".join(numbers)
    )
    return None if is_date else found


def is_canvas(items: Sequence[Item]) -> bool:
    """Whether the names are surely Canvas's: serial numbers of sheets and students may have the same form.

    One number is of one file (a group's may be there for each member), and where there is only one name, it
    is of two students at most, and their files are put together only if the numbers are no small ones.
    """
    found = [one for item in items if (one := parse_undated(item.name))]
    uploads = {(int(one["number"]), one["file"]) for one in found if one["number"]}
    numbers, ids, names = (
        dict(uploads),
        {one["id"] for one in found},
        {one["name"] for one in found},
    )
    is_serial = len(ids) > 2 or (
        len(ids) < len(found) and min(numbers, default=0) < 100
    )
    if len(numbers) < len(uploads) or (len(names) == 1 and names != {""} and is_serial):
        return False
    return share(items, parse_undated) >= 2 / 3


def read_canvas(items: Sequence[Item], stubs: Collection[str] = ()) -> Discovery:
    """Put together what each student submitted; of a file that was submitted again, the last one counts.

    Names with dates are nobody's where others have none.
    """
    parse = (
        parse_undated
        if any(parse_undated(item.name) for item in items)
        else parse_canvas
    )

    def parts_of(files: Sequence[Named]) -> Iterator[Part]:
        by_upload = {
            Upload(found["file"], int(found["number"] or 0)): item
            for item, found in files
        }
        for name, upload, earlier in last_ones(by_upload, stubs):
            counts = (
                f"{shown(upload.name)} was handed in last and counts as {shown(name)}"
            )
            note = f"{counts}, not {listed(earlier)}" if earlier else ""
            yield by_upload[upload].part(name, note)  # a folder is an upload, unpacked

    return by_student(items, parse, parts_of)


def last_ones(
    uploads: Iterable[Upload], stubs: Collection[str] = ()
) -> list[tuple[str, Upload, tuple[str, ...]]]:
    """Return the files of one student that count: the student's name for each, itself, and what it replaces.

    A number at the end is Canvas's only where the name without it was uploaded before, or is a stub's; then
    also that of modules beside such a file, which are imported by their own names. Every other number is the
    student's, and the file keeps it.
    """
    same: defaultdict[str, list[Upload]] = defaultdict(list)
    for one in sorted(uploads, key=lambda one: one.number):
        same[one.name].append(one)
    # A family is the uploads whose names differ only in the number, in the order of time.
    families: defaultdict[str, list[Upload]] = defaultdict(list)
    for one in sorted(
        (group[-1] for group in same.values()), key=lambda one: one.number
    ):
        families[_parted(one.name)[0]].append(one)
    stems = {stem(stub) for stub in stubs}
    sure = set()
    for base, family in families.items():
        numbers = [_parted(one.name)[1] for one in family]
        if (numbers[0] == 0 or stem(base) in stems) and numbers == sorted(numbers):
            sure.add(base)
    was_renumbered = any(families[base][-1].name != base for base in sure)
    found = []
    for base, family in families.items():
        is_module = (
            len(family) == 1 and ending(base) == ".py" and stem(base).isidentifier()
        )
        for group in [family] if base in sure else [[one] for one in family]:
            last = group[-1]
            earlier = tuple(
                one.name for member in group for one in same[member.name] if one != last
            )
            name = base if base in sure or (is_module and was_renumbered) else last.name
            found.append((name, last, earlier))
    return sorted(found, key=lambda one: one[1].number)


def _parted(name: str) -> tuple[str, int]:
    """Return a name without its number, and the number; 0 where it has none."""
    kind = PurePosixPath(name).suffix
    found = _NUMBERED.fullmatch(name.removesuffix(kind))
    return (found["base"] + kind, int(found["number"])) if found else (name, 0)
