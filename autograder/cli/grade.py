"""``autograder grade``: from a folder of submissions to grades, reasons and reports."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path

import typer
from typer import Argument, Option

from autograder.batch.session import open_session
from autograder.cli.batches import (
    Batch,
    GradingCommand,
    GradingOptions,
    seed_of,
)
from autograder.cli.console import err, note, notes, print_line
from autograder.cli.graders import BatchGrader
from autograder.cli.options import (
    AT_ONCE,
    CourseOption,
    Jobs,
    Scheduler,
    Unsafe,
    Verbose,
    need_protection,
    one_of,
)
from autograder.cli.progress import (
    closing_table,
    print_unmatched,
    reading,
)
from autograder.course.course import find_course
from autograder.feedback.rendering import PAGES
from autograder.gradebook.book import Gradebook
from autograder.gradebook.fingerprint import (
    Run,
    fingerprint_submission,
)
from autograder.gradebook.opening import FILE_NAME, need_gradebook, open_gradebook
from autograder.gradebook.schema import GradebookError
from autograder.intake.naming import SOURCE_ENDINGS, ending, listed
from autograder.intake.submission import AUTO, Submission, SubmissionError
from autograder.platforms.discover import find_submissions
from autograder.platforms.registry import layouts
from autograder.platforms.rosters import (
    find_students,
    keep_roster,
    kept_roster,
    read_roster,
)
from autograder.policy.decision_input import (
    nobodys_decisions,
    take_metadata,
)
from autograder.report.exports import (
    GRADES,
    SUBMISSIONS,
    GradeRow,
    choose,
    forget_submissions,
)
from autograder.report.tally import Tally
from autograder.verdict.results import SubmissionResult


def grade(
    paths: list[Path] = Argument(
        ...,
        metavar="PATH",
        help="A folder of submissions, or single submissions (file, folder or zip).",
    ),
    out_folder: Path = Option(
        ..., "--out", metavar="DIR", help="Where grades, results and reports go."
    ),
    homework_ids: list[str] | None = Option(
        None,
        "--homework",
        metavar="ID",
        help="Grade only this homework; a single .py or .ipynb counts whatever its name. Repeatable.",
    ),
    jobs: Jobs = AT_ONCE,
    seed: int | None = Option(
        None, min=0, metavar="N", help="Seed of the fresh inputs; drawn when not given."
    ),
    resume: bool = Option(
        True,
        "--resume/--fresh",
        help="Keep valid grades of these submissions, or grade all of them again.",
    ),
    forget_missing: bool = Option(
        False,
        "--forget-missing",
        help="Drop from OUT what is no longer in the paths, for the homeworks asked for. Overrides and "
        "marks stay. Without it nothing is dropped.",
    ),
    scheduler: Scheduler = None,
    unsafe: Unsafe = False,
    course_root: CourseOption = None,
    layout: str = Option(
        AUTO,
        metavar="FROM",
        parser=one_of(layouts()),
        help=f"Where submissions are from: {', '.join(layouts())}. auto goes by their names.",
    ),
    roster_path: Path | None = Option(
        None,
        "--roster",
        metavar="CSV",
        help="The class list: whose the submissions are, and who is missing. Kept for later commands.",
    ),
    verbose: Verbose = False,
    metadata: Path | None = Option(
        None, hidden=True, help="The submission's metadata in Gradescope's container."
    ),
) -> None:
    """Grade submissions: points, reasons and reports.

    Writes grades.csv, report.html, and for each submission results.json and feedback.html. Results
    already in OUT are kept: a submission is added, or replaces its own earlier results in the homeworks
    it contains.

    Exit status 0: all graded. 1: the grader itself failed on some, which have no score yet; run the same
    command again. 2: wrong usage. 3: most of a class could not be graded; all files are written. 130: stopped
    by Ctrl-C; the same command goes on from there.

    Example: `autograder grade submissions --out graded`
    """
    level = need_protection(unsafe)
    print_line(f"Protection: {level.name} ({level.promise})", err)
    course = find_course(course_root, paths)
    print_line(f"Course: {course.root}", err)
    chosen = course.ids(homework_ids)
    stubs = [homework.stub for homework in course.homeworks(chosen)]
    submissions = _find_submissions(paths, stubs, out_folder, layout)
    names = [submission.name for submission in submissions]
    roster = None
    if roster_path is not None:
        # A mistake in it is best known before anything is written.
        roster = read_roster(roster_path)
        if roster.note:
            note(roster.note)
    with open_gradebook(out_folder, fresh=not resume) as book:
        nobodys_before = nobodys_decisions(book)
        if roster_path is not None:
            keep_roster(book, roster_path)
        else:
            roster = kept_roster(book)
        names_in_roster = None
        if roster is not None:
            students = find_students(submissions, roster, stubs, book.owners())
            print_unmatched(students.matching, roster)
            submissions = students.submissions
            names_in_roster = students.names
        if metadata is not None:
            take_metadata(book, course, names, metadata)

        # Say what becomes of submissions that are not among the paths; on a terminal, ask before they go.
        others = book.missing(set(names), chosen if forget_missing else ())
        if others and not forget_missing:
            note(
                f"other submissions in OUT are kept ({len(others)}); --forget-missing drops them"
            )
        elif others:
            note(
                f"not among the paths, and to be dropped ({len(others)}): {listed(others)}"
            )
            if sys.stdin.isatty() and not typer.confirm("Drop them?", err=True):
                raise GradebookError(
                    "nothing was dropped or graded: leave --forget-missing out to keep them"
                )

        # Grade, with the seed of earlier grades unless another is named.
        seed = seed_of(book, seed)
        session = open_session(seed, chosen, course)
        options = GradingOptions(jobs, scheduler, unsafe, resume, verbose)
        command = GradingCommand(book, course, out_folder, level, options)
        choose(book, chosen)
        run = command.run(seed, chosen, len(submissions))
        grader = command.grader_of(session)
        with command.publishing_when_stopped():
            fingerprints = _grade_into(
                book,
                run,
                command,
                grader,
                submissions,
                by_roster=names_in_roster,
                fresh=not resume,
            )

        # Write the files, and say how it went.
        if forget_missing:
            book.forget_missing(fingerprints, run.graders, chosen)
            choose(book, chosen, anew=not chosen)
            forget_submissions(out_folder, book.names())

        def show(grades: Sequence[GradeRow], tally: Tally) -> None:
            lost = []
            for text in nobodys_decisions(book):
                if text not in nobodys_before:
                    lost.append(text)
            if lost:
                note(
                    f"times or extensions that belong to nobody now ({len(lost)}): {listed(lost)}; "
                    "name the class with --roster"
                )
            graded_now = [row for row in grades if row.name in fingerprints]
            closing_table(graded_now, tally.statuses)

        command.finish(fingerprints, book.given(fingerprints, run.graders), show)


def _find_submissions(
    paths: Sequence[Path], stubs: Sequence[str], out_folder: Path, layout: str
) -> list[Submission]:
    """Find the submissions, leaving out the results of an earlier run that are among them."""
    results_folder = out_folder.resolve()
    for path in paths:
        for written in (SUBMISSIONS, PAGES):
            folder = results_folder / written
            if path.resolve() == folder or folder in path.resolve().parents:
                raise typer.BadParameter(
                    f"{path} is where results are written; name another folder than {out_folder}",
                    param_hint="--out",
                )
    if results_folder in [path.resolve() for path in paths]:
        raise typer.BadParameter(
            "this is the folder of submissions; name another one", param_hint="--out"
        )

    # Submissions keep the names that an earlier run gave them.
    earlier_names: dict[str, str] = {}
    with contextlib.suppress(GradebookError):  # opening it for grading reports this
        need_gradebook(out_folder)
        with open_gradebook(out_folder) as book:
            earlier_names = book.files()
    discovery = find_submissions(paths, stubs, layout, earlier_names)
    notes(discovery.notes)

    submissions = []
    other_results = []
    for submission in discovery.submissions:
        is_own = False
        with contextlib.suppress(OSError):  # a link that leads nowhere, or in circles
            is_own = submission.path.samefile(results_folder)
        if _is_results(submission.path, is_own=is_own):
            if not is_own:
                other_results.append(submission.name)
            continue
        is_empty = is_own and not any(submission.path.iterdir())
        if is_empty:
            continue
        if is_own or submission.path.resolve() in results_folder.parents:
            raise typer.BadParameter(
                f"{out_folder} would be in the submission {submission.name}; name another folder",
                param_hint="--out",
            )
        submissions.append(submission)
    if other_results:
        note(
            f"results of another grading, and so no submissions ({len(other_results)}): {listed(other_results)}"
        )
    if not submissions:
        raise SubmissionError(
            f"{results_folder.parent} holds no submissions, only the results in {results_folder.name}"
        )
    return submissions


def _is_results(path: Path, *, is_own: bool) -> bool:
    """Return whether a folder holds results, and no code that somebody may have handed in next to them.

    Args:
        path: the folder.
        is_own: these are the results of this command, in which an earlier run may have been stopped before it
            wrote any grades.
    """
    if not (path / FILE_NAME).is_file():
        return False
    if not is_own and not (path / GRADES).is_file():
        return False
    endings = {ending(child.name) for child in path.iterdir()}
    return endings.isdisjoint(SOURCE_ENDINGS)


def _grade_into(
    book: Gradebook,
    run: Run,
    command: GradingCommand,
    grader: BatchGrader,
    submissions: list[Submission],
    *,
    by_roster: Collection[str] | None,
    fresh: bool,
) -> dict[str, str]:
    """Grade the submissions without a valid grade, and return the fingerprint of each submission, by name.

    Each result is kept the moment it is known; after Ctrl-C, ``KeyboardInterrupt`` ends it.
    """
    fingerprints = {}
    for submission in reading(submissions):
        fingerprints[submission.name] = fingerprint_submission(
            submission.path, submission.parts
        )
    if fresh:
        book.outdate(fingerprints, run.graders)
    what_to_grade = book.what_to_grade(submissions, fingerprints, run)
    newer_folders = what_to_grade.newer_folders
    if newer_folders:
        newer = [f"{name} (newer: {folder})" for name, folder in newer_folders.items()]
        note(
            f"a newer hand-in from another folder counts ({len(newer)}): {listed(newer, show=str)}"
        )
    done = len(submissions) - len(what_to_grade.ungraded)
    book.begin_run(replace(run, done=done))
    owners = {submission.name: submission.owner for submission in submissions}
    book.remember_owners(
        owners, fingerprints, by_roster=by_roster, superseded=newer_folders
    )
    if what_to_grade.graded:
        note(
            f"{len(what_to_grade.graded)} of {len(submissions)} already graded; --fresh grades them again"
        )

    moved = []

    def keep(result: SubmissionResult) -> None:
        content = fingerprints[result.name]
        again = what_to_grade.again.get(result.name)
        kept = command.keep(result, content, run.graders, again)
        if kept.other_folders:
            moved.append(f"{result.name} (before: {kept.other_folders[0]})")

    try:
        command.grade([Batch(grader, what_to_grade.ungraded, keep)])
    finally:
        if moved:
            note(
                f"graded from a different folder than before ({len(moved)}): {listed(moved)}"
            )
    book.end_run()
    return fingerprints
