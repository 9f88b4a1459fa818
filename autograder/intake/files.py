"""Read all of one submission into memory: a file, a folder, a zip, and zips within them."""

from __future__ import annotations

import itertools
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from autograder.intake.download import read_part
from autograder.intake.limits import MAX_FOLDER_DEPTH, Intake
from autograder.intake.naming import SUBMISSION_ENDINGS, ending, is_ignored, is_installed, shown
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
        if part.note:
            intake.problem(part.note)
        if part.member:
            with _refusals(intake, part.path.name):
                read_part(intake, part)
        else:
            inside = PurePosixPath(part.inside or part.path.name)
            _read(intake, part.path, inside, inside)
    return intake.result()


def _read(intake: Intake, path: Path, inside: PurePosixPath, base: PurePosixPath) -> None:
    """Read a folder, or a file whose path within the submission is ``inside``."""
    with _refusals(intake, path.name):
        if stat.S_ISDIR(os.lstat(path).st_mode):
            _read_folder(intake, path, PurePosixPath())
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


def _read_folder(intake: Intake, folder: Path, inside: PurePosixPath) -> None:
    """Read a folder's files and then its folders, so that the limits spare what lies on top.

    ``inside`` is its path within the submission.
    """
    with _refusals(intake, str(inside) if inside.parts else folder.name), os.scandir(folder) as listing:
        admitted = itertools.takewhile(lambda _: intake.admits(), listing)
        entries = sorted((one for one in admitted if not is_ignored(one.name)), key=lambda one: one.name)
        entries.sort(key=lambda one: one.is_dir(follow_symlinks=False))
        for entry in entries:
            below = inside / entry.name
            if not entry.is_dir(follow_symlinks=False):
                _read_entry(intake, Path(entry.path), below, below)
            elif is_installed(entry.name):
                continue
            elif len(below.parts) <= MAX_FOLDER_DEPTH:
                _read_folder(intake, Path(entry.path), below)
            else:
                intake.problem(
                    f"{shown(str(below))} lies more than {MAX_FOLDER_DEPTH} folders deep and was not read: "
                    "move the homework's files up"
                )


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
            with open(os.open(path, _FLAGS), "rb") as file:
                if ending(name) == ".zip":
                    read_zip(intake, file, name, str(base))
                elif (data := intake.read(file, name, os.fstat(file.fileno()).st_size)) is not None:
                    intake.keep(name, data)
        elif ending(name) in SUBMISSION_ENDINGS and not stat.S_ISREG(mode):
            intake.problem(f"{shown(name)} is not an ordinary file and was left out: replace it by a copy")
