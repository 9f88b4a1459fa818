"""What ``grade`` and ``regrade`` share: submissions go through sessions, and every result is kept at once."""

from __future__ import annotations

import contextlib
import secrets
import shlex
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import typer

from autograder.batch.session import GradingSession
from autograder.cli.console import ExitStatus, complain, err, note, print_line
from autograder.cli.graders import BatchGrader, locally, on_cluster, until_interrupted
from autograder.cli.options import COURSE_SETTING
from autograder.cli.progress import (
    GradingProgress,
    note_faults,
    print_files,
    publish_grades,
)
from autograder.course.course import Course
from autograder.errors import KitError
from autograder.gradebook.book import Gradebook
from autograder.gradebook.fingerprint import Run, fingerprint_graders
from autograder.gradebook.gradings import Kept
from autograder.gradebook.supersession import Grading
from autograder.intake.naming import listed
from autograder.intake.submission import Submission
from autograder.policy.decision_input import load_policy
from autograder.policy.settlement import by_policy
from autograder.report.drawing import Drawing, without_files
from autograder.report.exports import GradeRow, write_graded
from autograder.report.tally import Tally
from autograder.sandbox.levels import Level
from autograder.verdict.explanation_faults import recording_faults
from autograder.verdict.results import SubmissionResult


@dataclass(frozen=True)
class GradingOptions:
    """The options that both commands have."""

    jobs: int
    scheduler: str | None
    unsafe: bool
    resume: bool
    verbose: bool


@dataclass(frozen=True)
class Batch:
    """Submissions of different names, who grades them, and what keeps each result."""

    grade: BatchGrader
    submissions: Sequence[Submission]
    keep: Callable[[SubmissionResult], object]


def seed_of(book: Gradebook, chosen: int | None) -> int:
    """Return the seed chosen on the command line, else that of earlier grades, else a drawn one; it is kept."""
    seed = chosen
    if seed is None:
        drawn = secrets.randbelow(2**31)
        seed = int(book.setting_or_store("seed", str(drawn)))
    book.set("seed", str(seed))
    return seed


class GradingCommand:
    """A command that grades into the gradebook of a folder.

    Both commands go the same way: ``begin``, ``grade`` within ``publishing_when_stopped``, ``finish``.

    Raises:
        PolicyError: the policy is wrong, which is best known before the class is graded.
    """

    def __init__(
        self,
        book: Gradebook,
        course: Course,
        folder: Path,
        level: Level,
        options: GradingOptions,
    ) -> None:
        self._book = book
        self._course = course
        self._folder = folder
        self._level = level
        self._options = options
        policy = load_policy(book, course)
        self._drawing = Drawing(course, policy)
        self._settlement = by_policy(policy, course)
        self._page_faults: list[str] = []
        book.set(COURSE_SETTING, str(course.root))

    def run(self, seed: int, chosen: Sequence[str], submissions: int) -> Run:
        """Return the record of this command, which grades so many submissions in the chosen homeworks."""
        return Run(
            level=self._level.name,
            seed=seed,
            graders=fingerprint_graders(self._course, seed, chosen),
            jobs=self._options.jobs,
            command=shlex.join(sys.argv[1:]),
            homeworks=tuple(chosen),
            entries=submissions,
        )

    def grader_of(self, session: GradingSession) -> BatchGrader:
        """Return a function that grades submissions on this machine, or on a cluster."""
        if self._options.scheduler:
            weakest_level = None if self._options.unsafe else self._level
            return on_cluster(session, self._options.scheduler, weakest_level)
        self._drawing.warm()
        return locally(session, self._options.jobs, self._drawing.draw)

    def keep(
        self,
        result: SubmissionResult,
        content: str,
        graders: str,
        again: Grading | None = None,
    ) -> Kept:
        """Keep a result, as ``Gradebook.keep`` does, and write the submission's files."""
        kept = self._book.keep(without_files(result), content, graders, again)
        state = write_graded(self._folder, kept.whole, self._settlement, result)
        self._book.files_written(result.name, state)
        return kept

    def grade(self, batches: Sequence[Batch]) -> None:
        """Grade batches one after the other, and keep each result the moment it is known.

        Raises:
            KeyboardInterrupt: Ctrl-C was pressed; what was under way is finished and kept.
        """
        remaining = sum(len(batch.submissions) for batch in batches)
        jobs = min(self._options.jobs, remaining)
        with (
            until_interrupted() as go_on,
            GradingProgress(remaining, jobs, self._options.verbose) as progress,
        ):
            for batch in batches:
                graded = batch.grade(batch.submissions, go_on)
                with contextlib.closing(graded) as results:
                    for result in results:
                        batch.keep(result)
                        progress.advance(result)
                        remaining -= 1
        if remaining:
            raise KeyboardInterrupt

    @contextlib.contextmanager
    def publishing_when_stopped(self) -> Iterator[None]:
        """Write the files also where grading is stopped; after Ctrl-C, end with its exit status."""
        try:
            # Explanations that fail while pages are written; those of judging are in the results.
            with recording_faults() as self._page_faults:
                yield
        except KeyboardInterrupt:
            again = "the same command"
            if not self._options.resume:
                again = "the same command without --fresh"
            note(
                f"stopped; every finished grade is kept, and {again} goes on from here. "
                f"Writing the files, as `autograder report {self._folder}` does"
            )
            self._publish()
            raise typer.Exit(ExitStatus.INTERRUPTED) from None
        except KitError:
            self._publish()  # the grades so far are worth having
            raise

    def _publish(self) -> list[GradeRow]:
        return publish_grades(self._book, self._course, self._folder)

    def finish(
        self,
        names: Collection[str],
        results: Iterable[SubmissionResult],
        show: Callable[[Sequence[GradeRow], Tally], None],
    ) -> None:
        """Write the files, show the grades, and say how it went.

        Args:
            names: the submissions that the command was about.
            results: what the graders gave them.
            show: prints the grades.

        Raises:
            typer.Exit: there is an exit status to tell.
        """
        grades = self._publish()
        withdrawn = sorted(set(names).intersection(self._book.decisions.withdrawn()))
        if withdrawn:
            note(
                f"withdrawn, and so it stays ({len(withdrawn)}): {listed(withdrawn)}; "
                f"`autograder withdraw {self._folder} NAME --back` brings a submission back"
            )
        tally = self._summed_up(results)
        show(grades, tally)
        print_files(self._folder)
        status = self._tell_outcome(tally, names)
        if status:
            raise typer.Exit(status)

    def _summed_up(self, results: Iterable[SubmissionResult]) -> Tally:
        """Return what the staff should know of results as a whole."""
        settled = set()
        for override in self._book.decisions.overrides():
            if override.is_whole:
                settled.add((override.submission, override.homework))
        tally = Tally(settled)
        for result in results:
            tally.add(result)
        return tally

    def _tell_outcome(self, tally: Tally, names: Iterable[str]) -> ExitStatus:
        """Say what is wrong with these submissions as a whole, and return the exit status."""
        if tally.recognition:
            print_line(f"{tally.recognition}.")
        for line in tally.doubts_about_files:
            print_line(f"Look at: {line}.")
        for line in tally.alarm:
            complain(line)
        note_faults(
            [*tally.explanation_faults, *self._page_faults],
            "left out; `autograder explain` lists them",
        )
        failed = sorted(set(names).intersection(self._book.failed()))
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
            return ExitStatus.PROBLEMS
        if tally.alarm:
            return ExitStatus.MOST_UNGRADED
        return ExitStatus.DONE
