"""Find out which platform a download comes from, and read it. Moodle's form is here, the others' beside.

Moodle, "Download all submissions": ``Ada Lovelace_12345_assignsubmission_file_``, as folders or flat.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from autograder.intake.download import Item, by_student, items_of, share
from autograder.intake.naming import shown
from autograder.intake.submission import Discovery, Layout, SubmissionError
from autograder.platforms.canvas import (
    is_canvas,
    parse_canvas,
    parse_undated,
    read_canvas,
)
from autograder.platforms.github import is_classroom, is_clone, read_classroom
from autograder.platforms.gradescope import METADATA, is_gradescope, read_gradescope

# The form follows mod_assign's downloader: the full name with spaces for underscores, or "Participant" where
# marking is blind, or a team's name; the number of the participant or team; the kind of submission. Newer
# versions leave out the last underscore of a folder, and everybody without a team shares one without number.
_MOODLE = re.compile(
    r"(?P<name>.*?)(?:_(?P<id>\d{1,19}))?_assignsubmission_(?P<kind>[a-z]+)(?:_(?P<file>.*))?",
    re.DOTALL,
)
# How the names of submissions begin where a platform hides its students.
_CODES = {
    "anon_": "anon_ and five letters are Canvas's code for a student in an anonymous assignment; no "
    "roster has it. Once grades are posted there, a new download has the names",
    "Participant_": "Participant_ and a number are Moodle's code for a student in an anonymous assignment. "
    'The worksheet has it as "Identifier": pass it as --roster to export points',
}


@dataclass(frozen=True)
class _Platform:
    """How a platform names things, whether some items are surely a download from it, and what is in them."""

    title: str
    example: str
    named: Callable[[Item], object]
    is_sure: Callable[[Sequence[Item]], bool]
    read: Callable[[Sequence[Item], Collection[str]], Discovery]


def read_download(
    path: Path, layout: Layout, stubs: Collection[str] = (), *, alone: bool
) -> Discovery | str:
    """Return what students submitted through a platform, or "" or a note where a path is read as plain.

    The download may be a folder or a zip, and may lie in one folder of its own within it. Nobody but the
    caller can say that names like a platform's are not a student's own: with ``Layout.AUTO`` a path is a
    download only where most of its names are, no other path was named, and it is not a student's own folder:
    the only folder of a folder is not searched, only that of a zip.
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
            is_like_it = any(map(platform.named, items))
            is_sure = (
                layout is Layout.AUTO
                and alone
                and not is_students
                and platform.is_sure(items)
            )
            if is_sure or (is_like_it and layout is one):
                return _noted(path.name, one, items, platform.read(items, stubs))
            # Single ones may be anybody's: names with dates, and folders that some student keeps in git.
            like_it = {
                Layout.CANVAS: sum(
                    parse_undated(item.name) is not None for item in items
                ),
                Layout.CLASSROOM: sum(map(is_clone, items)),
            }
            if is_like_it and 2 * like_it.get(one, len(items)) >= len(items):
                refused = refused or (
                    f"{shown(path.name)} holds names like those of {platform.title}, but was read as "
                    "submissions of students: where it is a download, name it alone and with --layout "
                    f"{one}"
                )
    if layout in _PLATFORMS:
        raise SubmissionError(
            f"{shown(str(path))} is not a download from {_PLATFORMS[layout].title}, for nothing in it is "
            f"named like {_PLATFORMS[layout].example!r}: name another folder, or leave --layout out"
        )
    return refused


def _noted(
    name: str, layout: Layout, items: Sequence[Item], found: Discovery
) -> Discovery:
    """Note how a download was read, how many files are how many students', and what nobody's is."""
    unknown = [entry for entry in found.entries if entry.owner is None]
    students = len(found.entries) - len(unknown)
    things = sum(item.name != METADATA for item in items) - sum(
        len(entry.parts) for entry in unknown
    )
    shrinks = (
        f": {things} files or folders were put together by student"
        if things > students
        else ""
    )
    note = (
        f"{shown(name)} was read as a download from {_PLATFORMS[layout].title} (students: {students})"
        f"{shrinks}; --layout plain takes each file or folder in it as a submission"
    )
    owned = [entry.name for entry in found.entries if entry.owner]
    codes = (
        text
        for start, text in _CODES.items()
        if any(name.startswith(start) for name in owned)
    )
    strangers = (
        f"the download does not say whose {shown(one.name)} is: it counts as an unknown student's"
        for one in unknown
    )
    return Discovery(found.entries, (note, *codes, *found.notes, *strangers))


def read_moodle(items: Sequence[Item]) -> Discovery:
    """Put together what each student submitted, as files and as online text."""
    return by_student(
        items,
        _MOODLE.fullmatch,
        lambda named: [item.part(one["file"]) for item, one in named],
    )


_PLATFORMS: Mapping[Layout, _Platform] = {
    Layout.GRADESCOPE: _Platform(
        "Gradescope",
        METADATA,
        lambda item: item.name == METADATA,
        is_gradescope,
        lambda items, _: read_gradescope(items),
    ),
    Layout.MOODLE: _Platform(
        "Moodle",
        "Ada Lovelace_12345_assignsubmission_file_",
        lambda item: _MOODLE.fullmatch(item.name),
        lambda items: share(items, _MOODLE.fullmatch) >= 0.5,
        lambda items, _: read_moodle(items),
    ),
    Layout.CANVAS: _Platform(
        "Canvas",
        "lovelaceada_12345_67890_scores.py",
        lambda item: parse_canvas(item.name),
        is_canvas,
        read_canvas,
    ),
    Layout.CLASSROOM: _Platform(
        "GitHub Classroom",
        "hw1-ada/.git",
        is_clone,
        is_classroom,
        lambda items, _: read_classroom(items),
    ),
}
