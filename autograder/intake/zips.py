"""Read zip files that may be damaged, enormous, or made to do harm; nothing is written anywhere."""

from __future__ import annotations

import contextlib
import io
import stat
import zipfile
from pathlib import PurePosixPath
from typing import BinaryIO

from autograder.intake.limits import MAX_ENTRIES, MAX_ZIP_DEPTH, Intake
from autograder.intake.naming import ending, is_ignored, is_installed, shown

MAX_DIRECTORY_BYTES = 16 << 20
_ENTRY = b"PK\x01\x02"
_ENCRYPTED = 0x1
_UTF8 = 0x800
# The decompressors of the other methods write as much as they like per call, so no limit would hold.
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


class _Guarded:
    """The zip file as ``zipfile`` sees it: the table of contents, read in one go, is kept to a size.

    ``most`` are the entries it may list, counted before ``zipfile`` makes an object of each.
    """

    def __init__(self, file: BinaryIO, most: int) -> None:
        self._file = file
        self.most: int | None = most
        self.seek = file.seek
        self.tell = file.tell
        self.seekable = file.seekable

    def read(self, size: int = -1, /) -> bytes:
        """Read like the file, but no more than a table of contents at once."""
        if size > MAX_DIRECTORY_BYTES:
            raise _TooLongError
        data = self._file.read(size if size >= 0 else MAX_DIRECTORY_BYTES)
        if self.most is not None and size >= 0 and data.count(_ENTRY) > self.most:
            raise _TooLongError
        return data


class _TooLongError(zipfile.BadZipFile):
    """A zip lists more than is read of it."""


def read_zip(intake: Intake, file: BinaryIO, name: str, base: str, depth: int = 1) -> None:
    """Read a zip's members into the intake, named below ``base``; what is wrong becomes a problem."""
    try:
        archive = open_zip(file, intake.entries_left)
    except _TooLongError:
        intake.problem(f"{shown(name)} lists too many files: zip only the homework's own ones")
        return
    except zipfile.BadZipFile:
        intake.problem(f"{shown(name)} cannot be opened as a zip: ask for it again or unpack it by hand")
        return
    with archive:
        intake.admits(len(archive.infolist()))
        # Files on top come first, so that the limits spare them; the rest keeps its order.
        for member in sorted(archive.infolist(), key=lambda member: member.filename.count("/")):
            _Member(intake, archive, member, base).read(depth)


def open_zip(file: BinaryIO, most: int = 4 * MAX_ENTRIES) -> zipfile.ZipFile:
    """Open a zip that may be anything.

    Raises:
        zipfile.BadZipFile: it is not a zip, or its table of contents is damaged or too long.
    """
    guarded = _Guarded(file, most)
    try:
        archive = zipfile.ZipFile(guarded)
    except _TooLongError:
        raise
    except Exception as error:  # for a damaged file zipfile raises nearly anything
        raise zipfile.BadZipFile(str(error)) from error
    guarded.most = None
    return archive


def read_member(intake: Intake, archive: zipfile.ZipFile, member: zipfile.ZipInfo, inside: str) -> None:
    """Read one member of a class's download; ``inside`` is its path within the submission."""
    _Member(intake, archive, member, "", inside).read(depth=0)


class _Member:
    """One member of a zip on its way into the intake."""

    def __init__(
        self,
        intake: Intake,
        archive: zipfile.ZipFile,
        member: zipfile.ZipInfo,
        base: str,
        inside: str | None = None,
    ) -> None:
        self._intake = intake
        self._archive = archive
        self._member = member
        self._inside = member_path(member) if inside is None else inside
        self._path = str(PurePosixPath(base, *_usual_parts(self._inside)))

    def read(self, depth: int) -> None:
        """Read the member, if it is safe and wanted; a zip in the zip is opened in its turn."""
        parts = _usual_parts(self._inside)
        is_nobodys = any((is_ignored(part) and part != "..") or is_installed(part) for part in parts)
        if is_nobodys or self._inside.endswith("/"):
            return
        refusal = self._refusal(depth)
        if refusal:
            self._intake.problem(f"{shown(self._path)} {refusal}")
            return
        if not self._intake.wants(self._path):
            return
        try:
            with self._archive.open(self._member) as stream:
                data = self._intake.read(stream, self._path, self._member.file_size)
        except Exception:  # for a damaged member zipfile raises nearly anything
            self._intake.problem(f"{shown(self._path)} is damaged inside its zip: ask for it again")
            return
        if data is not None and ending(self._path) == ".zip":
            read_zip(self._intake, io.BytesIO(data), self._path, self._path, depth + 1)
        elif data is not None:
            self._intake.keep(self._path, data)

    def _refusal(self, depth: int) -> str:
        is_absolute = self._inside.startswith("/") or self._inside[1:2] == ":"
        if is_absolute or ".." in self._inside.split("/"):
            self._path = self._inside
            return "points outside its zip and was left out: ask for a zip of the folder itself"
        if stat.S_ISLNK(self._member.external_attr >> 16):
            return "is a link, and links are not followed: ask for the file itself"
        if self._member.flag_bits & _ENCRYPTED:
            return "is locked with a password: ask for the submission without one"
        if self._member.compress_type not in _METHODS:
            return "is packed with a method that is not opened: unpack it by hand"
        if ending(self._path) == ".zip" and depth >= MAX_ZIP_DEPTH:
            return f"lies more than {MAX_ZIP_DEPTH} zips deep and was not opened: unpack it by hand"
        return ""


def member_path(member: zipfile.ZipInfo) -> str:
    """Return the member's path with ``/``; a name that is UTF-8 without saying so is read as UTF-8."""
    name = member.filename
    if not member.flag_bits & _UTF8:
        with contextlib.suppress(UnicodeError):  # else it is in the code page that the zip format names
            name = name.encode("cp437").decode("utf-8")
    return name.replace("\\", "/")


def _usual_parts(path: str) -> list[str]:
    return [part for part in path.split("/") if part not in ("", ".")]
