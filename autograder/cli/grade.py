"""``autograder grade``: from a folder of submissions to grades, reasons and reports."""

from __future__ import annotations

import contextlib
import secrets
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from autograder.cli.console import complain, err, note, notes, say
from autograder.cli.options import AT_ONCE, COURSE, CourseOption, Jobs, with_students
from autograder.cli.progress import Progress, closing_table
from autograder.cli.workforce import INTERRUPTED, Grade, Interrupt, locally, on_cluster
from autograder.course import Course, find_course
from autograder.errors import KitError
from autograder.intake import Entry, Layout, SubmissionError, find_entries, listed
from autograder.judging import GradingSession, open_session
from autograder.records import (
    GRADES,
    REPORT,
    Gradebook,
    GradebookError,
    Run,
    Tally,
    choose,
    fingerprint_graders,
    fingerprint_submission,
    forget_submissions,
    load_policy,
    open_gradebook,
    publish,
    read_gradebook,
    write_submission,
)
from autograder.sandbox import strongest_level

INFRASTRUCTURE, MOST_UNGRADED = 1, 3


def grade(
    paths: Annotated[
        list[Path],
        typer.Argument(
            metavar="PATH", help="A folder of submissions, or single submissions (file, folder or zip)."
        ),
    ],
    out_folder: Annotated[
        Path, typer.Option("--out", help="Where grades, results and reports go.", show_default=False)
    ],
    homework: Annotated[
        list[str] | None,
        typer.Option(
            help="Grade only this homework; a single .py or .ipynb then counts whatever its name. Repeatable."
        ),
    ] = None,
    jobs: Jobs = AT_ONCE,
    seed: Annotated[
        int | None,
        typer.Option(min=0, help="Seed of the freshly drawn inputs; drawn, and recorded, when not given."),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume/--fresh", help="Keep grades that are still valid, or start over.")
    ] = True,
    scheduler: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Grade on the workers of this Dask scheduler (tcp://HOST:8786), however many it has.",
        ),
    ] = None,
    unsafe: Annotated[
        bool, typer.Option("--unsafe", help="Grade even though nothing here holds back hostile code.")
    ] = False,
    course: CourseOption = None,
    layout: Annotated[
        Layout, typer.Option(help="Where a folder or zip of submissions comes from; auto looks at its names.")
    ] = Layout.AUTO,
    roster: Annotated[
        Path | None, typer.Option(help="The class as CSV: whose the submissions are, and who is missing.")
    ] = None,
) -> None:
    """Grade submissions: `autograder grade submissions --out graded`.

    Writes grades.csv, report.html, and for each submission results.json and feedback.html.

    Exit status 0: all graded. 1: the grader itself failed on some, which have no score yet; run the same
    command again. 2: wrong usage. 3: most of a class could not be graded; all files are written.
    """
    level = strongest_level()
    if not level.contains_hostile_code and not unsafe:
        raise typer.BadParameter(
            f"this machine offers only the level {level.name} ({level.promise}). `autograder doctor` says "
            "what to install; --unsafe grades all the same, for submissions you trust.",
            param_hint="--unsafe",
        )
    err.print(f"Protection: {level.name} ({level.promise})", soft_wrap=True)
    found = find_course(course, paths)
    err.print(f"Course: {found.root}", soft_wrap=True)
    chosen = found.ids(homework)
    homeworks = found.homeworks(chosen)
    entries = with_students(_entries(paths, [one.stub for one in homeworks], out_folder, layout), roster)
    with open_gradebook(out_folder, fresh=not resume) as book:
        session = _begin(book, found, chosen, seed)
        graders = fingerprint_graders(found, session.seed, chosen)
        run = Run(level.name, session.seed, graders, jobs, shlex.join(sys.argv[1:]))
        weakest = None if unsafe else level
        workforce = on_cluster(session, scheduler, weakest) if scheduler else locally(session, jobs)
        try:
            _grade_into(book, run, workforce, entries, out_folder)
        except (KeyboardInterrupt, KitError) as stop:
            publish(book, found, out_folder, note)  # what is graded so far is worth having
            if isinstance(stop, KitError):
                raise
            note("stopped; every finished grade is kept, and the same command goes on from here")
            raise typer.Exit(INTERRUPTED) from None
        results = publish(book, found, out_folder, note)
        tally = Tally()
        closing_table(map(tally.add, results), [one.id for one in homeworks])
        say(f"Grades: {out_folder / GRADES}   Report: {out_folder / REPORT}")
        if tally.recognition:
            say(f"{tally.recognition}.")
        for line in tally.alarm:
            complain(line)
        failed = [result.name for result in results if result.status.is_our_fault]
    if failed:
        names = f"The grader itself failed on {len(failed)}: {listed(failed)}"
        again = "They have no score; run the same command again to grade only these"
        err.print(f"{names}. {again}.", soft_wrap=True)
        raise typer.Exit(INFRASTRUCTURE)
    if tally.alarm:
        raise typer.Exit(MOST_UNGRADED)


def _entries(paths: Sequence[Path], stubs: Sequence[str], out_folder: Path, layout: Layout) -> list[Entry]:
    """Find the submissions, leaving out the results of an earlier run that lie among them.

    Raises:
        typer.BadParameter: the results would be written between the submissions.
        SubmissionError: there is no submission.
    """
    own = out_folder.resolve()
    if own in {path.resolve() for path in paths}:
        raise typer.BadParameter("this is the folder of submissions; name another one", param_hint="--out")
    earlier: dict[str, str] = {}  # the names that an earlier run gave
    with contextlib.suppress(GradebookError), read_gradebook(out_folder) as book:
        earlier = book.files()  # what is wrong with a gradebook is reported when it is opened for grading
    discovery = find_entries(paths, stubs, layout, earlier)
    notes(discovery.notes)
    entries = [entry for entry in discovery.entries if not _is_same(entry.path, own)]
    if not entries:
        raise SubmissionError(f"{own.parent} holds no submissions, only the results in {own.name}")
    return entries


def _is_same(path: Path, own: Path) -> bool:
    """Whether two paths are one folder; a link that leads nowhere, or in circles, is not."""
    try:
        return path.samefile(own)
    except OSError:
        return False


def _begin(book: Gradebook, course: Course, chosen: Sequence[str], seed: int | None) -> GradingSession:
    """Open the session, with the seed of earlier grades unless another is given, and keep its settings.

    Raises:
        PolicyError: the policy is wrong, which is better known before the class is graded.
    """
    if seed is None:
        seed = int(book.setting("seed", str(secrets.randbelow(2**31))))
    book.set("seed", str(seed))
    session = open_session(seed, chosen, course)
    load_policy(book, course)
    choose(book, chosen)
    book.set(COURSE, str(course.root))
    return session


def _grade_into(book: Gradebook, run: Run, workforce: Grade, entries: Sequence[Entry], folder: Path) -> None:
    """Grade what has no valid grade yet; each result is kept the moment it is known.

    Raises:
        KeyboardInterrupt: somebody pressed Ctrl-C, and what was under way has been kept too.
    """
    book.begin_run(run)
    content = {entry.name: fingerprint_submission(entry.path, entry.parts) for entry in entries}
    book.forget_all_but(set(content))
    book.remember_owners({entry.name: entry.owner for entry in entries})
    forget_submissions(folder, content)
    todo = [e for e in entries if not book.is_current(e.name, content[e.name], run.graders)]
    if len(todo) < len(entries):
        note(f"{len(entries) - len(todo)} of {len(entries)} already graded; --fresh grades them again")
    left = len(todo)
    with (
        Interrupt() as interrupt,
        Progress(left) as progress,
        contextlib.closing(workforce(todo, interrupt.go_on)) as results,
    ):
        for result in results:
            write_submission(folder, result)  # before it counts as graded, so that no grade lacks its files
            book.keep(result, content[result.name], run.graders)
            progress.advance(result)
            left -= 1
    if left:
        raise KeyboardInterrupt
    book.end_run()
