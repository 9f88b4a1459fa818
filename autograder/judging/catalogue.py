"""The misconceptions of a homework, as ``misconceptions.toml`` lists them, each an edit of the solution."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from msgspec import Meta, field

from autograder.course import CourseError, Homework, Record, Text, Texts, read_toml, typed
from autograder.judging.edits import Edit, Solution

CATALOGUE = "misconceptions.toml"
HELPERS = "helpers"
Replacements = Annotated[
    dict[str, tuple[tuple[str, str], ...]],
    Meta(description="for each function a list of [text in the solution, text in its place]"),
]
Bodies = Annotated[dict[str, Text], Meta(description="for each function a text that is not blank")]


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
    entries = read_toml(path, dict[str, Any]) if path.is_file() else {}
    helpers = typed(entries.pop(HELPERS), Text, str(path), HELPERS) if HELPERS in entries else ""
    solution = Solution(homework.solution, homework.solution.read_text(encoding="utf-8"), helpers)
    lines = path.read_text(encoding="utf-8").split("\n") if entries else []
    mistakes = {}
    for name, values in entries.items():
        line = next((number for number, one in enumerate(lines, 1) if one.strip() == f"[{name}]"), 1)
        place = f"{path}, line {line}"
        entry = typed(values, _Entry, place, name)
        try:
            mistakes[name] = _misconception(name, entry, solution, homework)
        except ValueError as error:
            raise CourseError(f"{place}: {error}") from error
        for other in sorted(mistakes[name].excludes - set(entries)):
            raise CourseError(f"{place}: {name}.excludes: {other!r} is not in this file")
    return Catalogue(solution, mistakes)


class _Entry(Record):
    says: Text
    edits: Replacements = field(default_factory=dict)
    body: Bodies = field(default_factory=dict)
    tasks: Texts | None = None
    excludes: Texts = ()
    alone: bool = False
    about_size: bool = False


def _misconception(name: str, entry: _Entry, solution: Solution, homework: Homework) -> Misconception:
    """Make the edits, in every function that a name such as ``self_attention_*`` means."""
    replaced = (
        solution.replace(function, old, new)
        for pattern, pairs in entry.edits.items()
        for function in solution.matching(pattern)
        for old, new in pairs
    )
    rewritten = (
        solution.replace_body(function, body)
        for pattern, body in entry.body.items()
        for function in solution.matching(pattern)
    )
    edits = frozenset([*replaced, *rewritten])
    reached = solution.reached_by(edits)
    names = [task.name for task in homework.tasks]
    tasks = tuple(one for one in names if one in reached) if entry.tasks is None else entry.tasks
    for task in sorted(set(tasks) - set(names)):
        raise ValueError(f"{name}.tasks: homework.toml has no task named {task!r}")
    if not set(tasks) <= reached or not tasks:
        raise ValueError(f"{name}: its edits change {', '.join(sorted(reached)) or 'nothing'}, not its tasks")
    says = " ".join(entry.says.split())
    return Misconception(name, tasks, says, edits, frozenset(entry.excludes), entry.alone, entry.about_size)
