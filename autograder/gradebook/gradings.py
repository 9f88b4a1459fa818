"""The results in a gradebook: one row per submission and homework, and one per grading that still counts."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import sqlite3
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeVar

import msgspec

from autograder.course.homework import by_number
from autograder.gradebook.decisions import Decisions
from autograder.gradebook.fingerprint import Origin, Run, versions
from autograder.gradebook.groups import Groups
from autograder.gradebook.schema import GradebookPart, from_text, now, to_text
from autograder.gradebook.supersession import (
    Grading,
    WhatToGrade,
    current_homeworks,
    folder_of,
    is_empty_in,
    replaced_results,
    standing_gradings,
    superseded_gradings,
)
from autograder.intake.submission import Problem, Submission
from autograder.sandbox.report import Status
from autograder.verdict.explanation_faults import explaining, recording_faults
from autograder.verdict.results import HomeworkResult, SubmissionResult
from autograder.verdict.work import MOST_SOURCE, Work, unpacked

Result = TypeVar("Result", bound=SubmissionResult)

STALE = "stale"
"""Stands for a submission whose files may show other results; adjustments are never written like this."""

BITS_PER_CHECK = 64
"""The most hidden bits that the reason of one check can hold."""
BITS_PER_PAGE = 16
"""The most hidden bits that a page can hold besides its reasons."""


def to_json(result: SubmissionResult | HomeworkResult) -> str:
    """Return a result as JSON text; invalid Unicode in it is escaped."""
    return json.dumps(result, default=vars)


def from_json(text: str) -> SubmissionResult:
    """Return the result that ``to_json`` wrote."""
    return msgspec.convert(json.loads(text), SubmissionResult)


def without_behaviours(result: SubmissionResult) -> SubmissionResult:
    """Return a result as a gradebook lists it: sorted by number, behaviours in its groups."""
    homeworks = []
    in_order = sorted(
        result.homeworks, key=lambda homework: by_number(homework.homework)
    )
    for homework in in_order:
        work = (homework.work or Work()).without_behaviours()
        homeworks.append(replace(homework, work=work))
    problems = dict.fromkeys(result.problems)
    return replace(result, homeworks=tuple(homeworks), problems=tuple(problems))


def as_stored(result: SubmissionResult) -> SubmissionResult:
    """Return what a gradebook that holds nothing else of the submission will give back."""
    return from_json(to_json(without_behaviours(result)))


def yes_or_no(is_late: object) -> str:
    """Return a platform's flag as the table of gradings holds it; blank where there is none."""
    if is_late is None:
        return ""
    return "yes" if is_late else "no"


def _digest(source: str) -> str:
    data = source.encode("utf-8", "surrogatepass")
    return hashlib.sha256(data).hexdigest()[:16]


_INTO_CHECKS = """INSERT INTO checks
    (submission, homework, task, check_name, outcome, earned, max, reason, misconceptions)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"""

# The result that stands where another one is about to; one that was our fault has no points.
_INTO_HISTORY = """INSERT INTO history
    SELECT r.submission, homework, coalesce(runs.started_at, graded_at), json_extract(result, '$.status'),
        CASE json_extract(result, '$.status') WHEN 'infrastructure_error' THEN NULL ELSE (
            SELECT coalesce(round(sum(earned), 6), 0) FROM checks AS c
            WHERE (c.submission, c.homework) = (r.submission, r.homework)) END,
        json_extract(result, '$.points'), json_extract(result, '$.seed'), content, g.graders
    FROM results AS r JOIN gradings AS g ON g.id = grading JOIN submissions ON name = r.submission
    LEFT JOIN runs ON runs.id = g.run WHERE (r.submission, homework) = (:submission, :homework)"""


@dataclass(frozen=True)
class Kept:
    """The outcome of storing a result.

    Attributes:
        whole: all that the gradebook holds of the submission now, with its works.
        other_folders: the folders from which replaced results came, as far as that was another one.
    """

    whole: SubmissionResult
    other_folders: tuple[str, ...] = ()


@dataclass(frozen=True)
class HistoryRow:
    """A grade that another one took the place of, and what it was made from.

    ``earned`` is None where the grader failed; ``maximum`` are the points that there were to earn.
    """

    submission: str
    homework: str
    graded_at: str
    status: str
    earned: float | None
    maximum: float
    seed: int
    content: str
    graders: str


class HomeworkWithResult(NamedTuple):
    """A homework of a submission that has a result, and when it was handed in, if that is known."""

    submission: str
    homework: str
    submitted_at: dt.datetime | None


class Gradings(GradebookPart):
    """The gradings of an open gradebook; ``supersession.py`` says which of them count."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        super().__init__(connection)
        self._run_id: int | None = None
        self._asked: tuple[str, ...] = ()
        self.decisions = Decisions(connection)
        self.groups = Groups(connection, self.decisions)

    def begin_run(self, run: Run) -> None:
        """Record that a run begins, to which the next results belong; one that is killed gets no end."""
        row = dict(vars(run))
        row["started_at"] = now()
        row["versions"] = json.dumps(versions())
        del row["homeworks"]
        with self._connection:
            self._run_id = self._insert("runs", row)
        self._asked = tuple(run.homeworks)

    def end_run(self) -> None:
        """Record that the run has ended, and how many of its submissions got which status."""
        if self._run_id is None:
            raise ValueError("no run was begun")
        rows = self._execute(
            "SELECT status, count(*) FROM gradings WHERE run = ? GROUP BY status",
            (self._run_id,),
        )
        ended = (now(), json.dumps(dict(rows)), self._run_id)
        self._write("UPDATE runs SET ended_at = ?, outcomes = ? WHERE id = ?", ended)

    def gradings(self, name: str) -> list[Grading]:
        """Return the gradings of a submission, the oldest first."""
        return self._read_gradings("WHERE submission = ?", to_text(name)).get(name, [])

    def all_gradings(self) -> dict[str, list[Grading]]:
        """Return the gradings of all submissions by name, the oldest first."""
        return self._read_gradings("")

    def _read_gradings(
        self, condition: str, *values: object
    ) -> dict[str, list[Grading]]:
        standing: dict[int, set[str]] = {}
        query = f"SELECT grading, homework FROM results {condition}"
        for grading_id, homework in self._execute(query, values):
            standing.setdefault(grading_id, set()).add(homework)
        gradings = defaultdict[str, list[Grading]](list)
        query = f"SELECT * FROM gradings {condition} ORDER BY id"
        for row in self._execute(query, values):
            head = from_json(row["head"])
            grading = Grading(
                id=row["id"],
                submission=from_text(row["submission"]),
                path=head.path,
                content=row["content"],
                graders=row["graders"],
                asked=tuple(json.loads(row["asked"])),
                found=frozenset(json.loads(row["found"])),
                standing=frozenset(standing.get(row["id"], ())),
                is_our_fault=row["status"] == Status.INFRASTRUCTURE_ERROR,
                failed_as_a_whole=bool(head.fault),
            )
            gradings[grading.submission].append(grading)
        return gradings

    def standing(self) -> list[Grading]:
        """Return the gradings that count, the oldest first."""
        standing: list[Grading] = []
        for gradings in self.all_gradings().values():
            standing += standing_gradings(gradings)
        return sorted(standing, key=lambda grading: grading.id)

    def what_to_grade(
        self,
        submissions: Iterable[Submission],
        contents: Mapping[str, str],
        run: Run,
    ) -> WhatToGrade:
        """Return which submissions have no current grade; ``contents`` has their fingerprints by name."""
        what_to_grade = WhatToGrade()
        for submission in submissions:
            what_to_grade.sort_in(
                submission,
                self.gradings(submission.name),
                contents[submission.name],
                run.graders,
                run.homeworks,
            )
        return what_to_grade

    def keep(
        self,
        result: SubmissionResult,
        content: str,
        graders: str,
        again: Grading | None = None,
    ) -> Kept:
        """Store a result at once, and what it replaces in the history.

        Until ``files_written`` is told of it, the submission's files are taken for stale, so that they are written
        again wherever grading stops.

        Args:
            result: the result.
            content: the fingerprint of what was graded.
            graders: the fingerprint of what graded it.
            again: the earlier grading that was made again. The result takes its row, or the row of the first
                grading that it stands for, unless it has results which are not among the new ones.
        """
        name = to_text(result.name)
        gradings = self.gradings(result.name)
        found = [homework.homework for homework in result.homeworks]
        folder_by_homework = replaced_results(gradings, found, result.path, again)
        row: dict[str, object] = {
            "submission": name,
            "place": to_text(folder_of(result.path)),
            "content": content,
            "graders": graders,
            "asked": json.dumps(self._asked if again is None else again.asked),
            "run": self._run_id,
            "status": result.status,
            "found": json.dumps(found),
            "head": to_json(replace(result, homeworks=())),
        }
        with self._connection:
            row |= self._handed_in(name, again)
            takes_row = again is not None and again.standing <= set(found)
            grading_id: int | None
            if again is not None and takes_row:
                grading_id = again.rank
                row["id"] = again.rank
            else:
                grading_id = self._insert("gradings", row)
            stored = []
            for homework in result.homeworks:
                if homework.homework in folder_by_homework:
                    stored.append(self._replace(name, homework, grading_id))
            if again is not None and takes_row:
                # Only now, because the history is told what the replaced results were made from.
                for other_id in again.same_content | {again.id}:
                    self._execute("DELETE FROM gradings WHERE id = ?", (other_id,))
                self._insert("gradings", row)
            self._execute("DELETE FROM adjustments WHERE submission = ?", (name,))
            self._execute(
                "UPDATE runs SET done = done + 1 WHERE id = ?", (self._run_id,)
            )
            if gradings:
                self._drop_superseded(result.name, grading_id, again)
                whole = self.with_work(self._sum_up(name))
            else:  # this result is all there is, and need not be read back
                whole = without_behaviours(replace(result, homeworks=tuple(stored)))
                self._store_total(name, whole)
        other_folders = tuple(filter(None, folder_by_homework.values()))
        return Kept(whole, other_folders)

    def _handed_in(self, name: str, again: Grading | None) -> dict[str, object]:
        """Return when a submission was handed in, and whether late: as now, or as for the grading made again."""
        if again is not None:
            row = self._execute(
                "SELECT submitted_at, late FROM gradings WHERE id = ?", (again.id,)
            ).fetchone()
            if row is not None:
                return dict(row)
        row = self._execute(
            "SELECT submitted_at, late FROM owners WHERE submission = ?", (name,)
        ).fetchone()
        if row is None:
            return {}
        return {"submitted_at": row["submitted_at"], "late": yes_or_no(row["late"])}

    def files_written(self, name: str, state: str) -> None:
        """Record that the files of a submission are written, and the state that they show."""
        self._write(
            "UPDATE submissions SET shown = ? WHERE name = ?", (state, to_text(name))
        )

    def _replace(
        self, name: str, result: HomeworkResult, grading: int | None
    ) -> HomeworkResult:
        """Store one homework of a submission, and its checks for people to ask for; return what was stored."""
        key = {"submission": name, "homework": result.homework}
        work = result.work or Work()
        with (
            recording_faults() as faults,
            explaining("groups of equal answers", sqlite3.Error),
        ):
            self.groups.assign(name, result.homework, work.behaviours)
        all_faults = (*result.explanation_faults, *faults)
        result = replace(result, explanation_faults=all_faults)
        self._execute(_INTO_HISTORY, key)
        stored = to_json(replace(result, work=None))
        self._insert("results", {**key, "grading": grading, "result": stored})
        packed = work.without_behaviours().packed()
        self._insert("works", {**key, "work": packed})
        self._execute(
            "DELETE FROM checks WHERE submission = :submission AND homework = :homework",
            key,
        )
        rows = []
        for check in result.checks:
            row = (
                name,
                result.homework,
                check.task,
                check.check,
                check.outcome,
                check.earned,
                check.points,
                check.reason,
                check.misconceptions,
            )
            rows.append(row)
        self._connection.executemany(_INTO_CHECKS, rows)
        return result

    def _drop_superseded(
        self, name: str, last_id: int | None, again: Grading | None
    ) -> None:
        """Drop or silence the earlier gradings of a submission that the last one makes superfluous."""
        gradings = self.gradings(name)
        [last] = [grading for grading in gradings if grading.id == last_id]
        rank = last.id if again is None else again.rank
        to_drop, to_silence = superseded_gradings(gradings, last, rank)
        for grading in to_drop:
            self._execute("DELETE FROM gradings WHERE id = ?", (grading.id,))
        for grading in to_silence:
            query = "SELECT head FROM gradings WHERE id = ?"
            head = from_json(self._one(query, grading.id))
            silent = to_json(replace(head, problems=(), fault="", stopped=None))
            self._execute(
                "UPDATE gradings SET head = ? WHERE id = ?", (silent, grading.id)
            )

    def _sum_up(self, name: str) -> SubmissionResult:
        """Store the totals of a name's results, which its files do not show yet, and return the results."""
        whole = self.result(from_text(name))
        self._store_total(name, whole)
        return whole

    def _store_total(self, name: str, whole: SubmissionResult) -> None:
        row = {
            "name": name,
            "status": whole.status,
            "earned": whole.earned,
            "shown": STALE,
        }
        self._insert("submissions", row)

    def is_current(self, name: str, content: str, graders: str) -> bool:
        """Return whether this content has a grade by these graders; a failure of the grader does not count."""
        gradings = self.gradings(name)
        return current_homeworks(gradings, content, graders) is not None

    def has_code_of(self, again: Grading, result: SubmissionResult) -> bool:
        """Return whether a result is of the code that an earlier grading was of, as far as that is known."""
        if {homework.homework for homework in result.homeworks} != again.found:
            return False
        for homework in result.homeworks:
            if homework.homework not in again.standing:
                continue
            source = homework.work.source if homework.work else ""
            digest = self.source_digest(again.submission, homework.homework)
            is_known = bool(source and digest)
            if is_known and digest != _digest(source[:MOST_SOURCE]):
                return False
        return True

    def outdate(self, names: Iterable[str], graders: str) -> None:
        """Have these submissions graded again by the same graders; until then their grades stay."""
        query = "UPDATE gradings SET graders = '' WHERE graders = ? AND submission = ?"
        self._write(query, *((graders, to_text(name)) for name in names))

    def missing(self, names: Collection[str], homeworks: Collection[str]) -> list[str]:
        """Return the other names that were graded in these homeworks, or (none given) at all, sorted."""
        if not homeworks:
            return sorted(self.names().difference(names))
        graded = set()
        for name, gradings in self.all_gradings().items():
            for grading in gradings:
                has_result = not grading.standing.isdisjoint(homeworks)
                if has_result or is_empty_in(grading, homeworks):
                    graded.add(name)
        return sorted(graded.difference(names))

    def forget_missing(
        self, held: Mapping[str, str], graders: str, homeworks: Collection[str]
    ) -> None:
        """Drop the results in these homeworks, or (none given) in all, that no current grading gave.

        ``held`` has the content of each submission that is there. What people decided stays; so do the
        results of a submission that could not be graded again for our fault.
        """
        all_gradings = self.all_gradings()
        current = {}
        for name, content in held.items():
            gradings = all_gradings.get(name, [])
            current[name] = current_homeworks(gradings, content, graders)
        dropped = []
        for name, homework, _ in self.homeworks():
            if homeworks and homework not in homeworks:
                continue
            still_there = current.get(name, ())
            if still_there is None:  # it could not be graded again for our fault
                continue
            if homework not in still_there:
                dropped.append((to_text(name), homework))
        missing = {to_text(name) for name in self.names().difference(held)}
        with self._connection:
            for table in (
                "results",
                "works",
                "behaviours",
                "history",
                "checks",
                "adjustments",
            ):
                self._connection.executemany(
                    f"DELETE FROM {table} WHERE submission = ? AND homework = ?",
                    dropped,
                )
            for name in missing:
                for grading in self.gradings(from_text(name)):
                    if is_empty_in(grading, homeworks):
                        self._execute(
                            "DELETE FROM gradings WHERE id = ?", (grading.id,)
                        )
            graded = "SELECT submission FROM gradings"
            self._execute(f"DELETE FROM submissions WHERE name NOT IN ({graded})")
            self._execute(f"DELETE FROM owners WHERE submission NOT IN ({graded})")
            changed = missing | {name for name, _ in dropped}
            for name in self.names():
                if to_text(name) in changed:
                    self._sum_up(to_text(name))

    def result(self, name: str) -> SubmissionResult:
        """Return all that the graders gave one name; its homeworks are sorted by number.

        Raises:
            LookupError: no submission has the name.
        """
        key = (to_text(name),)
        query = "SELECT head FROM gradings WHERE submission = ? ORDER BY id"
        heads = [from_json(row[0]) for row in self._execute(query, key)]
        if not heads:
            raise LookupError(f"no submission is called {name!r}")
        query = "SELECT result FROM results WHERE submission = ?"
        homeworks = [
            msgspec.convert(json.loads(row[0]), HomeworkResult)
            for row in self._execute(query, key)
        ]
        homeworks.sort(key=lambda homework: by_number(homework.homework))
        problems: dict[Problem, None] = {}
        faults = []
        stopped = None
        for head in heads:
            problems.update(dict.fromkeys(head.problems))
            if head.fault:
                faults.append(head.fault)
            stopped = head.stopped or stopped
        return replace(
            heads[-1],
            homeworks=tuple(homeworks),
            problems=tuple(problems),
            fault="\n".join(faults),
            stopped=stopped,
        )

    def with_work(self, result: Result) -> Result:
        """Return a result whose homeworks carry their works."""
        query = "SELECT homework, work FROM works WHERE submission = ?"
        rows = self._execute(query, (to_text(result.name),))
        works = {homework_id: unpacked(packed) for homework_id, packed in rows}
        homeworks = []
        for homework in result.homeworks:
            homeworks.append(replace(homework, work=works.get(homework.homework)))
        return replace(result, homeworks=tuple(homeworks))

    def history(self) -> Iterator[HistoryRow]:
        """Yield the grades that others took the place of, the first of them first."""
        for row in self._execute("SELECT * FROM history ORDER BY rowid"):
            name, *others = row
            yield HistoryRow(from_text(name), *others)

    def quoted_bits(self) -> dict[tuple[str, str], int]:
        """Return how many bits of hidden inputs the pages of each submission's homework may have quoted.

        That is the most that the gradings so far allow; docs/security.md says where the numbers come from.
        A check that passed reveals one bit as well, which is counted as if it had failed.
        """
        rows = self._execute(
            """WITH earlier AS (SELECT submission, homework, count(*) AS gradings FROM history GROUP BY 1, 2),
                asked AS (SELECT submission, homework, count(*) AS checks FROM checks GROUP BY 1, 2)
            SELECT submission, homework, 1 + coalesce(gradings, 0), coalesce(checks, 0)
            FROM results LEFT JOIN earlier USING (submission, homework)
                LEFT JOIN asked USING (submission, homework)"""
        )
        bits = {}
        for name, homework, gradings, checks in rows:
            bits_per_grading = checks * BITS_PER_CHECK + BITS_PER_PAGE
            bits[from_text(name), homework] = gradings * bits_per_grading
        return bits

    def sources(self, homework: str) -> Iterator[tuple[str, str]]:
        """Yield every submission that has code in a homework, with that code, sorted by name."""
        query = (
            "SELECT submission, work FROM works WHERE homework = ? ORDER BY submission"
        )
        for name, work in self._execute(query, (homework,)):
            source = unpacked(work).source
            if source:
                yield from_text(name), source

    def given(
        self, held: Mapping[str, str], graders: str
    ) -> Iterator[SubmissionResult]:
        """Yield the results of these graders for submissions of this content, without other homeworks."""
        query = (
            "SELECT found, head FROM gradings"
            " WHERE (submission, content, graders) = (?, ?, ?) ORDER BY id DESC"
        )
        for name, content in held.items():
            row = self._execute(query, (to_text(name), content, graders)).fetchone()
            if row is None:
                continue
            found_text, head = row
            found_homeworks = set(json.loads(found_text))
            homeworks = []
            for homework in self.result(name).homeworks:
                if homework.homework in found_homeworks:
                    homeworks.append(homework)
            yield replace(from_json(head), homeworks=tuple(homeworks))

    def results(self) -> Iterator[SubmissionResult]:
        """Yield all results as the graders gave them, sorted by name."""
        return map(self.result, self._sorted_names())

    def counted(self) -> Iterator[SubmissionResult]:
        """Yield the results of the submissions that nobody withdrew, sorted by name."""
        withdrawn = self.decisions.withdrawn()
        names = []
        for name in self._sorted_names():
            if name not in withdrawn:
                names.append(name)
        return map(self.result, names)

    def _sorted_names(self) -> list[str]:
        rows = self._execute("SELECT name FROM submissions ORDER BY name")
        return [from_text(row[0]) for row in rows]

    def failed(self) -> list[str]:
        """Return the submissions that have no fair grade yet, because the grader failed, sorted by name."""
        query = "SELECT name FROM submissions WHERE status = ? ORDER BY name"
        rows = self._execute(query, (Status.INFRASTRUCTURE_ERROR,))
        return [from_text(row[0]) for row in rows]

    def names(self) -> set[str]:
        rows = self._execute("SELECT name FROM submissions")
        return {from_text(row[0]) for row in rows}

    def graded_on(self) -> dict[str, str]:
        """Return the day (of UTC) of each submission's last grading, by name."""
        rows = self._execute("SELECT name, date(graded_at) FROM submissions")
        return {from_text(name): day for name, day in rows}

    def files(self) -> dict[str, str]:
        """Return the names of all submissions, each with the path of its file or folder."""
        rows = self._execute("SELECT submission, head FROM gradings ORDER BY id")
        return {from_text(name): from_json(head).path for name, head in rows}

    def homeworks(self) -> Iterator[HomeworkWithResult]:
        """Yield every homework of every submission, and when it was handed in."""
        rows = self._execute(
            "SELECT r.submission, homework, submitted_at FROM results AS r JOIN gradings ON id = grading"
        )
        for name, homework, time in rows:
            submitted_at = dt.datetime.fromisoformat(time) if time else None
            yield HomeworkWithResult(from_text(name), homework, submitted_at)

    def source_digest(self, name: str, homework: str) -> str:
        """Return a fingerprint of the code that a homework was graded from; blank where none was kept.

        It is that of one homework, so that a change of another one in the same folder makes no difference.
        """
        work = self.groups.work(name, homework)
        if work is None:
            return ""
        return _digest(work.source)

    def subjects(self, name: str, homework: str) -> set[str]:
        """Return the tasks and checks of one homework of one submission."""
        rows = self._execute(
            "SELECT task, check_name FROM checks WHERE submission = ? AND homework = ?",
            (to_text(name), homework),
        )
        subjects: set[str] = set()
        for task, check in rows:
            subjects.update((task, check))
        return subjects

    def origins(self) -> dict[tuple[str, str], Origin]:
        """Return the origin of each grade, by name and homework; "" is the name's last grading."""
        rows = self._execute(
            "SELECT g.submission, coalesce(homework, ''), content, g.graders, seed, coalesce(versions, '{}'),"
            " head FROM gradings AS g LEFT JOIN results ON grading = g.id LEFT JOIN runs ON runs.id = g.run"
            " ORDER BY g.id"
        )
        origins: dict[tuple[str, str], Origin] = {}
        for row in rows:
            submission, homework, content, graders, seed, made_with, head = row
            name = from_text(submission)
            path = from_json(head).path
            origin = Origin(content, graders, seed, json.loads(made_with), path)
            origins[name, homework] = origin
            origins[name, ""] = origin
        return origins
