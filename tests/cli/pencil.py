"""What a gradebook should hold after any commands, kept in plain Python and added up as with a pencil.

Nothing here is taken from ``autograder.records``: the points of a file are those of one grading of that file
alone, and what people decide is applied in a few lines of arithmetic.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

DAY = dt.timedelta(days=1)
ORAL = "oral"
"""A question that no check of a homework knows; a mark brings its own maximum."""

Handed = dict[str, str]
"""What a student handed in: for each homework the label of a file."""


class Check(NamedTuple):
    """One check of a graded file; ``waits`` when a person has to read the answer."""

    task: str
    check: str
    earned: float
    most: float
    waits: bool


class Graded(NamedTuple):
    """One file, graded alone."""

    status: str
    checks: tuple[Check, ...]


@dataclass(frozen=True)
class Time:
    """When something was handed in, and what: the label of its file, None where there was none yet."""

    time: dt.datetime
    label: str | None


@dataclass(frozen=True)
class Rules:
    """A policy that anyone can work out: one due date, and per cent off for each day begun after it."""

    due: dt.datetime | None = None
    per_day: float = 0.0


@dataclass
class Pencil:
    """A class: what lies in the students' folders, what has been graded of it, and what people decided."""

    files: Mapping[str, Mapping[str, Graded]]  # by homework and label
    most: Mapping[str, float]  # of all homeworks: what the code gives, for questions are a bonus
    handed_in: dict[str, Handed] = field(default_factory=dict)
    book: dict[str, Handed] = field(default_factory=dict)
    nothing: dict[str, set[frozenset[str]]] = field(default_factory=dict)  # asked for, and not found
    overrides: dict[tuple[str, str, str], float] = field(default_factory=dict)  # of "", "task X" or "check X"
    marks: dict[tuple[str, str, str], float] = field(default_factory=dict)
    times: dict[tuple[str, str], Time] = field(default_factory=dict)  # by name and homework
    asked: set[str] = field(default_factory=set)  # homeworks that a command named
    withdrawn: set[str] = field(default_factory=set)
    rules: Rules = field(default_factory=Rules)

    def grade(self, names: Collection[str], chosen: Collection[str], *, forget: bool = False) -> None:
        """What is found replaces what was there, and all else stays, unless what is missing is to go."""
        scope = chosen or self.files.keys()
        self.asked = set(chosen) | (self.asked if chosen or not forget else set())
        asked = frozenset(chosen)
        for name in set(self.book) - set(names) if forget else ():
            self.book[name] = {one: label for one, label in self.book[name].items() if one not in scope}
            self.nothing[name] = {
                one for one in self.nothing.get(name, ()) if asked and not (one and one <= asked)
            }
            if not self.book[name] and not self.nothing[name]:
                del self.book[name]
        for name in names:
            had = {
                one: label for one, label in self.book.get(name, {}).items() if not forget or one not in scope
            }
            found = {one: label for one, label in self.handed_in[name].items() if one in scope}
            self.book[name] = had | found
            # That nothing was found is over once the same homeworks, or all, are graded again.
            since = {one for one in self.nothing.get(name, ()) if one and asked and not one <= asked}
            self.nothing[name] = since if found else since | {asked}

    def graded(self, name: str, homework: str) -> Graded | None:
        label = self.book.get(name, {}).get(homework)
        return None if label is None else self.files[homework][label]

    def marks_of(self, name: str, homework: str) -> dict[str, float]:
        return {
            question: points for (*key, question), points in self.marks.items() if key == [name, homework]
        }

    def points(self, name: str, homework: str) -> tuple[float, float] | None:
        """What counts for one homework, and its maximum; None where nothing was handed in or decided."""
        graded, marks = self.graded(name, homework), self.marks_of(name, homework)
        own = {what: points for (*key, what), points in self.overrides.items() if key == [name, homework]}
        if graded is None and not marks and "" not in own:
            return None
        checks = graded.checks if graded else ()
        most, tasks = self.most[homework], dict[str, float]()
        ceiling = sum(check.most for check in checks) if checks else most
        for check in checks:
            question = check.check.removeprefix("theory_")
            mark = marks.pop(question, None)
            given = own.get(f"check {check.check}", mark)
            points = check.earned if given is None else min(given, check.most)
            tasks[check.task] = tasks.get(check.task, 0.0) + points
        for task in tasks:
            most_of_task = sum(check.most for check in checks if check.task == task)
            tasks[task] = min(own.get(f"task {task}", tasks[task]), most_of_task)
        total = sum(tasks.values()) + sum(marks.values())  # those that are left belong to no check
        most += MARK * (ORAL in marks)
        ceiling += MARK * len(marks)
        total -= round(total * self.percent(name, homework) / 100, 2) if graded else 0.0
        return (min(own[""], ceiling) if "" in own else max(0.0, min(total, ceiling))), most

    def give_time(self, name: str, time: dt.datetime) -> None:
        """A time without a homework is for those that the student has and that have none, or else for all."""
        in_book = {homework for handed in self.book.values() for homework in handed}
        candidates = self.book.get(name) or in_book
        without = [homework for homework in candidates if (name, homework) not in self.times]
        for homework in without or candidates:
            self.times[name, homework] = Time(time, self.book.get(name, {}).get(homework))

    def time_of(self, name: str, homework: str) -> dt.datetime | None:
        """A time counts for what was there when it was given."""
        given, label = self.times.get((name, homework)), self.book.get(name, {}).get(homework)
        if given is None or (given.label and label and given.label != label):
            return None
        return given.time

    def percent(self, name: str, homework: str) -> float:
        """The penalty for days begun after the due date."""
        time, due = self.time_of(name, homework), self.rules.due
        days = 0 if time is None or due is None else max(0, math.ceil((time - due) / DAY))
        return min(100.0, days * self.rules.per_day)

    def counted(self) -> list[str]:
        """The submissions that nobody withdrew."""
        return [name for name in self.book if name not in self.withdrawn]

    def row(self, name: str) -> dict[str, float]:
        """The points of each homework that a student has points for."""
        found = {homework: self.points(name, homework) for homework in self.files}
        return {homework: points[0] for homework, points in found.items() if points is not None}

    def maximum(self) -> float:
        """The points of all homeworks that anyone has points for, or that were asked for."""
        most: dict[str, float] = {}
        for name in self.counted():
            for homework in self.files:
                points = self.points(name, homework)
                if points is not None:
                    most[homework] = max(points[1], most.get(homework, 0.0))
        asked = {one: self.most[one] for one in self.asked or ([] if most else self.most)}
        return sum((asked | most).values())

    def waiting(self) -> Iterator[tuple[str, str, str]]:
        """The written answers that were handed in, as submission, homework and question."""
        for name in self.counted():
            for homework in self.book[name]:
                graded = self.graded(name, homework)
                for check in graded.checks if graded else ():
                    if check.waits:
                        yield name, homework, check.check.removeprefix("theory_")


MARK = 2.0
"""The maximum of every mark in these tests."""
