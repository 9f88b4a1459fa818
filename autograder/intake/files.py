"""Read all of one submission into memory: a file, a folder, a zip, and zips within them."""

from __future__ import annotations

import itertools
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from zipfile import BadZipFile

from autograder.intake.download import opened
from autograder.intake.limits import MAX_FOLDER_DEPTH, Intake
from autograder.intake.naming import (
    SUBMISSION_ENDINGS,
    ending,
    is_ignored,
    is_installed,
)
from autograder.intake.submission import ReadResult, SubmissionPart
from autograder.intake.zips import read_zip

# For reading. Windows knows neither of the first two; elsewhere they refuse links and never wait for a pipe.
FLAGS = (
    getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_BINARY", 0)
)
_REMEDIES = {
    FileNotFoundError: (
        "vanished while it was read: hand it in again",
        "grade it again",
    ),
    PermissionError: (
        "cannot be read (permission denied): hand in a copy",
        "change its permissions",
    ),
}


def read_files(path: Path, *parts: SubmissionPart) -> ReadResult:
    """Return the ``.py`` and ``.ipynb`` files of a submission; never raises for what a student sent.

    Links are not followed. Files of other kinds are only counted, and what breaks a limit is left out;
    ``problems`` says so, with the remedy. The path of a lone file, or of a zip's member, is the one inside.
    With ``parts`` the submission is gathered from these pieces of a class's download.
    """
    intake = Intake()
    for part in parts or (SubmissionPart(path),):
        if part.note:
            intake.problem(part.note)
        if part.member:
            with _refusals(intake, part.path.name):
                opened(part.path).into(intake, part)
        else:
            is_folder = os.path.isdir(part.path) and not os.path.islink(part.path)
            inside = "" if is_folder else part.inside or part.path.name
            _read(intake, part.path, inside, base=inside if parts else "")
    return intake.result()


@contextmanager
def _refusals(intake: Intake, name: str) -> Iterator[None]:
    """Turn the refusals of the operating system, and of a downloaded zip, into problems."""
    try:
        yield
    except BadZipFile:
        intake.problem(
            "cannot be opened as a zip any more: hand it in again",
            name,
            "download it again",
        )
    except OSError as error:
        reason = (
            f"cannot be read ({error.strerror}): hand it in again",
            "ask for it again",
        )
        text, remedy = _REMEDIES.get(type(error), reason)
        intake.problem(text, name, remedy)


def _read(intake: Intake, path: Path, inside: str, base: str) -> None:
    """Read a file or folder as ``inside`` in the submission; a zip's members are named below ``base``."""
    with _refusals(intake, inside or path.name):
        mode = os.lstat(
            path
        ).st_mode  # asked first, for a device may act when it is opened
        if stat.S_ISDIR(mode):
            _read_folder(intake, path, inside)
        elif stat.S_ISLNK(mode):
            intake.problem(
                "is a link, and links are not followed: put the file itself in its place",
                inside,
            )
        elif intake.wants(inside) and stat.S_ISREG(mode):
            with open(os.open(path, FLAGS), "rb") as file:
                if ending(inside) == ".zip":
                    read_zip(intake, file, inside, base)
                elif (
                    data := intake.read(file, inside, os.fstat(file.fileno()).st_size)
                ) is not None:
                    intake.keep(inside, data)
        elif ending(inside) in SUBMISSION_ENDINGS and not stat.S_ISREG(mode):
            intake.problem(
                "is not an ordinary file and was left out: replace it by a copy", inside
            )


def _read_folder(intake: Intake, folder: Path, inside: str) -> None:
    """Read a folder's files and then its folders, so that the limits spare what lies on top."""
    with os.scandir(folder) as listing:
        found = itertools.takewhile(lambda _: intake.admits(), listing)
        entries = [
            (one.is_dir(follow_symlinks=False), one.name)
            for one in found
            if not is_ignored(one.name)
        ]
    for is_folder, name in sorted(entries):
        below = f"{inside}/{name}" if inside else name
        if is_folder and is_installed(name):
            continue
        if is_folder and below.count("/") >= MAX_FOLDER_DEPTH:
            deep = f"lies more than {MAX_FOLDER_DEPTH} folders deep and was not read"
            intake.problem(f"{deep}: move the homework's files up", below)
        else:
            _read(intake, folder / name, below, below)
