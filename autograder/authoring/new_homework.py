"""Make the files of a new homework, which `autograder check` accepts as they are.

They are a small working homework, in which every task is a row-wise softmax, to be replaced line by line. The
templates lie in ``templates/new``. Some of the files made are templates themselves, which is why those in
``templates/new`` write ``<< name >>`` and ``<% for … %>``.
"""

from __future__ import annotations

import builtins
import keyword
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from autograder.authoring.new_course import course_files, from_templates
from autograder.authoring.notebooks import KITS_PLOTS
from autograder.course.course import Course
from autograder.course.homework import ANSWERS, DRILL, EXAMPLES, THEORY, CourseError

ID = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)+")
TAKEN = {
    *sys.stdlib_module_names,
    "numpy",
    "torch",
    "check",
    "conftest",
    "public_checks",
    KITS_PLOTS.stem,
}
"""Modules that a stub of the same name would hide, on students' machines at least."""
OF_A_HOMEWORK = {"cases", "example", "notebook", "oracle", "picture"}
"""Files of a homework that a stub of the same name would overwrite."""
FEWEST = 4


@dataclass(frozen=True)
class NewTask:
    """A function to write; its points are shared out over the four usual checks."""

    name: str
    points: int

    @property
    def checks(self) -> dict[str, int]:
        shares = {
            "published": self.points // 4,
            "large": self.points // 5,
            "unchanged": self.points // 5,
        }
        at_least = {name: max(1, share) for name, share in shares.items()}
        return {"sizes": self.points - sum(at_least.values()), **at_least}


def new_files(
    course: Course,
    homework_id: str,
    tasks: Sequence[str],
    points: Sequence[int],
    library: str,
    title: str,
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
    values: dict[str, object] = {
        "id": homework_id,
        "title": title or words.replace("_", " ").capitalize(),
        "stub": f"{words}.py",
        "library": library,
        "torch": library == "torch",
        "tasks": [NewTask(*one) for one in zip(tasks, each, strict=True)],
    }
    return written(course, "homework", values)


def written(course: Course, kind: str, values: dict[str, object]) -> dict[Path, str]:
    """Return the files of a homework, and of a new course, except blank files and those that exist."""
    made = {} if course.homework_ids() else course_files(course)
    made |= from_templates(kind, course.root, values)
    return {
        path: text for path, text in made.items() if text.strip() and not path.exists()
    }


def refuse_id(course: Course, homework_id: str) -> None:
    """Raise ``CourseError`` where a homework of the course cannot have this id."""
    number, _, words = homework_id.partition("_")
    if not ID.fullmatch(homework_id) or homework_id.endswith((DRILL, EXAMPLES)):
        raise CourseError(
            f"{homework_id!r} cannot be the id of a homework: write small letters and digits with a word "
            "after an underscore, as in hw7_masked_attention; _drill and _examples at the end are for drills"
        )
    if words in TAKEN | OF_A_HOMEWORK:
        raise CourseError(
            f"{words}.py would hide a module of that name: choose other words after {number}"
        )
    if (course.solutions / homework_id).exists():
        raise CourseError(
            f"{course.solutions / homework_id} is there already: choose another id"
        )
    for one in course.homework_ids():
        if one.partition("_")[0] == number:
            raise CourseError(
                f"{number} stands for {one} already: choose another number"
            )
        if course.homework(one).stub == f"{words}.py":
            raise CourseError(
                f"{words}.py is the file of {one}: choose other words after {number}"
            )


def refuse_tasks(tasks: Sequence[str]) -> None:
    """Raise ``CourseError`` where a function that students write cannot have one of these names."""
    for name in tasks or [""]:
        if not name.isidentifier() or keyword.iskeyword(name) or name.startswith("_"):
            raise CourseError(
                f"{name!r} is not a function's name: write --tasks causal_mask,masked_softmax"
            )
        if (
            name in (THEORY, ANSWERS)
            or name in TAKEN
            or hasattr(builtins, name)
            or name == "np"
        ):
            raise CourseError(
                f"a task cannot be called {name!r}, which means something already: rename it"
            )
    if len(set(tasks)) < len(tasks):
        raise CourseError(
            f"--tasks {','.join(tasks)}: each task needs a name of its own"
        )
