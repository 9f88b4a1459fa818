"""Make the files of a new homework, which `autograder check` accepts as they are, and of a course around it.

What they hold is a small working homework, in which every task is a row-wise softmax, to be replaced line by
line. The templates lie in ``templates/new``; some of what they make is a template itself, so that their own
signs are ``<< name >>`` and ``<% for … %>``.
"""

from __future__ import annotations

import builtins
import importlib.metadata
import keyword
import re
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from autograder.authoring.gradescope_bundle import requirements
from autograder.authoring.notebooks import KITS_PLOTS
from autograder.course import (
    ANSWERS,
    CASES,
    DRILL,
    EXAMPLE,
    EXAMPLES,
    MASTER,
    PICTURE,
    THEORY,
    Course,
    CourseError,
    find_course,
)
from autograder.templates import environment

ID = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)+")
OWN = {Path(name).stem for name in (CASES, EXAMPLE, PICTURE, MASTER)} | {"oracle"}
TAKEN = {
    *sys.stdlib_module_names,
    *OWN,
    "numpy",
    "torch",
    "check",
    "conftest",
    "public_checks",
    KITS_PLOTS.stem,
}
"""Files of a homework, and modules that a stub would hide, on students' machines at least."""
FEWEST = 4


@dataclass(frozen=True)
class NewTask:
    """A function to write; its points are shared out over the four usual checks."""

    name: str
    points: int

    @property
    def checks(self) -> dict[str, int]:
        shares = {"published": self.points // 4, "large": self.points // 5, "unchanged": self.points // 5}
        at_least = {name: max(1, share) for name, share in shares.items()}
        return {"sizes": self.points - sum(at_least.values()), **at_least}


def course_to_begin(folder: Path | None) -> Course:
    """Return the course around a folder (by default the current one); an empty folder is to become one.

    Raises:
        CourseError: the folder is neither empty nor in a course.
    """
    place = (folder or Path.cwd()).resolve()
    is_free = not place.exists() or (place.is_dir() and all(one.name[0] == "." for one in place.iterdir()))
    if (folder and is_free) or Course(place).solutions.is_dir():
        return Course(place)
    with suppress(CourseError):
        return find_course(place)
    if not is_free:
        raise CourseError(f"{place} is neither a course nor empty: name a new folder with --course DIR")
    return Course(place)


def new_files(
    course: Course, homework_id: str, tasks: Sequence[str], points: Sequence[int], library: str, title: str
) -> dict[Path, str]:
    """Return the texts to write, by path; where the course is new, its own files come first.

    ``points`` are one number for each task, or one for all.

    Raises:
        CourseError: the id or a task's name cannot be taken, or the points cannot be shared out.
    """
    refuse_id(course, homework_id)
    refuse_tasks(tasks)
    words = homework_id.partition("_")[2]
    if len(points) not in (1, len(tasks)) or min(points) < FEWEST:
        wanted = f"one whole number of at least {FEWEST} (a point for each check), or one for each task"
        raise CourseError(f"--points {','.join(map(str, points))}: write {wanted}")
    each = points if len(points) == len(tasks) else [*points] * len(tasks)
    values = {
        "id": homework_id,
        "title": title or words.replace("_", " ").capitalize(),
        "stub": f"{words}.py",
        "library": library,
        "torch": library == "torch",
        "tasks": [NewTask(*one) for one in zip(tasks, each, strict=True)],
    }
    return rendered(course, "homework", values)


def rendered(course: Course, kind: str, values: Mapping[str, object]) -> dict[Path, str]:
    """Return the files of a homework, and of a course that is new, without blank ones and those there."""
    templates = environment("autograder.authoring").overlay(
        variable_start_string="<<",
        variable_end_string=">>",
        block_start_string="<%",
        block_end_string="%>",
        comment_start_string="<#",
        comment_end_string="#>",
    )
    made: dict[Path, str] = {}
    values = {**values, "pins": _pins()}
    for top in (f"new/{kind}/",) if course.homework_ids() else ("new/course/", f"new/{kind}/"):
        for name in (one for one in templates.list_templates() if one.startswith(top)):
            place = name.removeprefix(top).removesuffix(".jinja").replace("dot.", ".")
            path = course.root / place.replace("STUB", str(values["stub"])).replace("ID", str(values["id"]))
            text = "" if path.exists() else templates.get_template(name).render(values)
            made |= {path: text} if text.strip() else {}
    return made


def refuse_id(course: Course, homework_id: str) -> None:
    """Raise ``CourseError`` where a homework of the course cannot have this id."""
    number, _, words = homework_id.partition("_")
    if not ID.fullmatch(homework_id) or homework_id.endswith((DRILL, EXAMPLES)):
        raise CourseError(
            f"{homework_id!r} cannot be the id of a homework: write small letters and digits, joined by _, "
            "as in hw7_masked_attention; _drill and _examples at the end are kept for drills"
        )
    if words in TAKEN:
        raise CourseError(f"{words}.py would hide a module of that name: choose other words after {number}")
    if (course.solutions / homework_id).exists():
        raise CourseError(f"{course.solutions / homework_id} is there already: choose another id")
    for one in course.homework_ids():
        if one.partition("_")[0] == number:
            raise CourseError(f"{number} stands for {one} already: choose another number")
        if course.homework(one).stub == f"{words}.py":
            raise CourseError(f"{words}.py is the file of {one}: choose other words after {number}")


def refuse_tasks(tasks: Sequence[str]) -> None:
    """Raise ``CourseError`` where a function that students write cannot have one of these names."""
    for name in tasks or [""]:
        if not name.isidentifier() or keyword.iskeyword(name) or name.startswith("_"):
            raise CourseError(f"{name!r} is not a function's name: write --tasks causal_mask,masked_softmax")
        if name in (THEORY, ANSWERS) or name in TAKEN or hasattr(builtins, name) or name == "np":
            raise CourseError(f"a task cannot be called {name!r}, which means something already: rename it")
    if len(set(tasks)) < len(tasks):
        raise CourseError(f"--tasks {','.join(tasks)}: each task needs a name of its own")


def _pins() -> list[str]:
    """The versions here of what the kit needs, without what marks a build, such as ``+cpu``."""
    names = (re.split(r"[^\w.-]", line)[0] for line in requirements({"numpy", "torch"}))
    pins = []
    for name in names:
        with suppress(importlib.metadata.PackageNotFoundError):  # needed on another system
            pins.append(f"{name}=={importlib.metadata.version(name).partition('+')[0]}")
    return pins
