"""The SQLite file: one row per submission, committed as soon as it is graded."""

from __future__ import annotations

import datetime as dt
import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from typing import Any, Literal

import msgspec

from autograder.intake import Owner
from autograder.judging import SubmissionResult
from autograder.records.decisions import Decisions
from autograder.records.fingerprint import Origin, Run, versions
from autograder.records.points import Line
from autograder.records.schema import from_text, to_text
from autograder.sandbox import Status

LINE_FIELDS = [field.name for field in fields(Line)]


def to_json(result: SubmissionResult) -> str:
    """Return a submission's result as JSON text; what is not valid Unicode in it is escaped."""
    return json.dumps(result, default=vars)


def from_json(text: str) -> SubmissionResult:
    """Return the result that ``to_json`` wrote."""
    return msgspec.convert(json.loads(text), SubmissionResult)


class Gradebook:
    """An open gradebook; use ``open_gradebook`` or ``read_gradebook``."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._run: int | None = None
        self.decisions = Decisions(connection)

    def keep(self, result: SubmissionResult, content: str, graders: str) -> None:
        """Store a result at once, replacing an earlier one of its name and that one's adjustments."""
        name = to_text(result.name)
        checks = [
            (
                *(name, homework.homework, check.task, check.check, str(check.outcome)),
                *(check.earned, check.points, check.reason, json.dumps(check.misconceptions)),
            )
            for homework in result.homeworks
            for check in homework.checks
        ]
        with self._connection:
            self._connection.execute(
                "INSERT OR REPLACE INTO submissions (name, content, graders, status, earned, result, run)"
                " VALUES (?, ?, ?, ?, ?, ?, ?)",
                (name, content, graders, result.status, result.earned, to_json(result), self._run),
            )
            for table in ("adjustments", "checks"):
                self._connection.execute(f"DELETE FROM {table} WHERE submission = ?", (name,))
            self._connection.executemany("INSERT INTO checks VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", checks)

    def is_current(self, name: str, content: str, graders: str) -> bool:
        """Whether this content has a grade by these graders; a failure of our own is none."""
        row = self._connection.execute(
            "SELECT 1 FROM submissions WHERE name = ? AND content = ? AND graders = ? AND status != ?",
            (to_text(name), content, graders, Status.INFRASTRUCTURE_ERROR),
        ).fetchone()
        return row is not None

    def forget_all_but(self, names: set[str]) -> None:
        """Drop the grades of entries that are no longer in the folder; what people decided stays."""
        gone = [(to_text(name),) for name in self.names() - names]
        with self._connection:
            self._connection.executemany("DELETE FROM submissions WHERE name = ?", gone)
            for table in ("checks", "owners", "adjustments"):
                self._connection.executemany(f"DELETE FROM {table} WHERE submission = ?", gone)

    def start_over(self) -> None:
        """Drop all grades and settings; what people decided and the history of runs stay."""
        with self._connection:
            for table in ("submissions", "checks", "owners", "adjustments"):
                self._connection.execute(f"DELETE FROM {table}")
            self._connection.execute("DELETE FROM settings WHERE key NOT IN ('format', 'policy')")

    def results(self) -> Iterator[SubmissionResult]:
        """Yield all results as the graders gave them, sorted by name."""
        rows = self._connection.execute("SELECT result FROM submissions ORDER BY name")
        return (from_json(row[0]) for row in rows)

    def names(self) -> set[str]:
        return {from_text(row[0]) for row in self._connection.execute("SELECT name FROM submissions")}

    def files(self) -> dict[str, str]:
        """Return the names of all submissions, each with the path of its file or folder."""
        rows = self._connection.execute("SELECT name, result FROM submissions")
        return {from_text(name): json.loads(result)["path"] for name, result in rows}

    def homeworks(self) -> Iterator[tuple[str, str]]:
        """Yield every submission's name with the id of each homework in it."""
        rows = self._connection.execute(
            "SELECT name, json_extract(one.value, '$.homework')"
            " FROM submissions, json_each(result, '$.homeworks') AS one"
        )
        return ((from_text(name), homework) for name, homework in rows)

    def subjects(self, name: str, homework: str) -> set[str]:
        """Return the tasks and checks of one homework of one submission."""
        rows = self._connection.execute(
            "SELECT task, check_name FROM checks WHERE submission = ? AND homework = ?",
            (to_text(name), homework),
        )
        return {one for row in rows for one in row}

    def origins(self) -> dict[str, Origin]:
        """Return what each grade was made from, by name."""
        rows = self._connection.execute(
            "SELECT s.name, s.content, s.graders, r.seed, coalesce(r.versions, '{}')"
            " FROM submissions AS s LEFT JOIN runs AS r ON r.id = s.run"
        )
        return {from_text(row[0]): Origin(row[1], row[2], row[3], json.loads(row[4])) for row in rows}

    def setting(self, key: str, default: str) -> str:
        """Return a setting of this gradebook, storing the default when it has none yet."""
        with self._connection:
            self._connection.execute("INSERT OR IGNORE INTO settings VALUES (?, ?)", (key, default))
        return self.find_setting(key) or ""

    def find_setting(self, key: str) -> str | None:
        """Return a setting, or None if it was never stored."""
        row = self._connection.execute("SELECT value FROM settings WHERE key = ?", (key,)).fetchone()
        return None if row is None else str(row[0])

    def set(self, key: str, value: str) -> None:
        with self._connection:
            self._connection.execute("INSERT OR REPLACE INTO settings VALUES (?, ?)", (key, value))

    def begin_run(self, run: Run) -> None:
        """Record that a run begins, to which the next results belong; one that is killed gets no end."""
        with self._connection:
            done = self._connection.execute(
                "INSERT INTO runs (started_at, command, level, seed, graders, jobs, versions)"
                " VALUES (?, ?, ?, ?, ?, ?, ?)",
                (_now(), run.command, run.level, run.seed, run.graders, run.jobs, json.dumps(versions())),
            )
        self._run = done.lastrowid

    def end_run(self) -> None:
        """Record that the run has ended, and how many of its submissions got which status."""
        if self._run is None:
            raise ValueError("no run was begun")
        rows = self._connection.execute(
            "SELECT status, count(*) FROM submissions WHERE run = ? GROUP BY status", (self._run,)
        )
        ended = (_now(), json.dumps(dict(rows)), self._run)
        with self._connection:
            self._connection.execute("UPDATE runs SET ended_at = ?, outcomes = ? WHERE id = ?", ended)

    def remember_owners(self, owners: Mapping[str, Owner | None]) -> None:
        """Store the owner of each submission; a name without one loses the one it had."""
        with self._connection:
            for name, owner in owners.items():
                self._connection.execute("DELETE FROM owners WHERE submission = ?", (to_text(name),))
                if owner is not None:
                    who = [to_text(one) for one in (name, owner.student_id, owner.name, owner.email)]
                    submitted = owner.submitted_at and owner.submitted_at.isoformat()
                    self._connection.execute(
                        "INSERT INTO owners VALUES (?, ?, ?, ?, ?, ?, ?)",
                        (*who, submitted, owner.late, owner.attempt),
                    )

    def owners(self) -> dict[str, Owner]:
        """Return the owners of the submissions whose owner is known."""
        rows = self._connection.execute(
            "SELECT submission, student_id, name, email, submitted_at, late, attempt FROM owners"
        )
        found = {}
        for *who, submitted, late, attempt in rows:
            submission, student_id, name, email = map(from_text, who)
            found[submission] = Owner(
                student_id=student_id,
                name=name,
                submitted_at=submitted and dt.datetime.fromisoformat(submitted),
                late=None if late is None else bool(late),
                attempt=attempt,
                email=email,
            )
        return found

    def keep_lines(self, lines: Iterable[Line]) -> None:
        """Store how the policy adjusted the points, replacing what was stored before."""
        places = ", ".join(f":{name}" for name in LINE_FIELDS)
        rows = (
            {
                **vars(line),
                "submission": to_text(line.submission),
                "submitted_at": line.submitted_at and line.submitted_at.isoformat(),
                "due": line.due and line.due.isoformat(),
                "awaiting": json.dumps(line.awaiting, ensure_ascii=False),
                "reasons": json.dumps(line.reasons, ensure_ascii=False),
            }
            for line in lines
        )
        with self._connection:
            self._connection.execute("DELETE FROM adjustments")
            self._connection.executemany(f"INSERT INTO adjustments VALUES ({places})", rows)

    def lines(self) -> Iterator[Line]:
        """Yield how the policy last adjusted the points, sorted by submission and homework."""
        columns = ", ".join(LINE_FIELDS)
        query = f"SELECT {columns} FROM adjustments ORDER BY submission, homework"
        for row in self._connection.execute(query):
            cells: dict[str, Any] = dict(zip(LINE_FIELDS, row, strict=True))
            cells["submission"] = from_text(cells["submission"])
            for column in ("submitted_at", "due"):
                cells[column] = cells[column] and dt.datetime.fromisoformat(cells[column])
            for column in ("awaiting", "reasons"):
                cells[column] = tuple(json.loads(cells[column]))
            yield Line(**cells)

    def keep_each(
        self, column: Literal["final", "shown"], values: Mapping[str, float | None] | Mapping[str, str]
    ) -> None:
        """Store for each submission the total that counts, or which adjustments its files show."""
        rows = ((value, to_text(name)) for name, value in values.items())
        with self._connection:
            self._connection.executemany(f"UPDATE submissions SET {column} = ? WHERE name = ?", rows)

    def late_days_used(self) -> dict[str, int]:
        """Return the late days that each student has spent in this gradebook."""
        rows = self._connection.execute(
            "SELECT coalesce(nullif(o.student_id, ''), a.submission), sum(a.late_days_used)"
            " FROM adjustments AS a LEFT JOIN owners AS o ON o.submission = a.submission"
            " GROUP BY 1 HAVING sum(a.late_days_used) > 0"
        )
        return {from_text(student): days for student, days in rows}

    def shown(self) -> dict[str, str]:
        """Return, for each submission, which adjustments its files show; "" means none."""
        rows = self._connection.execute("SELECT name, shown FROM submissions")
        return {from_text(text): shown for text, shown in rows}


def _now() -> str:
    return dt.datetime.now(dt.UTC).isoformat(timespec="seconds")
