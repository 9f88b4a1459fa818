"""Find out which platform a download comes from, and read it. Moodle's form is here, the others' beside.

Moodle, "Download all submissions": ``Ada Lovelace_12345_assignsubmission_file_``, as folders or flat.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from autograder.intake.canvas import parse_canvas, read_canvas
from autograder.intake.download import Item, by_student, items_of, share
from autograder.intake.gradescope import METADATA, read_gradescope, share_of_gradescope
from autograder.intake.naming import printable, shown
from autograder.intake.submission import Discovery, Entry, Layout, Owner, SubmissionError

# The form follows mod_assign's downloader: the full name with spaces for underscores, or "Participant" where
# marking is blind, or a team's name; the number of the participant or team; the kind of submission. Newer
# versions leave out the last underscore of a folder, and everybody without a team shares one without number.
_MOODLE = re.compile(
    r"(?P<name>.*?)(?:_(?P<id>\d{1,19}))?_assignsubmission_(?P<kind>[a-z]+)(?:_(?P<file>.*))?", re.DOTALL
)


@dataclass(frozen=True)
class _Platform:
    """How a platform names things, the share of some items that it named, and what is read from them."""

    example: str
    share: Callable[[Sequence[Item]], float]
    read: Callable[[Sequence[Item], Collection[str]], Discovery]


def read_download(path: Path, layout: Layout, stubs: Collection[str] = (), *, alone: bool) -> Discovery | str:
    """Return what students submitted through a platform, or "" or a note where a path is read as plain.

    The download may be a folder or a zip, and may lie in one folder of its own within it. Nobody but the
    caller can say that names like a platform's are not a student's own: with ``Layout.AUTO`` a path is a
    download only where most of its names are, no other path was named, and it is not a student's own folder:
    the only folder of a folder is not searched, only that of a zip.

    Raises:
        SubmissionError: a platform's layout was asked for, and it is not this one; or its table is damaged.
    """
    if layout is Layout.PLAIN:
        return ""
    top = items_of(path)
    places = [(top, False)]  # the items, and whether a student may have named them
    if len(top) == 1 and top[0].is_folder:
        with contextlib.suppress(OSError):
            places.append((items_of(top[0].path, top[0].member), not top[0].member))
    refused = ""
    for items, is_students in places:
        for one, platform in _PLATFORMS.items():
            fraction = platform.share(items)
            is_like_it = fraction > 0 or any(item.name == platform.example for item in items)
            is_sure = fraction >= 0.5 and alone and not is_students
            if (is_like_it and layout is one) or (is_sure and layout is Layout.AUTO):
                return _noted(path.name, one, platform.read(items, stubs))
            if is_like_it and (fraction >= 0.5 or one is not Layout.CANVAS):  # its names may be anybody's
                refused = refused or (
                    f"{shown(path.name)} holds names like those of {one.capitalize()}, but was read as "
                    "submissions of students: where it is a download, name it alone and with --layout "
                    f"{one}"
                )
    if layout in _PLATFORMS:
        raise SubmissionError(
            f"{shown(str(path))} is not a download from {layout.capitalize()}, for nothing in it is named "
            f"like {_PLATFORMS[layout].example!r}: name another folder, or leave --layout out"
        )
    return refused


def _noted(name: str, layout: Layout, found: Discovery) -> Discovery:
    """Note how a download was read, and which submissions nobody can be found for."""
    unknown = [entry for entry in found.entries if entry.owner is None]
    note = (
        f"{shown(name)} was read as a download from {layout.capitalize()} "
        f"(students: {len(found.entries) - len(unknown)}); "
        "--layout plain takes each file or folder in it as a submission"
    )
    strangers = (
        f"the download does not say whose {shown(one.name)} is: it counts as an unknown student's"
        for one in unknown
    )
    return Discovery(found.entries, (note, *found.notes, *strangers))


def read_moodle(items: Sequence[Item]) -> Discovery:
    """Put together what each student submitted, as files and as online text."""
    students, strangers = by_student(items, _MOODLE.fullmatch)
    entries = []
    for pieces in students:
        name, number = pieces[0][1]["name"], pieces[0][1]["id"]
        parts = tuple(item.part(one["file"]) for item, one in pieces)
        owner = Owner(number, printable(name)) if number else None
        entries.append(Entry("_".join(filter(None, (name, number))), parts[0].path, owner, parts))
    return Discovery((*entries, *strangers))


_PLATFORMS: Mapping[Layout, _Platform] = {
    Layout.GRADESCOPE: _Platform(METADATA, share_of_gradescope, lambda items, _: read_gradescope(items)),
    Layout.MOODLE: _Platform(
        "Ada Lovelace_12345_assignsubmission_file_",
        lambda items: share(items, _MOODLE.fullmatch),
        lambda items, _: read_moodle(items),
    ),
    Layout.CANVAS: _Platform(
        "lovelaceada_12345_67890_scores.py", lambda items: share(items, parse_canvas), read_canvas
    ),
}
