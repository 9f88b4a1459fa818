"""Origin of a grade: submission, graders, run. While the first two are unchanged, it stays valid."""

from __future__ import annotations

import hashlib
import platform
import sys
from collections.abc import Iterable, Mapping, Sequence
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


@dataclass(frozen=True)
class Run:
    """One grading: its isolation level, seed and graders, how many at once, and by which command.

    ``homeworks`` are those asked for by name; of ``entries`` submissions ``done`` have a valid grade already.
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
    """Return a hash of the files that a grader reads of an entry, under its limits, and of those it refuses."""
    read = read_files(path, *parts)
    name = "" if parts else path.name
    listing = (name, read.problems, read.others, read.other_names)
    total = hashlib.sha256(repr(listing).encode())
    for file in read.files:
        digest = hashlib.sha256(file.data).digest()
        total.update(file.path.encode() + b"\0" + digest)
    return total.hexdigest()


def fingerprint_graders(course: Course, seed: int, homeworks: Iterable[str]) -> str:
    """Return a hash of all that decides a grade: engine, checks, cases, reference outputs, libraries, seed."""
    total = hashlib.sha256()
    for root in (PACKAGE, course.solutions, course.reference_outputs):
        for file in sorted(root.rglob("*")):
            name_in_english = file.name.partition(".")[0] + file.suffix
            is_for_handout = (
                name_in_english in HANDOUT_FILES
                and file.parent.parent == course.solutions
            )
            decides = file.suffix in (".py", ".toml", ".json") and not is_for_handout
            if decides and file.is_file():
                name = str(file.relative_to(root.parent))
                digest = hashlib.sha256(file.read_bytes()).digest()
                total.update(name.encode() + b"\0" + digest)
    for homework in course.homeworks():
        if homework.data:
            total.update(f"{homework.id} {homework.data_files.digest}".encode())
    settings = f"{seed} {sorted(homeworks)} {sys.version} {versions()}"
    return hashlib.sha256((total.hexdigest() + settings).encode()).hexdigest()


def versions() -> dict[str, str]:
    """Return the versions of the kit, of Python and of the libraries here that bear on a grade."""
    installed = []
    for name in LIBRARIES:
        if find_spec(name):
            installed.append(name)
    libraries = {name: version(name) for name in installed}
    return {"kit": __version__, "python": platform.python_version(), **libraries}
