"""Decisions about a gradebook, read from tables and options and checked against its content.

A file that is not a table is a ``TableError``; all else that is wrong is a ``PolicyError``, which names the
line or key, and then nothing of it is kept.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import difflib
import math
import re
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
from autograder.gradebook.decisions import Mark, Override, TimeKey, Times
from autograder.intake.csv_table import as_read, decimal, read_table
from autograder.intake.naming import listed
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
KINDS = ("submission", "id", "email", "login")
"""What a text in a table may be: a submission's name, or its owner's student id, e-mail address or login."""
TIME_COLUMNS = ("submitted_at", "due", "submission_timestamp")
COLUMNS = frozenset(
    (
        *("submission", "homework", "task", "question", "group"),
        *("points", "max", "comment", "text", "group_name"),
        *TIME_COLUMNS,
        *OF_CLASSROOM,
    )
)
"""The columns of tables of times, extensions, marks and comments. People may add others."""
# A date as spreadsheets write it, its year written out; a day of the week or the like is not known.
_LOCAL = re.compile(
    r"(?P<first>\d{1,2})(?P<sign>[./-]) ?(?P<second>\d{1,2})(?P=sign) ?(?P<year>\d{4})"
    r"(?P<rest>(?!\d).*)",
    re.DOTALL,
)
_YEAR_FIRST = re.compile(
    r"(?P<year>\d{4})(?P<sign>[./]) ?(?P<month>\d{1,2})(?P=sign) ?(?P<day>\d{1,2})\.?(?P<rest>(?!\d).*)",
    re.DOTALL,
)
_LOCAL_TIME = re.compile(
    r"(?:,?[ T]\s*(?P<hour>\d{1,2})(?P<rest>[:.]\d\d(?:[:.]\d\d)?)(?:\s*(?P<half>[ap])\.?m\.?)?)?"
    r"(?P<zone>\s*(?:Z|UTC|[+-]\d\d:?\d\d)?)",
    re.IGNORECASE,
)
Key = TypeVar("Key", bound=tuple[str, ...])
Value = TypeVar("Value")


def did_you_mean(text: str, known: Iterable[str], otherwise: str) -> str:
    """Return the end of a complaint about an unknown name: the known ones that are nearly like it."""
    similar = difflib.get_close_matches(text, sorted(known), n=3)
    if not similar:
        return otherwise
    return f"; did you mean {' or '.join(similar)}?"


class Names:
    """Find submissions by their name, or by the student id, e-mail address or login of their owner.

    A text may be a submission's name and another student's id. Then it names neither, and somebody has to
    write ``submission:``, ``id:``, ``email:`` or ``login:`` before it.
    """

    def __init__(self, book: Gradebook) -> None:
        self._names = book.names()
        self._owners = book.owners()
        submissions = defaultdict[str, set[str]](set)
        ids = defaultdict[str, set[str]](set)
        emails = defaultdict[str, set[str]](set)
        logins = defaultdict[str, set[str]](set)
        for name in self._names:
            submissions[name].add(name)
            submissions[as_read(name)].add(name)
        for name, owner in self._owners.items():
            if owner.student_id:
                ids[owner.student_id].add(name)
            if owner.email:
                emails[owner.email.casefold()].add(name)
            if owner.login:
                logins[owner.login].add(name)
        indexes = (submissions, ids, emails, logins)
        self._by_kind = dict(zip(KINDS, indexes, strict=True))

    def all(self, text: str) -> Sequence[str]:
        """Return the submissions that a text names: the one of that name, or all of that student.

        Where it may mean several students, it names none; see ``doubt``.
        """
        if text in self._names and not self.doubt(text):
            return [text]
        names = self._meant(text)
        if self._is_in_doubt(names):
            return []
        return sorted(names)

    def doubt(self, text: str) -> str:
        """Say whom a text may mean if these are several students, with the remedy; blank if it is clear."""
        if not self._is_in_doubt(self._meant(text)):
            return ""
        readings: dict[str, str] = {}
        for kind in KINDS:
            for name in sorted(self._of_kind(kind, text)):
                # On GitHub a submission is called like the login: it is one reading.
                readings.setdefault(name, f"{name!r} (as `{kind}:{text}`)")
        submissions = " and ".join(readings.values())
        return f"{text!r} may mean the submissions {submissions}: write which one"

    def _meant(self, text: str) -> set[str]:
        """Return all submissions that a text may mean, of however many students."""
        kind, _, value = text.partition(":")
        if text not in self._names and kind in KINDS:
            return self._of_kind(kind, value)
        names: set[str] = set()
        for kind in KINDS:
            names |= self._of_kind(kind, text)
        return names

    def _of_kind(self, kind: str, text: str) -> set[str]:
        """Return the submissions that a text means as this kind; addresses count in any case of letters."""
        if kind == "email":
            text = text.casefold()
        return self._by_kind[kind].get(text, set())

    def _is_in_doubt(self, names: Collection[str]) -> bool:
        """Whether submissions are of several students, as far as their owners are known."""
        students = set()
        for name in names:
            student = ""
            owner = self._owners.get(name)
            if owner:
                student = owner.student_id or owner.email
            students.add(student or f"submission {name}")
        return len(students) > 1

    def find(self, text: str) -> str:
        """Return a submission's name; a text that names none, or several, is returned as it is."""
        names = self.all(text)
        if len(names) != 1:
            return text
        return names[0]

    def need(self, text: str) -> str:
        """Return a submission's name.

        Raises:
            PolicyError: there is none, and similar ones are named; or the text may mean several students.
        """
        self.need_clear([text], one_submission=True)
        name = self.find(text)
        if name not in self._names:
            known = set().union(*self._by_kind.values())
            hint = did_you_mean(text, known, "; grades.csv lists them")
            raise PolicyError(f"the gradebook has no submission {text!r}{hint}")
        return name

    def pick(self, text: str) -> str:
        """Return the submission that somebody typed: as in a table, or by a beginning that no other one has.

        Raises:
            PolicyError: no submission is meant, or several may be; it lists them.
        """
        if text and not self._meant(text):
            folded = text.casefold()
            equal: set[str] = set()
            begun: set[str] = set()
            for index in self._by_kind.values():
                for key, names in index.items():
                    folded_key = key.casefold()
                    if folded_key == folded:
                        equal |= names
                    if folded_key.startswith(folded):
                        begun |= names
            candidates = sorted(equal or begun)
            if len(candidates) == 1:
                return candidates[0]
            if candidates:
                raise PolicyError(
                    f"{text!r} may mean {listed(candidates, show=repr)}: write more of the name"
                )
        return self.need(text)

    def need_clear(self, texts: Iterable[str], *, one_submission: bool) -> None:
        """Refuse texts that may mean several students, or (``one_submission``) several of one student's.

        Raises:
            PolicyError: the first of them may; it names all submissions that are possible.
        """
        for text in texts:
            doubt = self.doubt(text)
            if doubt:
                raise PolicyError(doubt)
            names = self.all(text)
            if one_submission and len(names) > 1:
                submissions = " and ".join(map(repr, names))
                raise PolicyError(
                    f"{text!r} has the submissions {submissions}: write which one"
                )

    def unknown(self, texts: Iterable[str]) -> tuple[str, ...]:
        """Return the texts that name no submission."""
        unknown = []
        for text in texts:
            if not self._meant(text):
                unknown.append(text)
        return tuple(dict.fromkeys(unknown))


def load_policy(book: Gradebook, course: Course) -> Policy:
    """Return the policy that holds for a gradebook; errors are those of ``course_policy``."""
    platform_due = book.find_setting(PLATFORM_DUE)
    due = None
    if platform_due:
        due = dt.datetime.fromisoformat(platform_due)
    policy = course_policy(course, book.find_setting(SETTING), due)
    return replace(policy, alone=platform_due is not None)


def course_policy(
    course: Course, stored: str | None = None, due: dt.datetime | None = None
) -> Policy:
    """Return the policy in a course's folder, or that of a text, with the extensions in the folder."""
    file = course.root / POLICY_FILE
    if stored:
        place = "the policy kept in the gradebook (name a new one with --policy)"
        policy = parse_policy(stored, course, place, due)
    elif file.is_file():
        policy = read_policy(file, course, due)
    else:
        policy = parse_policy("", course, "no policy", due)
    table = course.root / EXTENSIONS
    extensions: Times = {}
    if table.is_file():
        extensions = read_times(table, course.homework_ids(), policy, "extensions")
    return replace(policy, extensions=extensions)


def nobodys_decisions(book: Gradebook) -> list[str]:
    """Return the texts of kept times and extensions that name no submission."""
    keys = (*book.decisions.times(), *book.decisions.times("extensions"))
    return list(Names(book).unknown(text for text, _ in keys))


def keep_policy(book: Gradebook, course: Course, path: Path) -> None:
    """Keep a copy of a policy's file for a gradebook; of the course's own file no copy is kept."""
    read_policy(path, course)
    text = path.read_text("utf-8")
    own_path = course.root / POLICY_FILE
    if path.resolve() == own_path.resolve():
        text = ""
    book.set(SETTING, text)


@dataclass(frozen=True)
class Taken:
    """The outcome of reading a table: rows kept, rows still blank, and names that no submission has."""

    kept: int
    blank: int
    unknown: tuple[str, ...]


def take_times(
    book: Gradebook, course: Course, path: Path, kind: str = "times"
) -> Taken:
    """Store the times, or extensions, of a table, also for students who have not handed in yet.

    A time without a homework is bound to the homeworks that are in the gradebook now (``_with_homeworks``),
    and every time to what is handed in now: later homeworks and later hand-ins have times of their own.
    """
    policy = load_policy(book, course)
    times = read_times(path, course.homework_ids(), policy, kind)
    names = Names(book)
    texts = [text for text, _ in times]
    # An extension is for all that a student hands in, a time of submission for one submission.
    with named_in(path):
        names.need_clear(texts, one_submission=kind == "times")
        if kind == "extensions":
            book.decisions.set_extensions(times)
        else:
            bound_times = _with_homeworks(book, names, times)
            book.decisions.remove_times(_replaced_times(book, names, bound_times))
            contents = {}
            for text, homework_id in bound_times:
                digest = book.source_digest(names.find(text), homework_id)
                contents[text, homework_id] = digest
            book.decisions.set_times(bound_times, contents)
    return Taken(len(times), 0, names.unknown(texts))


def _with_homeworks(book: Gradebook, names: Names, times: Times) -> Times:
    """Return submission times with the homeworks filled in where a time names none.

    They are the homeworks that the submission holds, or (of a student who has not handed in) all that
    anybody handed in. If some of them have no time yet, or one of an earlier hand-in, the time is only for
    these: the table of a second week must not change the first one.

    Raises:
        PolicyError: a time names no homework, and none was graded yet.
    """
    homeworks_of: defaultdict[str, list[str]] = defaultdict(list)
    for name, homework_id, _ in book.homeworks():
        homeworks_of[name].append(homework_id)
    in_gradebook = sorted(set().union(*homeworks_of.values()))
    outdated = outdated_times(book, names)
    known_times = set()
    for key in book.decisions.times():
        if key not in outdated:
            text, homework_id = key
            known_times.add((names.find(text), homework_id))
    bound_times: dict[tuple[str, str], dt.datetime] = {}
    for (text, homework_id), time in times.items():
        if homework_id:
            continue
        if not in_gradebook:
            raise PolicyError(
                f"the time of {text!r} names no homework, and none was graded yet: add a column homework"
            )
        name = names.find(text)
        candidates = homeworks_of.get(name) or in_gradebook
        without_time = []
        for candidate in candidates:
            if (name, candidate) not in known_times:
                without_time.append(candidate)
        for candidate in without_time or candidates:
            bound_times[text, candidate] = time
    # A time that names its homework counts before one that does not.
    for key, time in times.items():
        _, homework_id = key
        if homework_id:
            bound_times[key] = time
    return bound_times


def _replaced_times(book: Gradebook, names: Names, times: Times) -> list[TimeKey]:
    """Return the kept times that new ones replace, of which another text names the same submission."""
    new = {(names.find(text), homework_id) for text, homework_id in times}
    replaced = []
    for key in book.decisions.times():
        text, homework_id = key
        if key not in times and (names.find(text), homework_id) in new:
            replaced.append(key)
    return replaced


def outdated_times(book: Gradebook, names: Names) -> list[TimeKey]:
    """Return the times of submission, by whom and which homework, that were given before a later hand-in."""
    outdated = []
    for (text, homework_id), content in book.decisions.contents_at_times().items():
        if not content:
            continue
        graded_content = book.source_digest(names.find(text), homework_id)
        if graded_content not in ("", content):
            outdated.append((text, homework_id))
    return outdated


@contextlib.contextmanager
def named_in(path: Path) -> Iterator[None]:
    """Prefix errors about a file's content with its name."""
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
    """Store the metadata in Gradescope's container: the submission's time, and the due dates of its users.

    Extensions of the course's table are found by e-mail address. A team has its members' latest due date.
    """
    try:
        metadata = msgspec.json.decode(path.read_bytes(), type=_Metadata)
    except (OSError, msgspec.MsgspecError) as error:
        raise PolicyError(
            f"{path} cannot be read as Gradescope's metadata: {error}"
        ) from error
    due = metadata.assignment.due_date
    due_text = ""
    if due:
        due_text = due.isoformat()
    book.set(PLATFORM_DUE, due_text)

    # Later due dates, by homework; those that Gradescope knows are for whatever was handed in.
    for_all: list[dt.datetime] = []
    emails = set()
    for user in metadata.users:
        emails.add((user.email or "").casefold())
        user_due = None
        if user.assignment:
            user_due = user.assignment.due_date
        if user_due and due and user_due > due:
            for_all.append(user_due)
    extensions: dict[str, list[dt.datetime]] = {"": for_all}
    for (text, homework_id), extension in load_policy(book, course).extensions.items():
        if text.casefold() in emails:
            extensions.setdefault(homework_id, []).append(extension)
    latest: dict[str, dt.datetime] = {}
    for homework_id, dues in extensions.items():
        if dues:
            latest[homework_id] = max([*dues, *for_all])
    for name in names:
        book.decisions.set_times({(name, ""): metadata.created_at})
        times = {(name, homework_id): time for homework_id, time in latest.items()}
        book.decisions.set_extensions(times)


def take_marks(book: Gradebook, course: Course, path: Path) -> Taken:
    """Keep the marks of a table, but none for a name that no submission has.

    Its columns are submission, homework, question, points and, if wanted, max and comment.
    """
    names = Names(book)
    results = {result.name: result for result in book.results()}

    def read(row: Row) -> tuple[tuple[str, str, str], Mark]:
        names.need_clear([row.needed("submission")], one_submission=True)
        name = names.find(row["submission"])
        homework_id = row.homework(course.homework_ids())
        question = row.needed("question")
        points = row.number("points")
        maximum = row.number("max")
        result = None
        if name in results:
            result = results[name].homework(homework_id)
        if result is not None:
            check = check_of(result, question)
            if check is not None:
                maximum = check.points
        if maximum is None:
            raise ValueError(
                f"the most that question {question!r} gives is unknown: add a column max"
            )
        if points is not None and points > maximum:
            raise ValueError(
                f"{points:g} points are more than the {maximum:g} of {question!r}"
            )
        key = (name, homework_id, question)
        return key, Mark(*key, points, maximum, row["comment"])

    columns = ("submission", "homework", "question", "points")
    marks = read_rows(path, columns, read).values()
    unknown = names.unknown(mark.submission for mark in marks)
    known_marks = []
    for mark in marks:
        if mark.submission not in unknown:
            known_marks.append(mark)
    book.decisions.mark(known_marks)
    blank = []
    for mark in known_marks:
        if mark.points is None:
            blank.append(mark)
    return Taken(len(known_marks) - len(blank), len(blank), unknown)


def take_override(book: Gradebook, course: Course, override: Override) -> None:
    """Keep an override, once what it overrides is found.

    Raises:
        PolicyError: there is no such submission, task or check, or it gives fewer points.
    """
    homework = course.homework(override.homework)
    name = Names(book).pick(override.submission)
    override = replace(override, submission=name, homework=homework.id)
    result = book.result(name).homework(homework.id)
    if override.is_whole:
        maximum = (result or homework).points
        for mark in book.decisions.marks():
            if mark.submission != name or mark.homework != homework.id:
                continue
            if result is None or check_of(result, mark.question) is None:
                maximum += mark.maximum
    elif result is None:
        raise PolicyError(
            f"{name} contains nothing for {homework.id}: to set the points of the whole "
            "homework, leave --task and --check out"
        )
    else:
        points_of: dict[str, float] = {}
        for check in result.checks:
            subject = check.task
            if override.check:
                subject = check.check
            points_of.setdefault(subject, 0)
            points_of[subject] += check.points
        subject = override.check or override.task
        if subject not in points_of:
            raise PolicyError(
                f"{homework.id} of {name} has no {override.subject}; "
                f"it has: {', '.join(points_of)}"
            )
        maximum = points_of[subject]
    if override.points > maximum:
        raise PolicyError(
            f"{override.points:g} points are more than the {maximum:g} of {override.subject}"
        )
    book.decisions.override(override)


class Row(dict[str, str]):
    """One row of a table, its values by column, all stripped; a missing cell is empty.

    ``day_first`` says how dates such as 2/5/2027 are meant, None where no date of the table shows it.
    """

    day_first: bool | None = None

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
        """Return a time; one without a zone gets the one given, a bare date the time of day given."""
        written = self.needed(column)
        text = iso_time(written, self.day_first)
        if not text:
            raise ValueError(
                f"{column} is {written!r}, which may be two days, and no other date of the table shows which: "
                "write it as 2027-01-31"
            )
        try:
            time = dt.datetime.fromisoformat(text.replace(" UTC", "Z"))
            with contextlib.suppress(ValueError):
                time = dt.datetime.combine(dt.date.fromisoformat(text), of_day)
        except ValueError:
            raise ValueError(
                f"{column} is {written!r}, but must be a time such as 2027-01-31T23:59:00Z"
            ) from None
        if time.tzinfo is not None:
            return time
        if zone is None:
            raise ValueError(
                f"{column} {written!r} has no time zone: write one, or set time_zone in the policy"
            )
        return time.replace(tzinfo=zone)

    def number(self, column: str) -> float | None:
        """Return a number that is not negative, or None for a blank cell."""
        text = self[column]
        if not text:
            return None
        try:
            value = decimal(text)
        except ValueError:
            value = math.nan
        if not 0 <= value < math.inf:
            raise ValueError(
                f"{column} is {text!r}, but must be a number such as 1.5 or 1,5, not negative"
            )
        return value


def iso_time(text: str, day_first: bool | None) -> str:
    """Return a local date, perhaps with a time, as ISO writes it; "" if it may be two days.

    In 5.2.2027 the day is first; in 2/5/2027 and 2-5-2027 either may be. Any other text is returned as it is.

    Args:
        text: a cell.
        day_first: whether the day is first where either may be; None if that is not known.
    """
    matched = _YEAR_FIRST.fullmatch(text)
    if matched is not None:
        month = int(matched["month"])
        day = int(matched["day"])
    else:
        matched = _LOCAL.fullmatch(text)
        if matched is None:
            return text
        first = int(matched["first"])
        second = int(matched["second"])
        is_day_first = _shows_day_first(text)
        if matched["sign"] == ".":
            is_day_first = True
        elif is_day_first is None:
            is_day_first = day_first
        if is_day_first is None and first != second:
            return ""
        day = second
        month = first
        if is_day_first:
            day = first
            month = second
    time = _LOCAL_TIME.fullmatch(matched["rest"].rstrip())
    if time is None:
        return text
    date = f"{matched['year']}-{month:02}-{day:02}"
    if time["hour"] is None:
        return date
    hour = int(time["hour"])
    if time["half"]:
        if not 1 <= hour <= 12:
            return text
        hour %= 12
        if time["half"].casefold() == "p":
            hour += 12
    minutes = time["rest"].replace(".", ":")
    zone = time["zone"].strip().replace("UTC", "Z")
    return f"{date}T{hour:02}{minutes}{zone}"


def _shows_day_first(text: str) -> bool | None:
    """Return whether the day is first in a date such as 31/1/2027; None if it does not show that."""
    matched = _LOCAL.fullmatch(text)
    if matched is None or matched["sign"] == ".":
        return None
    is_day_first = int(matched["first"]) > 12
    is_month_first = int(matched["second"]) > 12
    if is_day_first == is_month_first:
        return None
    return is_day_first


def _days_first(rows: Iterable[Row]) -> bool | None:
    """Return whether days are first in a table's dates; None if no date shows it, or they contradict."""
    orders = set()
    for row in rows:
        for column in TIME_COLUMNS:
            orders.add(_shows_day_first(row[column]))
    orders.discard(None)
    if len(orders) != 1:
        return None
    return orders.pop()


def read_times(
    path: Path, ids: Collection[str], policy: Policy, kind: str = "times"
) -> Times:
    """Read times of submission, or ``extensions``: submission, submitted_at (or due) and perhaps homework.

    A blank homework stands for each of ``ids``. An extension to a bare date lasts until the end of that day. Times
    may also be those of GitHub Classroom's table of grades.
    """
    is_extension = kind == "extensions"
    column = "submitted_at"
    time_of_day = dt.time.min
    if is_extension:
        column = "due"
        time_of_day = END_OF_DAY
    header = list(map(_column_name, read_table(path, _classroom_columns).header))
    if not is_extension and _is_of_classroom(header):
        return _times_of_classroom(path)

    def read(row: Row) -> tuple[tuple[str, str], dt.datetime]:
        if is_extension:
            _refuse_unknown_columns(row, ("submission", column, "homework"))
        name = row.needed("submission")
        homework_id = row.homework(("", *ids))
        time = row.time(column, policy.zone, time_of_day)
        dues = []
        for known in ids:
            if homework_id in ("", known):
                dues.append(policy.of(known).due)
        if is_extension and all(due and time < due for due in dues):
            raise ValueError(
                f"{column} is {row[column]!r}, before the due date for everybody: check it"
            )
        return (name, homework_id), time

    return read_rows(path, ("submission", column), read)


def _classroom_columns(header: Sequence[str]) -> int:
    names = {_column_name(name) for name in header}
    return len(names.intersection(("submission", *OF_CLASSROOM)))


def _is_of_classroom(header: Sequence[str]) -> bool:
    return {"submission", *OF_CLASSROOM}.intersection(header) == set(OF_CLASSROOM)


def _refuse_unknown_columns(row: Row, columns: Sequence[str]) -> None:
    """Refuse an unknown column: with a misspelt "homework", an extension would be for all homeworks."""
    unknown = row.keys() - {*columns, ""}
    if unknown:
        raise ValueError(
            f"the column {min(unknown)} is unknown; the known columns are {', '.join(columns)}"
        )


def _times_of_classroom(path: Path) -> Times:
    """Return the times in GitHub Classroom's table of grades, by login, or by team for group assignments."""
    login, handed_in = OF_CLASSROOM
    times: dict[tuple[str, str], dt.datetime] = {}
    for number, row in table_rows(path, OF_CLASSROOM):
        try:
            if row[handed_in]:
                name = team_name(row["group_name"]) or row.needed(login)
                times[name, ""] = row.time(handed_in, dt.UTC)
        except ValueError as error:
            raise PolicyError(f"{path}, line {number}: {error}") from error
    return times


def read_rows(
    path: Path, columns: Sequence[str], read: Callable[[Row], tuple[Key, Value]]
) -> dict[Key, Value]:
    """Return the parsed rows; two rows with the same key would contradict each other."""
    values: dict[Key, Value] = {}
    for number, row in table_rows(path, columns):
        try:
            key, value = read(row)
            if key in values:
                same = ", ".join(filter(None, key))
                raise ValueError(
                    f"an earlier line has the same values: {same}; remove one"
                )
            values[key] = value
        except (ValueError, KitError) as error:
            raise PolicyError(f"{path}, line {number}: {error}") from error
    return values


def table_rows(path: Path, columns: Sequence[str]) -> Iterator[tuple[int, Row]]:
    """Yield the rows that are not blank, each with the number of its line; no column may be missing.

    Names of columns count in any case, and with blanks for underscores: "Submitted at".
    """

    def known(header: Sequence[str]) -> int:
        return len({_column_name(name) for name in header}.intersection(columns))

    table = read_table(path, known)
    header = [_column_name(name) for name in table.header]
    missing = []
    for name in columns:
        if name not in header:
            missing.append(name)
    if missing:
        present = ", ".join(table.header) or "none"
        raise PolicyError(
            f"{path} lacks the column {', '.join(missing)}; it has: {present}"
        )
    rows = []
    for line, cells in table.rows:
        stripped = [cell.strip() for cell in cells]
        row = Row(zip_longest(header, stripped, fillvalue=""))
        if any(row.values()):
            rows.append((line, row))
    day_first = _days_first(row for _, row in rows)
    for line, row in rows:
        row.day_first = day_first
        yield line, row


def _column_name(name: str) -> str:
    """Return the name of a column that counts, in whatever case it is written; of any other as it is."""
    folded = re.sub(r"\s+", "_", name.strip()).casefold()
    if folded in COLUMNS:
        return folded
    return name
