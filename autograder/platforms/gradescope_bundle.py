"""Build the zip for Gradescope: the kit, the course files that grading needs, and two scripts."""

from __future__ import annotations

import importlib.metadata
import re
import shlex
from collections.abc import Collection, Sequence
from pathlib import Path

import autograder
from autograder.course.course import PACKAGE_HOME, Course
from autograder.course.homework import CourseError, Homework
from autograder.intake.zips import read_below, zipped
from autograder.policy.comments import COMMENTS
from autograder.policy.decision_input import EXTENSIONS
from autograder.policy.policy import POLICY_FILE
from autograder.templates import render

DISTRIBUTION = "attention-homework-kit"
PACKAGE = Path(autograder.__file__).parent
SCRIPTS = ("run_autograder", "setup.sh")
CONSTRAINTS = "constraints.txt"
AUTHORING = {"latex2mathml", "markdown-it-py", "mdit-py-plugins", "pyyaml"}
"""Requirements of the kit that grading in the container never imports: for handouts and for downloads."""


def gradescope_zip(
    course: Course,
    homeworks: Sequence[Homework],
    chosen: bool,
    seed: int,
    torch_index: str = "",
) -> bytes:
    """Return the bytes of the zip that grades some homeworks, the same for the same files and seed.

    Args:
        course: the course of the homeworks.
        homeworks: the homeworks to grade.
        chosen: whether they are named when grading, so that a lone file counts whatever its name.
        seed: the seed of fresh cases.
        torch_index: a package index to install torch from, in addition to pip's own.

    Raises:
        CourseError: files that grading needs are missing.
    """
    files = read_below(PACKAGE, "autograder/")
    for homework in homeworks:
        for top in (course.solutions, course.reference_outputs, course.assignments):
            folder = top / homework.folder.name
            folder_files = read_below(folder, f"{top.name}/{folder.name}/")
            if not folder_files:
                raise CourseError(
                    f"{folder} is missing or empty: "
                    "run `autograder reference build` and `autograder assignments build` first"
                )
            files |= folder_files
    settings = [course.defaults]
    settings += [course.root / name for name in (POLICY_FILE, EXTENSIONS, COMMENTS)]
    for path in settings:
        if path.is_file():
            files[str(path.relative_to(course.root))] = path.read_bytes()

    constraints = course.root / CONSTRAINTS
    if not constraints.is_file():
        constraints = PACKAGE_HOME / CONSTRAINTS
    if not constraints.is_file():
        raise CourseError(
            f"{course.root / CONSTRAINTS} is missing: it pins the versions that Gradescope installs; "
            "copy it from the kit, or write one with `pip freeze`"
        )
    files[CONSTRAINTS] = constraints.read_bytes()

    needed = requirements({homework.library for homework in homeworks})
    extra_libraries = dict.fromkeys(
        library for homework in homeworks for library in homework.libraries
    )
    lines = [f"{requirement}\n" for requirement in (*needed, *extra_libraries)]
    files["requirements.txt"] = "".join(lines).encode()

    options = [f"--seed {seed}"]
    if chosen:
        options += [f"--homework {shlex.quote(homework.id)}" for homework in homeworks]
    index_option = ""
    if torch_index:
        index_option = f"--extra-index-url {shlex.quote(torch_index)} "
    values = {"options": " ".join(options), "torch_index": index_option}
    for name in SCRIPTS:
        files[name] = render("autograder.authoring", name, **values).encode()
    return zipped(files, executable=SCRIPTS)


def requirements(libraries: Collection[str]) -> list[str]:
    """Return the kit's requirements, as ``pip`` reads them, for homeworks of these libraries.

    Extras are for other machines.
    """
    try:
        lines = importlib.metadata.requires(DISTRIBUTION) or []
    except importlib.metadata.PackageNotFoundError as error:
        raise CourseError(
            f"{DISTRIBUTION} is not installed, so its requirements are unknown: make setup"
        ) from error
    unneeded = "|".join(AUTHORING | ({"torch"} - set(libraries)))
    return sorted(
        line
        for line in lines
        if not re.search(rf";.*\bextra\b|^({unneeded})\b(?!-)", line)
    )
