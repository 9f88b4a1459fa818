"""``autograder grade``: from a folder of submissions to grades, reasons and reports."""

from __future__ import annotations

import contextlib
import secrets
import shlex
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import typer
from typer import Argument, Option

from autograder.batch.session import GradingSession, open_session
from autograder.cli.console import complain, err, note, notes, say
from autograder.cli.options import (
    AT_ONCE,
    COURSE,
    CourseOption,
    Jobs,
    need_protection,
    one_of,
    with_students,
)
from autograder.cli.progress import (
    Progress,
    closing_table,
    note_faults,
    published,
    reading,
)
from autograder.cli.workforce import (
    INTERRUPTED,
    Grade,
    locally,
    on_cluster,
    until_interrupted,
)
from autograder.course.course import Course, find_course
from autograder.errors import KitError
from autograder.gradebook.book import Gradebook
from autograder.gradebook.fingerprint import (
    Run,
    fingerprint_graders,
    fingerprint_submission,
)
from autograder.gradebook.opening import need_gradebook, open_gradebook
from autograder.gradebook.schema import GradebookError
from autograder.intake.naming import listed
from autograder.intake.submission import AUTO, Entry, SubmissionError
from autograder.platforms.discover import find_entries
from autograder.platforms.registry import layouts
from autograder.policy.decision_input import load_policy, take_metadata
from autograder.policy.grade import SubmissionGrade
from autograder.report.exports import (
    GRADES,
    REPORT,
    GradeRow,
    choose,
    forget_submissions,
    write_submission,
)
from autograder.report.tally import Tally
from autograder.verdict.explanation_faults import recording_faults

INFRASTRUCTURE, MOST_UNGRADED = 1, 3


def grade(
    paths: list[Path] = Argument(
        ...,
        metavar="PATH",
        help="A folder of submissions, or single submissions (file, folder or zip).",
    ),
    out_folder: Path = Option(
        ..., "--out", metavar="DIR", help="Where grades, results and reports go."
    ),
    homework: list[str] | None = Option(
        None,
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
    scheduler: str | None = Option(
        None, metavar="ADDRESS", help="Grade on this Dask scheduler (tcp://HOST:8786)."
    ),
    unsafe: bool = Option(
        False,
        "--unsafe",
        help="Grade even though nothing here holds back hostile code.",
    ),
    course: CourseOption = None,
    layout: str = Option(
        AUTO,
        metavar="FROM",
        parser=one_of(layouts()),
        help=f"Where submissions are from: {', '.join(layouts())}. auto goes by their names.",
    ),
    roster: Path | None = Option(
        None,
        metavar="CSV",
        help="The class: whose the submissions are, and who is missing.",
    ),
    verbose: bool = Option(
        False,
        "--verbose",
        "-v",
        help="On a terminal, show every submission, not only problems.",
    ),
    metadata: Path | None = Option(
        None, hidden=True, help="What Gradescope's container knows of its submission."
    ),
) -> None:
    """Grade submissions: points, reasons and reports.

    Writes grades.csv, report.html, and for each submission results.json and feedback.html. What OUT
    already holds stays: a submission is added, or replaces its own earlier results in the homeworks it holds.

    Exit status 0: all graded. 1: the grader itself failed on some, which have no score yet; run the same
    command again. 2: wrong usage. 3: most of a class could not be graded; all files are written. 130: stopped
    by Ctrl-C; the same command goes on from there.

    Example: `autograder grade submissions --out graded`
    """
    level = need_protection(unsafe)
    say(f"Protection: {level.name} ({level.promise})", err)
    found = find_course(course, paths)
    say(f"Course: {found.root}", err)
    chosen = found.ids(homework)
    homeworks = found.homeworks(chosen)
    stubs = [one.stub for one in homeworks]
    entries = with_students(_entries(paths, stubs, out_folder, layout), roster, stubs)
    names = {entry.name for entry in entries}
    with open_gradebook(out_folder, fresh=not resume) as book:
        if metadata is not None:
            take_metadata(book, found, [entry.name for entry in entries], metadata)
        _tell_others(
            book.missing(names, chosen if forget_missing else ()), drop=forget_missing
        )
        session = _begin(book, found, chosen, seed)
        graders = fingerprint_graders(found, session.seed, chosen)
        command = shlex.join(sys.argv[1:])
        run = Run(
            level.name,
            session.seed,
            graders,
            jobs,
            command,
            tuple(chosen),
            len(entries),
        )
        weakest = None if unsafe else level
        workers = (
            on_cluster(session, scheduler, weakest)
            if scheduler
            else locally(session, jobs)
        )
        try:
            with (
                recording_faults() as on_pages
            ):  # those of judging come with the results
                content = _grade_into(
                    book,
                    run,
                    workers,
                    entries,
                    out_folder,
                    fresh=not resume,
                    verbose=verbose,
                )
        except (KeyboardInterrupt, KitError) as stop:
            if isinstance(stop, KeyboardInterrupt):
                again = (
                    "the same command" if resume else "the same command without --fresh"
                )
                note(
                    f"stopped; every finished grade is kept, and {again} goes on from here. "
                    f"Writing the files, as `autograder report {out_folder}` does"
                )
            published(book, found, out_folder)  # what is graded so far is worth having
            if isinstance(stop, KitError):
                raise
            raise typer.Exit(INTERRUPTED) from None
        if forget_missing:
            book.forget_missing(content, graders, chosen)
            choose(book, chosen, anew=not chosen)
            forget_submissions(out_folder, book.names())
        grades = published(book, found, out_folder)
        status = _tell_outcome(
            book, grades, content, graders, found, out_folder, on_pages
        )
    if status:
        raise typer.Exit(status)


def _tell_outcome(
    book: Gradebook,
    grades: list[GradeRow],
    content: dict[str, str],
    graders: str,
    course: Course,
    folder: Path,
    faults: Sequence[str],
) -> int:
    """Say what this grading found in the submissions with these fingerprints; return the exit status.

    ``faults`` are explanations that failed while pages were written.
    """
    tally = Tally()
    statuses = Counter(tally.add(one).status for one in book.given(content, graders))
    closing_table([one for one in grades if one.name in content], statuses)
    say(f"Grades: {folder / GRADES}   Report: {folder / REPORT}")
    if tally.recognition:
        say(f"{tally.recognition}.")
    for line in tally.alarm:
        complain(line)
    note_faults(
        [*tally.explanation_faults, *faults],
        "left out; `autograder explain` lists them",
    )
    if failed := [name for name in book.failed() if name in content]:
        who = f"The grader itself failed on {len(failed)}: {listed(failed)}"
        again = "They have no score; run the same command again to grade only these"
        say(f"{who}. {again}.", err)
        return INFRASTRUCTURE
    return MOST_UNGRADED if tally.alarm else 0


def _entries(
    paths: Sequence[Path], stubs: Sequence[str], out_folder: Path, layout: str
) -> list[Entry]:
    """Find the submissions, leaving out the results of an earlier run that lie among them."""
    own = out_folder.resolve()
    if own in {path.resolve() for path in paths}:
        raise typer.BadParameter(
            "this is the folder of submissions; name another one", param_hint="--out"
        )
    earlier: dict[str, str] = {}  # the names that an earlier run gave
    with contextlib.suppress(
        GradebookError
    ):  # which is reported when it is opened for grading
        need_gradebook(out_folder)
        with open_gradebook(out_folder) as book:
            earlier = book.files()
    discovery = find_entries(paths, stubs, layout, earlier)
    notes(discovery.notes)
    entries = [entry for entry in discovery.entries if not _is_same(entry.path, own)]
    if not entries:
        raise SubmissionError(
            f"{own.parent} holds no submissions, only the results in {own.name}"
        )
    return entries


def _is_same(path: Path, own: Path) -> bool:
    """Whether two paths are one folder; a link that leads nowhere, or in circles, is not."""
    try:
        return path.samefile(own)
    except OSError:
        return False


def _begin(
    book: Gradebook, course: Course, chosen: Sequence[str], seed: int | None
) -> GradingSession:
    """Open the session, with the seed of earlier grades unless another is given, and keep its settings."""
    if seed is None:
        seed = int(book.setting("seed", str(secrets.randbelow(2**31))))
    book.set("seed", str(seed))
    session = open_session(seed, chosen, course)
    load_policy(book, course)  # a wrong one is better known before the class is graded
    choose(book, chosen)
    book.set(COURSE, str(course.root))
    return session


def _tell_others(names: Sequence[str], *, drop: bool) -> None:
    """Say what becomes of submissions that are not among the paths; on a terminal, ask before they go."""
    if names and not drop:
        note(
            f"other submissions in OUT stay ({len(names)}); --forget-missing drops them"
        )
    elif names:
        note(f"not among the paths, and to be dropped ({len(names)}): {listed(names)}")
        if sys.stdin.isatty() and not typer.confirm("Drop them?", err=True):
            raise GradebookError(
                "nothing was dropped or graded: leave --forget-missing out to keep them"
            )


def _grade_into(
    book: Gradebook,
    run: Run,
    workers: Grade,
    entries: list[Entry],
    out: Path,
    *,
    fresh: bool,
    verbose: bool,
) -> dict[str, str]:
    """Grade what has no valid grade yet, and return the fingerprint of each submission, by name.

    Each result is kept the moment it is known; after Ctrl-C, ``KeyboardInterrupt`` ends it.
    """
    content = {
        entry.name: fingerprint_submission(entry.path, entry.parts)
        for entry in reading(entries)
    }
    if fresh:
        book.outdate(content, run.graders)
    todo = [
        e for e in entries if not book.is_current(e.name, content[e.name], run.graders)
    ]
    left, elsewhere = len(todo), list[str]()
    book.begin_run(replace(run, done=len(entries) - left))
    book.remember_owners({entry.name: entry.owner for entry in entries}, content)
    if left < len(entries):
        note(
            f"{len(entries) - left} of {len(entries)} already graded; --fresh grades them again"
        )
    with (
        until_interrupted() as go_on,
        Progress(left, min(run.jobs, left), verbose) as progress,
        contextlib.closing(workers(todo, go_on)) as results,
    ):
        for result in results:
            before = book.keep(
                *(result, content[result.name], run.graders),
                lambda whole: write_submission(out, SubmissionGrade.of(whole)),
            )
            elsewhere += [f"{result.name} (before: {place})" for place in before[:1]]
            progress.advance(result)
            left -= 1
    if elsewhere:
        note(
            f"graded from a different folder than before ({len(elsewhere)}): {listed(elsewhere)}"
        )
    if left:
        raise KeyboardInterrupt
    book.end_run()
    return content
