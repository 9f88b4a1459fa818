"""What people decide about a gradebook, taken from tables and options and checked against its content.

A file that is not a table is a ``TableError``; all else that is wrong is a ``PolicyError``, which names the
line or key, and then nothing of it is kept.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import difflib
import math
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path
from typing import Annotated, TypeVar

import msgspec
from msgspec import Meta, Struct

from autograder.course.course import Course, id_of
from autograder.errors import KitError
from autograder.gradebook.book import Gradebook
from autograder.gradebook.decisions import Mark, Override, Times
from autograder.intake.csv_table import as_read, decimal, read_table
from autograder.intake.roster import team_name
from autograder.policy.points import check_of
from autograder.policy.policy import (
    POLICY_FILE,
    Policy,
    PolicyError,
    parse_policy,
    read_policy,
)

SETTING = "policy"
PLATFORM_DUE = "due"
"""The gradebook's setting in Gradescope's container: the due date there, or blank."""
EXTENSIONS = "extensions.csv"
END_OF_DAY = dt.time(23, 59, 59)
OF_CLASSROOM = ("github_username", "submission_timestamp")
"""Columns of GitHub Classroom's table of grades."""
KINDS = ("submission", "id", "email")
"""What a text in a table may be: a submission's name, its owner's student id, or their e-mail address."""
Key = TypeVar("Key", bound=tuple[str, ...])
Value = TypeVar("Value")


def did_you_mean(text: str, known: Iterable[str], otherwise: str = "") -> str:
    """Return the end of a complaint about an unknown name: the known ones that are nearly like it."""
    close = difflib.get_close_matches(text, sorted(known), n=3)
    return f"; did you mean {' or '.join(close)}?" if close else otherwise


class Names:
    """Find submissions by their name, or by the student id or e-mail address of their owner.

    A text may be a submission's name and another student's id. Then it names neither, and somebody has to
    write ``submission:``, ``id:`` or ``email:`` before it.
    """

    def __init__(self, book: Gradebook) -> None:
        self._names, self._owners = book.names(), book.owners()
        self._by_kind: dict[str, defaultdict[str, set[str]]] = {
            kind: defaultdict(set) for kind in KINDS
        }
        for name in self._names:
            self._by_kind["submission"][name].add(name)
            self._by_kind["submission"][as_read(name)].add(name)
        for name, owner in self._owners.items():
            self._by_kind["id"][owner.student_id].add(name)
            self._by_kind["email"][owner.email].add(name)
        for kind in ("id", "email"):
            self._by_kind[kind].pop("", None)

    def all(self, text: str) -> Sequence[str]:
        """Return the submissions that a text names: the one of that name, or all of that student.

        Where it may mean several students, it names none; see ``doubt``.
        """
        if text in self._names and not self.doubt(text):
            return [text]
        names = self._meant(text)
        return [] if self._is_in_doubt(names) else sorted(names)

    def doubt(self, text: str) -> str:
        """Say whom a text may mean if these are several students, with the remedy; blank if it is clear."""
        if not self._is_in_doubt(self._meant(text)):
            return ""
        readings = []
        for kind, index in self._by_kind.items():
            readings += [
                f"{name!r} (as `{kind}:{text}`)" for name in sorted(index.get(text, ()))
            ]
        return (
            f"{text!r} may mean the submissions {' and '.join(readings)}: write which"
        )

    def _meant(self, text: str) -> set[str]:
        """Return all submissions that a text may mean, of however many students."""
        kind, _, rest = text.partition(":")
        if text not in self._names and kind in KINDS:
            return self._by_kind[kind].get(rest, set())
        return set().union(*(index.get(text, ()) for index in self._by_kind.values()))

    def _is_in_doubt(self, names: Collection[str]) -> bool:
        """Whether submissions are of several students, as far as their owners are known."""
        students = set()
        for name in names:
            owner = self._owners.get(name)
            students.add(
                ((owner.student_id or owner.email) if owner else "")
                or f"submission {name}"
            )
        return len(students) > 1

    def find(self, text: str) -> str:
        """Return a submission's name; a text that names none, or several, is returned as it is."""
        names = self.all(text)
        return names[0] if len(names) == 1 else text

    def need(self, text: str) -> str:
        """Return a submission's name.

        Raises:
            PolicyError: there is none, and similar ones are named; or the text may mean several students.
        """
        self.need_clear([text], one_submission=True)
        name = self.find(text)
        if name not in self._names:
            known = set().union(*self._by_kind.values())
            raise PolicyError(
                f"the gradebook has no submission {text!r}{did_you_mean(text, known)}"
            )
        return name

    def need_clear(self, texts: Iterable[str], *, one_submission: bool = False) -> None:
        """Refuse texts that may mean several students, or (``one_submission``) several of one student's.

        Raises:
            PolicyError: the first of them may; it names all submissions that are possible.
        """
        for text in texts:
            if doubt := self.doubt(text):
                raise PolicyError(doubt)
            names = self.all(text)
            if one_submission and len(names) > 1:
                listed_names = " and ".join(map(repr, names))
                raise PolicyError(
                    f"{text!r} has the submissions {listed_names}: write which"
                )

    def unknown(self, texts: Iterable[str]) -> tuple[str, ...]:
        """Return those of the texts that name no submission."""
        return tuple(dict.fromkeys(text for text in texts if not self._meant(text)))


def load_policy(book: Gradebook, course: Course) -> Policy:
    """Return the policy that holds for a gradebook; errors are those of ``course_policy``."""
    platform = book.find_setting(PLATFORM_DUE)
    due = dt.datetime.fromisoformat(platform) if platform else None
    return replace(
        course_policy(course, book.find_setting(SETTING), due),
        alone=platform is not None,
    )


def course_policy(
    course: Course, kept: str | None = None, due: dt.datetime | None = None
) -> Policy:
    """Return the policy in a course's folder, or that of a text, with the extensions in the folder."""
    own, table = course.root / POLICY_FILE, course.root / EXTENSIONS
    if not kept and own.is_file():
        policy = read_policy(own, course, due)
    else:
        place = "the policy kept in the gradebook (name a new one with --policy)"
        policy = parse_policy(kept or "", course, place if kept else "no policy", due)
    extensions = (
        read_times(table, course.homework_ids(), policy, "extensions")
        if table.is_file()
        else {}
    )
    return replace(policy, extensions=extensions)


def keep_policy(book: Gradebook, course: Course, path: Path) -> None:
    """Keep a copy of a policy's file for a gradebook; of the course's own file no copy is kept."""
    read_policy(path, course)
    is_own = path.resolve() == (course.root / POLICY_FILE).resolve()
    book.set(SETTING, "" if is_own else path.read_text("utf-8"))


@dataclass(frozen=True)
class Taken:
    """What was read from a table: rows kept, rows still blank, and names that no submission has."""

    kept: int
    blank: int
    unknown: tuple[str, ...]


def take_times(
    book: Gradebook, course: Course, path: Path, kind: str = "times"
) -> Taken:
    """Keep the times, or extensions, of a table; those of students who have not handed in wait for them."""
    times = read_times(path, course.homework_ids(), load_policy(book, course), kind)
    names, texts = Names(book), [text for text, _ in times]
    # An extension is for all that a student hands in, a time of submission for one submission.
    with named_in(path):
        names.need_clear(texts, one_submission=kind == "times")
    book.decisions.set_times(times, kind)
    return Taken(len(times), 0, names.unknown(texts))


@contextlib.contextmanager
def named_in(path: Path) -> Iterator[None]:
    """Put a file's name before what is wrong with its content."""
    try:
        yield
    except PolicyError as error:
        raise PolicyError(f"{path}: {error}") from error


class _Dates(Struct):
    due_date: Annotated[dt.datetime, Meta(tz=True)] | None = None


class _User(Struct):
    email: str | None = None
    assignment: _Dates | None = None


class _Metadata(Struct):
    created_at: Annotated[dt.datetime, Meta(tz=True)]
    assignment: _Dates
    users: tuple[_User, ...]


def take_metadata(
    book: Gradebook, course: Course, names: Iterable[str], path: Path
) -> None:
    """Keep what Gradescope's container knows of its submission: its time, and the due dates of its users.

    Extensions of the course's table are found by e-mail address. A team has its members' latest due date.
    """
    try:
        known = msgspec.json.decode(path.read_bytes(), type=_Metadata)
    except (OSError, msgspec.MsgspecError) as error:
        raise PolicyError(
            f"{path} cannot be read as Gradescope's metadata: {error}"
        ) from error
    everyones, emails = (
        known.assignment.due_date,
        {(one.email or "").casefold() for one in known.users},
    )
    book.set(PLATFORM_DUE, everyones.isoformat() if everyones else "")
    own = (user.assignment.due_date for user in known.users if user.assignment)
    dues = defaultdict(
        list, {"": [due for due in own if due and everyones and due > everyones]}
    )
    for (text, homework), due in load_policy(book, course).extensions.items():
        if text.casefold() in emails:
            dues[homework].append(due)
    latest = {
        homework: max(some + dues[""]) for homework, some in list(dues.items()) if some
    }
    for name in names:
        book.decisions.set_times({(name, ""): known.created_at})
        book.decisions.set_times(
            {(name, homework): due for homework, due in latest.items()}, "extensions"
        )


def take_marks(book: Gradebook, course: Course, path: Path) -> Taken:
    """Keep the marks of a table, but none for a name that no submission has.

    Its columns are submission, homework, question, points and, if wanted, max and comment.
    """
    names, results = Names(book), {result.name: result for result in book.results()}

    def read(row: Row) -> tuple[tuple[str, str, str], Mark]:
        names.need_clear([row.needed("submission")], one_submission=True)
        name, homework = (
            names.find(row["submission"]),
            row.homework(course.homework_ids()),
        )
        question, points, most = (
            row.needed("question"),
            row.number("points"),
            row.number("max"),
        )
        result = results[name].homework(homework) if name in results else None
        if result and (check := check_of(result, question)):
            most = check.points
        if most is None:
            raise ValueError(
                f"the most that question {question!r} gives is unknown: add a column max"
            )
        if points is not None and points > most:
            raise ValueError(
                f"{points:g} points are more than the {most:g} of {question!r}"
            )
        key = (name, homework, question)
        return key, Mark(*key, points, most, row["comment"])

    marks = read_rows(
        path, ("submission", "homework", "question", "points"), read
    ).values()
    unknown = names.unknown(mark.submission for mark in marks)
    known = [mark for mark in marks if mark.submission not in unknown]
    book.decisions.mark(known)
    marked = sum(mark.points is not None for mark in known)
    return Taken(marked, len(known) - marked, unknown)


def take_override(book: Gradebook, course: Course, override: Override) -> None:
    """Keep an override, once what it overrides is found."""
    homework = course.homework(override.homework)
    override = replace(
        override, submission=Names(book).need(override.submission), homework=homework.id
    )
    found = book.result(override.submission).homework(homework.id)
    if override.is_whole:
        own = (override.submission, override.homework)
        marks = [
            mark
            for mark in book.decisions.marks()
            if (mark.submission, mark.homework) == own
        ]
        beside = [
            mark
            for mark in marks
            if found is None or check_of(found, mark.question) is None
        ]
        most = (found or homework).points + sum(mark.maximum for mark in beside)
    elif found is None:
        raise PolicyError(
            f"{override.submission} holds nothing for {override.homework}: to set the points of the whole "
            "homework, leave --task and --check out"
        )
    else:
        named = [
            (check.check if override.check else check.task, check.points)
            for check in found.checks
        ]
        wanted = override.check or override.task
        if wanted not in dict(named):
            place = f"{override.homework} of {override.submission}"
            raise PolicyError(
                f"{place} has no {override.subject}; it has: {', '.join(dict(named))}"
            )
        most = sum(points for name, points in named if name == wanted)
    if override.points > most:
        raise PolicyError(
            f"{override.points:g} points are more than the {most:g} of {override.subject}"
        )
    book.decisions.override(override)


class Row(dict[str, str]):
    """One row of a table, its values by column, all stripped; a missing cell is empty."""

    def __missing__(self, column: str) -> str:
        return ""

    def needed(self, column: str) -> str:
        """Return a value that may not be blank."""
        if not self[column]:
            raise ValueError(f"{column} is blank")
        return self[column]

    def homework(self, known: Collection[str]) -> str:
        """Return the id of a homework, which must be a known one; it may be named by its beginning."""
        if "" in known and not self["homework"]:
            return ""
        return id_of(self.needed("homework"), known)

    def time(
        self, column: str, zone: dt.tzinfo | None, of_day: dt.time = dt.time.min
    ) -> dt.datetime:
        """Return a time; one without a zone gets the one given, a date alone the time of day given."""
        text = self.needed(column)
        try:
            time = dt.datetime.fromisoformat(text.replace(" UTC", "Z"))
            with contextlib.suppress(ValueError):
                time = dt.datetime.combine(dt.date.fromisoformat(text), of_day)
        except ValueError:
            raise ValueError(
                f"{column} is {text!r}, must be a time such as 2027-01-31T23:59:00Z"
            ) from None
        if time.tzinfo is None and zone is None:
            raise ValueError(
                f"{column} {text!r} has no time zone: write one, or set time_zone in the policy"
            )
        return time if time.tzinfo else time.replace(tzinfo=zone)

    def number(self, column: str) -> float | None:
        """Return a number that is not negative, or None for a blank cell."""
        text = self[column]
        try:
            value = decimal(text) if text else None
        except ValueError:
            value = math.nan
        if value is not None and not 0 <= value < math.inf:
            raise ValueError(
                f"{column} is {text!r}, must be a number such as 1.5 or 1,5, not negative"
            )
        return value


def read_times(
    path: Path, ids: Collection[str], policy: Policy, kind: str = "times"
) -> Times:
    """Read times of submission, or ``extensions``: submission, submitted_at (or due) and perhaps homework.

    A blank homework stands for each of ``ids``. An extension to a date alone lasts until it ends. Times may
    also be those of GitHub Classroom's table of grades.
    """
    extends = kind == "extensions"
    column, of_day = ("due", END_OF_DAY) if extends else ("submitted_at", dt.time.min)

    def read(row: Row) -> tuple[tuple[str, str], dt.datetime]:
        known = ("submission", column, "homework", "")
        if extends and (
            unknown := row.keys() - known
        ):  # a misspelt homework would be for all
            raise ValueError(
                f"the column {min(unknown)} is unknown; known are {', '.join(known[:3])}"
            )
        name, homework = row.needed("submission"), row.homework(("", *ids))
        time = row.time(column, policy.zone, of_day)
        before = [policy.of(one).due for one in ids if homework in ("", one)]
        if extends and all(due and time < due for due in before):
            raise ValueError(
                f"{column} is {row[column]!r}, before the due date for everybody: check it"
            )
        return (name, homework), time

    known = {"submission", *OF_CLASSROOM}
    header = read_table(path, lambda header: len(known.intersection(header))).header
    if not extends and known.intersection(header) == set(OF_CLASSROOM):
        return _times_of_classroom(path)
    return read_rows(path, ("submission", column), read)


def _times_of_classroom(path: Path) -> Times:
    """Return the times in GitHub Classroom's table of grades, by login, or by team for group assignments."""
    login, handed_in = OF_CLASSROOM
    found = {}
    for number, row in table_rows(path, OF_CLASSROOM):
        try:
            if row[handed_in]:
                name = team_name(row["group_name"]) or row.needed(login)
                found[name, ""] = row.time(handed_in, dt.UTC)
        except ValueError as error:
            raise PolicyError(f"{path}, line {number}: {error}") from error
    return found


def read_rows(
    path: Path, columns: Sequence[str], read: Callable[[Row], tuple[Key, Value]]
) -> dict[Key, Value]:
    """Return what each row says; two rows with the same key would contradict each other."""
    found: dict[Key, Value] = {}
    for number, row in table_rows(path, columns):
        try:
            key, value = read(row)
            if key in found:
                same = ", ".join(filter(None, key))
                raise ValueError(f"an earlier line is for the same: {same}; remove one")
            found[key] = value
        except (ValueError, KitError) as error:
            raise PolicyError(f"{path}, line {number}: {error}") from error
    return found


def table_rows(path: Path, columns: Sequence[str]) -> Iterator[tuple[int, Row]]:
    """Yield the rows that are not blank, each with the number of its line; no column may be missing."""
    table = read_table(path, lambda header: len(set(header).intersection(columns)))
    missing = [name for name in columns if name not in table.header]
    if missing:
        there = ", ".join(table.header) or "none"
        raise PolicyError(
            f"{path} lacks the column {', '.join(missing)}; it has: {there}"
        )
    for line, row in table.rows:
        cells = Row(zip_longest(table.header, map(str.strip, row), fillvalue=""))
        if any(cells.values()):
            yield line, cells
