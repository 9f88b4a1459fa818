"""A class's download, as a folder or as the zip itself: the items at its top, and whose they are."""

from __future__ import annotations

import errno
import os
import re
import zipfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from autograder.intake.naming import SUBMISSION_ENDINGS, ending, is_ignored
from autograder.intake.submission import Discovery, Owner, Submission, SubmissionPart
from autograder.intake.zips import open_archive
from autograder.untrusted_text import name_to_store

Parse: TypeAlias = Callable[[str], re.Match[str] | None]
Named: TypeAlias = "tuple[Item, re.Match[str]]"
"""An item with the parts of its name: the student's ``name`` and ``id``, among others."""


@dataclass(frozen=True)
class Item:
    """A file or folder at the top of a download; ``member`` is its path if the download is a zip."""

    name: str
    path: Path
    is_folder: bool
    member: str = ""

    def part(self, inside: str | None = None, note: str = "") -> SubmissionPart:
        """Return the item as a part of a submission.

        Args:
            inside: the path of a file in the submission, by default its name; a folder stands for its files.
            note: what the student should know about the part.
        """
        path_inside = inside or self.name
        if self.is_folder:
            path_inside = ""
        return SubmissionPart(self.path, path_inside, self.member, note)


def items_of(path: Path, base: str = "") -> list[Item]:
    """Return the items at the top of a folder, or below ``base`` in a zip, sorted by name; none of a file.

    Raises:
        OSError: the folder cannot be read.
    """
    if path.is_dir():
        items = []
        with os.scandir(path) as listing:
            for entry in listing:
                if is_ignored(entry.name):
                    continue
                is_folder = entry.is_dir(follow_symlinks=False)
                item = Item(entry.name, path / entry.name, is_folder)
                items.append(item)
        return sorted(items, key=lambda item: item.name)
    if ending(path.name) != ".zip" or not path.is_file() or path.is_symlink():
        return []
    try:
        members = open_archive(path).below(base)
    except (zipfile.BadZipFile, OSError):
        return []  # reading it as a submission reports what is wrong with it
    tops = set()
    for member in members:
        path_below = member.removeprefix(base)
        name, slash, _ = path_below.partition("/")
        if name and not is_ignored(name):
            tops.add((name, slash))
    items = []
    for name, slash in sorted(tops):
        top_member = base + name + slash
        items.append(Item(name, path, slash != "", top_member))
    return items


def share(items: Sequence[Item], parse: Parse) -> float:
    """Return the share of items with names that a platform gave, from 0 to 1; 0 if an id has several names.

    Tables, notes and the like that somebody put next to them do not count.

    Args:
        items: the items at the top of what may be a download.
        parse: returns the parts ``name`` and ``id`` of a name that the platform gave, None for other names.
    """
    platform_names = set()
    students = set()
    for item in items:
        parsed = parse(item.name)
        if parsed is None:
            continue
        platform_names.add(item.name)
        if parsed["id"]:
            students.add((parsed["id"], parsed["name"]))
    student_ids = {student_id for student_id, _ in students}
    if len(student_ids) < len(students):
        return 0
    countable = set()
    for item in items:
        if item.is_folder or ending(item.name) in SUBMISSION_ENDINGS:
            countable.add(item.name)
    count = len(platform_names | countable)
    return len(platform_names) / max(1, count)


def by_student(
    items: Sequence[Item],
    parse: Parse,
    parts_of: Callable[[Sequence[Named]], Iterable[SubmissionPart]],
) -> Discovery:
    """Make a submission of each student's items; an item whose name tells no student is a submission by itself.

    One id with several names is as many students, because a day of the month may look like an id.

    Args:
        items: the items at the top of a download.
        parse: returns the parts ``name``, ``id`` and perhaps ``late`` of a name that the platform gave.
        parts_of: returns the parts of one student's submission.
    """
    students: defaultdict[tuple[str, str | None], list[Named]] = defaultdict(list)
    strangers = []
    for item in items:
        parsed = parse(item.name)
        if parsed is None:
            part = item.part()
            strangers.append(Submission(item.name, item.path, None, (part,)))
        else:
            student = (parsed["name"], parsed["id"])
            students[student].append((item, parsed))
    submissions = []
    for (name, student_id), parsed_items in students.items():
        late = None
        _, first_parsed = parsed_items[0]
        if "late" in first_parsed.re.groupindex:
            late = any(parsed["late"] for _, parsed in parsed_items)
        owner = None
        full_name = name
        if student_id:
            owner = Owner(student_id, name_to_store(name), late=late)
            full_name = "_".join(filter(None, (name, student_id)))
        parts = tuple(parts_of(parsed_items))
        submissions.append(Submission(full_name, parts[0].path, owner, parts))
    return Discovery((*submissions, *strangers))


def read_bytes(item: Item, limit: int) -> bytes:
    """Return a file's bytes.

    Raises:
        ValueError: there are more of them than the limit.
        OSError: it cannot be read.
        zipfile.BadZipFile: it is damaged inside its zip.
    """
    if item.member:
        data = open_archive(item.path).read(item.member, limit + 1)
    elif item.path.is_file():
        with item.path.open("rb") as file:
            data = file.read(limit + 1)
    else:  # a pipe would be waited for
        raise FileNotFoundError(errno.ENOENT, "it is not an ordinary file")
    if len(data) > limit:
        raise ValueError(f"it is larger than {limit >> 20} MiB")
    return data
