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
    CELEBRATION,
    DRILL,
    EXAMPLES,
    THEORY,
    CourseError,
    Homework,
    Task,
    by_number,
)
from autograder.course.questions import (
    QUESTIONS,
    Question,
    read_questions,
    translated_questions,
)
from autograder.course.schema import (
    Amount,
    Name,
    Record,
    Text,
    Texts,
    read_toml,
    refuse_duplicates,
    wrong_value,
)
from autograder.language import ENGLISH, Language, language_of, places_in
from autograder.sandbox.request import Limits

PACKAGE_HOME = Path(__file__).resolve().parents[2]
METADATA, DEFAULTS = "homework.toml", "course.toml"
TRANSLATIONS = "texts.toml"
"""Translations of a course, or of a homework: in German, this file is called ``texts.de.toml``."""
EXAMPLE, PICTURE, MASTER = "example.py", "picture.py", "notebook.py"
HANDOUT_FILES = frozenset({EXAMPLE, PICTURE, MASTER})
"""The Python files of a homework's folder that go into handouts and do not affect grades."""
LONGEST_CALL = 3600
"""The longest limit of time that a task may have of its own, in seconds."""
Positive = Annotated[float, Meta(gt=0, description="a number above 0")]
SecondsOfCall = Annotated[
    float,
    Meta(
        gt=0,
        le=LONGEST_CALL,
        description=f"seconds, above 0 and at most {LONGEST_CALL:,}",
    ),
]
Megabytes = Annotated[int, Meta(gt=0, description="a whole number above 0")]
FileName = Annotated[
    str,
    Meta(
        pattern=r"\A[^/\\]+\.py\Z",
        description="the name of a .py file, without a folder",
    ),
]
LanguageCode = Annotated[
    str,
    Meta(
        pattern=r"\A[a-z]{2,3}(-[A-Z]{2})?\Z",
        description="the code of a language, such as en or de",
    ),
]
DATA_PATH = r"\A(?!.*\.(py|ipynb|pyz|toml|md|html|ini)\Z)(\w[\w. -]*/)*\w[\w. -]*\Z"
"""The paths that data files may have in a homework's folder."""
DataPath = Annotated[
    str,
    Meta(
        pattern=DATA_PATH,
        description="a path in the homework's folder such as models/small.npz, of no file of another use "
        "(.py, .ipynb, .toml, .md)",
    ),
]
MOST_DATA_MB = 10
"""How much the data files of a homework may have together: students download them, and each run reads them."""


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


class _Defaults(_CourseFile):
    title: Text | None = None
    celebration: Text | None = None
    language: LanguageCode | None = None


class _Task(Record):
    name: Name
    points: Amount
    summary: Text
    returns: Texts
    value: Text | None = None
    chained: bool = False
    dtype: Literal["bool", "int"] | None = None
    call_seconds: SecondsOfCall | None = None

    def __post_init__(self) -> None:
        if self.name == THEORY:
            raise wrong_value(
                "name",
                "another name, because this one is reserved for the questions",
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
    data: tuple[DataPath, ...] = ()

    def __post_init__(self) -> None:
        refuse_duplicates("tasks", "name", (task.name for task in self.tasks))


@dataclass(frozen=True)
class Course:
    """The folders of one course: the instructors', the students' (generated), the stored expected outputs."""

    root: Path

    @property
    def solutions(self) -> Path:
        return self.root / "solutions"

    @property
    def defaults(self) -> Path:
        """The file with settings for all homeworks; it may be missing."""
        return self.solutions / DEFAULTS

    @property
    def assignments(self) -> Path:
        return self.root / "assignments"

    @property
    def reference_outputs(self) -> Path:
        return self.root / "reference_outputs"

    @property
    def title(self) -> str:
        """The name that students know the course by; blank where its file gives none."""
        return self.language.translated(self._read_defaults().title or "")

    @property
    def language(self) -> Language:
        """The language that students read: that of the kit, with the translations of the course."""
        return self._language(self._read_defaults())

    def _language(self, defaults: _Defaults) -> Language:
        code = defaults.language or ENGLISH.code
        return _with_translations(language_of(code), self.solutions)

    def _read_defaults(self) -> _Defaults:
        if not self.defaults.exists():
            return _Defaults()
        return read_toml(self.defaults, _Defaults)

    def homework_ids(self) -> list[str]:
        """Return the ids of all homeworks, by number, without drills."""
        ids = [path.parent.name for path in self.solutions.glob(f"*/{METADATA}")]
        return sorted(ids, key=by_number)

    def homework(self, name: str) -> Homework:
        """Read a homework, or a drill of one: its metadata, the course's defaults, its questions.

        Args:
            name: an id, or a beginning of a single one.

        Raises:
            CourseError: there is no such homework, or a file is not TOML, or a key is missing, unknown or of
                the wrong kind.
        """
        ids = self.homework_ids()
        return self._homework(self._id_of(name, ids), ids, self._read_defaults())

    def _homework(
        self, homework_id: str, ids: Collection[str], defaults: _Defaults
    ) -> Homework:
        """Read a homework, or a drill of one of ``ids``, as ``homework`` does."""
        if homework_id not in ids:
            base, _, kind = homework_id.rpartition("_")
            return self._homework(base, ids, defaults).as_drill(f"_{kind}")

        folder = self.solutions / homework_id
        file = read_toml(folder / METADATA, _HomeworkFile)
        language = _with_translations(self._language(defaults), folder)
        translated = language.translated
        # A limit of the homework replaces the course's.
        limits = {}
        for settings in (defaults.limits, file.limits):
            for key, value in asdict(settings).items():
                if value is not None:
                    limits[key] = value
        _refuse_wrong_data(folder, file.data)
        questions: tuple[Question, ...] = ()
        if (folder / QUESTIONS).is_file():
            questions = read_questions(folder / QUESTIONS)
            in_language = language.path(folder / QUESTIONS)
            if in_language.is_file():
                questions = translated_questions(questions, in_language)
        tasks = []
        of_functions = {}
        for task in file.tasks:
            values = asdict(task)
            values["summary"] = translated(task.summary)
            values["returns"] = tuple(map(translated, task.returns))
            tasks.append(Task(**values))
            if task.call_seconds is not None:
                of_functions[task.name] = task.call_seconds
        return Homework(
            id=homework_id,
            folder=folder,
            title=translated(file.title),
            stub=file.stub,
            library=file.library,
            tasks=tuple(tasks),
            limits=Limits(**limits, of_functions=of_functions),
            hints=file.hints or defaults.hints or "always",
            due=file.due,
            further=translated(file.further or ""),
            allowed_modules=(*defaults.libraries, *file.libraries),
            questions=questions,
            questions_count=(file.questions or defaults.questions) == "counted",
            drill=file.drill,
            celebration=translated(defaults.celebration or CELEBRATION),
            data=file.data,
            language=language,
        )

    def ids(self, names: Iterable[str] | None = None) -> list[str]:
        """Return the ids that some names stand for, each once; an empty list without names."""
        if not names:
            return []
        all_ids = self.homework_ids()
        return list(dict.fromkeys(self._id_of(name, all_ids) for name in names))

    def homeworks(self, names: Iterable[str] | None = None) -> list[Homework]:
        """Return the homeworks that some names stand for, each once; all of them without names."""
        # The folders are listed and the defaults are read once, not for each homework.
        all_ids = self.homework_ids()
        defaults = self._read_defaults()
        return [
            self._homework(homework_id, all_ids, defaults)
            for homework_id in self.ids(names) or all_ids
        ]

    def possible_homeworks(self, chosen: Iterable[str]) -> list[Homework]:
        """Return all homeworks that a submitted file may be for, if some are chosen to be graded.

        A chosen drill takes the place of its homework, because their files have the same names; other chosen
        drills come last.

        Raises:
            CourseError: both a homework and its drill are chosen.
        """
        ids = self.ids(chosen)
        if not ids:
            return self.homeworks()
        drills = {}
        for homework in self.homeworks(ids):
            if homework.base is not None:
                drills[homework.id.removesuffix(DRILL)] = homework
        for base in sorted(drills):
            # A drill that asks for inputs has a stub of another name, and is listed by its whole id.
            if base in ids and drills[base].id.endswith(DRILL):
                raise CourseError(
                    f"{base} and its drill have files of the same name: grade one, then the other"
                )
        possible = [drills.pop(homework.id, homework) for homework in self.homeworks()]
        return [*possible, *drills.values()]

    def _id_of(self, name: str, ids: Collection[str]) -> str:
        """Return which of the ids a name stands for; ``hw1_drill`` is the drill of the homework ``hw1``."""
        base, _, kind = name.rpartition("_")
        is_homework = any(homework_id.startswith(name) for homework_id in ids)
        if f"_{kind}" in (DRILL, EXAMPLES) and not is_homework:
            return f"{id_of(base, ids)}_{kind}"
        return id_of(name, ids)


def _with_translations(language: Language, folder: Path) -> Language:
    """Return a language with the translations of a folder, if it has any.

    Raises:
        CourseError: the file is wrong, or a translation cannot be filled in like the English sentence.
    """
    path = language.path(folder / TRANSLATIONS)
    if language is ENGLISH or not path.is_file():
        return language
    texts = read_toml(path, dict[str, Text])
    for sentence, translation in texts.items():
        _refuse_wrong_places(path, sentence, translation)
    return language.with_texts(texts)


def _refuse_wrong_places(path: Path, sentence: str, translation: str) -> None:
    """Raise ``CourseError`` if a translation has broken places for values, or others than the sentence."""
    try:
        places = places_in(sentence)
    except ValueError:
        return  # its brackets are no places, as in a line of code
    try:
        unknown = places_in(translation) - places
    except ValueError as error:
        if not places:
            return
        raise CourseError(
            f"{path}: the translation of {sentence!r} has a wrong bracket: {error}"
        ) from error
    if unknown:
        raise CourseError(
            f"{path}: the translation of {sentence!r} asks for {', '.join(sorted(unknown))}, "
            "which the sentence does not have"
        )


def _refuse_wrong_data(folder: Path, names: Iterable[str]) -> None:
    """Raise ``CourseError`` if a data file of a homework is missing, or they are too large together."""
    total = 0
    for name in names:
        path = folder / name
        if not path.is_file():
            raise CourseError(
                f"{path} is missing: {METADATA} lists it under `data`; add the file, or take its name out"
            )
        size = path.stat().st_size
        total += size
        if total > MOST_DATA_MB << 20:
            raise CourseError(
                f"{path} has {size / (1 << 20):.1f} MiB, and with it the data files of {folder.name} have "
                f"{total / (1 << 20):.1f} MiB; at most {MOST_DATA_MB} MiB are allowed: store fewer rows, or "
                "numbers as float32 with np.savez_compressed"
            )


def id_of(name: str, ids: Collection[str]) -> str:
    """Return the id that a name stands for: itself, else ``hw1`` of ``hw1_…``, else a beginning of only one.

    Raises:
        CourseError: there is no such homework, or there are several; the message lists them.
    """
    if name in ids:
        return name
    similar: list[str] = []
    for beginning in (f"{name}_", name):
        similar = []
        for known_id in ids:
            if known_id.startswith(beginning):
                similar.append(known_id)
        if name and len(similar) == 1:
            return similar[0]
    if name and similar:
        raise CourseError(
            f"{name!r} stands for several homeworks: {', '.join(similar)}"
        )
    known = ", ".join(filter(None, ids))
    raise CourseError(f"there is no homework {name!r}; known here: {known}")


def find_course(start: Path | None = None, graded: Iterable[Path] = ()) -> Course:
    """Return the course around a folder.

    Args:
        start: the folder; without it, the course is the one around the current folder, or else the one that
            this package is in.
        graded: submissions, or folders of them. The files of a course run unconfined, so nothing that is
            graded can be a course, nor hold one or a part of one.

    Raises:
        CourseError: no folder on the way up holds ``solutions``, or the one that does is graded itself.
    """
    beginning = (start or Path.cwd()).resolve()
    folders = [beginning, *beginning.parents]
    if start is None:
        folders.append(PACKAGE_HOME)
    graded_paths = {path.resolve() for path in graded}
    for folder in folders:
        if not any(folder.glob(f"solutions/*/{METADATA}")):
            continue
        course = Course(folder)
        if not _overlaps(course, graded_paths):
            return course
        if start is not None:
            raise CourseError(
                f"the course {folder} is inside what is graded: name another with --course DIR"
            )
    if Course(beginning).defaults.is_file():
        raise CourseError(
            f"the course {beginning} has no homework yet: `autograder new` creates one"
        )
    remedy = "run this inside the course (the folder with solutions/), or name it with --course DIR"
    raise CourseError(f"no course found at {beginning}: {remedy}")


def _overlaps(course: Course, graded: Collection[Path]) -> bool:
    """Return whether the course, or a folder or link in it, is one of the paths or inside one."""
    places = [course.root]
    for folder in (course.solutions, course.reference_outputs):
        places += [folder, *folder.glob("*")]
    for place in places:
        real = place.resolve()
        if any(path in graded for path in (real, *real.parents)):
            return True
    return False
