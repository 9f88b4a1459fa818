"""Find the course on disk and read the metadata of its homeworks."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from msgspec import Meta, field
from msgspec.structs import asdict

from autograder.course.homework import (
    DRILL,
    EXAMPLES,
    THEORY,
    CourseError,
    Homework,
    Task,
    by_number,
)
from autograder.course.questions import QUESTIONS, read_questions
from autograder.course.schema import (
    Amount,
    Name,
    Record,
    Text,
    Texts,
    read_toml,
    refuse_twins,
    wrong,
)
from autograder.sandbox.request import Limits

PACKAGE_HOME = Path(__file__).resolve().parents[2]
METADATA, DEFAULTS = "homework.toml", "course.toml"
EXAMPLE, PICTURE, MASTER = "example.py", "picture.py", "notebook.py"
TELLING = frozenset({EXAMPLE, PICTURE, MASTER})
"""The Python files of a homework's folder that go into handouts and decide no grade."""
Positive = Annotated[float, Meta(gt=0, description="a number above 0")]
Megabytes = Annotated[int, Meta(gt=0, description="a whole number above 0")]
FileName = Annotated[
    str,
    Meta(
        pattern=r"\A[^/\\]+\.py\Z",
        description="the name of a .py file, without a folder",
    ),
]


class _Limits(Record):
    seconds: Positive | None = None
    call_seconds: Positive | None = None
    cpu_seconds: Positive | None = None
    memory_mb: Megabytes | None = None
    answer_mb: Megabytes | None = None


class _CourseFile(Record):
    limits: _Limits = field(default_factory=_Limits)
    hints: Literal["always", "after_published", "never"] | None = None
    questions: Literal["bonus", "counted"] | None = None
    libraries: tuple[Name, ...] = ()


class _Task(Record):
    name: Name
    points: Amount
    summary: Text
    returns: Texts
    value: Text | None = None
    chained: bool = False
    dtype: Literal["bool"] | None = (
        None  # what booleans are expected to be; without it 0 and 1 count as well
    )

    def __post_init__(self) -> None:
        if self.name == THEORY:
            raise wrong(
                "name",
                "another name, for this one is kept for the questions",
                self.name,
            )


class _HomeworkFile(_CourseFile, kw_only=True):
    title: Text
    stub: FileName
    library: Literal["numpy", "torch"]
    tasks: Annotated[
        tuple[_Task, ...],
        Meta(min_length=1, description="tables, each under [[tasks]]"),
    ]
    due: dt.datetime | None = None
    drill: Texts = ()
    further: Text | None = None

    def __post_init__(self) -> None:
        refuse_twins("tasks", "name", (task.name for task in self.tasks))


@dataclass(frozen=True)
class Course:
    """The folders of one course: the instructors', the students' (generated), the stored expected outputs."""

    root: Path

    @property
    def solutions(self) -> Path:
        return self.root / "solutions"

    @property
    def defaults(self) -> Path:
        """The file that says once what holds for every homework; a course may do without."""
        return self.solutions / DEFAULTS

    @property
    def assignments(self) -> Path:
        return self.root / "assignments"

    @property
    def reference_outputs(self) -> Path:
        return self.root / "reference_outputs"

    def homework_ids(self) -> list[str]:
        """The ids of all homeworks, by number; their drills are asked for by name."""
        return sorted(
            (path.parent.name for path in self.solutions.glob(f"*/{METADATA}")),
            key=by_number,
        )

    def homework(self, named: str) -> Homework:
        """Read a homework, or a drill of one: its metadata, the course's defaults, its questions.

        Raises:
            CourseError: there is no such homework, or a file is not TOML, or a key is missing, unknown or of
                the wrong kind.
        """
        whole = self._id_of(named)
        if whole not in self.homework_ids():
            base, _, kind = whole.rpartition("_")
            return self.homework(base).as_drill(f"_{kind}")
        folder = self.solutions / whole
        questions = folder / QUESTIONS
        file = read_toml(folder / METADATA, _HomeworkFile)
        shared = (
            read_toml(self.defaults, _CourseFile)
            if self.defaults.exists()
            else _CourseFile()
        )
        given = [*asdict(shared.limits).items(), *asdict(file.limits).items()]
        return Homework(
            id=folder.name,
            folder=folder,
            title=file.title,
            stub=file.stub,
            library=file.library,
            tasks=tuple(Task(**asdict(task)) for task in file.tasks),
            limits=Limits(**{key: value for key, value in given if value is not None}),
            hints=file.hints or shared.hints or "always",
            due=file.due,
            further=file.further or "",
            libraries=(*shared.libraries, *file.libraries),
            questions=read_questions(questions) if questions.is_file() else (),
            counted=(file.questions or shared.questions) == "counted",
            drill=file.drill,
        )

    def ids(self, named: Iterable[str] | None = None) -> list[str]:
        """The ids of the homeworks that are named, each once; none where nothing is named."""
        return list(dict.fromkeys(map(self._id_of, named or ())))

    def known(self, chosen: Iterable[str]) -> list[Homework]:
        """All homeworks that a file may be for where these are chosen: a drill to mend replaces its homework.

        Raises:
            CourseError: both a homework and its drill are chosen.
        """
        ids = self.ids(chosen)
        drills = {
            one.id.removesuffix(DRILL): one for one in self.homeworks(ids) if one.base
        }
        if both := set(ids) & drills.keys() - {one.id for one in drills.values()}:
            raise CourseError(
                f"{min(both)} and its drill have files of one name: grade one, then the other"
            )
        return [
            *(drills.pop(one.id, one) for one in self.homeworks()),
            *drills.values(),
        ]

    def _id_of(self, text: str) -> str:
        """The id that a text stands for, that of a drill where it ends as one: ``hw1_drill``."""
        known = self.homework_ids()
        base, _, kind = text.rpartition("_")
        is_drill = f"_{kind}" in (DRILL, EXAMPLES) and not any(
            one.startswith(text) for one in known
        )
        return f"{id_named(base, known)}_{kind}" if is_drill else id_named(text, known)

    def homeworks(self, named: Iterable[str] | None = None) -> list[Homework]:
        """The homeworks that are named, each once; all where nothing is named."""
        return [
            self.homework(homework_id)
            for homework_id in self.ids(named) or self.homework_ids()
        ]


def id_named(text: str, known: Collection[str]) -> str:
    """Return the id that a text stands for: itself, else ``hw1`` of ``hw1_…``, else a beginning of only one.

    Raises:
        CourseError: there is no such homework, or there are several; the message lists them.
    """
    alike = [one for one in known if text and one.startswith(text)]
    for found in (
        [text] if text in known else [],
        [o for o in alike if o.startswith(f"{text}_")],
        alike,
    ):
        if len(found) == 1:
            return found[0]
    if alike:
        raise CourseError(f"{text!r} stands for several homeworks: {', '.join(alike)}")
    there = ", ".join(filter(None, known))
    raise CourseError(f"there is no homework {text!r}; known here: {there}")


def find_course(start: Path | None = None, graded: Iterable[Path] = ()) -> Course:
    """Return the course around the folder ``start``, and nowhere else.

    Without a folder it is the one around the current folder, or else the one this package lies in. The files
    of a course run unconfined, so nothing that is ``graded`` (submissions, or folders of them) can be one,
    nor hold one or a part of one.

    Raises:
        CourseError: no folder on the way up holds ``solutions``, or the one that does is graded itself.
    """
    beginning = (start or Path.cwd()).resolve()
    elsewhere = () if start else (PACKAGE_HOME,)
    submitted = {path.resolve() for path in graded}
    for folder in (beginning, *beginning.parents, *elsewhere):
        if not any(folder.glob(f"solutions/*/{METADATA}")):
            continue
        course = Course(folder)
        tops = (course.solutions, course.reference_outputs)
        places = [
            place.resolve() for top in tops for place in (folder, top, *top.glob("*"))
        ]
        if submitted.isdisjoint(
            around for place in places for around in (place, *place.parents)
        ):
            return course
        if start is not None:
            raise CourseError(
                f"the course {folder} lies in what is graded: name another with --course DIR"
            )
    if Course(beginning).defaults.is_file():
        raise CourseError(
            f"the course {beginning} has no homework yet: `autograder new` begins one"
        )
    remedy = "run this inside the course (the folder with solutions/), or name it with --course DIR"
    raise CourseError(f"no course found at {beginning}: {remedy}")
