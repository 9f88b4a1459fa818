"""What a gradebook should hold after any commands, kept in plain Python and added up as with a pencil.

Nothing here is taken from ``autograder``: the points of a file are those of one grading of that file
alone, and what people decide is applied in a few lines of arithmetic.
"""

import datetime as dt
import math
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

DAY = dt.timedelta(days=1)
ORAL = "oral"
"""A question that no check of a homework knows; a mark brings its own maximum."""

FAULT = "!"
"""Stands in a label before the fault for which a file has no points: ``correct/einsum!check``."""
OUR_FAULT = "infrastructure_error"

Handed = dict[str, str]
"""What a student handed in: for each homework the label of a file."""


def without_faults(handed: Handed) -> Handed:
    """Return the files as the student handed them in, whatever happened to the grader."""
    return {homework: label.partition(FAULT)[0] for homework, label in handed.items()}


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


class Student(NamedTuple):
    """A row of a roster, for the student of one submission; of these texts each is nobody else's."""

    id: str
    email: str
    name: str


@dataclass(frozen=True)
class Time:
    """When something was handed in, and what: the label of its file, None where there was none yet."""

    time: dt.datetime
    label: str | None


@dataclass(frozen=True)
class Rules:
    """A policy that anyone can work out.

    One due date (None is each homework's own), and per cent off for each day begun after it; days in the year that
    cost nothing; and whether a task of each homework is a bonus.
    """

    due: dt.datetime | None = None
    per_day: float = 0.0
    late_days: int = 0
    extra_credit: bool = False


@dataclass
class Pencil:
    """A class: what lies in the students' folders, what has been graded of it, and what people decided."""

    files: Mapping[str, Mapping[str, Graded]]  # by homework and label
    most: Mapping[str, float]  # of all homeworks: what the code gives, for questions are a bonus
    bonus: Mapping[str, float]  # of all homeworks: the points of the task that may be extra credit
    dues: Mapping[str, dt.datetime]  # of all homeworks: when they are due unless the rules say otherwise
    handed_in: dict[str, Handed] = field(default_factory=dict)
    book: dict[str, Handed] = field(default_factory=dict)
    nothing: dict[str, set[frozenset[str]]] = field(default_factory=dict)  # asked for, and not found
    overrides: dict[tuple[str, str, str], float] = field(default_factory=dict)  # of "", "task X" or "check X"
    marks: dict[tuple[str, str, str], float] = field(default_factory=dict)
    faults: dict[str, set[frozenset[str]]] = field(default_factory=dict)  # asked for, and no worker for it
    times: dict[tuple[str, str], Time] = field(default_factory=dict)  # by what was written, and homework
    extensions: dict[tuple[str, str], dt.datetime] = field(default_factory=dict)  # likewise; "" is for all
    roster: Mapping[str, Student] | None = None  # the last one given, by name of the submission
    owners: dict[str, Student] = field(default_factory=dict)
    asked: set[str] = field(default_factory=set)  # homeworks that a command named
    withdrawn: set[str] = field(default_factory=set)
    exported: dict[tuple[str, str], dict[str, str]] = field(default_factory=dict)  # points by student
    rules: Rules = field(default_factory=Rules)

    def grade(
        self,
        names: Collection[str],
        chosen: Collection[str],
        *,
        forget: bool = False,
        fault: tuple[str, str] | None = None,
    ) -> None:
        """What is found replaces what was there, and all else stays, unless what is missing is to go.

        A ``fault``, of a kind and in a homework, leaves a blank where a file was graded or a check failed, and
        all as it was where no worker came up.
        """
        scope = chosen or self.files.keys()
        self.asked = set(chosen) | (self.asked if chosen or not forget else set())
        homeworks_asked = frozenset(chosen)
        self.meet(names)
        for name in set(self.book) - set(names) if forget else ():
            self.book[name] = {
                homework: label for homework, label in self.book[name].items() if homework not in scope
            }
            for by_name in (self.nothing, self.faults):
                by_name[name] = {
                    homeworks
                    for homeworks in by_name.get(name, ())
                    if homeworks_asked and not (homeworks and homeworks <= homeworks_asked)
                }
            if not self.book[name] and not self.nothing[name] and not self.faults[name]:
                self.drop(name)
        for name in names:
            labels = {
                homework: label for homework, label in self.handed_in[name].items() if homework in scope
            }
            # That nothing was found is over once the same homeworks, or all, are graded again. So is a fault,
            # but one in a grading of all homeworks is not over with the grading of one.
            nothing = {
                homeworks
                for homeworks in self.nothing.get(name, ())
                if homeworks and homeworks_asked and not homeworks <= homeworks_asked
            }
            self.nothing[name] = nothing
            faults = self.faults.get(name, set())
            self.faults[name] = {
                homeworks
                for homeworks in faults
                if homeworks_asked and not (homeworks and homeworks <= homeworks_asked)
            }
            kind, homework = fault or ("", "")
            if kind == "worker" and homework in labels:
                self.book.setdefault(name, {})
                self.faults[name].add(homeworks_asked)
                continue
            had = self.book.get(name, {})
            failed = f"{labels.get(homework)}{FAULT}{kind}"
            if failed in self.files.get(homework, ()):
                labels[homework] = failed
            elif forget:
                had = {homework: label for homework, label in had.items() if homework not in scope}
            self.book[name] = had | labels
            if not labels:
                nothing.add(homeworks_asked)

    def drop(self, name: str) -> None:
        """Forget a submission; what people decided stays."""
        self.book.pop(name, None)
        self.owners.pop(name, None)

    def meet(self, names: Collection[str]) -> None:
        """Know whose these submissions are from now on, as far as the roster has them."""
        for name in names:
            if self.roster is not None and name in self.roster:
                self.owners[name] = self.roster[name]

    def has_failed(self, name: str) -> bool:
        """Whether something is blank for the grader's fault."""
        labels = self.book.get(name, {}).values()
        return bool(self.faults.get(name)) or any(FAULT in label for label in labels)

    def whose(self, text: str) -> str | None:
        """The submission that a table means: by its name, or by the student's id or address."""
        for name in self.book:
            if text == name or text in self.owners.get(name, ())[:2]:
                return name
        return None

    def graded(self, name: str, homework: str) -> Graded | None:
        label = self.book.get(name, {}).get(homework)
        return None if label is None else self.files[homework][label]

    def marks_of(self, name: str, homework: str) -> dict[str, float]:
        return {
            question: points for (*key, question), points in self.marks.items() if key == [name, homework]
        }

    def points(self, name: str, homework: str) -> tuple[float | None, float] | None:
        """What counts for one homework, and its maximum; None where nothing was handed in or decided.

        Where the grader failed, nothing counts but what somebody decided of the whole homework.
        """
        graded, marks = self.graded(name, homework), self.marks_of(name, homework)
        overrides = {
            subject: points for (*key, subject), points in self.overrides.items() if key == [name, homework]
        }
        if graded is None and not marks and "" not in overrides:
            return None
        checks = graded.checks if graded else ()
        most, tasks = self.maximum_of(homework), dict[str, float]()
        ceiling = sum(check.most for check in checks) if checks else self.most[homework]
        for check in checks:
            question = check.check.removeprefix("theory_")
            mark = marks.pop(question, None)
            override = overrides.get(f"check {check.check}", mark)
            points = check.earned if override is None else min(override, check.most)
            tasks[check.task] = tasks.get(check.task, 0.0) + points
        for task in tasks:
            most_of_task = sum(check.most for check in checks if check.task == task)
            tasks[task] = min(overrides.get(f"task {task}", tasks[task]), most_of_task)
        total = sum(tasks.values()) + sum(marks.values())  # those that are left belong to no check
        most += MARK * (ORAL in marks)
        ceiling += MARK * len(marks)
        total -= round(total * self.percent(name, homework) / 100, 2) if graded else 0.0
        if "" in overrides:
            return min(overrides[""], ceiling), most
        if graded and graded.status == OUR_FAULT:
            return None, most
        return max(0.0, min(total, ceiling)), most

    def maximum_of(self, homework: str) -> float:
        """What a homework gives without extra credit."""
        bonus = self.bonus.get(homework, 0.0)  # homeworks that nobody hands in here have none
        return self.most[homework] - (bonus if self.rules.extra_credit else 0.0)

    def label(self, name: str, homework: str) -> str | None:
        """The file that was graded, whatever happened to the grader."""
        return without_faults(self.book.get(name, {})).get(homework)

    def give_time(self, text: str, time: dt.datetime, homework: str = "") -> None:
        """A time without a homework is for those that the student has and that have none, or else for all."""
        name = self.whose(text)
        homeworks = [homework]
        if not homework:
            in_book = {homework for handed in self.book.values() for homework in handed}
            candidates = self.book.get(name or "") or in_book
            without = [homework for homework in candidates if self.time_of(name, homework, text) is None]
            homeworks = [*(without or candidates)]
        for homework_id in homeworks:
            # It takes the place of an earlier one, whatever that called the student.
            for other, of_homework in [*self.times]:
                is_same = other == text or (name is not None and self.whose(other) == name)
                if of_homework == homework_id and is_same:
                    del self.times[other, homework_id]
            self.times[text, homework_id] = Time(time, self.label(name or "", homework_id))

    def time_of(self, name: str | None, homework: str, text: str = "") -> dt.datetime | None:
        """The last time given of a submission, or of a ``text`` that is nobody's yet.

        A time counts for what was there when it was given.
        """
        last = None
        for (other, of_homework), time_given in self.times.items():
            is_theirs = other == text if name is None else self.whose(other) == name
            label = self.label(name or "", homework)
            is_of_other_file = time_given.label and label and time_given.label != label
            if of_homework == homework and is_theirs and not is_of_other_file:
                last = time_given.time
        return last

    def give_extension(self, text: str, homework: str, due: dt.datetime) -> None:
        """The last one given counts, whatever an earlier one called the student."""
        self.extensions.pop((text, homework), None)
        self.extensions[text, homework] = due

    def extension(self, name: str, homework: str) -> dt.datetime | None:
        """The last due date that a student was given for a homework, or ("") for all of them."""
        last = None
        for (text, of_homework), due in self.extensions.items():
            if of_homework == homework and self.whose(text) == name:
                last = due
        return last

    def due(self, name: str, homework: str) -> dt.datetime:
        """The due date, or a later one that the student was given for this homework or else for all."""
        for_everybody = self.rules.due or self.dues[homework]
        extended = self.extension(name, homework) or self.extension(name, "")
        return max(extended or for_everybody, for_everybody)

    def days_late(self, name: str, homework: str) -> int | None:
        """The days begun after the due date; None where no time is known."""
        time = self.time_of(name, homework)
        if time is None:
            return None
        return max(0, math.ceil((time - self.due(name, homework)) / DAY))

    def percent(self, name: str, homework: str) -> float:
        """The penalty for days that are late; the first ones in the year cost nothing."""
        in_order = []
        for homework_id in self.book[name]:
            days = self.days_late(name, homework_id)
            if days is not None:
                in_order.append(
                    (self.time_of(name, homework_id), self.due(name, homework_id), homework_id, days)
                )
        days_left = self.rules.late_days
        for *_, homework_id, days in sorted(in_order):
            free = min(days, days_left)
            days_left -= free
            if homework_id == homework:
                return min(100.0, (days - free) * self.rules.per_day)
        return 0.0

    def late(self, name: str) -> str:
        """What the table of grades says of a student whom it knows: yes, no, or blank if that is not known."""
        if name not in self.owners:
            return ""
        days = [self.days_late(name, homework) for homework in self.book[name]]
        known = [homework for homework in days if homework is not None]
        if not known:
            return ""
        return "yes" if any(known) else "no"

    def counted(self) -> list[str]:
        """The submissions that nobody withdrew."""
        return [name for name in self.book if name not in self.withdrawn]

    def row(self, name: str) -> dict[str, float | None]:
        """The points of each homework that a student has points for, None where the grader failed."""
        points_by_homework = {homework: self.points(name, homework) for homework in self.files}
        return {homework: points[0] for homework, points in points_by_homework.items() if points is not None}

    def total(self, name: str) -> float | None:
        """All points together; None while a part is missing for the grader's fault."""
        total = 0.0
        for points in self.row(name).values():
            if points is None:
                return None
            total += points
        return None if self.faults.get(name) else total

    def maximum(self) -> float:
        """The points of all homeworks that anyone has points for, or that were asked for."""
        most: dict[str, float] = {}
        for name in self.counted():
            for homework in self.files:
                points = self.points(name, homework)
                if points is not None:
                    most[homework] = max(points[1], most.get(homework, 0.0))
        maxima = {
            homework: self.maximum_of(homework) for homework in self.asked or ([] if most else self.most)
        }
        return sum((maxima | most).values())

    def waiting(self) -> Iterator[tuple[str, str, str]]:
        """The written answers that were handed in, as submission, homework and question."""
        for name in self.counted():
            for homework in self.book[name]:
                graded = self.graded(name, homework)
                for check in graded.checks if graded and graded.status != OUR_FAULT else ():
                    if check.waits:
                        yield name, homework, check.check.removeprefix("theory_")


MARK = 2.0
"""The maximum of every mark in these tests."""
