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
"""Requirements of the kit that grading in the container never imports: handouts, downloads of platforms."""


def gradescope_zip(
    course: Course,
    homeworks: Sequence[Homework],
    chosen: bool,
    seed: int,
    torch_index: str = "",
) -> bytes:
    """Return the bytes of the zip that grades these homeworks, the same for the same files and seed.

    ``chosen`` says whether they are named when grading, so that a lone file counts whatever its name;
    ``torch_index`` is a package index to take torch from besides pip's own.
    """
    files = read_below(PACKAGE, "autograder/")
    for homework in homeworks:
        for top in (course.solutions, course.reference_outputs, course.assignments):
            folder = top / homework.folder.name
            found = read_below(folder, f"{top.name}/{folder.name}/")
            if not found:
                raise CourseError(
                    f"{folder} is missing or empty: "
                    "run `autograder reference build` and `autograder assignments build` first"
                )
            files |= found
    own = (
        course.defaults,
        *(course.root / name for name in (POLICY_FILE, EXTENSIONS, COMMENTS)),
    )
    files |= {
        str(one.relative_to(course.root)): one.read_bytes()
        for one in own
        if one.is_file()
    }
    pins = [folder / CONSTRAINTS for folder in (course.root, PACKAGE_HOME)]
    found_pins = next(filter(Path.is_file, pins), None)
    if found_pins is None:
        raise CourseError(
            f"{pins[0]} is missing: it pins the versions that Gradescope installs; "
            "copy it from the kit, or write one with `pip freeze`"
        )
    files[CONSTRAINTS] = found_pins.read_bytes()
    more = dict.fromkeys(name for homework in homeworks for name in homework.libraries)
    needed = [*requirements({homework.library for homework in homeworks}), *more]
    files["requirements.txt"] = "".join(f"{line}\n" for line in needed).encode()
    named = " ".join(f"--homework {shlex.quote(one.id)}" for one in homeworks if chosen)
    index = f"--extra-index-url {shlex.quote(torch_index)} " if torch_index else ""
    values = {"options": f"--seed {seed} {named}".rstrip(), "torch_index": index}
    for name in SCRIPTS:
        files[name] = render("autograder.authoring", name, **values).encode()
    return zipped(files, executable=SCRIPTS)


def requirements(libraries: Collection[str]) -> list[str]:
    """Return what the kit needs, as ``pip`` reads it, to grade homeworks of these libraries.

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
