"""Decisions of people: overrides, marks, comments, times of submission; regrades keep them."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import TypeAlias

from autograder.gradebook.schema import GradebookPart, from_text, to_text

CONTENT = (
    "coalesce((SELECT g.content FROM results AS r JOIN gradings AS g ON g.id = r.grading"
    " WHERE r.submission = :name AND r.homework = :homework), '')"
)
"""What was handed in when a decision was made, so that a later submission is noticed."""


@dataclass(frozen=True)
class Override:
    """Points that a person set, with the reason. Without task and check they count for the homework.

    ``id`` is the number that the gradebook gave it; 0 means not yet kept.
    """

    submission: str
    homework: str
    points: float
    reason: str
    task: str = ""
    check: str = ""
    id: int = 0

    @property
    def is_whole(self) -> bool:
        return not self.task and not self.check

    @property
    def subject(self) -> str:
        return "the whole homework" if self.is_whole else f"`{self.check or self.task}`"


@dataclass(frozen=True)
class Mark:
    """A person's points for one question; ``points`` is None while nobody has marked it."""

    submission: str
    homework: str
    question: str
    points: float | None
    maximum: float
    comment: str = ""


@dataclass(frozen=True)
class Comment:
    """A person's comment on answers, and the points that replace those of the checks, if it has any.

    It is on the answers of a group, or on a submission: all of it, a homework, or a task.
    """

    group: str
    submission: str
    homework: str
    task: str
    text: str
    points: float | None = None

    @property
    def subject(self) -> tuple[str, str, str, str]:
        return self.group, self.submission, self.homework, self.task


TimeKey: TypeAlias = tuple[str, str]
"""Whose a time is, by any text that names a submission or student, and of which homework."""
Times = Mapping[TimeKey, dt.datetime]


@dataclass(frozen=True)
class PolicyLine:
    """A line of ``policy.csv``: how the points of the checks become the points that count.

    ``raw`` are the points of the checks, ``final`` the points that count; both are None where the grader failed.
    ``penalty`` and ``manual`` are points, ``days_late`` are days begun after due date and grace,
    ``late_days_used`` of them cost nothing. ``awaiting`` names questions without a mark.
    """

    submission: str
    homework: str
    raw: float | None
    final: float | None
    maximum: float
    submitted_at: dt.datetime | None = None
    due: dt.datetime | None = None
    days_late: int = 0
    late_days_used: int = 0
    penalty_percent: float = 0.0
    penalty: float = 0.0
    manual: float = 0.0
    override: float | None = None
    awaiting: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True)
class DecisionRow:
    """An override or a mark, as the staff read it: of what it is, and when it was made, if that is known."""

    submission: str
    homework: str
    subject: str
    points: float
    reason: str
    made_at: str


@dataclass(frozen=True)
class OutdatedDecision:
    """A decision, such as "override 3", on a submission that was handed in again since."""

    submission: str
    decision: str


class Decisions(GradebookPart):
    """The decisions in an open gradebook."""

    def overrides(self) -> list[Override]:
        """Return all overrides in the order in which they were first made."""
        rows = self._execute(
            "SELECT submission, homework, points, reason, task, check_name, id FROM overrides ORDER BY id"
        )
        return [Override(from_text(name), *others) for name, *others in rows]

    def override(self, override: Override) -> None:
        """Keep an override, replacing an earlier one of the same subject."""
        self._write(
            "INSERT INTO overrides (submission, homework, task, check_name, points, reason, content)"
            f" VALUES (:name, :homework, :task, :check, :points, :reason, {CONTENT})"
            " ON CONFLICT DO UPDATE SET points = excluded.points, reason = excluded.reason,"
            " content = excluded.content, made_at = CURRENT_TIMESTAMP",
            {**asdict(override), "name": to_text(override.submission)},
        )

    def remove_override(self, number: int) -> bool:
        """Remove an override by its number; False where there is none."""
        return self._write("DELETE FROM overrides WHERE id = ?", (number,)) == 1

    def marks(self) -> list[Mark]:
        """Return all marks, sorted."""
        rows = self._execute(
            "SELECT submission, homework, question, points, max, comment FROM marks ORDER BY 1, 2, 3"
        )
        return [Mark(from_text(name), *others) for name, *others in rows]

    def mark(self, marks: Iterable[Mark]) -> None:
        """Keep marks; one without points does not undo one that has them."""
        self._write(
            f"INSERT INTO marks VALUES (:name, :homework, :question, :points, :maximum, :comment, {CONTENT})"
            " ON CONFLICT DO UPDATE SET points = excluded.points, max = excluded.max,"
            " comment = excluded.comment, content = excluded.content"
            " WHERE excluded.points IS NOT NULL OR points IS NULL",
            *({**asdict(mark), "name": to_text(mark.submission)} for mark in marks),
        )

    def comments(self) -> list[Comment]:
        """Return all comments, those on groups first."""
        rows = self._execute(
            "SELECT * FROM comments ORDER BY group_id = '', 1, 2, 3, 4"
        )
        return [
            Comment(group, from_text(name), *others) for group, name, *others in rows
        ]

    def comment(self, comments: Iterable[Comment]) -> None:
        """Keep comments, replacing earlier ones of the same subject; one that says nothing removes it."""
        with self._connection:
            for comment in comments:
                subject = (
                    comment.group,
                    to_text(comment.submission),
                    comment.homework,
                    comment.task,
                )
                self._execute(
                    "DELETE FROM comments WHERE (group_id, submission, homework, task) = (?, ?, ?, ?)",
                    subject,
                )
                if comment.text or comment.points is not None:
                    values = (*subject, comment.text, comment.points)
                    self._execute(
                        "INSERT INTO comments VALUES (?, ?, ?, ?, ?, ?)", values
                    )

    def withdrawn(self) -> dict[str, str]:
        """Return the submissions that somebody withdrew, with the reasons, sorted by name."""
        rows = self._execute(
            "SELECT submission, reason FROM withdrawals ORDER BY submission"
        )
        return {from_text(name): reason for name, reason in rows}

    def withdraw(self, name: str, reason: str) -> None:
        """Withdraw a submission, so that it counts nowhere; nothing of it is deleted."""
        row = {"submission": to_text(name), "reason": reason}
        with self._connection:
            self._insert("withdrawals", row)

    def bring_back(self, name: str) -> bool:
        """Let a submission count again; False where it was not withdrawn."""
        query = "DELETE FROM withdrawals WHERE submission = ?"
        return self._write(query, (to_text(name),)) == 1

    def outdated(self) -> list[OutdatedDecision]:
        """Return the decisions after which a submission was handed in again, sorted by submission."""
        rows = self._execute(
            "WITH decided AS (SELECT submission, homework, content, 'override ' || id AS what FROM overrides"
            " UNION ALL SELECT submission, homework, content, 'the mark of ' || question FROM marks"
            " WHERE points IS NOT NULL) SELECT d.submission, what FROM decided AS d"
            " JOIN results AS r ON r.submission = d.submission AND r.homework = d.homework"
            " JOIN gradings AS g ON g.id = r.grading WHERE d.content != g.content ORDER BY 1, 2"
        )
        return [OutdatedDecision(from_text(name), what) for name, what in rows]

    def log(self) -> list[DecisionRow]:
        """Return all decisions about points, sorted by submission, homework and time."""
        rows = self._execute(
            "SELECT submission, homework, 'override of ' || coalesce(nullif(check_name, ''),"
            " nullif(task, ''), 'the whole homework'), points, reason, made_at FROM overrides"
            " UNION ALL SELECT submission, homework, 'mark of ' || question, points, comment, '' FROM marks"
            " WHERE points IS NOT NULL ORDER BY 1, 2, 6, 3"
        )
        return [DecisionRow(from_text(name), *others) for name, *others in rows]

    def times(self, kind: str = "times") -> Times:
        """Return the times, or extensions, that people gave, by submission and homework ("" for each).

        The last one given is the last.
        """
        times = {}
        rows = self._execute(f"SELECT * FROM {kind} ORDER BY rowid")
        for name, homework, time, *_ in rows:
            times[from_text(name), homework] = dt.datetime.fromisoformat(time)
        return times

    def contents_at_times(self) -> dict[tuple[str, str], str]:
        """Return the content that each time of submission was given for; blank where it is unknown."""
        rows = self._execute("SELECT submission, homework, content FROM times")
        return {
            (from_text(name), homework): content for name, homework, content in rows
        }

    def set_times(
        self, times: Times, contents: Mapping[tuple[str, str], str] | None = None
    ) -> None:
        """Keep times of submission, replacing earlier ones of the same subject.

        ``contents`` says what was handed in until now: a time holds for that, and for no later hand-in.
        """
        for (name, homework), time in times.items():
            content = (contents or {}).get((name, homework), "")
            row = {
                "submission": to_text(name),
                "homework": homework,
                "submitted_at": time,
                "content": content,
            }
            with self._connection:
                self._insert("times", row)

    def remove_times(self, keys: Iterable[TimeKey]) -> None:
        """Remove times of submission."""
        rows = [(to_text(name), homework) for name, homework in keys]
        self._write("DELETE FROM times WHERE (submission, homework) = (?, ?)", *rows)

    def set_extensions(self, extensions: Times) -> None:
        """Keep extensions, replacing earlier ones of the same subject."""
        rows = []
        for (name, homework), due in extensions.items():
            rows.append((to_text(name), homework, due))
        self._write("INSERT OR REPLACE INTO extensions VALUES (?, ?, ?)", *rows)

    def spent_elsewhere(self) -> dict[str, int]:
        """Return how many late days each student has spent in other folders."""
        rows = self._execute(
            "SELECT student, sum(days) FROM spent_elsewhere GROUP BY student"
        )
        return {from_text(student): days for student, days in rows}

    def set_spent_elsewhere(self, folder: str, days: Mapping[str, int]) -> None:
        """Store the late days spent in another folder, replacing earlier ones of that folder."""
        text = to_text(folder)
        with self._connection:
            self._execute("DELETE FROM spent_elsewhere WHERE folder = ?", (text,))
            self._connection.executemany(
                "INSERT INTO spent_elsewhere VALUES (?, ?, ?)",
                ((to_text(student), text, spent) for student, spent in days.items()),
            )
