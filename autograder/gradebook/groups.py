"""Wrong answers of a class in groups: those to one task that return the same on all its stored cases."""

from __future__ import annotations

import ast
import contextlib
import hashlib
import json
import re
from array import array
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING

import msgspec

from autograder.exhibits.behaviour import ALLOWANCE, is_same
from autograder.gradebook.schema import Store, from_text, to_text
from autograder.verdict.results import HomeworkResult, most_fundamental
from autograder.verdict.work import Behaviour, Work, unpacked

if TYPE_CHECKING:
    from autograder.gradebook.book import Gradebook

LOOKED_AT, MOST_EXAMPLES = 40, 3
"""Examples are taken from this many members of a group, and this many are shown."""


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


class Groups(Store):
    """The groups in an open gradebook. A group keeps its id, and stays when its last member leaves."""

    def assign(
        self, submission: str, homework: str, behaviours: Iterable[Behaviour]
    ) -> None:
        """Put a submission's wrong answers in one homework into groups, those that are known first."""
        self._execute(
            "DELETE FROM behaviours WHERE (submission, homework) = (?, ?)",
            (submission, homework),
        )
        for one in behaviours:
            group = self._known(homework, one) or self._made(homework, one)
            row = (submission, homework, one.task, group)
            self._execute("INSERT INTO behaviours VALUES (?, ?, ?, ?)", row)

    def _known(self, homework: str, one: Behaviour) -> str | None:
        """Return the oldest group that answers like this; the means of sketches differ no more than these."""
        middle, far = (
            fmean(one.sketch or [0.0]),
            ALLOWANCE + 1e-5 * max(map(abs, one.sketch), default=0.0),
        )
        rows = self._execute(
            "SELECT id, sketch FROM behaviour_groups WHERE (homework, task, form) = (?, ?, ?)"
            " AND middle BETWEEN ? AND ? ORDER BY rowid",
            (homework, one.task, one.form, middle - far, middle + far),
        )
        return next(
            (row[0] for row in rows if is_same(array("f", row[1]), one.sketch)), None
        )

    def _made(self, homework: str, one: Behaviour) -> str:
        """Make a group and return its name, which equal answers get in other gradebooks too."""
        coarse = [round(number / 10) for number in one.sketch]
        digits = hashlib.blake2b(f"{one.form} {coarse}".encode()).hexdigest()
        names = (
            f"{homework.partition('_')[0]}-{one.task}-{digits[:count]}"
            for count in range(4, 64)
        )
        is_taken = "SELECT 1 FROM behaviour_groups WHERE id = ?"
        group = next(
            name for name in names if not self._execute(is_taken, (name,)).fetchone()
        )
        sketch, middle = array("f", one.sketch).tobytes(), fmean(one.sketch or [0.0])
        row = {"id": group, "homework": homework, "task": one.task, "form": one.form}
        self._insert("behaviour_groups", {**row, "sketch": sketch, "middle": middle})
        return group

    def tasks(self) -> dict[str, tuple[str, str]]:
        """Return homework and task of every group that ever was."""
        rows = self._execute("SELECT id, homework, task FROM behaviour_groups")
        return {group: (homework, task) for group, homework, task in rows}

    def behaviour(self, group: str) -> Behaviour:
        """Return what the answers of a group are."""
        query = "SELECT task, form, sketch FROM behaviour_groups WHERE id = ?"
        task, form, sketch = self._execute(query, (group,)).fetchone()
        return Behaviour(task, form, tuple(array("f", sketch)))

    def members(self) -> dict[str, list[str]]:
        """Return the submissions in each group that has any, sorted."""
        found = defaultdict[str, list[str]](list)
        for name, group in self._execute("SELECT submission, group_id FROM behaviours"):
            found[group].append(from_text(name))
        return {group: sorted(names) for group, names in found.items()}

    def labels(self) -> dict[str, dict[str, set[str]]]:
        """Return the mistakes that failed checks of each group's task name, by group and submission."""
        found = defaultdict[str, dict[str, set[str]]](lambda: defaultdict(set))
        rows = self._execute(
            "SELECT group_id, b.submission, value FROM behaviours AS b JOIN checks AS c"
            " ON (c.submission, c.homework, c.task) = (b.submission, b.homework, b.task)"
            " JOIN json_each(misconceptions) WHERE outcome = 'failed'"
        )
        for group, name, label in rows:
            found[group][from_text(name)].add(label)
        return found

    def result(self, submission: str, homework: str) -> HomeworkResult:
        """Return what the graders gave a submission in one homework that it has."""
        query = "SELECT result FROM results WHERE (submission, homework) = (?, ?)"
        (text,) = self._execute(query, (to_text(submission), homework)).fetchone()
        return msgspec.convert(json.loads(text), HomeworkResult)

    def work(self, submission: str, homework: str) -> Work | None:
        """Return what was kept of a submission in one homework."""
        query = "SELECT work FROM works WHERE (submission, homework) = (?, ?)"
        row = self._execute(query, (to_text(submission), homework)).fetchone()
        return row and unpacked(row[0])


def groups_of(book: Gradebook, homeworks: Collection[str] = ()) -> list[AnswerGroup]:
    """Return the groups that have members, in these homeworks or (none given) in all, the largest first.

    A group has the labels that more than half of its members have.
    """
    groups, labels, found = book.groups, book.groups.labels(), []
    tasks = groups.tasks()
    for group, names in groups.members().items():
        homework, task = tasks[group]
        if homeworks and homework not in homeworks:
            continue
        own = labels.get(group, {})
        counts = Counter(label for each in own.values() for label in sorted(each))
        shared = tuple(
            label for label, count in counts.most_common() if 2 * count > len(names)
        )
        typical = next(
            (name for name in names if own.get(name, set()) >= set(shared)), names[0]
        )
        checks = groups.result(typical, homework).checks
        first = most_fundamental([one for one in checks if one.task == task])
        reason = first.reason if first else ""
        found.append(
            AnswerGroup(group, homework, task, tuple(names), shared, reason, typical)
        )
    return sorted(found, key=lambda one: (-one.size, one.id))


def examples_of(group: AnswerGroup, book: Gradebook) -> list[tuple[str, str]]:
    """Return how members wrote the task, each with the submission's name: the typical one, then others.

    Code that is the same but for its spaces is shown once; a task that is nowhere defined is shown nowhere.
    """
    found: dict[str, tuple[str, str]] = {}
    for name in dict.fromkeys([group.representative, *group.submissions[:LOOKED_AT]]):
        work = book.groups.work(name, group.homework)
        code = (
            function_in(work.source, group.task)
            if work and len(found) < MOST_EXAMPLES
            else ""
        )
        if code:
            found.setdefault(" ".join(code.split()), (name, code))
    return list(found.values())


def function_in(source: str, name: str) -> str:
    """Return the last definition of a function or class in a file, or in cells each of which is Python."""
    code = ""
    for cell in re.split(r"^# In \[\d+\]$", source, flags=re.MULTILINE):
        text = re.sub(r"^[%!].*$", "", cell, flags=re.MULTILINE)  # a notebook's magics
        with contextlib.suppress(SyntaxError, ValueError, RecursionError, MemoryError):
            for node in ast.parse(text).body:
                if (
                    isinstance(node, ast.FunctionDef | ast.ClassDef)
                    and node.name == name
                ):
                    first = min(
                        [node.lineno, *(one.lineno for one in node.decorator_list)]
                    )
                    code = "\n".join(text.split("\n")[first - 1 : node.end_lineno])
    return code
