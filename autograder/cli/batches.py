"""What ``grade`` and ``regrade`` share: submissions go through sessions, and every result is kept at once."""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import typer

from autograder.batch.session import GradingSession
from autograder.cli.console import complain, err, note, print_line
from autograder.cli.graders import (
    INTERRUPTED,
    BatchGrader,
    locally,
    on_cluster,
    until_interrupted,
)
from autograder.cli.progress import GradingProgress, note_faults, publish_grades
from autograder.course.course import Course
from autograder.errors import KitError
from autograder.gradebook.book import Gradebook
from autograder.intake.naming import listed
from autograder.intake.submission import Submission
from autograder.report.drawing import Drawing
from autograder.report.tally import Tally
from autograder.sandbox.levels import Level
from autograder.verdict.explanation_faults import recording_faults
from autograder.verdict.results import SubmissionResult

INFRASTRUCTURE = 1
MOST_UNGRADED = 3


@dataclass(frozen=True)
class Batch:
    """Submissions with names of their own, who grades them, and what keeps each result."""

    grade: BatchGrader
    submissions: Sequence[Submission]
    keep: Callable[[SubmissionResult], None]


def seed_of(book: Gradebook, chosen: int | None) -> int:
    """Return the seed chosen on the command line, else that of earlier grades, else a drawn one; it is kept."""
    seed = chosen
    if seed is None:
        drawn = secrets.randbelow(2**31)
        seed = int(book.setting_or_store("seed", str(drawn)))
    book.set("seed", str(seed))
    return seed


def batch_grader(
    session: GradingSession,
    jobs: int,
    scheduler: str | None,
    weakest_level: Level | None,
    drawing: Drawing,
) -> BatchGrader:
    """Return who grades for a session: this machine, whose graders draw, or a cluster of a level."""
    if scheduler:
        return on_cluster(session, scheduler, weakest_level)
    drawing.warm()
    return locally(session, jobs, drawing.draw)


def grade_batches(batches: Sequence[Batch], jobs: int, *, verbose: bool) -> None:
    """Grade batches one after the other, and keep each result the moment it is known.

    Raises:
        KeyboardInterrupt: Ctrl-C was pressed; what was under way is finished and kept.
    """
    remaining = sum(len(batch.submissions) for batch in batches)
    with (
        until_interrupted() as go_on,
        GradingProgress(remaining, min(jobs, remaining), verbose) as progress,
    ):
        for batch in batches:
            with contextlib.closing(batch.grade(batch.submissions, go_on)) as results:
                for result in results:
                    batch.keep(result)
                    progress.advance(result)
                    remaining -= 1
    if remaining:
        raise KeyboardInterrupt


@contextlib.contextmanager
def publishing_when_stopped(
    book: Gradebook, course: Course, folder: Path, *, resume: bool
) -> Iterator[list[str]]:
    """Write the files also where grading is stopped; after Ctrl-C, end with its exit status.

    Gives the list of explanations that fail while pages are written: those of judging are in the results.
    """
    try:
        with recording_faults() as page_faults:
            yield page_faults
    except KeyboardInterrupt:
        again = "the same command"
        if not resume:
            again = "the same command without --fresh"
        note(
            f"stopped; every finished grade is kept, and {again} goes on from here. "
            f"Writing the files, as `autograder report {folder}` does"
        )
        publish_grades(book, course, folder)
        raise typer.Exit(INTERRUPTED) from None
    except KitError:
        publish_grades(book, course, folder)  # the grades so far are worth having
        raise


def note_withdrawn(book: Gradebook, names: Collection[str], folder: Path) -> None:
    """Say which of these submissions are graded and count nowhere all the same."""
    withdrawn = sorted(set(names).intersection(book.decisions.withdrawn()))
    if withdrawn:
        note(
            f"withdrawn, and so it stays ({len(withdrawn)}): {listed(withdrawn)}; "
            f"`autograder withdraw {folder} NAME --back` brings a submission back"
        )


def summed_up(book: Gradebook, results: Iterable[SubmissionResult]) -> Tally:
    """Return what the staff should know of results as a whole."""
    settled = set()
    for override in book.decisions.overrides():
        if override.is_whole:
            settled.add((override.submission, override.homework))
    tally = Tally(settled)
    for result in results:
        tally.add(result)
    return tally


def tell_outcome(
    book: Gradebook, tally: Tally, names: Iterable[str], page_faults: Sequence[str]
) -> int:
    """Say what is wrong with these submissions as a whole, and return the exit status.

    ``page_faults`` are explanations that failed while pages were written.
    """
    if tally.recognition:
        print_line(f"{tally.recognition}.")
    for line in tally.doubts_about_files:
        print_line(f"Look at: {line}.")
    for line in tally.alarm:
        complain(line)
    note_faults(
        [*tally.explanation_faults, *page_faults],
        "left out; `autograder explain` lists them",
    )
    failed = sorted(set(names).intersection(book.failed()))
    if failed:
        first = ""
        if tally.broken_checks:
            checks = listed(sorted(tally.broken_checks))
            first = f"correct what raised in {checks}, then "
        print_line(
            f"The grader itself failed on {len(failed)}: {listed(failed)}. "
            f"They have no score; {first}run the same command again to grade only these.",
            err,
        )
        return INFRASTRUCTURE
    return MOST_UNGRADED if tally.alarm else 0
