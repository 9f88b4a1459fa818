"""Read zip files that may be damaged, enormous, or made to do harm; and make zips of our own files."""

from __future__ import annotations

import contextlib
import io
import stat
import zipfile
from collections.abc import Collection, Mapping
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from autograder.intake.limits import MAX_ENTRIES, MAX_ZIP_DEPTH, Intake
from autograder.intake.naming import ending, is_ignored, is_installed

MAX_DIRECTORY_BYTES = 16 << 20
UNPACK = "unpack it by hand"
EPOCH = (1980, 1, 1, 0, 0, 0)
UNIX, READABLE, EXECUTABLE = 3, 0o100644 << 16, 0o100755 << 16
_ENTRY = b"PK\x01\x02"
_ENCRYPTED = 0x1
_UTF8 = 0x800
# The decompressors of the other methods write as much as they like per call, so no limit would hold.
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


class _TooLongError(zipfile.BadZipFile):
    """A zip lists more than is read of it."""


class _Guarded:
    """The zip file as ``zipfile`` sees it: the table of contents, read in one go, is kept to a size.

    ``most`` are the entries it may list, counted before ``zipfile`` makes an object of each.
    """

    def __init__(self, file: BinaryIO, most: int) -> None:
        self._file = file
        self.most: int | None = most
        self.seek, self.tell, self.seekable = file.seek, file.tell, file.seekable

    def read(self, size: int = -1, /) -> bytes:
        """Read like the file, but no more than a table of contents at once."""
        if size > MAX_DIRECTORY_BYTES:
            raise _TooLongError
        data = self._file.read(size if size >= 0 else MAX_DIRECTORY_BYTES)
        if self.most is not None and size >= 0 and data.count(_ENTRY) > self.most:
            raise _TooLongError
        return data


def open_zip(file: BinaryIO, most: int = 4 * MAX_ENTRIES) -> zipfile.ZipFile:
    """Open what may be a zip; ``BadZipFile`` where it is none, or its contents are damaged or too long."""
    guarded = _Guarded(file, most)
    try:
        archive = zipfile.ZipFile(guarded)
    except _TooLongError:
        raise
    except Exception as error:  # for a damaged file zipfile raises nearly anything
        raise zipfile.BadZipFile(str(error)) from error
    guarded.most = None
    return archive


def read_zip(
    intake: Intake, file: BinaryIO, name: str, base: str, depth: int = 1
) -> None:
    """Read a zip's members into the intake, named below ``base``; what is wrong becomes a problem."""
    try:
        archive = open_zip(file, intake.entries_left)
    except _TooLongError:
        intake.problem("lists too many files: zip only the homework's own ones", name)
        return
    except zipfile.BadZipFile:
        remedy = "ask for it again or unpack it by hand"
        intake.problem("cannot be opened as a zip: make a new one", name, remedy)
        return
    with archive:
        intake.admits(len(archive.infolist()))
        # Files on top come first, so that the limits spare them; the rest keeps its order.
        for member in sorted(
            archive.infolist(), key=lambda member: member.filename.count("/")
        ):
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
    parts = [part for part in inside.split("/") if part not in ("", ".")]
    is_nobodys = any(
        (is_ignored(part) and part != "..") or is_installed(part) for part in parts
    )
    if is_nobodys or inside.endswith("/"):
        return
    path, refusal, remedy, data = (
        str(PurePosixPath(base, *parts)),
        "",
        "ask for it again",
        None,
    )
    if inside.startswith("/") or inside[1:2] == ":" or ".." in parts:
        path, refusal = (
            inside,
            "points outside its zip and was left out: zip the folder itself",
        )
    elif stat.S_ISLNK(member.external_attr >> 16):
        refusal = (
            "is a link, and links are not followed: put the file itself in its place"
        )
    elif member.flag_bits & _ENCRYPTED:
        refusal = "is locked with a password: hand it in without one"
    elif member.compress_type not in _METHODS:
        refusal, remedy = (
            "is packed with a method that is not opened: make an ordinary zip",
            UNPACK,
        )
    elif ending(path) == ".zip" and depth >= MAX_ZIP_DEPTH:
        refusal = f"lies more than {MAX_ZIP_DEPTH} zips deep and was not opened: leave out the zips around it"
        remedy = UNPACK
    elif intake.wants(path):
        try:
            with archive.open(member) as stream:
                data = intake.read(stream, path, member.file_size)
        except Exception:  # for a damaged member zipfile raises nearly anything
            refusal = "is damaged inside its zip: make a new zip"
    if refusal:
        intake.problem(refusal, path, remedy)
    elif data is not None and ending(path) == ".zip":
        read_zip(intake, io.BytesIO(data), path, path, depth + 1)
    elif data is not None:
        intake.keep(path, data)


def member_path(member: zipfile.ZipInfo) -> str:
    """Return the member's path with ``/``; a name that is UTF-8 without saying so is read as UTF-8."""
    name = member.filename
    if not member.flag_bits & _UTF8:
        with contextlib.suppress(
            UnicodeError
        ):  # else it is in the code page that the zip format names
            name = name.encode("cp437").decode("utf-8")
    return name.replace("\\", "/")


def zipped(
    files: Mapping[str, bytes],
    top: str = "",
    executable: Collection[str] = (),
    ending: str = "",
) -> bytes:
    """Return a zip of the files, in one folder if ``top`` names it; the ``executable`` ones are programs.

    The same files give the same bytes, and the last of them are ``ending``.
    """
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.comment = ending.encode()
        for name, data in sorted(files.items()):
            entry = zipfile.ZipInfo(f"{top}/{name}" if top else name, EPOCH)
            entry.create_system = UNIX
            entry.external_attr = EXECUTABLE if name in executable else READABLE
            archive.writestr(entry, data, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def read_below(folder: Path, under: str = "") -> dict[str, bytes]:
    """Return what is below a folder of ours, by paths that begin with ``under``, without what tools leave."""
    named = {
        path.relative_to(folder): path
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
    return {
        under + name.as_posix(): path.read_bytes()
        for name, path in named.items()
        if not any(part.startswith(".") or part == "__pycache__" for part in name.parts)
    }
