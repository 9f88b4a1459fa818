"""Find the course on disk and read the metadata of its homeworks."""

from __future__ import annotations

import datetime as dt
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from autograder.homework.model import CourseError, Homework, Task
from autograder.homework.question_file import QUESTIONS, read_questions
from autograder.homework.questions import THEORY, Question
from autograder.homework.table import Table
from autograder.sandbox.request import Limits

PACKAGE_HOME = Path(__file__).resolve().parents[2]
METADATA = "homework.toml"
EXAMPLE, PICTURE, MASTER = "example.py", "picture.py", "notebook.py"
TELLING = frozenset({EXAMPLE, PICTURE, MASTER})
"""The Python files of a homework's folder that go into handouts and decide no grade."""
HOMEWORK_KEYS = ("title", "stub", "library", "due", "hints", "limits", "tasks")
TASK_KEYS = ("name", "points", "summary", "returns", "value")
LIBRARIES = ("numpy", "torch")
HINT_POLICIES = ("always", "after_published", "never")


@dataclass(frozen=True)
class Course:
    """The folders of one course; ``root`` holds solutions, assignments and reference_outputs."""

    root: Path

    @property
    def solutions(self) -> Path:
        """The instructors' folder."""
        return self.root / "solutions"

    @property
    def assignments(self) -> Path:
        """The students' folder, generated."""
        return self.root / "assignments"

    @property
    def reference_outputs(self) -> Path:
        """The stored expected outputs."""
        return self.root / "reference_outputs"

    def homework_ids(self) -> list[str]:
        """The ids of all homeworks, sorted."""
        return sorted(path.parent.name for path in self.solutions.glob(f"*/{METADATA}"))

    def homework(self, homework_id: str) -> Homework:
        """Read one homework's metadata.

        Raises:
            CourseError: there is no such homework, or its metadata is wrong.
        """
        path = self.solutions / homework_id / METADATA
        if not path.is_file():
            known = ", ".join(self.homework_ids())
            raise CourseError(f"there is no homework {homework_id!r}; this course has: {known}")
        return read_homework(path)

    def homeworks(self, ids: list[str] | None = None) -> list[Homework]:
        """Read the named homeworks, or all of them."""
        return [self.homework(homework_id) for homework_id in ids or self.homework_ids()]


def find_course(start: Path | None = None, graded: Iterable[Path] = ()) -> Course:
    """Return the course around a folder.

    Without a folder it is the one around the current folder, or else the one this package lies in. The files
    of a course run unconfined, so nothing that is graded can be one, nor hold one or a part of one.

    Args:
        start: where to begin; then nowhere else is looked.
        graded: what is graded: submissions, or folders of them.

    Raises:
        CourseError: no folder on the way up holds ``solutions``, or the one that does is graded itself.
    """
    beginning = (start or Path.cwd()).resolve()
    elsewhere = () if start else (PACKAGE_HOME,)
    submitted = {path.resolve() for path in graded}
    for folder in (beginning, *beginning.parents, *elsewhere):
        if not any(folder.glob(f"solutions/*/{METADATA}")):
            continue
        if submitted.isdisjoint(_around(folder)):
            return Course(folder)
        if start is not None:
            raise CourseError(f"the course {folder} lies in what is graded: name another with --course DIR")
    raise CourseError(
        f"no course found at {beginning}: run this inside the course (the folder with solutions/), "
        "or name it with --course DIR"
    )


def _around(root: Path) -> Iterator[Path]:
    """Yield the folders that a course's files lie in, wherever links lead to."""
    course = Course(root)
    tops = (course.solutions, course.reference_outputs)
    for place in (root, *tops, *(one for top in tops for one in top.glob("*"))):
        yield from (place.resolve(), *place.resolve().parents)


def read_homework(path: Path) -> Homework:
    """Read one ``homework.toml``.

    Raises:
        CourseError: the file is no TOML, lacks a key, or holds an unknown key or a value of the wrong kind.
    """
    try:
        return _homework(path.parent, Table(tomllib.loads(path.read_text(encoding="utf-8"))))
    except tomllib.TOMLDecodeError as error:
        raise CourseError(f"{path}: not valid TOML: {error}") from error
    except ValueError as error:
        raise CourseError(f"{path}: {error}") from error


def _homework(folder: Path, table: Table) -> Homework:
    table.only(HOMEWORK_KEYS)
    return Homework(
        id=folder.name,
        folder=folder,
        title=table.text("title"),
        stub=_file_name(table, "stub"),
        library=table.one_of("library", LIBRARIES),
        tasks=_tasks(table),
        limits=_limits(table.table("limits")),
        hints=table.one_of("hints", HINT_POLICIES) if "hints" in table.values else HINT_POLICIES[0],
        due=_date(table, "due"),
        questions=_questions(folder / QUESTIONS),
    )


def _questions(path: Path) -> tuple[Question, ...]:
    """Read the homework's questions; without the file it has none.

    Raises:
        CourseError: the file is no TOML, lacks a key, or holds an unknown key or a value of the wrong kind.
    """
    if not path.is_file():
        return ()
    try:
        return read_questions(path)
    except ValueError as error:  # also TOML's own complaint
        raise CourseError(f"{path}: {error}") from error


def _tasks(table: Table) -> tuple[Task, ...]:
    tasks = tuple(_task(one) for one in table.tables("tasks"))
    name, times = Counter(task.name for task in tasks).most_common(1)[0]
    if times > 1:
        raise ValueError(f"two tasks are named {name!r}")
    return tasks


def _task(table: Table) -> Task:
    table.only(TASK_KEYS)
    if not table.text("name").isidentifier():
        raise table.wrong("name", "the name of a function or class")
    if table.text("name") == THEORY:
        raise table.wrong("name", "another name: this one is kept for the questions")
    return Task(
        name=table.text("name"),
        points=float(table.number("points")),
        summary=table.text("summary"),
        returns=table.texts("returns"),
        value=table.text("value") if "value" in table.values else None,
    )


def _limits(table: Table) -> Limits:
    table.only([one.name for one in fields(Limits)])
    read: dict[str, Any] = {key: table.number(key, whole=key.endswith("_mb")) for key in table.values}
    for key, value in read.items():
        if value == 0:
            raise table.wrong(key, "more than 0")
    return Limits(**read)


def _file_name(table: Table, key: str) -> str:
    name = table.text(key)
    if not name.endswith(".py") or set(name) & set("/\\"):
        raise table.wrong(key, "the name of a .py file, without a folder")
    return name


def _date(table: Table, key: str) -> dt.datetime | None:
    value = table.values.get(key)
    if value is None or isinstance(value, dt.datetime):
        return value
    raise table.wrong(key, "a date and time such as 2027-01-31T23:59:00Z")
