"""Build the zip for Gradescope: the kit, the course files that grading needs, and two scripts."""

from __future__ import annotations

import importlib.metadata
import itertools
import re
import shlex
from collections.abc import Collection, Sequence
from pathlib import Path

import autograder
from autograder.archives import read_below, zipped
from autograder.course.course import PACKAGE_HOME, Course
from autograder.course.homework import CourseError, Homework
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
    settings = [
        course.defaults,
        course.root / POLICY_FILE,
        course.root / EXTENSIONS,
        course.root / COMMENTS,
    ]
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

    options = [f"--seed {seed}"]
    main_libraries = set()
    extra_libraries: list[str] = []
    for homework in homeworks:
        main_libraries.add(homework.library)
        extra_libraries.extend(homework.allowed_modules)
        if chosen:
            options.append(f"--homework {shlex.quote(homework.id)}")
    needed = [*requirements(main_libraries), *dict.fromkeys(extra_libraries)]
    lines = [f"{requirement}\n" for requirement in needed]
    files["requirements.txt"] = "".join(lines).encode()

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
    unneeded_names = AUTHORING | ({"torch"} - set(libraries))
    unneeded = re.compile(rf";.*\bextra\b|^({'|'.join(unneeded_names)})\b(?!-)")
    return sorted(itertools.filterfalse(unneeded.search, lines))
