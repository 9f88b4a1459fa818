"""Wrong answers of a class in groups: answers to one task that return the same on all its stored cases."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from array import array
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import fmean

import msgspec

from autograder.exhibits.behaviour import ALLOWANCE, ROUNDING, is_same
from autograder.gradebook.decisions import Decisions
from autograder.gradebook.schema import GradebookPart, from_text, to_text
from autograder.verdict.results import HomeworkResult
from autograder.verdict.work import Behaviour, Work, unpacked


@dataclass(frozen=True)
class AnswerGroup:
    """Submissions whose answers to a task are the same, sorted, and what most of them share.

    ``reason`` is what the ``representative``, one of them, reads of the task's most fundamental check.
    """

    id: str
    homework: str
    task: str
    submissions: tuple[str, ...]
    misconceptions: tuple[str, ...] = ()
    reason: str = ""
    representative: str = ""

    @property
    def size(self) -> int:
        return len(self.submissions)


class Groups(GradebookPart):
    """The groups in an open gradebook. A group keeps its id, and stays when its last member leaves."""

    def __init__(self, connection: sqlite3.Connection, decisions: Decisions) -> None:
        super().__init__(connection)
        self._decisions = decisions

    def assign(
        self, submission: str, homework: str, behaviours: Iterable[Behaviour]
    ) -> None:
        """Put a submission's wrong answers in one homework into groups, if possible into existing ones."""
        self._execute(
            "DELETE FROM behaviours WHERE (submission, homework) = (?, ?)",
            (submission, homework),
        )
        for behaviour in behaviours:
            group = self._find(homework, behaviour)
            if group is None:
                group = self._add(homework, behaviour)
            row = (submission, homework, behaviour.task, group)
            self._execute("INSERT INTO behaviours VALUES (?, ?, ?, ?)", row)

    def _find(self, homework: str, behaviour: Behaviour) -> str | None:
        """Return the oldest group with the same behaviour."""
        sketch = behaviour.sketch
        mean = fmean(sketch or [0.0])
        largest = max((abs(number) for number in sketch), default=0.0)
        # Means of equal sketches differ by no more than their numbers may; ten times that leaves room for the
        # rounding of the means themselves. Whether two sketches are the same is decided below.
        distance = ALLOWANCE + 10 * ROUNDING * largest
        rows = self._execute(
            "SELECT id, sketch FROM behaviour_groups WHERE (homework, task, form) = (?, ?, ?)"
            " AND middle BETWEEN ? AND ? ORDER BY rowid",
            (
                homework,
                behaviour.task,
                behaviour.form,
                mean - distance,
                mean + distance,
            ),
        )
        for group, stored_sketch in rows:
            if is_same(array("f", stored_sketch), sketch):
                return str(group)
        return None

    def _add(self, homework: str, behaviour: Behaviour) -> str:
        """Add a group and return its name, which equal answers get in other gradebooks too."""
        coarse = [round(number / 10) for number in behaviour.sketch]
        digits = hashlib.blake2b(f"{behaviour.form} {coarse}".encode()).hexdigest()
        beginning = f"{homework.partition('_')[0]}-{behaviour.task}"
        is_taken = "SELECT 1 FROM behaviour_groups WHERE id = ?"
        count = 4  # letters of the digest, more where another group has the same
        group = f"{beginning}-{digits[:count]}"
        while self._one(is_taken, group):
            count += 1
            group = f"{beginning}-{digits[:count]}"
        row = {
            "id": group,
            "homework": homework,
            "task": behaviour.task,
            "form": behaviour.form,
            "sketch": array("f", behaviour.sketch).tobytes(),
            "middle": fmean(behaviour.sketch or [0.0]),
        }
        self._insert("behaviour_groups", row)
        return group

    def tasks(self) -> dict[str, tuple[str, str]]:
        """Return homework and task of every group that ever was."""
        rows = self._execute("SELECT id, homework, task FROM behaviour_groups")
        return {group: (homework, task) for group, homework, task in rows}

    def behaviour(self, group: str) -> Behaviour:
        """Return the behaviour that the answers of a group share."""
        query = "SELECT task, form, sketch FROM behaviour_groups WHERE id = ?"
        task, form, sketch = self._execute(query, (group,)).fetchone()
        return Behaviour(task, form, tuple(array("f", sketch)))

    def members(self) -> dict[str, list[str]]:
        """Return the submissions in each group that has any, sorted, without those that were withdrawn."""
        withdrawn = self._decisions.withdrawn()
        members = defaultdict[str, list[str]](list)
        for text, group in self._execute("SELECT submission, group_id FROM behaviours"):
            name = from_text(text)
            if name not in withdrawn:
                members[group].append(name)
        return {group: sorted(names) for group, names in members.items()}

    def labels(self) -> dict[str, dict[str, set[str]]]:
        """Return the mistakes that failed checks of each group's task name, by group and submission."""
        labels = defaultdict[str, dict[str, set[str]]](lambda: defaultdict(set))
        rows = self._execute(
            "SELECT group_id, b.submission, value FROM behaviours AS b JOIN checks AS c"
            " ON (c.submission, c.homework, c.task) = (b.submission, b.homework, b.task)"
            " JOIN json_each(misconceptions) WHERE outcome = 'failed'"
        )
        for group, name, label in rows:
            labels[group][from_text(name)].add(label)
        return labels

    def has_failed_checks(self, homework: str) -> bool:
        """Return whether a check of a homework failed for anybody."""
        query = "SELECT 1 FROM checks WHERE homework = ? AND outcome = 'failed' LIMIT 1"
        return self._one(query, homework) is not None

    def result(self, submission: str, homework: str) -> HomeworkResult:
        """Return a submission's result in one homework that it has."""
        query = "SELECT result FROM results WHERE (submission, homework) = (?, ?)"
        text = self._one(query, to_text(submission), homework)
        return msgspec.convert(json.loads(text), HomeworkResult)

    def work(self, submission: str, homework: str) -> Work | None:
        """Return the stored work of a submission in one homework."""
        query = "SELECT work FROM works WHERE (submission, homework) = (?, ?)"
        packed = self._one(query, to_text(submission), homework)
        return None if packed is None else unpacked(packed)
