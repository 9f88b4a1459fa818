"""The misconceptions of a homework, as ``misconceptions.toml`` lists them, each an edit of the solution.

An edit replaces an exact text inside one function, or the function's whole body. The solution with the edits
of a misconception is its mutant.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any

from msgspec import Meta, field

from autograder.course.homework import CourseError, Homework
from autograder.course.schema import (
    Record,
    Text,
    Texts,
    parse_toml,
    read_text,
    read_toml,
    typed,
)
from autograder.reasons.source_text import Edit, SourceText, clash

CATALOGUE = "misconceptions.toml"
HELPERS = "helpers"
Replacements = Annotated[
    dict[str, tuple[tuple[str, str], ...]],
    Meta(
        description="for each function a list of [text in the solution, text in its place]"
    ),
]
Bodies = Annotated[
    dict[str, Text], Meta(description="for each function a text that is not blank")
]


@dataclass(frozen=True)
class Misconception:
    """One known mistake, or one form of it.

    Attributes:
        id: its name in the file; that of a form is ``mistake/form``.
        tasks: names of the tasks in which it shows.
        says: the sentence for the student: what the code does and what the formula asks, never the solution.
        edits: what it changes in the reference solution.
        excludes: misconceptions that are not looked for together with this one.
        alone: whether these are all others.
        about_size: it fixes a size. Where the code reads a size from outside the function, naming what it
            reads is the better reason.
        by_exception: the exception it raises proves it, whatever the code would do after it.
    """

    id: str
    tasks: tuple[str, ...]
    says: str
    edits: frozenset[Edit] = frozenset()
    excludes: frozenset[str] = frozenset()
    alone: bool = False
    about_size: bool = False
    by_exception: bool = False

    def goes_with(self, other: Misconception) -> bool:
        """Return whether both can be made, and explained, together.

        Where one makes all edits of the other, the other is no further mistake.
        """
        if self.alone or other.alone:
            return False
        if other.id in self.excludes or self.id in other.excludes:
            return False
        if self.edits <= other.edits or other.edits <= self.edits:
            return False
        return not clash(self.edits, other.edits)


@dataclass(frozen=True)
class Catalogue:
    """The misconceptions of a homework by their ids, and the solution that they are edits of."""

    solution: SourceText
    mistakes: Mapping[str, Misconception]

    def edits_of(self, labels: Iterable[str]) -> set[Edit]:
        """Return all edits of some misconceptions.

        Raises:
            CourseError: there is no misconception of that id.
        """
        edits: set[Edit] = set()
        try:
            for label in labels:
                edits |= self.mistakes[label].edits
        except KeyError as error:
            path = self.solution.path.parent / CATALOGUE
            raise CourseError(f"{path} has no mistake {error}") from error
        return edits


# The file


class _MistakeEntry(Record):
    # A docstring would replace the word "table" in messages.
    says: Text
    edits: Replacements = field(default_factory=dict)
    body: Bodies = field(default_factory=dict)
    tasks: Texts | None = None
    excludes: Texts = ()
    alone: bool = False
    about_size: bool = False
    by_exception: bool = False


def read_catalogue(homework: Homework) -> tuple[Misconception, ...]:
    """Read a homework's misconceptions; a homework without the file has none.

    Raises:
        CourseError: the file is malformed, or an edit does not fit the solution.
    """
    return tuple(read_edits(homework).mistakes.values())


def read_edits(homework: Homework) -> Catalogue:
    """Read a homework's misconceptions together with the solution that they edit.

    Those of a drill are its homework's.

    Raises:
        CourseError: the file is malformed, or an edit does not fit the solution.
    """
    homework = homework.base or homework
    path = homework.folder / CATALOGUE
    if not homework.solution.is_file():
        raise CourseError(
            f"{homework.solution} is missing: mistakes are edits of the reference "
            "solution"
        )
    catalogue = _catalogue(
        path,
        read_text(path) if path.is_file() else "",
        homework.solution,
        homework.solution.read_text(encoding="utf-8"),
        tuple(task.name for task in homework.tasks),
    )
    translation = homework.language.path(path)
    if not translation.is_file():
        return catalogue
    return _translated(catalogue, translation)


def _translated(catalogue: Catalogue, path: Path) -> Catalogue:
    """Return a catalogue with the sentences of a file, as far as it has them; it lists them by the mistakes' ids.

    Raises:
        CourseError: the file is malformed, or there is no such mistake.
    """
    sentences = read_toml(path, dict[str, Text])
    mistakes = dict(catalogue.mistakes)
    for name, says in sentences.items():
        if name not in mistakes:
            raise CourseError(f"{path}: {CATALOGUE} has no mistake {name!r}")
        mistakes[name] = replace(mistakes[name], says=" ".join(says.split()))
    return Catalogue(catalogue.solution, mistakes)


@lru_cache(maxsize=64)  # every wrong answer asks for the edits of its mistakes
def _catalogue(
    path: Path,
    catalogue_text: str,
    solution_path: Path,
    solution_text: str,
    task_names: tuple[str, ...],
) -> Catalogue:
    """Return the misconceptions in a catalogue's text, as edits of a solution's text."""
    entries = parse_toml(catalogue_text, dict[str, Any], str(path))
    helpers = ""
    if HELPERS in entries:
        helpers = typed(entries.pop(HELPERS), Text, str(path), HELPERS)
    solution = SourceText(solution_path, solution_text, helpers)
    lines_of_tables = _lines_of_tables(catalogue_text)
    mistakes = {}
    troubles = []
    for name, values in entries.items():
        # A table's head may be written in another way, such as with spaces: then the file's first line is named.
        place = f"{path}, line {lines_of_tables.get(name, 1)}"
        entry = typed(values, _MistakeEntry, place, name)
        try:
            mistakes[name] = _misconception(name, entry, solution, task_names)
        except ExceptionGroup as errors:
            troubles += [f"{place}: {error}" for error in errors.exceptions]
            continue
        for other in sorted(mistakes[name].excludes - set(entries)):
            troubles.append(f"{place}: {name}.excludes: {other!r} is not in this file")
    if troubles:
        raise CourseError("\n".join(troubles))
    return Catalogue(solution, mistakes)


def _lines_of_tables(text: str) -> dict[str, int]:
    """Return the number of the line on which each table of a TOML file begins."""
    lines: dict[str, int] = {}
    for number, line in enumerate(text.split("\n"), start=1):
        head = line.strip()
        if head.startswith("[") and head.endswith("]"):
            name = head[1:-1].removeprefix('"').removesuffix('"')
            lines.setdefault(name, number)
    return lines


def _misconception(
    name: str, entry: _MistakeEntry, solution: SourceText, task_names: Sequence[str]
) -> Misconception:
    """Make a misconception of a table, with its edits in every function that a pattern means.

    Raises:
        ExceptionGroup: of a ``ValueError`` for each edit that does not fit the solution, or for a task that
            does not exist or is not changed.
    """
    edits = set()
    errors: list[ValueError] = []
    for pattern, replacements in entry.edits.items():
        functions = _matching(solution, pattern, errors)
        for function, (old, new) in itertools.product(functions, replacements):
            try:
                edits.add(solution.replace(function, old, new))
            except ValueError as error:
                errors.append(error)
    for pattern, body in entry.body.items():
        for function in _matching(solution, pattern, errors):
            edits.add(solution.replace_body(function, body))
    if errors:
        raise ExceptionGroup(name, errors)

    reached = solution.reached_by(edits)
    tasks = entry.tasks
    if tasks is None:
        changed_tasks = []
        for task in task_names:
            if task in reached:
                changed_tasks.append(task)
        tasks = tuple(changed_tasks)
    for task in sorted(set(tasks) - set(task_names)):
        errors.append(
            ValueError(f"{name}.tasks: homework.toml has no task named {task!r}")
        )
    if not errors and (not set(tasks) <= reached or not tasks):
        changed = ", ".join(sorted(reached)) or "nothing"
        errors.append(ValueError(f"{name}: its edits change {changed}, not its tasks"))
    if errors:
        raise ExceptionGroup(name, errors)
    return Misconception(
        id=name,
        tasks=tasks,
        says=" ".join(entry.says.split()),
        edits=frozenset(edits),
        excludes=frozenset(entry.excludes),
        alone=entry.alone,
        about_size=entry.about_size,
        by_exception=entry.by_exception,
    )


def _matching(
    solution: SourceText, pattern: str, errors: list[ValueError]
) -> Sequence[str]:
    """Return the functions that a pattern means; if there is none, add the error."""
    try:
        return solution.matching(pattern)
    except ValueError as error:
        errors.append(error)
        return ()
