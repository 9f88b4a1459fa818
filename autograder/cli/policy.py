"""``autograder policy``: from the points of the checks to those that count, without running any code."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from autograder.cli.console import note, out, say
from autograder.cli.options import GradedCourseOption, GradedFolder, course_of
from autograder.course import Course
from autograder.intake import listed
from autograder.judging import SubmissionResult
from autograder.records import (
    GRADES,
    POLICY,
    Gradebook,
    Override,
    PolicyError,
    change_lines,
    keep_policy,
    need_gradebook,
    open_gradebook,
    points_of,
    publish,
    read_gradebook,
    take_marks,
    take_override,
    take_times,
)
from autograder.sandbox import escaped


def policy(
    folder: GradedFolder,
    policy_file: Annotated[
        Path | None,
        typer.Option(
            "--policy", metavar="FILE", help="Keep these rules for OUT instead of the course's policy.toml."
        ),
    ] = None,
    times: Annotated[
        Path | None,
        typer.Option(
            metavar="CSV", help="Times of submission: submission, submitted_at and, if wanted, homework."
        ),
    ] = None,
    manual: Annotated[
        Path | None,
        typer.Option(
            metavar="CSV",
            help="Marks by hand: submission, homework, question, points and, if wanted, max and comment.",
        ),
    ] = None,
    earlier: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="OUT", help="Also count the late days that were spent in this folder. Repeatable."
        ),
    ] = None,
    override: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Set points of this submission by hand, with the next options."),
    ] = None,
    homework: Annotated[str | None, typer.Option(help="The homework that --override is about.")] = None,
    task: Annotated[str | None, typer.Option(help="Override only this task.")] = None,
    check: Annotated[str | None, typer.Option(help="Override only this check.")] = None,
    points: Annotated[float | None, typer.Option(min=0, help="The points that --override sets.")] = None,
    reason: Annotated[str | None, typer.Option(help="Why; the student reads it.")] = None,
    remove: Annotated[
        list[int] | None, typer.Option(metavar="NUMBER", help="Remove this override. Repeatable.")
    ] = None,
    show: Annotated[bool, typer.Option("--list", help="List overrides and marks; change nothing.")] = False,
    course: GradedCourseOption = None,
) -> None:
    """Recompute which points count: `autograder policy graded --times times.csv`.

    Rules (late penalty, late days, extra credit, all-or-nothing tasks) come from policy.toml. Times, marks
    and overrides are kept in the gradebook, also when submissions are graded again, and with --fresh. Writes
    grades.csv, report.html, policy.csv and the pages of students whose points changed. Runs no submission.

    Exit status 0: done. 2: wrong usage, or a wrong policy or table, which changes nothing.
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
        _take_tables(book, found, times, manual)
        for other in earlier or ():
            if other.resolve() == folder.resolve():
                raise typer.BadParameter(
                    "this is the folder itself; name another one", param_hint="--earlier"
                )
            with read_gradebook(other) as its_book:
                spent = its_book.late_days_used()
            book.decisions.set_spent_elsewhere(str(other.resolve()), spent)
            note(f"{sum(spent.values())} late days were spent by {len(spent)} students in {other}")
        for number in remove or ():
            if not book.decisions.remove_override(number):
                raise PolicyError(f"there is no override {number}: --list shows them")
        if wanted is not None:
            take_override(book, found, wanted)
        _show(publish(book, found, folder, note))
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
            raise typer.BadParameter("name the submission with --override NAME", param_hint="--override")
        return None
    if homework is None or points is None or not (reason or "").strip():
        raise typer.BadParameter("needs --homework ID, --points N and --reason TEXT", param_hint="--override")
    if task is not None and check is not None:
        raise typer.BadParameter("name a task or a check, not both", param_hint="--task")
    return Override(name, homework, points, str(reason).strip(), task or "", check or "")


def _take_tables(book: Gradebook, course: Course, times: Path | None, manual: Path | None) -> None:
    """Keep the times and marks in these tables; say how many there are and which names are unknown."""
    if times is not None:
        taken = take_times(book, course, times)
        note(f"{taken.kept} times of submission read from {times.name}")
        if taken.unknown:
            note(f"no submission is called {listed(taken.unknown)}: their times wait for them")
    if manual is not None:
        taken = take_marks(book, course, manual)
        note(f"{taken.kept} marks read from {manual.name}, {taken.blank} answers in it are not marked yet")
        if taken.unknown:
            note(f"no submission is called {listed(taken.unknown)}: their marks were not taken")
        if any(name.startswith("anonymous-") for name in taken.unknown):
            note("anonymous-… is a code for a name: `autograder written OUT` puts the names back into it")


def _show(results: Iterable[SubmissionResult]) -> None:
    """Print each homework of a submission whose points are not just those of its checks."""
    table = Table("submission", "homework", "checks", "counts", "why", header_style="bold")
    for result in results:
        for one in result.homeworks:
            if one.changes or one.awaiting:
                why = Text("\n".join(escaped(line) for line in change_lines(one)))
                counts = f"{points_of(one.earned)}/{points_of(one.points)}"
                table.add_row(Text(escaped(result.name)), one.homework, points_of(one.raw), counts, why)
    out.print(table if table.row_count else "The points of the checks count as they are.")


def _list(book: Gradebook) -> None:
    overrides = Table("number", "submission", "homework", "subject", "points", "reason", title="Overrides")
    for one in book.decisions.overrides():
        what = (one.homework, one.subject, points_of(one.points), escaped(one.reason))
        overrides.add_row(str(one.id), escaped(one.submission), *what)
    marks = Table("submission", "homework", "question", "points", "max", "comment", title="Marks")
    for mark in book.decisions.marks():
        what = (mark.homework, mark.question, points_of(mark.points), points_of(mark.maximum))
        marks.add_row(escaped(mark.submission), *what, escaped(mark.comment))
    out.print(overrides, marks)
