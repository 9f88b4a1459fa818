"""``autograder policy``: from the points of the checks to the points that count, without running any code."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import typer
from typer import Option

from autograder.cli.changes import Key, Points, points_in, show_changes
from autograder.cli.console import (
    MOST_LINES,
    note,
    notes,
    out,
    print_line,
    show_first,
    table_of,
)
from autograder.cli.options import (
    GradedCourseOption,
    GradedFolder,
    course_of,
    not_negative,
)
from autograder.cli.progress import publish_grades
from autograder.course.course import Course
from autograder.course.homework import short_id
from autograder.csv_table import points_cell, read_table
from autograder.feedback.words import change_lines
from autograder.gradebook.book import Gradebook
from autograder.gradebook.decisions import Override
from autograder.gradebook.opening import need_gradebook, open_gradebook, read_gradebook
from autograder.intake.naming import listed
from autograder.policy.comments import take_comments
from autograder.policy.decision_input import (
    keep_policy,
    take_marks,
    take_override,
    take_times,
)
from autograder.policy.grade import points_of
from autograder.policy.policy import PolicyError
from autograder.policy.settlement import Settlement, settle
from autograder.report.exports import GRADES, POLICY
from autograder.report.rules import rule_lines
from autograder.report.written import collect_written, find_unequal_marks
from autograder.untrusted_text import for_screen

EXTRA_CREDIT = "extra_credit"
KINDS = {
    "late": "late penalties or late days",
    "extension": "extensions",
    "override": "overrides",
    "manual": "marks",
    "comment": "comments",
    "all_or_nothing": "all or nothing",
    EXTRA_CREDIT: "extra credit",
}
"""What changes points, by the kind of change, in the order in which the command tells of it."""


def policy(
    folder: GradedFolder,
    policy_file: Path | None = Option(
        None, "--policy", metavar="FILE", help="The rules to use for OUT from now on."
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
        None,
        metavar="OUT",
        help="Also count the late days used in this output folder. Repeatable.",
    ),
    override: str | None = Option(
        None,
        metavar="NAME",
        help="Set points of this submission, named as for `explain`; see the options below.",
    ),
    homework_id: str | None = Option(
        None, "--homework", metavar="ID", help="The homework to override."
    ),
    task: str | None = Option(None, metavar="NAME", help="Override only this task."),
    check: str | None = Option(None, metavar="NAME", help="Override only this check."),
    points: float | None = Option(
        None, metavar="N", parser=not_negative, help="The points to give."
    ),
    reason: str | None = Option(
        None, metavar="TEXT", help="Why; the student reads it."
    ),
    remove: list[int] | None = Option(
        None, metavar="NUMBER", help="Remove this override. Repeatable."
    ),
    show: bool = Option(
        False, "--list", help="List overrides, marks and comments; change nothing."
    ),
    course_root: GradedCourseOption = None,
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
    new_override = _override(override, homework_id, task, check, points, reason)
    with open_gradebook(folder) as book:
        course = course_of(book, course_root)
        before = _points_before(book)
        with book.all_or_nothing():
            news = list(_take(book, course, policy_file, times, extensions, manual))
            if comments is not None:
                rows = take_comments(book, course, comments)
                news.append(
                    f"comments read from {comments.name}: {rows.kept}; rows without one: {rows.blank}"
                )
            for earlier_folder in earlier or ():
                news.append(_count_late_days(book, folder, earlier_folder))
            for override_id in remove or ():
                if not book.decisions.remove_override(override_id):
                    raise PolicyError(
                        f"there is no override {override_id}: --list shows them"
                    )
            if new_override is not None:
                take_override(book, course, new_override)
        for table in (times, extensions, manual, comments):
            if table is not None:
                _note_encoding(table)
        for text in news:
            note(text)
        if manual is not None:
            notes(_unequal_marks(book, course))
        open_matters: list[str] = []
        publish_grades(book, course, folder, open_matters.append)
        _show_news(before, settle(book, course), f"see {folder / POLICY}")
    notes(open_matters)
    details = f"Details: {folder / POLICY}" if (folder / POLICY).is_file() else ""
    print_line(f"Grades: {folder / GRADES}   {details}")


def _note_encoding(path: Path) -> None:
    """Say how a table was read that is not in UTF-8; its rows, which were read above, do not tell."""
    table = read_table(path, len)
    if table.note:
        note(table.note)


def _override(
    name: str | None,
    homework_id: str | None,
    task: str | None,
    check: str | None,
    points: float | None,
    reason: str | None,
) -> Override | None:
    """Make an override of its options; refuse one that is not complete."""
    if name is None:
        for option in (homework_id, task, check, points, reason):
            if option is not None:
                raise typer.BadParameter(
                    "name the submission with --override NAME",
                    param_hint="--override",
                )
        return None
    reason = (reason or "").strip()
    if homework_id is None or points is None or not reason:
        raise typer.BadParameter(
            "needs --homework ID, --points N and --reason TEXT", param_hint="--override"
        )
    if task is not None and check is not None:
        raise typer.BadParameter(
            "name a task or a check, not both", param_hint="--task"
        )
    return Override(name, homework_id, points, reason, task or "", check or "")


def _take(
    book: Gradebook,
    course: Course,
    policy_file: Path | None,
    times: Path | None,
    extensions: Path | None,
    manual: Path | None,
) -> Iterator[str]:
    """Keep the rules and the rows of tables; say how many there are and which names are unknown."""
    if policy_file is not None:
        keep_policy(book, course, policy_file)
    tables_of_times = (
        ("times", "times of submission", times),
        ("extensions", "extensions", extensions),
    )
    for kind, noun, path in tables_of_times:
        if path is None:
            continue
        rows = take_times(book, course, path, kind)
        yield f"{noun} read from {path.name}: {rows.kept}"
        if rows.unknown:
            yield f"no submission is called {listed(rows.unknown)} yet: their {kind} are kept until then"
    if manual is None:
        return
    rows = take_marks(book, course, manual)
    yield f"marks read from {manual.name}: {rows.kept}; not marked yet: {rows.blank}"
    if rows.unknown:
        yield f"no submission is called {listed(rows.unknown)}: their marks were not recorded"
    if any(name.startswith("anonymous-") for name in rows.unknown):
        yield "anonymous-… is a code for a name: `autograder written OUT` puts the names back into it"


def _count_late_days(book: Gradebook, folder: Path, earlier_folder: Path) -> str:
    """Count the late days used in another folder, and say how many these are."""
    if earlier_folder.resolve() == folder.resolve():
        raise typer.BadParameter(
            "this is the folder itself; name another one", param_hint="--earlier"
        )
    with read_gradebook(earlier_folder) as earlier_book:
        days = earlier_book.late_days_used()
    book.decisions.set_spent_elsewhere(str(earlier_folder.resolve()), days)
    return f"late days spent in {earlier_folder}: {sum(days.values())} (students: {len(days)})"


def _unequal_marks(book: Gradebook, course: Course) -> Iterator[str]:
    """Say which equal answers have different points, so that whoever marked them looks again."""
    points = {}
    for mark in book.decisions.marks():
        key = (mark.submission, mark.homework, mark.question)
        points[key] = points_cell(mark.points)
    questions = collect_written(book.counted(), course.homeworks())
    for marks in find_unequal_marks(questions, points):
        _, homework_id, question = marks.first
        yield f"equal answers to {question} of {homework_id} have different points: {marks}"


def _points_before(book: Gradebook) -> Points:
    """Return the points that counted until now; where none were settled yet, those of the checks."""
    points: dict[Key, float | None] = {}
    for result in book.counted():
        for homework in result.homeworks:
            points[result.name, homework.homework] = homework.raw
    for line in book.lines():
        points[line.submission, line.homework] = line.final
    return points


def _show_news(before: Points, settlement: Settlement, more: str) -> None:
    """Print whose points changed, then the rules, then how many changes of each kind there are.

    ``more`` says where all of them are.
    """
    grades = list(settlement)
    reasons: dict[Key, str] = {}
    homework_ids: dict[str, None] = {}
    names_of_kind: dict[str, list[str]] = {kind: [] for kind in KINDS}
    bonuses: Counter[str] = Counter()
    for grade in grades:
        for homework in grade.homeworks:
            homework_ids[homework.homework] = None
            # A bonus that everybody may earn is no reason for anybody's points.
            without_bonus = []
            for change in homework.changes:
                if change.kind != EXTRA_CREDIT:
                    without_bonus.append(change)
            changed = replace(homework, changes=tuple(without_bonus))
            reasons[grade.name, homework.homework] = "\n".join(change_lines(changed))
            for kind in {change.kind for change in homework.changes}:
                names_of_kind.setdefault(kind, []).append(grade.name)
            for change in homework.changes:
                if change.kind == EXTRA_CREDIT:
                    short = short_id(homework.homework)
                    bonuses[f"{short}: {change.reason.rstrip('.')}"] += 1
    show_changes(before, points_in(grades), more, reasons=reasons)
    for line in rule_lines(settlement.policy, homework_ids):
        print_line(f"in force: {line}")

    # What else there is, a line for each kind.
    is_changed = False
    for kind, names in names_of_kind.items():
        if names:
            is_changed = True
            unique_names = list(dict.fromkeys(names))
            words = KINDS.get(kind, kind)
            if kind != EXTRA_CREDIT:
                print_line(f"{words} ({len(unique_names)}): {listed(unique_names)}")
    for bonus, count in bonuses.items():
        print_line(f"{bonus} (submissions: {count})")
    if not is_changed:
        print_line("No adjustments: the points are those of the checks.")


def _list(book: Gradebook) -> None:
    """Print overrides, marks and comments: on a terminal the first ones, elsewhere all."""
    overrides = book.decisions.overrides()
    marks = book.decisions.marks()
    comments = book.decisions.comments()
    if not overrides and not marks and not comments:
        print_line("There are no overrides, no marks and no comments.")
        return

    rows = []
    for override in overrides:
        numbers = (str(override.id), points_of(override.points))
        subject = (override.submission, override.homework, override.subject)
        rows.append((*subject, *numbers, override.reason))
    titles = ("submission", "homework", "subject")
    _show_rows(rows, titles, ("override", "points"), "reason")

    rows = []
    for mark in marks:
        numbers = (points_of(mark.points), f"{mark.maximum:g}")
        subject = (mark.submission, mark.homework, mark.question)
        rows.append((*subject, *numbers, mark.comment))
    titles = ("submission", "homework", "question")
    _show_rows(rows, titles, ("points", "out of"), "comment")

    comment_rows = []
    for comment in comments:
        subject = (comment.group or comment.submission, comment.homework, comment.task)
        comment_rows.append((*subject, points_cell(comment.points), comment.text))
    titles = ("group or submission", "homework", "task")
    _show_rows(comment_rows, titles, ("points",), "comment")


def _show_rows(
    rows: Iterable[Sequence[str]],
    titles: Sequence[str],
    numbers: Sequence[str],
    last: str,
) -> None:
    escaped_rows = [[for_screen(cell) for cell in row] for row in rows]
    table = table_of(titles, numbers, (last,))
    most = MOST_LINES if out.is_interactive else sys.maxsize
    show_first(table, escaped_rows, "autograder policy OUT --list | less", most)
