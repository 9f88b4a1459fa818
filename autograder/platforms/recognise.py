"""Find out which platform a download comes from, and read it."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Sequence
from pathlib import Path

from autograder.intake.download import Item, items_of
from autograder.intake.submission import AUTO, PLAIN, Discovery, SubmissionError
from autograder.platforms.platform import Platform
from autograder.platforms.registry import in_order_of_recognition
from autograder.untrusted_text import name_in_message


def read_download(
    path: Path, layout: str, stubs: Collection[str], *, alone: bool
) -> Discovery | str:
    """Return what students submitted through a platform, or "" or a note if a path is read as plain.

    The download may be a folder or a zip, and may be in a single folder within it. Nobody but the
    caller can say that names like a platform's are not a student's own. With the layout ``auto``, a path is a
    download only if most of its names are the platform's, no other path was named, and it is not a student's
    own folder: the only folder of a folder is not searched, only that of a zip.

    Args:
        path: a file or folder that the user named.
        layout: the name of a platform, ``plain`` or ``auto``.
        stubs: the file names of the course's stubs.
        alone: whether it is the only path that the user named.

    Raises:
        SubmissionError: the path does not have the layout that was asked for, or cannot be read as such.
    """
    if layout == PLAIN:
        return ""
    platforms = in_order_of_recognition()
    top = items_of(path)
    places = [(top, False)]  # the items, and whether a student may have named them
    if len(top) == 1 and top[0].is_folder:
        with contextlib.suppress(OSError):
            inner = items_of(top[0].path, top[0].member)
            places.append((inner, not top[0].member))
    note = ""
    for items, is_students in places:
        for platform in platforms.values():
            is_sure = (
                layout == AUTO
                and alone
                and not is_students
                and platform.is_download(items)
            )
            is_asked = layout == platform.name and any(map(platform.is_named, items))
            if is_sure or is_asked:
                discovery = platform.read(items, stubs)
                return _with_notes(path.name, platform, items, discovery)
            if not note and platform.resembles(items):
                note = (
                    f"{name_in_message(path.name)} holds names like those of {platform.title}, but was read as "
                    "submissions of students: if it is a download, name nothing else, and add --layout "
                    f"{platform.name}"
                )
    if layout in platforms:
        platform = platforms[layout]
        raise SubmissionError(
            f"{name_in_message(str(path))} is not a download from {platform.title}, because nothing in it is "
            f"named like {platform.example!r}: name another folder, or leave --layout out"
        )
    return note


def _with_notes(
    name: str, platform: Platform, items: Sequence[Item], discovery: Discovery
) -> Discovery:
    """Note how a download was read, how many files are how many students', and which files are nobody's."""
    files = sum(item.name not in platform.tables for item in items)
    unknown = []
    owned = []
    for entry in discovery.submissions:
        if entry.owner is None:
            unknown.append(entry)
            files -= len(entry.parts)
        else:
            owned.append(entry.name)
    merged = ""
    if files > len(owned):
        merged = f": {files} files or folders were put together by student"
    notes = [
        f"{name_in_message(name)} was read as a download from {platform.title} (students: {len(owned)})"
        f"{merged}; --layout plain takes each file or folder in it as a submission"
    ]
    for start, explanation in platform.codes.items():
        if any(owner.startswith(start) for owner in owned):
            notes.append(explanation)
    notes.extend(discovery.notes)
    for entry in unknown:
        notes.append(
            f"the download does not say whose {name_in_message(entry.name)} is: it counts as an unknown student's"
        )
    return Discovery(discovery.submissions, tuple(notes))
