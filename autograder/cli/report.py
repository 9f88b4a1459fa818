"""``autograder report``, and the end of every grading: write the output folder from the gradebook."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

import typer

from autograder.cli.console import note, out
from autograder.cli.options import GradedCourseOption, course_of
from autograder.cli.progress import closing_table
from autograder.course import Course
from autograder.judging import SubmissionResult
from autograder.records import (
    GRADES,
    REPORT,
    Gradebook,
    Line,
    Settlement,
    forget_submissions,
    has_submission,
    need_gradebook,
    open_gradebook,
    remarks,
    settle,
    write_class,
    write_submission,
)

CHOSEN = "homeworks"


def report(
    folder: Annotated[Path, typer.Argument(metavar="OUT", help="The --out folder of `autograder grade`.")],
    course: GradedCourseOption = None,
) -> None:
    """Write grades.csv, report.html and every student's files again: [bold]autograder report graded[/bold].

    Everything comes from gradebook.sqlite; no submission is run. For files that were deleted or edited, and
    after an update of the kit that shows results in another way.
    """
    need_gradebook(folder)
    with open_gradebook(folder) as book:
        found = course_of(book, course)
        forget_submissions(folder, ())
        results = publish(book, found, folder)
        closing_table(results, found.homework_ids())
    out.print(f"Grades: {folder / GRADES}   Report: {folder / REPORT}", markup=False, soft_wrap=True)


def choose(book: Gradebook, homeworks: Sequence[str]) -> None:
    """Remember which homeworks were asked for by name; none means all."""
    book.set(CHOSEN, json.dumps(list(homeworks)))


@dataclass(frozen=True)
class Results:
    """What counts for each submission, sorted by name; read anew at each iteration, never held as a whole."""

    settlement: Settlement

    def __iter__(self) -> Iterator[SubmissionResult]:
        return self.settlement.results()


@dataclass(frozen=True)
class _Lines:
    """The lines of the gradebook, read anew at each iteration."""

    book: Gradebook

    def __iter__(self) -> Iterator[Line]:
        return self.book.lines()


def publish(book: Gradebook, course: Course, folder: Path) -> Results:
    """Settle the gradebook, store what counts, write every file that shows it, and say what is open.

    Raises:
        PolicyError: the policy is wrong.
    """
    settlement = settle(book, course)
    finals: dict[str, float | None] = {}
    most: dict[str, float] = {}  # by homework that anyone handed in or has points for

    def settled_lines() -> Iterator[Line]:
        for raw in book.results():
            result, lines = settlement.apply(raw)
            finals[result.name] = result.earned
            for one in result.homeworks:
                most[one.homework] = max(most.get(one.homework, 0.0), one.points)
            yield from lines

    book.keep_lines(settled_lines())
    book.keep_finals(finals)
    results = Results(settlement)
    _write_submissions(book, folder, results)
    # The maximum counts homeworks asked for by name, else those that anyone handed in. Theory questions and
    # marks by hand count where anyone has them; extra credit never.
    chosen = json.loads(book.find_setting(CHOSEN) or "[]")
    homeworks = course.homeworks(chosen)
    counted = [one for one in homeworks if chosen or not most or one.id in most]
    maximum = sum(most.get(one.id, settlement.policy.maximum(one)) for one in counted)
    lines = _Lines(book)
    write_class(folder, results, [one.id for one in homeworks], maximum, lines)
    for line in remarks(book, settlement, lines):
        note(line)
    return results


def _write_submissions(book: Gradebook, folder: Path, results: Results) -> None:
    """Write the files of submissions whose adjustments they do not show yet, and files that are missing."""
    shown = book.shown()
    changed = {}
    for result in results:
        adjusted = [  # everything that does not come from the checks
            [one.homework, one.points, one.final, [asdict(change) for change in one.changes], one.awaiting]
            for one in result.homeworks
            if one.changes or one.awaiting
        ]
        adjustments = json.dumps(adjusted) if adjusted else ""
        if shown[result.name] != adjustments or not has_submission(folder, result.name):
            write_submission(folder, result)
            changed[result.name] = adjustments
    book.set_shown(changed)
