"""Read zip files that may be damaged, enormous or hostile."""

from __future__ import annotations

import contextlib
import io
import stat
import zipfile
from pathlib import PurePosixPath
from typing import BinaryIO

from autograder.intake.limits import MAX_ENTRIES, MAX_ZIP_DEPTH, Intake
from autograder.intake.naming import ending, is_ignored, is_installed

MAX_DIRECTORY_BYTES = 16 << 20
UNPACK = "unpack it by hand"
_ENTRY = b"PK\x01\x02"
_ENCRYPTED = 0x1
_UTF8 = 0x800
LIMITED_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
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
    elif member.compress_type not in LIMITED_METHODS:
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
