"""Make the files of a new homework, which pass `autograder check` unchanged.

They are a small working homework, in which every task turns rows into shares, to be replaced line by line. The
templates are in ``templates/new``. Some of the files made are templates themselves, which is why those in
``templates/new`` write ``<< name >>`` and ``<% for … %>``.
"""

from __future__ import annotations

import builtins
import keyword
import re
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from autograder.authoring.assignments import build_assignments
from autograder.authoring.new_course import course_files, from_templates
from autograder.authoring.reference import BuildReport, build_outputs
from autograder.course.course import METADATA, Course
from autograder.course.homework import ANSWERS, DRILL, EXAMPLES, THEORY, CourseError
from autograder.errors import KitError
from autograder.sandbox.pool import SandboxPool
from autograder.worker.inert import PLOTS

ID = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)+")
TAKEN = {
    *sys.stdlib_module_names,
    "numpy",
    "torch",
    "check",
    "conftest",
    "public_checks",
    *PLOTS,
}
"""Modules that a stub of the same name would hide, on students' machines at least."""
OF_A_HOMEWORK = {"cases", "example", "notebook", "oracle", "picture"}
"""Files of a homework that a stub of the same name would overwrite."""
FEWEST = 4
"""The fewest points of a task: one for each check."""
STAGING = ".autograder-new"
"""The folder of a course that holds a new homework while it is written."""


@dataclass(frozen=True)
class NewTask:
    """A function to write; its points are shared out over the four usual checks."""

    name: str
    points: int

    @property
    def checks(self) -> dict[str, int]:
        """The points of each check; the check of sizes gets the remaining points."""
        published = max(1, self.points // 4)
        large = max(1, self.points // 5)
        unchanged = max(1, self.points // 5)
        return {
            "sizes": self.points - published - large - unchanged,
            "published": published,
            "large": large,
            "unchanged": unchanged,
        }


def new_files(
    course: Course,
    homework_id: str,
    tasks: Sequence[str],
    points: Sequence[int],
    library: str,
    title: str,
) -> dict[Path, str]:
    """Return the texts of a new homework, by path; where the course is new, its own files come first.

    Args:
        course: the course.
        homework_id: the id of the homework.
        tasks: the names of its tasks.
        points: one number for each task, or one for all.
        library: what the tasks compute with, numpy or torch.
        title: the title; blank for the words of the id.

    Raises:
        CourseError: the id or a task's name cannot be taken, or the points cannot be shared out.
    """
    refuse_id(course, homework_id)
    refuse_tasks(tasks)
    listed = ",".join(map(str, points))
    if len(points) not in (1, len(tasks)):
        raise CourseError(
            f"--points {listed}: there are {len(points)} numbers for {len(tasks)} tasks; "
            "write one for each task, or one for all"
        )
    if min(points) < FEWEST:
        raise CourseError(
            f"--points {listed}: {min(points)} is too few; "
            f"a task has {FEWEST} checks, and each needs a point"
        )
    if len(points) < len(tasks):
        points = [*points] * len(tasks)
    new_tasks = []
    for name, task_points in zip(tasks, points, strict=True):
        new_tasks.append(NewTask(name, task_points))
    words = homework_id.partition("_")[2]
    values: dict[str, object] = {
        "id": homework_id,
        "title": title or words.replace("_", " ").capitalize(),
        "stub": f"{words}.py",
        "library": library,
        "torch": library == "torch",
        "tasks": new_tasks,
    }
    return files_to_write(course, "homework", values)


def files_to_write(
    course: Course,
    kind: str,
    values: dict[str, object],
) -> dict[Path, str]:
    """Return the texts of a homework, and of a new course, except blank and existing files.

    Args:
        course: the course.
        kind: the templates of the homework, see ``from_templates``.
        values: what the templates are filled with.
    """
    texts = {}
    if not course.homework_ids():
        texts.update(course_files(course))
    texts.update(from_templates(kind, course.root, values))
    files = {}
    for path, text in texts.items():
        if text.strip() and not path.exists():
            files[path] = text
    return files


def write_homework(
    course: Course,
    homework_id: str,
    files: Mapping[Path, str | bytes],
    pool: SandboxPool,
) -> BuildReport:
    """Write a new homework, its expected outputs and the files for students.

    All of it is written into a folder inside the course and moved from there, so that a homework whose
    solution does not run leaves nothing behind.

    Args:
        course: the course, which may not exist yet.
        homework_id: the id of the homework.
        files: the contents of its files, by path, see ``new_files``.
        pool: runs its solution.

    Raises:
        CourseError: its files are wrong, or its solution does not run; nothing has been written.
    """
    staged = Course(course.root / STAGING)
    was_there = course.root.is_dir()
    shutil.rmtree(staged.root, ignore_errors=True)  # from an attempt that was killed
    try:
        staged.solutions.mkdir(parents=True)
        if course.defaults.is_file():
            shutil.copyfile(course.defaults, staged.defaults)
        for path, content in files.items():
            place = staged.root / path.relative_to(course.root)
            place.parent.mkdir(parents=True, exist_ok=True)
            if isinstance(content, str):
                content = content.encode()
            place.write_bytes(content)
        report = build_outputs(staged, staged.homework(homework_id), pool)
        if not report.refused:
            build_assignments(staged, [homework_id])
        _move(staged, course, homework_id)
    except KitError as error:
        cause = str(error).replace(f"{staged.root}/", "")
        raise CourseError(f"nothing was written: {cause}") from error
    finally:
        shutil.rmtree(staged.root, ignore_errors=True)
        if not was_there and not any(course.root.iterdir()):
            course.root.rmdir()
    return report


def _move(staged: Course, course: Course, homework_id: str) -> None:
    """Move a homework into its course; what makes it a homework comes last."""
    for folder in (course.assignments, course.reference_outputs):
        # Generated files of an earlier homework of this id, which is no longer there.
        shutil.rmtree(folder / homework_id, ignore_errors=True)
    paths = []
    for path in staged.root.rglob("*"):
        if path.is_file():
            paths.append(path)
    paths.sort(key=lambda path: (path.name == METADATA, path))
    for path in paths:
        target = course.root / path.relative_to(staged.root)
        target.parent.mkdir(parents=True, exist_ok=True)
        path.replace(target)


def refuse_id(course: Course, homework_id: str) -> None:
    """Raise ``CourseError`` if a homework of the course cannot have an id."""
    number, _, words = homework_id.partition("_")
    if not ID.fullmatch(homework_id) or homework_id.endswith((DRILL, EXAMPLES)):
        raise CourseError(
            f"{homework_id!r} cannot be the id of a homework: write small letters and digits with a word "
            "after an underscore, as in hw7_moving_averages; _drill and _examples at the end are for drills"
        )
    if words in TAKEN | OF_A_HOMEWORK:
        raise CourseError(
            f"{words}.py would hide a module of that name: choose other words after {number}"
        )
    folder = course.solutions / homework_id
    if folder.exists():
        raise CourseError(f"{folder} already exists: choose another id")
    for other in course.homework_ids():
        if other.partition("_")[0] == number:
            raise CourseError(
                f"{number} already stands for {other}: choose another number"
            )
        if course.homework(other).stub == f"{words}.py":
            raise CourseError(
                f"{words}.py is the file of {other}: choose other words after {number}"
            )


def refuse_tasks(tasks: Sequence[str]) -> None:
    """Raise ``CourseError`` if a function that students write cannot have one of some names."""
    for name in tasks or [""]:
        is_private = name.startswith("_")
        if is_private or not name.isidentifier() or keyword.iskeyword(name):
            raise CourseError(
                f"{name!r} is not a function's name: write --tasks running_sums,moving_means"
            )
        is_taken = name in TAKEN or name in (THEORY, ANSWERS, "np")
        if is_taken or hasattr(builtins, name):
            raise CourseError(
                f"a task cannot be called {name!r}, because that name already has a meaning: rename it"
            )
    if len(set(tasks)) < len(tasks):
        raise CourseError(f"--tasks {','.join(tasks)}: each task needs its own name")
