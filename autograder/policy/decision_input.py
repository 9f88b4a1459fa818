"""Decisions about a gradebook, read from tables and options and checked against its content.

A file that is not a table is a ``TableError``; all else that is wrong is a ``PolicyError``, which names the
line or key, and then nothing of it is kept.
"""

from __future__ import annotations

import contextlib
import datetime as dt
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from autograder.course.course import Course
from autograder.csv_table import read_table
from autograder.gradebook.book import Gradebook
from autograder.gradebook.decisions import Mark, Override, TimeKey, Times
from autograder.intake.roster import team_name
from autograder.policy.names import Names
from autograder.policy.points import check_of
from autograder.policy.policy import (
    POLICY_FILE,
    Policy,
    PolicyError,
    parse_policy,
    read_policy,
)
from autograder.policy.tables import (
    OF_CLASSROOM,
    Row,
    column_name,
    read_rows,
    table_rows,
)

SETTING = "policy"
PLATFORM_DUE = "due"
"""The gradebook's setting in Gradescope's container: the due date there, or blank."""
EXTENSIONS = "extensions.csv"
END_OF_DAY = dt.time(23, 59, 59)


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
class TableOutcome:
    """The outcome of reading a table: rows kept, rows still blank, and names that no submission has."""

    kept: int
    blank: int
    unknown: tuple[str, ...]


def take_times(
    book: Gradebook, course: Course, path: Path, kind: str = "times"
) -> TableOutcome:
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
    return TableOutcome(len(times), 0, names.unknown(texts))


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


def take_marks(book: Gradebook, course: Course, path: Path) -> TableOutcome:
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
    return TableOutcome(len(known_marks) - len(blank), len(blank), unknown)


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
    header = list(map(column_name, read_table(path, _classroom_columns).header))
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
    names = {column_name(name) for name in header}
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
