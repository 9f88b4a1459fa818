"""The SQLite file: results, settings, runs, owners of submissions, and the policy's adjustments."""

from __future__ import annotations

import datetime as dt
import json
import secrets
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Literal, NamedTuple

import msgspec

from autograder.gradebook.decisions import PolicyLine
from autograder.gradebook.gradings import Gradings, yes_or_no
from autograder.gradebook.schema import from_text, to_text
from autograder.intake.submission import Owner

SECRET_OF_CODES = "secret_of_codes"
"""The setting that holds it; it never leaves the gradebook."""


class Unfinished(NamedTuple):
    """How far a run came that was stopped: as text, "3 of 5"."""

    done: int
    submissions: int

    def __str__(self) -> str:
        return f"{self.done} of {self.submissions}"


class Gradebook(Gradings):
    """An open gradebook; use ``open_gradebook`` or ``read_gradebook``."""

    def setting_or_store(self, key: str, default: str) -> str:
        """Return a setting of this gradebook; where it has none yet, store the default and return that."""
        self._write("INSERT OR IGNORE INTO settings VALUES (?, ?)", (key, default))
        return self.find_setting(key) or ""

    def find_setting(self, key: str) -> str | None:
        """Return a setting, or None if it was never stored."""
        value: str | None = self._one("SELECT value FROM settings WHERE key = ?", key)
        return value

    def secret_of_codes(self) -> str:
        """Return the secret from which the codes for names are made; blank until the first code is needed."""
        return self.find_setting(SECRET_OF_CODES) or ""

    def draw_secret_of_codes(self) -> str:
        """Draw the secret from which the codes for names are made, unless there is one, and return it."""
        return self.setting_or_store(SECRET_OF_CODES, secrets.token_hex(32))

    def set(self, key: str, value: str) -> None:
        self._write("INSERT OR REPLACE INTO settings VALUES (?, ?)", (key, value))

    def begun(self) -> str:
        """Return when the first run began, which distinguishes this gradebook from others."""
        return str(self._one("SELECT min(started_at) FROM runs"))

    def unfinished(self) -> Unfinished | None:
        """Return how far the last run that was stopped came; None where nothing is left of it to do.

        - A run of as many submissions or more has ended since: nothing is left to do.
        - It graded nothing, because an error in a check ended it at once, and an earlier run of as many
          submissions had ended or graded some: it changed nothing, and that run counts instead.
        - Else it counts, also where it graded nothing: the class is not graded.
        """
        row = self._execute(
            "SELECT done, entries FROM runs AS r WHERE ended_at IS NULL AND done < entries"
            " AND NOT EXISTS (SELECT 1 FROM runs"
            " WHERE id > r.id AND ended_at IS NOT NULL AND entries >= r.entries)"
            " AND (done > 0 OR NOT EXISTS (SELECT 1 FROM runs"
            " WHERE id < r.id AND (ended_at IS NOT NULL OR done > 0) AND entries >= r.entries))"
            " ORDER BY id DESC"
        ).fetchone()
        return Unfinished(int(row[0]), int(row[1])) if row else None

    def last_command(self) -> str:
        """Return the arguments of the command that began the last run; blank where there was none."""
        command = self._one("SELECT command FROM runs ORDER BY id DESC LIMIT 1")
        return str(command or "")

    def last_run_at(self) -> dt.datetime | None:
        """Return when the last run began."""
        time = self._one("SELECT started_at FROM runs ORDER BY id DESC LIMIT 1")
        return dt.datetime.fromisoformat(time) if time else None

    def remember_owners(
        self,
        owners: Mapping[str, Owner | None],
        content: Mapping[str, str] | None = None,
        *,
        by_roster: Collection[str] | None = None,
        superseded: Collection[str] = (),
    ) -> None:
        """Store the owner of each submission; where none is known, whose it was stays, but not the time.

        A roster says who the owners of the submissions ``by_roster`` are (None: there is no roster), and replaces
        what an earlier one said. Whoever is not in it stays who they were: a platform's download says less than a
        roster, and times and extensions would lose their student. So does a download without the e-mail addresses
        or logins that an earlier one had.
        The times are those of submissions with this content, by name, or (not given) of whatever they hold.
        Of the ``superseded`` ones a newer hand-in counts, and so do its time and whether it was late.
        """
        known_owners = self.owners()
        with self._connection:
            for name, owner in owners.items():
                is_superseded = name in superseded
                if owner is None and is_superseded:
                    continue
                if owner is None:
                    self._execute(
                        "UPDATE owners SET submitted_at = NULL, late = NULL, attempt = NULL"
                        " WHERE submission = ?",
                        (to_text(name),),
                    )
                    continue
                known = known_owners.get(name)
                if known is not None and name not in (by_roster or ()):
                    lacks_email = known.email and not owner.email
                    lacks_login = known.login and not owner.login
                    if by_roster is not None or lacks_email or lacks_login:
                        owner = replace(
                            owner,
                            student_id=known.student_id,
                            name=known.name,
                            email=known.email or owner.email,
                            login=known.login,
                        )
                handed_in = {
                    "submission": to_text(name),
                    "submitted_at": owner.submitted_at,
                    "late": yes_or_no(owner.late),
                    "content": (content or {}).get(name),
                }
                if known is not None and is_superseded:
                    owner = replace(
                        owner,
                        submitted_at=known.submitted_at,
                        late=known.late,
                        attempt=known.attempt,
                    )
                row: dict[str, object] = {}
                for column, value in vars(owner).items():
                    row[column] = to_text(value) if isinstance(value, str) else value
                row["submission"] = to_text(name)
                self._insert("owners", row)
                self._execute(
                    "UPDATE gradings SET submitted_at = :submitted_at, late = :late"
                    " WHERE submission = :submission AND content = coalesce(:content, content)",
                    handed_in,
                )

    def owners(self) -> dict[str, Owner]:
        """Return the owners of the submissions whose owner is known."""
        owners = {}
        for row in self._execute("SELECT * FROM owners"):
            cells: dict[str, object] = {}
            for column, value in dict(row).items():
                cells[column] = from_text(value) if isinstance(value, str) else value
            cells.update(_times(row, "submitted_at"))
            owner = msgspec.convert(cells, Owner, strict=False)
            owners[str(cells["submission"])] = owner
        return owners

    def late_flags(self) -> dict[tuple[str, str], bool]:
        """Return whether the platform called each homework of a submission late, where it says."""
        flags = {}
        for name, homework, flag in self._execute(
            "SELECT r.submission, r.homework, g.late"
            " FROM results AS r JOIN gradings AS g ON g.id = r.grading WHERE g.late != ''"
        ):
            flags[from_text(name), homework] = flag == "yes"
        return flags

    def keep_lines(self, lines: Iterable[PolicyLine]) -> None:
        """Store how the policy adjusted the points, replacing what was stored before."""
        with self._connection:
            self._execute("DELETE FROM adjustments")
            for line in lines:
                row = vars(line) | {"submission": to_text(line.submission)}
                self._insert("adjustments", row)

    def lines(self) -> Iterator[PolicyLine]:
        """Yield how the policy last adjusted the points, sorted by submission and homework."""
        for row in self._execute(
            "SELECT * FROM adjustments ORDER BY submission, homework"
        ):
            line = dict(row)
            line["submission"] = from_text(row["submission"])
            line["awaiting"] = json.loads(row["awaiting"])
            line["reasons"] = json.loads(row["reasons"])
            line.update(_times(row, "submitted_at", "due"))
            yield msgspec.convert(line, PolicyLine)

    def keep_each(
        self,
        column: Literal["final", "shown"],
        values: Mapping[str, float | None] | Mapping[str, str],
    ) -> None:
        """Store for each submission the total that counts, or which adjustments its files show."""
        rows = ((value, to_text(name)) for name, value in values.items())
        self._write(f"UPDATE submissions SET {column} = ? WHERE name = ?", *rows)

    def late_days_used(self) -> dict[str, int]:
        """Return the late days that each student has spent in this gradebook."""
        rows = self._execute(
            "SELECT coalesce(nullif(o.student_id, ''), a.submission), sum(a.late_days_used)"
            " FROM adjustments AS a LEFT JOIN owners AS o ON o.submission = a.submission"
            " GROUP BY 1 HAVING sum(a.late_days_used) > 0"
        )
        return {from_text(student): days for student, days in rows}

    def shown(self) -> dict[str, str]:
        """Return, for each submission, which adjustments its files show; "" means none."""
        rows = self._execute("SELECT name, shown FROM submissions")
        return {from_text(text): adjustments for text, adjustments in rows}


def _times(row: sqlite3.Row, *columns: str) -> dict[str, dt.datetime | None]:
    """Return the times of a row; the offset of one long ago may have seconds, which msgspec refuses."""
    times: dict[str, dt.datetime | None] = {}
    for column in columns:
        text = row[column]
        times[column] = dt.datetime.fromisoformat(text) if text else None
    return times
