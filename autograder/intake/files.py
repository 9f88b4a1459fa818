"""Read all of one submission into memory: a file, a folder, a zip, and zips within them."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from zipfile import BadZipFile

from autograder.intake.limits import MAX_FOLDER_DEPTH, Intake
from autograder.intake.naming import (
    SUBMISSION_ENDINGS,
    ending,
    is_ignored,
    is_installed,
)
from autograder.intake.submission import ReadResult, SubmissionPart
from autograder.intake.zips import open_archive, read_zip

# For opening files to read. The first two refuse links and never wait for a pipe; Windows has neither.
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
    """Return the ``.py`` and ``.ipynb`` files of a submission; no submission makes it raise.

    Links are not followed. Files of other kinds are only counted, and files beyond a limit are left out;
    ``problems`` says so, with the remedy.

    Args:
        path: a file, folder or zip.
        parts: if there are any, the submission is gathered from these parts of a class's download instead.
    """
    intake = Intake()
    for part in parts or (SubmissionPart(path),):
        if part.note:
            intake.report(part.note)
        if part.member:
            with _refusals(intake, part.path.name):
                open_archive(part.path).read_part(intake, part)
        else:
            inside = part.inside or part.path.name
            if os.path.isdir(part.path) and not os.path.islink(part.path):
                inside = ""
            _read(intake, part.path, inside, base=inside if parts else "")
    return intake.result()


@contextmanager
def _refusals(intake: Intake, name: str) -> Iterator[None]:
    """Turn errors of the operating system, and of a downloaded zip, into problems."""
    try:
        yield
    except BadZipFile:
        intake.report(
            "cannot be opened as a zip any more: hand it in again",
            name,
            "download it again",
        )
    except OSError as error:
        text = f"cannot be read ({error.strerror}): hand it in again"
        remedy = "ask for it again"
        if type(error) in _REMEDIES:
            text, remedy = _REMEDIES[type(error)]
        intake.report(text, name, remedy)


def _read(intake: Intake, path: Path, inside: str, base: str) -> None:
    """Read a file or folder as ``inside`` in the submission; a zip's members are named below ``base``."""
    with _refusals(intake, inside or path.name):
        # The mode is read first, because a device may act when it is opened.
        mode = os.lstat(path).st_mode
        if stat.S_ISDIR(mode):
            _read_folder(intake, path, inside)
        elif stat.S_ISLNK(mode):
            intake.report(
                "is a link, and links are not followed: put the file itself in its place",
                inside,
            )
        elif intake.start_file(inside) and stat.S_ISREG(mode):
            with open(os.open(path, FLAGS), "rb") as file:
                if ending(inside) == ".zip":
                    read_zip(intake, file, inside, base)
                    return
                size = os.fstat(file.fileno()).st_size
                data = intake.read(file, inside, size)
                if data is not None:
                    intake.keep(inside, data)
        elif ending(inside) in SUBMISSION_ENDINGS and not stat.S_ISREG(mode):
            intake.report(
                "is not an ordinary file and was left out: replace it by a copy", inside
            )


def _read_folder(intake: Intake, folder: Path, inside: str) -> None:
    """Read a folder's files and then its folders, so that the limits spare the files at the top."""
    entries = []
    with os.scandir(folder) as listing:
        for entry in listing:
            if not intake.count_entries(1):
                break
            if not is_ignored(entry.name):
                entries.append((entry.is_dir(follow_symlinks=False), entry.name))
    for is_folder, name in sorted(entries):
        below = name
        if inside:
            below = f"{inside}/{name}"
        if is_folder and is_installed(name):
            continue
        if is_folder and below.count("/") >= MAX_FOLDER_DEPTH:
            intake.report(
                f"is more than {MAX_FOLDER_DEPTH} folders deep and was not read: "
                "move the homework's files up",
                below,
            )
        else:
            _read(intake, folder / name, below, below)
