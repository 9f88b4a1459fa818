"""Canvas, "Download Submissions": one flat folder of ``lovelaceada_LATE_12345_67890_scores.py``."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from autograder.submissions.download import Item
from autograder.submissions.layout import Collected, Layout, Reading
from autograder.submissions.model import Owner, Part
from autograder.submissions.naming import printable, shown
from autograder.submissions.resubmission import Standing, Upload, last_ones

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


@dataclass(frozen=True)
class _File:
    """One file of the download and what its name says."""

    item: Item
    name: str
    student: str
    late: bool
    upload: Upload


def share_of_canvas(items: Sequence[Item]) -> float:
    """Return how many of the items are named by Canvas, from 0 to 1."""
    return sum(_parsed(item) is not None for item in items) / max(1, len(items))


def read_canvas(items: Sequence[Item], stubs: Collection[str] = ()) -> Reading:
    """Put together what each student handed in; of files handed in again, the last one counts."""
    students: defaultdict[str, list[_File]] = defaultdict(list)
    strangers = []
    for item in items:
        file = _parsed(item)
        if file is None:
            strangers.append(item)
        else:
            students[file.student].append(file)
    collected = [_together(files, stubs) for files in students.values()]
    collected += [Collected(item.name, (item.part(),)) for item in strangers]
    return Reading(Layout.CANVAS, tuple(collected), tuple(map(_unknown, strangers)))


def _parsed(item: Item) -> _File | None:
    found = next(filter(None, (form.fullmatch(item.name) for form in _FORMS)), None)
    if found is None:
        return None
    said = {"name": "", "number": "0", **found.groupdict()}
    upload = Upload(said["file"], int(said["number"]))
    return _File(item, said["name"], said["id"], said["late"] is not None, upload)


def _together(files: Sequence[_File], stubs: Collection[str]) -> Collected:
    first = files[0]
    by_upload = {file.upload: file.item for file in files}
    parts = tuple(_part(by_upload[one.upload], one) for one in last_ones(by_upload, stubs))
    owner = Owner(first.student, printable(first.name), late=any(file.late for file in files))
    return Collected("_".join(filter(None, (first.name, first.student))), parts, owner)


def _part(item: Item, one: Standing) -> Part:
    """Return what counts; a folder is an upload that somebody has unpacked."""
    return item.part("" if item.is_folder else one.name, one.note)


def _unknown(item: Item) -> str:
    return f"{shown(item.name)} is not named by Canvas: it counts as an unknown student's submission"
