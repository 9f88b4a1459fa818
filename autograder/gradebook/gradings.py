"""The results in a gradebook: one row per submission and homework, and one per grading that still counts."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Any, TypeVar

import msgspec

from autograder.course.homework import by_number
from autograder.gradebook.fingerprint import Origin
from autograder.gradebook.groups import Groups
from autograder.gradebook.schema import GradebookPart, from_text, to_text
from autograder.intake.submission import Problem
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


def _covers(homeworks: str, others: str) -> bool:
    """Return whether homeworks include all others; no homeworks at all stand for all of them.

    Every open gradebook has it as a function in SQL, ``covers``.

    Args:
        homeworks: the ids as a JSON list.
        others: likewise.
    """
    covering = set(json.loads(homeworks))
    covered = set(json.loads(others))
    if not covering:
        return True
    return bool(covered) and covered <= covering


# A grading that holds no result (any more), of homeworks asked for that are all among these.
_EMPTY_IN = (
    "id NOT IN (SELECT grading FROM results)"
    " AND (found != '[]' OR covers(:homeworks, asked))"
)

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
class StandingGrading:
    """A grading that counts: it gave a homework its result, or it is the last word on finding nothing.

    ``path`` is what was graded. ``asked`` are the homeworks that were asked for by name (none: all),
    ``found`` those that were found, and ``standing`` those of them that no other grading has replaced.
    """

    id: int
    submission: str
    path: str
    content: str
    graders: str
    asked: tuple[str, ...]
    found: frozenset[str]
    standing: frozenset[str]
    is_our_fault: bool


class Gradings(GradebookPart):
    """The gradings of an open gradebook. A name's results may come from several gradings."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        super().__init__(connection)
        connection.create_function("covers", 2, _covers, deterministic=True)
        self._run: int | None = None
        self._asked = "[]"
        self._written = ("", "")
        """The submission whose files were written last, and the state that they show."""
        self.groups = Groups(connection)

    def keep(
        self,
        result: SubmissionResult,
        content: str,
        graders: str,
        write: Callable[[SubmissionResult], str] = lambda whole: "",
        again: StandingGrading | None = None,
    ) -> list[str]:
        """Store a result at once. In the homeworks that it found it replaces earlier ones; all others stay.

        A result of grading the same submission ``again`` has the rank of the earlier grading: what gradings
        after that one have replaced stays replaced. It takes the earlier one's row, unless that has results
        which are not among the new ones.

        ``write`` gets all that the name has from now on, with its works, and returns the state that its files
        show. Of a name without earlier gradings that is this result, which is not read back. Until the next result
        says that it came to its end, the files are taken for stale, so that they are written again wherever grading
        stops.

        Returns:
            The folders from which replaced results came, as far as that was another one.
        """
        name = to_text(result.name)
        place = to_text(str(PurePath(result.path).parent))
        row: dict[str, object] = {
            "submission": name,
            "place": place,
            "content": content,
            "graders": graders,
            "asked": self._asked,
            "run": self._run,
            "status": result.status,
            "found": json.dumps([homework.homework for homework in result.homeworks]),
            "head": to_json(replace(result, homeworks=())),
        }
        other_places: list[str] = []
        last_written, state_shown = self._written
        self._written = ("", "")
        with self._connection:
            self._execute(
                "UPDATE submissions SET shown = ? WHERE name = ?",
                (state_shown, last_written),
            )
            if again is None:
                handed_in = self._execute(
                    "SELECT submitted_at, late FROM owners WHERE submission = ?",
                    (name,),
                ).fetchone()
                if handed_in is not None:
                    row["submitted_at"] = handed_in["submitted_at"]
                    row["late"] = yes_or_no(handed_in["late"])
            else:
                handed_in = self._execute(
                    "SELECT submitted_at, late FROM gradings WHERE id = ?", (again.id,)
                ).fetchone()
                row["asked"] = json.dumps(again.asked)
                row["submitted_at"] = handed_in["submitted_at"]
                row["late"] = handed_in["late"]
            query = "SELECT 1 FROM gradings WHERE submission = ?"
            is_first = self._one(query, name) is None
            homeworks = {homework.homework for homework in result.homeworks}
            takes_row = again is not None and again.standing <= homeworks
            grading: int | None
            if again is not None and takes_row:
                grading = again.id
                row["id"] = again.id
            else:
                grading = self._insert("gradings", row)
            stored = []
            for homework in result.homeworks:
                earlier = self._execute(
                    "SELECT id, place FROM results JOIN gradings ON id = grading"
                    " WHERE results.submission = ? AND homework = ?",
                    (name, homework.homework),
                ).fetchone()
                if again is not None and earlier and earlier["id"] > again.id:
                    continue  # a later hand-in
                if earlier and earlier["place"] != place:
                    other_places.append(from_text(earlier["place"]))
                stored.append(self._replace(name, homework, grading))
            if takes_row:  # only now, because the history is told what the replaced results were made from
                self._insert("gradings", row)
            self._drop_superseded(grading)
            self._execute("DELETE FROM adjustments WHERE submission = ?", (name,))
            self._execute("UPDATE runs SET done = done + 1 WHERE id = ?", (self._run,))
            if is_first:
                whole = without_behaviours(replace(result, homeworks=tuple(stored)))
                self._store_total(name, whole)
            else:
                whole = self.with_work(self._sum_up(name))
        state_shown = write(whole)
        self._written = (name, state_shown)
        return other_places

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

    def _drop_superseded(self, last: int | None) -> None:
        """Silence or drop earlier gradings of a submission, as far as the ``last`` one answers for them.

        One that still holds results stays, and so does what it says of another place. One that holds none is
        over, unless it was asked for other homeworks or the grader failed; where its results were replaced
        from another place, that remains known.
        """
        name, place, last_asked = self._execute(
            "SELECT submission, place, asked FROM gradings WHERE id = ?", (last,)
        ).fetchone()
        earlier = self._execute(
            "SELECT id, place, asked, head, found != '[]',"
            " EXISTS (SELECT 1 FROM results WHERE grading = gradings.id)"
            " FROM gradings WHERE submission = ? AND id < ? ORDER BY id",
            (name, last),
        ).fetchall()
        for grading, its_place, its_asked, head_text, has_found, has_results in earlier:
            head = from_json(head_text)
            # The last grading answers for an earlier one that was asked for the same homeworks or fewer.
            is_covered = _covers(last_asked, its_asked)
            stands_alone = its_asked != "[]" or bool(head.fault)
            is_over = not has_results and (is_covered or not stands_alone)
            if is_over and (its_place == place or not has_found):
                self._execute("DELETE FROM gradings WHERE id = ?", (grading,))
            elif is_over or (is_covered and its_place == place):
                silent = to_json(replace(head, problems=(), fault="", stopped=None))
                self._execute(
                    "UPDATE gradings SET head = ? WHERE id = ?", (silent, grading)
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
        return self._current(name, content, graders) is not None

    def _current(self, name: str, content: str, graders: str) -> Collection[str] | None:
        """Return the results of a grading that is still the last one of its place.

        Each of its results is still there, or was replaced since by one from another place. A later grading
        of the same place for some of its homeworks calls for a new one, also where it found nothing: what that
        says of the submission would otherwise stay for good.
        """
        found_homeworks = self._one(
            """SELECT found FROM gradings AS g
            WHERE (submission, content, graders) = (?, ?, ?) AND status != ?
            AND NOT EXISTS (
                SELECT 1 FROM json_each(g.found) WHERE value NOT IN (
                    SELECT homework FROM results JOIN gradings AS now ON now.id = grading
                    WHERE now.submission = g.submission
                    AND (now.id = g.id OR now.id > g.id AND now.place != g.place)))
            AND NOT EXISTS (
                SELECT 1 FROM gradings AS later
                WHERE (later.submission, later.place) = (g.submission, g.place) AND later.id > g.id
                AND covers(g.asked, later.asked))""",
            to_text(name),
            content,
            graders,
            Status.INFRASTRUCTURE_ERROR,
        )
        if found_homeworks is None:
            return None
        return set(json.loads(found_homeworks))

    def superseded_by(self, name: str, place: str, content: str) -> str | None:
        """Return the folder of the newer hand-in that replaced this content from this folder; None if none did.

        Other graders do not make an old hand-in a new one: a regrade must not bring it back.
        """
        newer_place = self._one(
            """SELECT newer.place FROM gradings AS g
            JOIN results AS r ON r.submission = g.submission
            JOIN gradings AS newer ON newer.id = r.grading
            WHERE (g.submission, g.place, g.content) = (?, ?, ?) AND g.found != '[]'
            AND newer.id > g.id AND newer.place != g.place
            AND r.homework IN (SELECT value FROM json_each(g.found))
            AND NOT EXISTS (SELECT 1 FROM results WHERE grading = g.id)
            ORDER BY newer.id DESC""",
            to_text(name),
            to_text(place),
            content,
        )
        return None if newer_place is None else from_text(newer_place)

    def standing(self) -> list[StandingGrading]:
        """Return the gradings that count, in their order.

        One that failed for our fault stands for an earlier one of the same path and homeworks as well, with
        what that one found.
        """
        standing_of: dict[int, set[str]] = {}
        for grading, homework in self._execute("SELECT grading, homework FROM results"):
            standing_of.setdefault(grading, set()).add(homework)
        standing_gradings: list[StandingGrading] = []
        last_of_path: dict[tuple[str, str, tuple[str, ...]], StandingGrading] = {}
        for row in self._execute("SELECT * FROM gradings ORDER BY id"):
            found = frozenset(json.loads(row["found"]))
            standing = frozenset(standing_of.get(row["id"], ()))
            if found and not standing:
                continue
            grading = StandingGrading(
                id=row["id"],
                submission=from_text(row["submission"]),
                path=from_json(row["head"]).path,
                content=row["content"],
                graders=row["graders"],
                asked=tuple(json.loads(row["asked"])),
                found=found,
                standing=standing,
                is_our_fault=row["status"] == Status.INFRASTRUCTURE_ERROR,
            )
            key = (grading.submission, grading.path, tuple(sorted(grading.asked)))
            earlier = last_of_path.get(key)
            if grading.is_our_fault and earlier is not None:
                standing_gradings.remove(earlier)
                grading = replace(
                    grading,
                    found=grading.found | earlier.found,
                    standing=grading.standing | earlier.standing,
                )
            standing_gradings.append(grading)
            last_of_path[key] = grading
        return standing_gradings

    def partly_superseded(
        self, asked: Collection[str]
    ) -> dict[tuple[str, str, str], tuple[StandingGrading, str]]:
        """Return the gradings that a newer hand-in from another folder has replaced in some of their homeworks.

        They are those of the homeworks asked for, by submission, path and content; each has the newer folder.
        """
        superseded = {}
        for grading in self.standing():
            is_asked = set(grading.asked) == set(asked)
            if not is_asked or grading.found == grading.standing:
                continue
            newer_place = self._one(
                """SELECT newer.place FROM results AS r JOIN gradings AS newer ON newer.id = r.grading
                JOIN gradings AS g ON g.id = ? WHERE r.submission = g.submission AND newer.id > g.id
                AND newer.place != g.place AND r.homework IN (SELECT value FROM json_each(g.found))
                ORDER BY newer.id DESC""",
                grading.id,
            )
            if newer_place is not None:
                key = (grading.submission, grading.path, grading.content)
                superseded[key] = (grading, from_text(newer_place))
        return superseded

    def has_code_of(self, again: StandingGrading, result: SubmissionResult) -> bool:
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
        for name, homework, _ in self.homeworks():
            if homework in homeworks:
                graded.add(name)
        query = f"SELECT submission FROM gradings WHERE {_EMPTY_IN}"
        for row in self._execute(query, {"homeworks": json.dumps([*homeworks])}):
            graded.add(from_text(row[0]))
        return sorted(graded.difference(names))

    def forget_missing(
        self, held: Mapping[str, str], graders: str, homeworks: Collection[str]
    ) -> None:
        """Drop the results in these homeworks, or (none given) in all, that no current grading gave.

        ``held`` has the content of each submission that is there. What people decided stays; so do the
        results of a submission that could not be graded again for our fault.
        """
        current = {
            name: self._current(name, content, graders)
            for name, content in held.items()
        }
        dropped = []
        for name, homework, _ in self.homeworks():
            if homeworks and homework not in homeworks:
                continue
            current_homeworks = current.get(name, ())
            if current_homeworks is None:  # it could not be graded again for our fault
                continue
            if homework not in current_homeworks:
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
                self._execute(
                    f"DELETE FROM gradings WHERE submission = :name AND {_EMPTY_IN}",
                    {"name": name, "homeworks": json.dumps([*homeworks])},
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
        """Return a result whose homeworks carry their works; of older gradings nothing was kept."""
        query = "SELECT homework, work FROM works WHERE submission = ?"
        rows = self._execute(query, (to_text(result.name),))
        works = {homework_id: unpacked(packed) for homework_id, packed in rows}
        homeworks = []
        for homework in result.homeworks:
            homeworks.append(replace(homework, work=works.get(homework.homework)))
        return replace(result, homeworks=tuple(homeworks))

    def history(self) -> Iterator[tuple[Any, ...]]:
        """Yield the grades that others took the place of, the first of them first.

        Each has the name, homework, time, status, points (None where the grader failed) and how many there
        were to earn, and then what it was made from: seed, content, graders.
        """
        for row in self._execute("SELECT * FROM history ORDER BY rowid"):
            yield (from_text(row[0]), *row[1:])

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
        withdrawn = self.withdrawn()
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

    def homeworks(self) -> Iterator[tuple[str, str, dt.datetime | None]]:
        """Yield every submission's name with the id of each homework in it, and when that was handed in."""
        rows = self._execute(
            "SELECT r.submission, homework, submitted_at FROM results AS r JOIN gradings ON id = grading"
        )
        for name, homework, time in rows:
            yield from_text(name), homework, time and dt.datetime.fromisoformat(time)

    def source_digest(self, name: str, homework: str) -> str:
        """Return a fingerprint of the code that a homework was graded from; blank where none was kept.

        It is that of one homework, so that a change of another one in the same folder makes no difference.
        """
        work = self.groups.work(name, homework)
        if work is None:
            return ""
        return _digest(work.source)

    def last_graded(self) -> set[tuple[str, str]]:
        """Return the submissions and homeworks whose result is from the submission's last grading."""
        rows = self._execute(
            "SELECT submission, homework FROM results AS r WHERE grading ="
            " (SELECT max(id) FROM gradings WHERE submission = r.submission)"
        )
        return {(from_text(name), homework) for name, homework in rows}

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
