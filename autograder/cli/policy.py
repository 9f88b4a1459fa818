"""``autograder policy``: from the points of the checks to those that count, without running any code."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

import typer
from rich.text import Text
from typer import Option

from autograder.cli.console import MOST_LINES, note, out, say, show_first, table_of
from autograder.cli.options import GradedCourseOption, GradedFolder, course_of
from autograder.cli.progress import published
from autograder.course.course import Course
from autograder.feedback.pages import change_lines, points_of, short_name
from autograder.gradebook.book import Gradebook
from autograder.gradebook.decisions import Override
from autograder.gradebook.opening import need_gradebook, open_gradebook, read_gradebook
from autograder.intake.csv_table import number
from autograder.intake.naming import listed
from autograder.policy.comments import take_comments
from autograder.policy.decision_input import (
    keep_policy,
    take_marks,
    take_override,
    take_times,
)
from autograder.policy.grade import SubmissionGrade
from autograder.policy.policy import PolicyError
from autograder.policy.settlement import settle
from autograder.report.exports import GRADES, POLICY
from autograder.sandbox.report import escaped


def policy(
    folder: GradedFolder,
    policy_file: Path | None = Option(
        None, "--policy", metavar="FILE", help="Rules to keep for OUT from now on."
    ),
    times: Path | None = Option(
        None, metavar="CSV", help="Times: submission, submitted_at[, homework]."
    ),
    extensions: Path | None = Option(
        None,
        metavar="CSV",
        help="New due dates: submission (or student id), due[, homework].",
    ),
    manual: Path | None = Option(
        None, metavar="CSV", help="Marks: submission, homework, question, points, …"
    ),
    comments: Path | None = Option(
        None, metavar="CSV", help="Comments: group or submission, text, points, …"
    ),
    earlier: list[Path] | None = Option(
        None, metavar="OUT", help="Count the late days spent there. Repeatable."
    ),
    override: str | None = Option(
        None,
        metavar="NAME",
        help="Set points of this submission; see the options below.",
    ),
    homework: str | None = Option(None, metavar="ID", help="The homework to override."),
    task: str | None = Option(None, metavar="NAME", help="Override only this task."),
    check: str | None = Option(None, metavar="NAME", help="Override only this check."),
    points: float | None = Option(None, min=0, metavar="N", help="The points to give."),
    reason: str | None = Option(
        None, metavar="TEXT", help="Why; the student reads it."
    ),
    remove: list[int] | None = Option(
        None, metavar="NUMBER", help="Take this override back. Repeatable."
    ),
    show: bool = Option(
        False, "--list", help="List overrides, marks and comments; change nothing."
    ),
    course: GradedCourseOption = None,
) -> None:
    """Recompute which points count: lateness, marks, overrides.

    Rules (late penalty, late days, extra credit, all-or-nothing tasks) come from policy.toml. Times,
    extensions, marks, comments and overrides are kept in the gradebook, also when submissions are graded
    again, and with --fresh. Writes grades.csv, report.html, policy.csv and the pages of students whose
    points changed. Runs no submission.

    Exit status 0: done. 2: wrong usage, or a wrong policy or table, which changes nothing.

    Example: `autograder policy graded --times times.csv`
    """
    if show:
        with read_gradebook(folder) as book:
            _list(book)
        return
    need_gradebook(folder)
    wanted = _override(override, homework, task, check, points, reason)
    with open_gradebook(folder) as book:
        found = course_of(book, course)
        if policy_file is not None:
            keep_policy(book, found, policy_file)
        _take_tables(book, found, times, extensions, manual)
        if comments is not None:
            taken = take_comments(book, found, comments)
            note(
                f"comments read from {comments.name}: {taken.kept}; rows without one: {taken.blank}"
            )
        for other in earlier or ():
            if other.resolve() == folder.resolve():
                raise typer.BadParameter(
                    "this is the folder itself; name another one",
                    param_hint="--earlier",
                )
            with read_gradebook(other) as its_book:
                spent = its_book.late_days_used()
            book.decisions.set_spent_elsewhere(str(other.resolve()), spent)
            note(
                f"late days spent in {other}: {sum(spent.values())} (students: {len(spent)})"
            )
        for number in remove or ():
            if not book.decisions.remove_override(number):
                raise PolicyError(f"there is no override {number}: --list shows them")
        if wanted is not None:
            take_override(book, found, wanted)
        published(book, found, folder)
        _show(settle(book, found), f"see {folder / POLICY}")
    details = f"Details: {folder / POLICY}" if (folder / POLICY).is_file() else ""
    say(f"Grades: {folder / GRADES}   {details}")


def _override(
    name: str | None,
    homework: str | None,
    task: str | None,
    check: str | None,
    points: float | None,
    reason: str | None,
) -> Override | None:
    """Make an override of its options; refuse one that is not complete."""
    if name is None:
        if any(one is not None for one in (homework, task, check, points, reason)):
            raise typer.BadParameter(
                "name the submission with --override NAME", param_hint="--override"
            )
        return None
    if homework is None or points is None or not (reason or "").strip():
        raise typer.BadParameter(
            "needs --homework ID, --points N and --reason TEXT", param_hint="--override"
        )
    if task is not None and check is not None:
        raise typer.BadParameter(
            "name a task or a check, not both", param_hint="--task"
        )
    return Override(
        name, homework, points, str(reason).strip(), task or "", check or ""
    )


def _take_tables(
    book: Gradebook,
    course: Course,
    times: Path | None,
    extensions: Path | None,
    manual: Path | None,
) -> None:
    """Keep what these tables say; tell how much there is in them and which names are unknown."""
    dates = (
        ("times", "times of submission", times),
        ("extensions", "extensions", extensions),
    )
    for kind, what, path in dates:
        if path is not None:
            taken = take_times(book, course, path, kind)
            note(f"{what} read from {path.name}: {taken.kept}")
            if taken.unknown:
                note(
                    f"no submission is called {listed(taken.unknown)} yet: their {kind} are kept until then"
                )
    if manual is not None:
        taken = take_marks(book, course, manual)
        note(
            f"marks read from {manual.name}: {taken.kept}; not marked yet: {taken.blank}"
        )
        if taken.unknown:
            note(
                f"no submission is called {listed(taken.unknown)}: their marks were not taken"
            )
        if any(name.startswith("anonymous-") for name in taken.unknown):
            note(
                "anonymous-… is a code for a name: `autograder written OUT` puts the names back into it"
            )


def _show(results: Iterable[SubmissionGrade], rest: str) -> None:
    """Print each homework of a submission whose points are not just those of its checks."""
    table = table_of(("submission", "homework"), ("checks", "counts"), ("why",))
    rows = (
        (
            *(Text(escaped(result.name)), short_name(one.homework), points_of(one.raw)),
            f"{points_of(one.earned)}/{points_of(one.points)}",
            Text("\n".join(map(escaped, change_lines(one)))),
        )
        for result in results
        for one in result.homeworks
        if one.changes or one.awaiting
    )
    show_first(table, rows, rest)
    if not table.row_count:
        say("The points of the checks count as they are.")


def _list(book: Gradebook) -> None:
    """Print overrides, marks and comments: on a terminal the first ones, elsewhere all."""
    most, rest = (
        MOST_LINES if out.is_interactive else sys.maxsize,
        "autograder policy OUT --list | less",
    )
    overrides = table_of(
        ("submission", "homework", "subject"), ("override", "points"), ("reason",)
    )
    found = [
        (
            one.submission,
            one.homework,
            one.subject,
            str(one.id),
            points_of(one.points),
            one.reason,
        )
        for one in book.decisions.overrides()
    ]
    marks = table_of(
        ("submission", "homework", "question"), ("points", "max"), ("comment",)
    )
    given = [
        (
            one.submission,
            one.homework,
            one.question,
            points_of(one.points),
            f"{one.maximum:g}",
            one.comment,
        )
        for one in book.decisions.marks()
    ]
    comments = table_of(
        ("group or submission", "homework", "task"), ("points",), ("comment",)
    )
    said = [
        (
            one.group or one.submission,
            one.homework,
            one.task,
            number(one.points),
            one.text,
        )
        for one in book.decisions.comments()
    ]
    for table, rows in ((overrides, found), (marks, given), (comments, said)):
        show_first(table, (list(map(escaped, row)) for row in rows), rest, most)
    if not found and not given and not said:
        say("There are no overrides, no marks and no comments.")
