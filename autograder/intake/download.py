"""A class's download, as a folder or as the zip itself: what lies on top of it, and reading from it."""

from __future__ import annotations

import bisect
import contextlib
import errno
import functools
import itertools
import os
import re
import weakref
import zipfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from autograder.intake.limits import Intake
from autograder.intake.naming import SUBMISSION_ENDINGS, ending, is_ignored, printable
from autograder.intake.submission import Discovery, Entry, Owner, SubmissionPart
from autograder.intake.zips import member_path, open_zip, read_member

_CHUNK = 1 << 16

Parse: TypeAlias = Callable[[str], re.Match[str] | None]
Named: TypeAlias = "tuple[Item, re.Match[str]]"
"""An item with what its name says: the student's ``name`` and ``id``, among others."""


@dataclass(frozen=True)
class Item:
    """A file or folder on top of a download; ``member`` is its path where the download is a zip."""

    name: str
    path: Path
    is_folder: bool
    member: str = ""

    def part(self, inside: str | None = None, note: str = "") -> SubmissionPart:
        """Return the item as a piece of a submission: a file as ``inside``, a folder as all that it holds."""
        return SubmissionPart(
            self.path, "" if self.is_folder else inside or self.name, self.member, note
        )


def items_of(path: Path, base: str = "") -> list[Item]:
    """Return what lies on top of a folder, or below ``base`` in a zip, sorted by name; else nothing.

    Raises:
        OSError: the folder cannot be read.
    """
    if path.is_dir():
        with os.scandir(path) as listing:
            entries = sorted(
                (one for one in listing if not is_ignored(one.name)),
                key=lambda one: one.name,
            )
            return [
                Item(one.name, path / one.name, one.is_dir(follow_symlinks=False))
                for one in entries
            ]
    if ending(path.name) == ".zip" and path.is_file() and not path.is_symlink():
        with contextlib.suppress(
            zipfile.BadZipFile, OSError
        ):  # reading it as a submission reports it
            parted = {
                one.removeprefix(base).partition("/")[:2]
                for one in opened(path).below(base)
            }
            own = (one for one in sorted(parted) if one[0] and not is_ignored(one[0]))
            return [
                Item(name, path, slash != "", base + name + slash)
                for name, slash in own
            ]
    return []


def share(items: Sequence[Item], parse: Parse) -> float:
    """Return the share of the items that a platform named, from 0 to 1; 0 where one id has several names.

    Tables, notes and the like that somebody put beside them do not count.
    """
    named = {item.name: found for item in items if (found := parse(item.name))}
    ids = {(found["id"], found["name"]) for found in named.values() if found["id"]}
    if len(dict(ids)) < len(ids):
        return 0
    counted = [
        one for one in items if one.is_folder or ending(one.name) in SUBMISSION_ENDINGS
    ]
    return len(named) / max(1, len(named.keys() | {one.name for one in counted}))


def by_student(
    items: Sequence[Item],
    parse: Parse,
    parts_of: Callable[[Sequence[Named]], Iterable[SubmissionPart]],
) -> Discovery:
    """Put together what each student submitted; an item whose name tells no student is nobody's.

    One id with several names is as many students, for some day of the month may look like an id.
    """
    students: defaultdict[tuple[str, str | None], list[Named]] = defaultdict(list)
    entries, strangers = [], []
    for item in items:
        if found := parse(item.name):
            students[found["name"], found["id"]].append((item, found))
        else:
            strangers.append(Entry(item.name, item.path, None, (item.part(),)))
    for (name, number), named in students.items():
        tells_late = "late" in named[0][1].re.groupindex
        late = any(found["late"] for _, found in named) if tells_late else None
        owner = Owner(number, printable(name), late=late) if number else None
        parts = tuple(parts_of(named))
        entries.append(
            Entry("_".join(filter(None, (name, number))), parts[0].path, owner, parts)
        )
    return Discovery((*entries, *strangers))


def read_bytes(item: Item, limit: int) -> bytes:
    """Return a file's bytes.

    Raises:
        ValueError: there are more of them than the limit.
        OSError: it cannot be read.
        zipfile.BadZipFile: it is damaged inside its zip.
    """
    if item.member:
        data = opened(item.path).read(item.member, limit + 1)
    elif item.path.is_file():
        with item.path.open("rb") as file:
            data = file.read(limit + 1)
    else:  # a pipe would be waited for
        raise FileNotFoundError(errno.ENOENT, "it is not an ordinary file")
    if len(data) > limit:
        raise ValueError(f"it is larger than {limit >> 20} MiB")
    return data


class _Archive:
    """A downloaded zip, kept open so that its table of contents is not read again for each submission.

    Raises:
        zipfile.BadZipFile: a member points outside.
    """

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        self._members: defaultdict[str, list[zipfile.ZipInfo]] = defaultdict(
            list
        )  # some are there twice
        for member in archive.infolist():
            path = member_path(member).removeprefix("./")
            if path.startswith("/") or ".." in path.split("/"):
                raise zipfile.BadZipFile(
                    "a member points outside, which no platform writes"
                )
            self._members[path].append(member)
        self._paths = sorted(self._members)

    def below(self, folder: str) -> list[str]:
        """Return all paths below a folder, whose own path ends in ``/``; "" is the whole zip."""
        behind = folder[:-1] + "0"  # the sign after "/"
        start, end = (bisect.bisect_left(self._paths, one) for one in (folder, behind))
        return self._paths[start:end] if folder else self._paths

    def into(self, intake: Intake, part: SubmissionPart) -> None:
        """Read a part; of a folder, the files on top come first, so that the limits spare them."""
        paths = self.below(part.member) if part.member.endswith("/") else [part.member]
        for path in sorted(paths, key=lambda one: one.count("/")):
            inside = part.inside + path.removeprefix(part.member)
            for member in () if path.endswith("/") else self._members.get(path, ()):
                read_member(intake, self._archive, member, inside, "", depth=0)

    def read(self, path: str, size: int) -> bytes:
        """Return a member's bytes; where there are more than ``size``, at least so many of them."""
        try:
            with self._archive.open(self._members[path][-1]) as stream:
                chunks = iter(
                    lambda: stream.read(_CHUNK), b""
                )  # all at once may be more than zips allow
                return b"".join(itertools.islice(chunks, size // _CHUNK + 1))
        except (
            Exception
        ) as error:  # for a damaged member zipfile raises nearly anything
            raise zipfile.BadZipFile(str(error)) from error


def opened(path: Path) -> _Archive:
    """Return a downloaded zip, opened anew only where it has changed.

    Raises:
        OSError: it cannot be read.
        zipfile.BadZipFile: it is not a zip.
    """
    status = path.stat()
    return _open(path, status.st_mtime_ns, status.st_size)


@functools.lru_cache(maxsize=32)
def _open(path: Path, changed: int, size: int) -> _Archive:
    """Open a zip once for as long as it does not change."""
    with contextlib.ExitStack() as unless_opened:
        archive = _Archive(open_zip(unless_opened.enter_context(path.open("rb"))))
        weakref.finalize(archive, unless_opened.pop_all().close)
    return archive
