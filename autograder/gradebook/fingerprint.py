"""Origin of a grade: submission, graders, run. While the first two are unchanged, it stays valid."""

from __future__ import annotations

import hashlib
import os
import platform
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from autograder import __version__
from autograder.course.course import HANDOUT_FILES, Course
from autograder.course.homework import LIBRARIES
from autograder.intake.files import read_files
from autograder.intake.submission import SubmissionPart

PACKAGE = Path(__file__).resolve().parents[1]
DECIDING = (".py", ".toml", ".json")
"""Endings of files that decide a grade, if they are not only for the handout."""


@dataclass(frozen=True)
class Run:
    """One command that grades: its isolation level, seed and graders, how many at once, and its arguments.

    ``homeworks`` are those asked for by name. Of ``entries`` submissions ``done`` have a valid grade already.
    """

    level: str
    seed: int
    graders: str
    jobs: int
    command: str
    homeworks: tuple[str, ...] = ()
    entries: int = 0
    done: int = 0


@dataclass(frozen=True)
class Origin:
    """The origin of a grade: its path, fingerprints of submission and graders, facts about its run."""

    content: str
    graders: str
    seed: int | None = None
    versions: Mapping[str, str] = field(default_factory=dict)
    path: str = ""


def fingerprint_submission(path: Path, parts: Sequence[SubmissionPart] = ()) -> str:
    """Return a hash of a submission: the files that a grader reads of it, and those that it refuses."""
    read = read_files(path, *parts)
    name = "" if parts else path.name
    listing = (name, read.problems, read.others, read.other_names)
    total = hashlib.sha256(repr(listing).encode())
    for file in read.files:
        digest = hashlib.sha256(file.data).digest()
        total.update(file.path.encode() + b"\0" + digest)
    return total.hexdigest()


def fingerprint_graders(course: Course, seed: int, homeworks: Iterable[str]) -> str:
    """Return a hash of all that decides a grade: engine, checks, cases, reference outputs, libraries, seed.

    The whole package is in it, so that any change of the kit grades a class again: which modules a verdict depends
    on is not known from outside, and a grade of other rules must never pass for one of today's.
    """
    total = hashlib.sha256()
    for root in (PACKAGE, course.solutions, course.reference_outputs):
        for path in sorted(_files_that_decide(root, course), key=_parts):
            name = path.removeprefix(f"{root.parent}{os.sep}")
            with open(path, "rb") as file:
                digest = hashlib.sha256(file.read()).digest()
            total.update(name.encode() + b"\0" + digest)
    for homework in course.homeworks():
        if homework.data:
            total.update(f"{homework.id} {homework.data_files.digest}".encode())
    settings = f"{seed} {sorted(homeworks)} {sys.version} {versions()}"
    return hashlib.sha256((total.hexdigest() + settings).encode()).hexdigest()


def _files_that_decide(root: Path, course: Course) -> Iterator[str]:
    """Yield the paths of the files below a folder that decide a grade; ``Path`` would take twice as long."""
    for folder, _, names in os.walk(root):
        is_homework = os.path.dirname(folder) == str(course.solutions)
        for name in names:
            stem, ending = os.path.splitext(name)
            name_in_english = stem.partition(".")[0] + ending
            is_for_handout = is_homework and name_in_english in HANDOUT_FILES
            path = os.path.join(folder, name)
            if ending in DECIDING and not is_for_handout and os.path.isfile(path):
                yield path


def _parts(path: str) -> list[str]:
    """Return the sort key of a path, by which the files of a folder stay together."""
    return path.split(os.sep)


def versions() -> dict[str, str]:
    """Return the versions of the kit, of Python and of the libraries here that bear on a grade."""
    versions = {"kit": __version__, "python": platform.python_version()}
    for name in LIBRARIES:
        if find_spec(name):
            versions[name] = version(name)
    return versions
