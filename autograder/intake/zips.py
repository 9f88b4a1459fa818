"""Read zip files that may be damaged, enormous or hostile."""

from __future__ import annotations

import bisect
import contextlib
import functools
import io
import os
import stat
import weakref
import zipfile
from collections import defaultdict
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from autograder.intake.limits import MAX_ENTRIES, MAX_ZIP_DEPTH, Intake
from autograder.intake.naming import ending, is_ignored, is_installed
from autograder.intake.submission import SubmissionPart

MAX_DIRECTORY_BYTES = 16 << 20
UNPACK = "unpack it by hand"
_ENTRY = b"PK\x01\x02"
_ENCRYPTED = 0x1
_UTF8 = 0x800
_LIMITED_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""The methods of compression whose decompressors obey a limit; others write as much as they like per call."""


class _TooLongError(zipfile.BadZipFile):
    """A zip lists more entries than a submission may have."""


class _Guarded:
    """A zip file for ``zipfile``, which limits the table of contents: that is read in one go.

    ``max_entries`` is how many entries it may list; they are counted before ``zipfile`` makes an object of
    each. None stops counting.
    """

    def __init__(self, file: BinaryIO, max_entries: int) -> None:
        self._file = file
        self.max_entries: int | None = max_entries
        self.seek = file.seek
        self.tell = file.tell
        self.seekable = file.seekable

    def read(self, size: int = -1, /) -> bytes:
        """Read like the file, but no more than a table of contents at once."""
        if size > MAX_DIRECTORY_BYTES:
            raise _TooLongError
        if size < 0:
            return self._file.read(MAX_DIRECTORY_BYTES)
        data = self._file.read(size)
        if self.max_entries is not None and data.count(_ENTRY) > self.max_entries:
            raise _TooLongError
        return data


def open_zip(file: BinaryIO, max_entries: int = 4 * MAX_ENTRIES) -> zipfile.ZipFile:
    """Open a file that may be a zip.

    Raises:
        zipfile.BadZipFile: it is not a zip, or its table of contents is damaged or too long.
    """
    guarded = _Guarded(file, max_entries)
    try:
        archive = zipfile.ZipFile(guarded)
    except _TooLongError:
        raise
    except Exception as error:  # for a damaged file zipfile raises nearly anything
        raise zipfile.BadZipFile(str(error)) from error
    guarded.max_entries = None
    return archive


def read_zip(
    intake: Intake, file: BinaryIO, name: str, base: str, depth: int = 1
) -> None:
    """Read a zip's members into the intake.

    Args:
        intake: collects the files and problems.
        file: the zip.
        name: its path in the submission, for problems.
        base: the path below which its members are named.
        depth: how many zips it is in, itself included.
    """
    try:
        archive = open_zip(file, intake.entries_left)
    except _TooLongError:
        intake.report("lists too many files: zip only the homework's own files", name)
        return
    except zipfile.BadZipFile:
        remedy = "ask for it again or unpack it by hand"
        intake.report("cannot be opened as a zip: make a new one", name, remedy)
        return
    with archive:
        intake.count_entries(len(archive.infolist()))
        # Files at the top come first, so that the limits spare them; the others keep their order.
        members = sorted(
            archive.infolist(), key=lambda member: member.filename.count("/")
        )
        for member in members:
            read_member(intake, archive, member, member_path(member), base, depth)


def read_member(
    intake: Intake,
    archive: zipfile.ZipFile,
    member: zipfile.ZipInfo,
    inside: str,
    base: str,
    depth: int,
) -> None:
    """Read a member as ``inside`` below ``base``, if it is safe and wanted; a zip in the zip is opened."""
    if inside.endswith("/"):
        return
    parts = []
    for part in inside.split("/"):
        if part not in ("", "."):
            parts.append(part)
    for part in parts:
        if is_installed(part) or (is_ignored(part) and part != ".."):
            return
    path = str(PurePosixPath(base, *parts))
    refusal = ""
    remedy = "ask for it again"
    data = None
    if inside.startswith("/") or inside[1:2] == ":" or ".." in parts:
        path = inside
        refusal = "points outside its zip and was left out: zip the folder itself"
    elif stat.S_ISLNK(member.external_attr >> 16):
        refusal = (
            "is a link, and links are not followed: put the file itself in its place"
        )
    elif member.flag_bits & _ENCRYPTED:
        refusal = "is locked with a password: hand it in without one"
    elif member.compress_type not in _LIMITED_METHODS:
        refusal = (
            "is compressed with a method that is not supported: make an ordinary zip"
        )
        remedy = UNPACK
    elif ending(path) == ".zip" and depth >= MAX_ZIP_DEPTH:
        refusal = f"is more than {MAX_ZIP_DEPTH} zips deep and was not opened: leave out the zips around it"
        remedy = UNPACK
    elif intake.start_file(path):
        try:
            with archive.open(member) as stream:
                data = intake.read(stream, path, member.file_size)
        except Exception:  # for a damaged member zipfile raises nearly anything
            refusal = "is damaged inside its zip: make a new zip"
    if refusal:
        intake.report(refusal, path, remedy)
    elif data is not None and ending(path) == ".zip":
        read_zip(intake, io.BytesIO(data), path, path, depth + 1)
    elif data is not None:
        intake.keep(path, data)


def member_path(member: zipfile.ZipInfo) -> str:
    """Return the member's path with ``/``; a name that is UTF-8 without saying so is read as UTF-8."""
    name = member.filename
    if not member.flag_bits & _UTF8:
        # A name that is not UTF-8 is in the code page that the zip format prescribes.
        with contextlib.suppress(UnicodeError):
            name = name.encode("cp437").decode("utf-8")
    return name.replace("\\", "/")


class Archive:
    """A downloaded zip, kept open so that its table of contents is not read again for each submission.

    Raises:
        zipfile.BadZipFile: a member points outside.
    """

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        # A zip may hold several members of one path.
        self._members: defaultdict[str, list[zipfile.ZipInfo]] = defaultdict(list)
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
        if not folder:
            return self._paths
        start = bisect.bisect_left(self._paths, folder)
        end = bisect.bisect_left(self._paths, folder[:-1] + "0")  # "0" follows "/"
        return self._paths[start:end]

    def read_part(self, intake: Intake, part: SubmissionPart) -> None:
        """Read a part of a submission; of a folder, the files on top come first, so that the limits spare them."""
        paths = [part.member]
        if part.member.endswith("/"):
            paths = self.below(part.member)
        for path in sorted(paths, key=lambda path: path.count("/")):
            if path.endswith("/"):
                continue
            inside = part.inside + path.removeprefix(part.member)
            for member in self._members.get(path, ()):
                read_member(intake, self._archive, member, inside, "", depth=0)

    def read(self, path: str, size: int) -> bytes:
        """Return the first ``size`` bytes of a member.

        Raises:
            zipfile.BadZipFile: it is damaged, or compressed by a method that cannot be unpacked under a limit.
        """
        try:
            member = self._members[path][-1]
            if member.compress_type not in _LIMITED_METHODS:
                raise zipfile.BadZipFile(
                    "it is compressed with a method that is not supported"
                )
            with self._archive.open(member) as stream:
                return stream.read(size)
        except (
            Exception
        ) as error:  # for a damaged member zipfile raises nearly anything
            raise zipfile.BadZipFile(str(error)) from error


def open_archive(path: Path) -> Archive:
    """Return a downloaded zip, which is opened again only if it has changed.

    Raises:
        OSError: it cannot be read.
        zipfile.BadZipFile: it is not a zip.
    """
    status = path.stat()
    return _open(path, status.st_mtime_ns, status.st_size)


@functools.lru_cache(maxsize=32)
def _open(path: Path, changed: int, size: int) -> Archive:
    """Open a zip, once for each time of change and size."""
    with contextlib.ExitStack() as unless_opened:
        archive = Archive(open_zip(unless_opened.enter_context(path.open("rb"))))
        weakref.finalize(archive, unless_opened.pop_all().close)
    return archive


# Processes that share an open file share the place in it, so a forked worker opens each zip for itself.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_open.cache_clear)
