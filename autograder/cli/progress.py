"""Live progress of long work on a terminal, plain lines elsewhere, and the closing table of a batch."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Self

from rich import progress as rich_progress
from rich.text import Text

from autograder.cli.console import (
    MOST_LINES,
    err,
    first_lines,
    note,
    out,
    print_line,
    print_whole,
    show_first,
    table_of,
)
from autograder.course.course import Course
from autograder.course.homework import by_number, short_id
from autograder.csv_table import TableError
from autograder.gradebook.book import Gradebook
from autograder.grading.patience import KEPT_WAITING
from autograder.intake.roster import Roster, RosterMatch
from autograder.intake.submission import Submission
from autograder.platforms.grades import against_roster
from autograder.platforms.rosters import kept_roster
from autograder.policy.grade import points_of
from autograder.report.exports import GRADES, REPORT, GradeRow, publish
from autograder.sandbox.report import Status
from autograder.untrusted_text import for_screen
from autograder.verdict.explanation_faults import recording_faults
from autograder.verdict.results import SubmissionResult

EVERY = 100
"""Off a terminal, a line of progress follows every so many submissions."""
NAME = 24
"""The width of a name, in cells: on a terminal longer ones are cut, and on a narrow one more so."""
COLOURS = {
    Status.GRADED: "green",
    Status.NOT_SUBMITTED: "yellow",
    Status.INFRASTRUCTURE_ERROR: "bold red",
}


class _Rate(rich_progress.ProgressColumn):
    """How many are done per second, once it is known."""

    def render(self, task: rich_progress.Task) -> str:
        return f"{task.speed:.1f}/s" if task.speed else ""


class ProgressBar:
    """A bar with a description, count, rate, time left and news; silent off a terminal. A context manager."""

    def __init__(self, description: str, total: int) -> None:
        self._bar = rich_progress.Progress(
            rich_progress.TextColumn("{task.description}"),
            # Narrow enough that ^C has room on the line, and goes with it.
            rich_progress.BarColumn(max(4, err.width - 60)),
            rich_progress.MofNCompleteColumn(),
            _Rate(),
            rich_progress.TimeRemainingColumn(),
            rich_progress.TextColumn("{task.fields[news]}"),
            console=err,
            transient=True,
            disable=not err.is_interactive,
        )
        self._task = self._bar.add_task(description, total=total, news="")

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._bar.stop()


class GradingProgress(ProgressBar):
    """A bar with rate and number of problems; above it a line for each submission that has a problem.

    Off a terminal, or when asked to be verbose, every submission has its line.
    """

    def __init__(self, total: int, graders: int, verbose: bool = False) -> None:
        plural = "" if graders == 1 else "s"
        super().__init__(f"starting {graders} worker{plural}", total)
        self._total = total
        self._verbose = verbose
        self._problems = 0
        self._counts: Counter[Status] = Counter()

    def advance(self, result: SubmissionResult) -> None:
        """Count a result, and show what a TA should know at once: problems of reading, our own failures."""
        self._counts[result.status] += 1
        is_problem = result.status is not Status.GRADED or bool(result.problems)
        if is_problem:
            self._problems += 1
        if is_problem or self._verbose or not err.is_interactive:
            _show_result(result)
        news = ""
        if self._problems and err.width >= 60:
            news = f"{self._problems} with problems"
        self._bar.update(self._task, advance=1, description="grading", news=news)

        graded_count = self._counts.total()
        [task] = self._bar.tasks
        if not err.is_interactive and graded_count % EVERY == 0 and task.speed:
            time_left = ""
            if task.time_remaining:
                time_left = f", about {task.time_remaining:.0f} s left"
            print_line(
                f"{graded_count} of {self._total} done, {task.speed:.1f}/s{time_left}: "
                f"{counts_text(self._counts)}",
                err,
            )


def _show_result(result: SubmissionResult) -> None:
    """Print name, status and points on one line, cut to fit a terminal, and its problems below it."""
    is_live = err.is_interactive
    name = Text(for_screen(result.name), "bold")
    width = max(NAME, name.cell_len)
    if is_live:
        width = min(NAME, max(8, err.width - 50))
    name.truncate(width, overflow="ellipsis", pad=True)
    status = (f"{result.status:<21}", COLOURS.get(result.status, "red"))
    points = []
    for homework in result.homeworks:
        points.append(
            f"{points_of(homework.earned)}/{homework.points:g} {short_id(homework.homework)}"
        )
    line = Text.assemble(name, " ", status, "  ".join(points))
    if is_live:
        err.print(line, no_wrap=True, overflow="ellipsis", crop=True)
    else:
        print_whole(line, err)
    for problem in result.problems:
        print_line(Text(for_screen(problem.staff), "yellow"), err, indent=4)
    for fault in _our_faults(result):
        print_line(Text(for_screen(fault), "yellow"), err, indent=4)


def _our_faults(result: SubmissionResult) -> Iterator[str]:
    """Yield failures of the grader: each check that raised, with exception and line, or the fault that ended it."""
    if result.fault.strip():
        yield result.fault.strip().splitlines()[-1]  # of a traceback, the exception
    for homework in result.homeworks:
        if homework.not_judged:
            for check in homework.not_judged:
                if check.fault:
                    yield check.fault
        elif homework.status.is_our_fault and homework.detail.strip():
            yield homework.detail.strip().splitlines()[-1]
        elif homework.detail == KEPT_WAITING:
            yield f"{short_id(homework.homework)}: {homework.detail}"


def counts_text(counts: Counter[Status]) -> str:
    """Return how many submissions have which status, the most frequent first."""
    return ", ".join(f"{count:,} {status}" for status, count in counts.most_common())


def reading(submissions: Sequence[Submission]) -> Iterable[Submission]:
    """Pass the submissions on one by one, and show how many of them have been read."""
    plural = "" if len(submissions) == 1 else "s"
    description = f"reading {len(submissions):,} submission{plural}"
    if len(submissions) >= EVERY and not err.is_interactive:
        print_line(description, err)
    return rich_progress.track(
        submissions,
        description,
        console=err,
        transient=True,
        disable=not err.is_interactive,
    )


def publish_grades(
    book: Gradebook,
    course: Course,
    folder: Path,
    tell: Callable[[str], None] = note,
) -> list[GradeRow]:
    """Write every file that shows the grades, and return the grades; of a large class it takes a while.

    ``tell`` is given what is still open. A failed explanation is missing from its page, and nothing else is; a
    note says which.
    """
    missing, strangers = _against_kept_roster(book, course)
    with err.status("writing grades, report and pages"), recording_faults() as faults:
        grades = publish(
            book, course, folder, tell, missing=missing, strangers=strangers
        )
    note_faults(faults, "left out of the pages")
    return grades


def print_files(folder: Path) -> None:
    """Say where the grades and the report are."""
    print_line(f"Grades: {folder / GRADES}   Report: {folder / REPORT}")


def print_unmatched(matching: RosterMatch, roster: Roster) -> None:
    """Say which submissions are nobody's and which students have none."""
    nobodys = [f"{name}: {reason}" for name, reason in matching.unmatched.items()]
    students = [student.label for student in matching.missing]
    lists = (
        (f"submissions that match nobody in {roster.source}", nobodys),
        (f"students of {roster.source} without a submission", students),
    )
    for title, lines in lists:
        if lines:
            head = f"{title} ({len(lines)}):"
            note("\n    ".join([head, *first_lines(lines)]))


def _against_kept_roster(
    book: Gradebook, course: Course
) -> tuple[Sequence[str], Collection[str]]:
    """Return the students in the kept roster without a submission, and the submissions of nobody in it.

    Nothing is known of a grading that was stopped.
    """
    try:
        roster = kept_roster(book)
    except TableError as error:
        note(f"the report does not compare the class with the roster: {error}")
        return (), ()
    if roster is None or book.unfinished():
        return (), ()
    return against_roster(book, course, roster)


def note_faults(faults: Sequence[str], where: str) -> None:
    """Say in one note how many explanations failed, and quote the first; no points depend on them."""
    if not faults:
        return
    subject = "an explanation"
    if len(faults) > 1:
        subject = f"{len(faults):,} explanations"
    note(
        f"{subject} could not be made and {where}; no points depend on it. First: {faults[0]}"
    )


def closing_table(
    grades: Sequence[GradeRow], statuses: Counter[Status] | None = None
) -> None:
    """Print a row per submission, mean and median per homework, and the counts by status.

    Of a large class only the submissions without a regular grade have a row. ``statuses`` are those of
    the last grading only; a submission may have other homeworks from before.
    """
    ids: set[str] = set()
    for grade in grades:
        ids.update(grade.points)
    homework_ids = sorted(ids, key=by_number)

    # A row per submission; on a terminal its texts are cut.
    cut: dict[str, Any] = {}
    if out.is_interactive:
        cut = {"no_wrap": True, "overflow": "ellipsis"}
    is_large = len(grades) > MOST_LINES
    rows = []
    for grade in grades:
        if is_large and grade.status is Status.GRADED:
            continue
        colour = COLOURS.get(grade.status, "red")
        row: list[str | Text] = [
            Text(for_screen(grade.name), **cut),
            Text(grade.status, colour, **cut),
        ]
        for homework_id in homework_ids:
            if homework_id in grade.points:
                earned, _ = grade.points[homework_id]
                row.append(points_of(earned))
            else:
                row.append("")
        row.append(points_of(grade.earned))
        rows.append(row)
    short_names = [short_id(homework_id) for homework_id in homework_ids]
    table = table_of(("submission", "status"), (*short_names, "total"))
    show_first(table, rows, "see the files below")

    # Mean and median per homework.
    summary = table_of(("homework",), ("submissions", "mean", "median", "out of"))
    bonuses = []
    for homework_id in homework_ids:
        class_points = []
        maxima = []
        above = 0
        for grade in grades:
            if homework_id in grade.points:
                earned, maximum = grade.points[homework_id]
                maxima.append(maximum)
                if earned is not None:
                    class_points.append(earned)
                    above += earned > maximum
        mean = "–"
        median = "–"
        if class_points:
            mean = f"{statistics.mean(class_points):.1f}"
            median = f"{statistics.median(class_points):g}"
        summary.add_row(
            short_id(homework_id),
            f"{len(class_points):,}",
            mean,
            median,
            f"{max(maxima):g}",
        )
        if above:
            bonuses.append(
                f"{short_id(homework_id)}: bonus points count beyond the maximum of {max(maxima):g} "
                f"(submissions: {above:,})"
            )
    if homework_ids and len(grades) > 1:
        out.print("", summary, "", sep="\n")
    for bonus in bonuses:
        print_line(bonus, out)

    counts = statuses or Counter(grade.status for grade in grades)
    print_line(counts_text(counts), out)
