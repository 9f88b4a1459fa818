"""The misconceptions of a homework, as ``misconceptions.toml`` lists them, each an edit of the solution."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from autograder.course import CourseError, Homework, Table
from autograder.judging.edits import Edit, Solution

CATALOGUE = "misconceptions.toml"
HELPERS = "helpers"
KEYS = ("says", "edits", "body", "tasks", "excludes", "alone", "about_size")


@dataclass(frozen=True)
class Misconception:
    """One known mistake.

    ``says`` is the sentence for the student: what the code does and what the formula asks, never the
    solution. ``edits`` are what it changes in the reference solution, ``tasks`` where that shows.
    ``excludes`` names mistakes that are not looked for together with this one, ``alone`` all of them.
    ``about_size`` says that a size is fixed: where the code reads a size from outside the function, naming
    what it reads is the better reason.
    """

    id: str
    tasks: tuple[str, ...]
    says: str
    edits: frozenset[Edit] = frozenset()
    excludes: frozenset[str] = frozenset()
    alone: bool = False
    about_size: bool = False

    def goes_with(self, other: Misconception) -> bool:
        """Whether both can be made, and told, together; not where one makes all edits of the other."""
        apart = self.alone or other.alone or other.id in self.excludes or self.id in other.excludes
        return not (apart or self.edits <= other.edits or other.edits <= self.edits) and not any(
            one.clashes(another) for one in self.edits for another in other.edits
        )


@dataclass(frozen=True)
class Catalogue:
    """The mistakes of a homework by their ids, and the solution that they are edits of."""

    solution: Solution
    mistakes: Mapping[str, Misconception]

    def edits_of(self, labels: Iterable[str]) -> set[Edit]:
        """Return all edits of these mistakes.

        Raises:
            CourseError: there is no such mistake.
        """
        try:
            return {edit for label in labels for edit in self.mistakes[label].edits}
        except KeyError as error:
            raise CourseError(f"{self.solution.path.parent / CATALOGUE} has no mistake {error}") from error


def read_catalogue(homework: Homework) -> tuple[Misconception, ...]:
    """Read a homework's misconceptions; a homework without the file has none.

    Raises:
        CourseError: the file is malformed, or an edit does not fit the solution.
    """
    return tuple(read_edits(homework).mistakes.values())


def read_edits(homework: Homework) -> Catalogue:
    """Read a homework's misconceptions together with the solution that they edit.

    Raises:
        CourseError: the file is malformed, or an edit does not fit the solution.
    """
    path = homework.folder / CATALOGUE
    if not homework.solution.is_file():
        raise CourseError(f"{homework.solution} is missing: mistakes are edits of the reference solution")
    try:
        text = path.read_text(encoding="utf-8") if path.is_file() else ""
        entries = tomllib.loads(text)
        helpers = Table(entries).text(HELPERS) if HELPERS in entries else ""
    except ValueError as error:
        raise CourseError(f"{path}: {error}") from error
    solution = Solution(homework.solution, homework.solution.read_text(encoding="utf-8"), helpers)
    mistakes = {}
    for name in (name for name in entries if name != HELPERS):
        try:
            mistakes[name] = _misconception(name, entries, solution, homework)
        except ValueError as error:
            raise CourseError(f"{path}, line {_line_of(name, text)}: {error}") from error
    return Catalogue(solution, mistakes)


def _misconception(
    name: str, entries: Mapping[str, Any], solution: Solution, homework: Homework
) -> Misconception:
    entry = Table(entries).table(name)
    entry.only(KEYS)
    edits = frozenset(_edits(entry, solution))
    names = [task.name for task in homework.tasks]
    reached = solution.reached_by(edits)
    tasks = entry.texts("tasks") if "tasks" in entry.values else tuple(n for n in names if n in reached)
    excludes = entry.texts("excludes") if "excludes" in entry.values else ()
    for task in sorted(set(tasks) - set(names)):
        raise ValueError(f"{name}.tasks: homework.toml has no task named {task!r}")
    for other in sorted(set(excludes) - set(entries)):
        raise ValueError(f"{name}.excludes: {other!r} is not in this file")
    if not set(tasks) <= reached or not tasks:
        raise ValueError(f"{name}: its edits change {', '.join(sorted(reached)) or 'nothing'}, not its tasks")
    return Misconception(
        id=name,
        tasks=tasks,
        says=" ".join(entry.text("says").split()),
        edits=edits,
        excludes=frozenset(excludes),
        alone=_flag(entry, "alone"),
        about_size=_flag(entry, "about_size"),
    )


def _edits(entry: Table, solution: Solution) -> Iterator[Edit]:
    """Yield the replacements in each function that is named, ``*`` meaning any letters, and the bodies."""
    replacements, bodies = entry.table("edits"), entry.table("body")
    for function, pairs in replacements.values.items():
        if not isinstance(pairs, list) or not all(_is_replacement(pair) for pair in pairs):
            raise replacements.wrong(function, "a list of [text in the solution, text in its place]")
        for name in solution.matching(function):
            yield from (solution.replace(name, old, new) for old, new in pairs)
    for function in bodies.values:
        for name in solution.matching(function):
            yield solution.replace_body(name, bodies.text(function))


def _is_replacement(pair: object) -> bool:
    return isinstance(pair, list) and list(map(type, pair)) == [str, str] and pair[0] != ""


def _flag(entry: Table, key: str) -> bool:
    value = entry.values.get(key, False)
    if not isinstance(value, bool):
        raise entry.wrong(key, "true or false")
    return value


def _line_of(name: str, text: str) -> int:
    lines = enumerate(text.split("\n"), start=1)
    return next((number for number, line in lines if line.strip() == f"[{name}]"), 1)
