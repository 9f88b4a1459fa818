"""Put together the zip for Gradescope: the kit, the course files that grading needs, and two scripts."""

from __future__ import annotations

import importlib.metadata
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import autograder
from autograder.authoring.release import zipped
from autograder.course import PACKAGE_HOME, Course, CourseError, Homework
from autograder.templates import render

DISTRIBUTION = "attention-homework-kit"
PACKAGE = Path(autograder.__file__).parent
SCRIPTS = ("run_autograder", "setup.sh")
CONSTRAINTS = "constraints.txt"


def gradescope_zip(
    course: Course, homeworks: Sequence[Homework], chosen: bool, torch_index: str = ""
) -> bytes:
    """Return the zip's bytes, the same for the same files.

    Args:
        course: where the homeworks are from.
        homeworks: what the container grades.
        chosen: whether these are named when grading, so that a lone file counts whatever its name.
        torch_index: a package index to take torch from besides pip's own.

    Raises:
        CourseError: a file that grading needs is missing, or the kit's own requirements are unknown.
    """
    files = {f"autograder/{name}": data for name, data in _tree(PACKAGE).items()}
    for homework in homeworks:
        for top in (course.solutions, course.reference_outputs, course.assignments):
            files.update(_course_files(top, homework))
    files[CONSTRAINTS] = _constraints(course)
    files["requirements.txt"] = "".join(f"{line}\n" for line in requirements()).encode()
    named = [homework.id for homework in homeworks] if chosen else []
    files.update(_scripts(named, torch_index))
    return zipped(files, executable=SCRIPTS)


def requirements() -> list[str]:
    """Return what the kit itself needs, as ``pip`` reads it; extras are for other machines.

    Raises:
        CourseError: the kit runs without being installed.
    """
    try:
        lines = importlib.metadata.requires(DISTRIBUTION) or []
    except importlib.metadata.PackageNotFoundError as error:
        raise CourseError(
            f"{DISTRIBUTION} is not installed, so its requirements are unknown: make setup"
        ) from error
    return sorted(line for line in lines if not re.search(r";.*\bextra\b", line))


def _scripts(homeworks: Sequence[str], torch_index: str) -> Iterator[tuple[str, bytes]]:
    named = " ".join(f"--homework {shlex.quote(one)}" for one in homeworks)
    index = f"--extra-index-url {shlex.quote(torch_index)} " if torch_index else ""
    for name in SCRIPTS:
        yield name, render("autograder.authoring", name, homeworks=named, torch_index=index).encode()


def _course_files(top: Path, homework: Homework) -> Mapping[str, bytes]:
    folder = top / homework.id
    files = {f"{top.name}/{homework.id}/{name}": data for name, data in _tree(folder).items()}
    if not files:
        raise CourseError(f"{folder} is missing or empty: run `make reference` and `make assignments` first")
    return files


def _constraints(course: Course) -> bytes:
    for folder in (course.root, PACKAGE_HOME):
        if (folder / CONSTRAINTS).is_file():
            return (folder / CONSTRAINTS).read_bytes()
    raise CourseError(
        f"{course.root / CONSTRAINTS} is missing: it pins the versions that Gradescope installs; "
        "copy it from the kit, or write one with `pip freeze`"
    )


def _tree(folder: Path) -> dict[str, bytes]:
    """Every file below a folder by its path there, but for what tools leave behind."""
    paths = (path for path in sorted(folder.rglob("*")) if path.is_file())
    named = {path.relative_to(folder): path for path in paths}
    return {name.as_posix(): path.read_bytes() for name, path in named.items() if not _is_left_behind(name)}


def _is_left_behind(name: Path) -> bool:
    return any(part.startswith(".") or part == "__pycache__" for part in name.parts)
