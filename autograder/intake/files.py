"""Read all of one submission into memory: a file, a folder, a zip, and zips within them."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from autograder.intake.download import read_part
from autograder.intake.limits import MAX_FOLDER_DEPTH, Intake
from autograder.intake.naming import HANDIN_ENDINGS, ending, is_ignored, is_installed, shown
from autograder.intake.submission import Part, ReadResult
from autograder.intake.zips import read_zip

# Windows knows neither of the first two; elsewhere they refuse links and never wait for a pipe.
_FLAGS = (
    os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
)
_REMEDIES = {
    FileNotFoundError: "vanished while it was read: grade it again",
    PermissionError: "must not be read: change its permissions",
}


def read_files(path: Path, *parts: Part) -> ReadResult:
    """Return the ``.py`` and ``.ipynb`` files of a submission; never raises for what a student sent.

    Links are not followed. Files of other kinds are only counted, and what breaks a limit is left out;
    ``problems`` says so, with the remedy. The path of a lone file, or of a zip's member, is the one inside.
    With ``parts`` the submission is gathered from these pieces of a class's download.
    """
    intake = Intake()
    if not parts:
        _read(intake, path, PurePosixPath(path.name), PurePosixPath())
    for part in parts:
        _read_piece(intake, part)
    return intake.result()


def _read_piece(intake: Intake, part: Part) -> None:
    if part.note:
        intake.problem(part.note)
    if part.member:
        with _refusals(intake, part.path.name):
            read_part(intake, part)
    else:
        inside = PurePosixPath(part.inside or part.path.name)
        _read(intake, part.path, inside, inside)


def _read(intake: Intake, path: Path, inside: PurePosixPath, base: PurePosixPath) -> None:
    """Read what somebody named: a folder, or a file with its path within the submission."""
    with _refusals(intake, path.name):
        if stat.S_ISDIR(os.lstat(path).st_mode):
            _Walk(intake).folder(path, PurePosixPath())
        else:
            _read_entry(intake, path, inside, base)


@contextmanager
def _refusals(intake: Intake, name: str) -> Iterator[None]:
    """Turn the operating system's refusals into problems."""
    try:
        yield
    except OSError as error:
        reason = _REMEDIES.get(type(error), f"cannot be read ({error.strerror}): ask for it again")
        intake.problem(f"{shown(name)} {reason}")


class _Walk:
    """The way through a folder: a folder's files first, so that the limits spare what lies on top."""

    def __init__(self, intake: Intake) -> None:
        self._intake = intake

    def folder(self, folder: Path, inside: PurePosixPath) -> None:
        """Read a folder's files and then its folders; ``inside`` is its path within the submission."""
        with (
            _refusals(self._intake, str(inside) if inside.parts else folder.name),
            os.scandir(folder) as listing,
        ):
            entries = sorted(self._counted(listing), key=lambda entry: entry.name)
            entries.sort(key=lambda entry: entry.is_dir(follow_symlinks=False))
            for entry in entries:
                read = self._deeper if entry.is_dir(follow_symlinks=False) else self._file
                read(entry, inside / entry.name)

    def _counted(self, listing: Iterator[os.DirEntry[str]]) -> Iterator[os.DirEntry[str]]:
        for entry in listing:
            if not self._intake.admits():
                return
            if not is_ignored(entry.name):
                yield entry

    def _file(self, entry: os.DirEntry[str], inside: PurePosixPath) -> None:
        _read_entry(self._intake, Path(entry.path), inside, inside)

    def _deeper(self, entry: os.DirEntry[str], inside: PurePosixPath) -> None:
        if is_installed(entry.name):
            return
        if len(inside.parts) > MAX_FOLDER_DEPTH:
            self._intake.problem(
                f"{shown(str(inside))} lies more than {MAX_FOLDER_DEPTH} folders deep and was not read: "
                "move the homework's files up"
            )
        else:
            self.folder(Path(entry.path), inside)


def _read_entry(intake: Intake, path: Path, inside: PurePosixPath, base: PurePosixPath) -> None:
    """Read one file; the members of a zip are named below ``base``."""
    name = str(inside)
    with _refusals(intake, name):
        mode = os.lstat(path).st_mode  # asked first, for a device may act when it is opened
        if stat.S_ISLNK(mode):
            intake.problem(
                f"{shown(name)} is a link, and links are not followed: put the file itself in its place"
            )
        elif intake.wants(name) and stat.S_ISREG(mode):
            with _open(path) as file:
                _take(intake, file, name, str(base))
        elif ending(name) in HANDIN_ENDINGS and not stat.S_ISREG(mode):
            intake.problem(f"{shown(name)} is not an ordinary file and was left out: replace it by a copy")


def _take(intake: Intake, file: BinaryIO, name: str, base: str) -> None:
    if ending(name) == ".zip":
        read_zip(intake, file, name, base)
    elif (data := intake.read(file, name, os.fstat(file.fileno()).st_size)) is not None:
        intake.keep(name, data)


def _open(path: Path) -> BinaryIO:
    return open(os.open(path, _FLAGS), "rb")
