"""The misconceptions of a homework, as ``misconceptions.toml`` lists them."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from autograder.homework.model import CourseError, Homework
from autograder.homework.table import Table

CATALOGUE = "misconceptions.toml"
KEYS = ("id", "tasks", "says", "excludes", "alone", "about_size", "invisible")


@dataclass(frozen=True)
class Misconception:
    """One known mistake.

    ``says`` is the sentence for the student: what the code does and what the formula asks, never the
    solution. ``excludes`` names mistakes that cannot be made together with this one, ``alone`` all of
    them. ``about_size`` says that a size is fixed: where the code reads a size from outside the function,
    naming what it reads is the better reason. In the file, ``invisible`` may note for the instructors where
    the mistake does not show.
    """

    id: str
    tasks: tuple[str, ...]
    says: str
    excludes: frozenset[str] = frozenset()
    alone: bool = False
    about_size: bool = False

    def goes_with(self, other: Misconception) -> bool:
        """Whether both can be made, and told, together."""
        apart = self.alone or other.alone or other.id in self.excludes or self.id in other.excludes
        return not apart


def read_catalogue(homework: Homework) -> tuple[Misconception, ...]:
    """Read a homework's misconceptions; a homework without the file has none.

    Raises:
        CourseError: the file is malformed, or names a task or a mistake that there is not.
    """
    path = homework.folder / CATALOGUE
    if not path.is_file():
        return ()
    try:
        table = Table(tomllib.loads(path.read_text(encoding="utf-8")))
        table.only(["misconceptions"])
        found = tuple(_misconception(entry) for entry in table.tables("misconceptions"))
        _validate(found, [task.name for task in homework.tasks])
    except ValueError as error:
        raise CourseError(f"{path}: {error}") from error
    return found


def _misconception(entry: Table) -> Misconception:
    entry.only(KEYS)
    return Misconception(
        id=entry.text("id"),
        tasks=entry.texts("tasks"),
        says=" ".join(entry.text("says").split()),
        excludes=frozenset(entry.texts("excludes") if "excludes" in entry.values else ()),
        alone=_flag(entry, "alone"),
        about_size=_flag(entry, "about_size"),
    )


def _flag(entry: Table, key: str) -> bool:
    value = entry.values.get(key, False)
    if not isinstance(value, bool):
        raise entry.wrong(key, "true or false")
    return value


def _validate(found: Sequence[Misconception], tasks: Sequence[str]) -> None:
    """Refuse what would silently do nothing: a second entry of one name, names that stand for nothing."""
    name, times = Counter(one.id for one in found).most_common(1)[0]
    if times > 1:
        raise ValueError(f"two misconceptions are named {name!r}")
    known = {one.id for one in found}
    for one in found:
        for task in sorted(set(one.tasks).difference(tasks)):
            raise ValueError(f"{one.id}: homework.toml has no task named {task!r}")
        for other in sorted(one.excludes - known):
            raise ValueError(f"{one.id}: it excludes {other!r}, which is not in this file")
