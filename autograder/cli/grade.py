"""``autograder grade``: from a folder of submissions to grades, reasons and reports."""

from __future__ import annotations

import os
import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from autograder.cli.console import err, note, out
from autograder.cli.outputs import forget_outputs, write_outputs
from autograder.cli.progress import Progress, closing_table
from autograder.exports.write import write_submission
from autograder.gradebook.book import Gradebook, open_gradebook
from autograder.gradebook.fingerprint import fingerprint_graders, fingerprint_submission
from autograder.grading.batch import grade_batch
from autograder.grading.results import SubmissionResult
from autograder.grading.session import GradingSession, open_session
from autograder.homework.course import find_course
from autograder.sandbox.levels import Level, strongest_level
from autograder.submissions.discover import find_entries
from autograder.submissions.model import Entry, SubmissionError

INFRASTRUCTURE = 1
INTERRUPTED = 130


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
    jobs: Annotated[int, typer.Option(min=1, help="How many submissions to grade at once.")] = (
        os.cpu_count() or 1
    ),
    seed: Annotated[
        int | None,
        typer.Option(min=0, help="Seed of the freshly drawn inputs; drawn and recorded when not given."),
    ] = None,
    resume: Annotated[
        bool,
        typer.Option("--resume/--fresh", help="Keep grades that are still valid, or start over."),
    ] = True,
    unsafe: Annotated[
        bool, typer.Option("--unsafe", help="Grade although nothing here contains hostile code.")
    ] = False,
    course: Annotated[
        Path | None, typer.Option(help="The course's folder; by default the one around here.")
    ] = None,
) -> None:
    """Grade submissions: [bold]autograder grade submissions --out graded[/bold].

    Writes grades.csv, report.html, and for each submission results.json and feedback.html.

    Exit status 0: all graded. 1: the grader itself failed on some, which have no score yet; run the same
    command again. 2: wrong usage.
    """
    level = _protection(unsafe)
    found = find_course(course)
    chosen = list(dict.fromkeys(homework or []))
    homeworks = found.homeworks(chosen)
    entries = _entries(paths, [one.stub for one in homeworks], out_folder)
    with open_gradebook(out_folder, fresh=not resume) as book:
        session = open_session(_settle_seed(book, seed), chosen, found)
        book.set("protection", level.name)
        graders = fingerprint_graders(found, session.seed, chosen)
        try:
            _grade_into(book, session, entries, graders, jobs, out_folder)
        except KeyboardInterrupt:
            note("stopped; every finished grade is kept, and the same command goes on from here")
            raise typer.Exit(INTERRUPTED) from None
        results = list(book.results())
    write_outputs(out_folder, homeworks, results, all_count=bool(chosen))
    closing_table(results, [one.id for one in homeworks])
    _say_where(out_folder, results)


def _protection(unsafe: bool) -> Level:
    """Choose the strongest level of this machine, say which, and stop where it contains nothing.

    Raises:
        typer.BadParameter: the level is too weak for strangers' code, and nobody said ``--unsafe``.
    """
    level = strongest_level()
    if not level.contains_hostile_code and not unsafe:
        raise typer.BadParameter(
            f"this machine offers only the level {level.name} ({level.promise}). `autograder doctor` says "
            "what to install; --unsafe grades all the same, for submissions you trust.",
            param_hint="--unsafe",
        )
    err.print(f"Protection: {level.name} ({level.promise})", markup=False, soft_wrap=True)
    return level


def _entries(paths: Sequence[Path], stubs: Sequence[str], out_folder: Path) -> list[Entry]:
    """Find the submissions; results of an earlier run that lie among them are none.

    Raises:
        typer.BadParameter: the results would be written between the submissions.
        SubmissionError: there is no submission.
    """
    own = out_folder.resolve()
    if own in {path.resolve() for path in paths}:
        raise typer.BadParameter("this is the folder of submissions; name another one", param_hint="--out")
    discovery = find_entries(paths, stubs)
    for line in discovery.notes:
        note(line)
    entries = [entry for entry in discovery.entries if entry.path.resolve() != own]
    if not entries:
        raise SubmissionError(f"{own.parent} holds no submissions, only the results in {own.name}")
    return entries


def _settle_seed(book: Gradebook, seed: int | None) -> int:
    """Use the seed given, else the gradebook's own, else a new one; the gradebook remembers it."""
    if seed is not None:
        book.set("seed", str(seed))
        return seed
    return int(book.setting("seed", str(secrets.randbelow(2**31))))


def _grade_into(
    book: Gradebook,
    session: GradingSession,
    entries: Sequence[Entry],
    graders: str,
    jobs: int,
    folder: Path,
) -> None:
    """Grade what has no valid grade yet; each result is kept the moment it is known."""
    content = {entry.name: fingerprint_submission(entry.path) for entry in entries}
    book.forget_all_but(set(content))
    forget_outputs(folder, content)
    todo = [e for e in entries if not book.is_current(e.name, content[e.name], graders)]
    if len(todo) < len(entries):
        note(f"{len(entries) - len(todo)} of {len(entries)} already graded; --fresh grades them again")
    with Progress(len(todo)) as progress:
        for result in grade_batch(session, todo, min(jobs, max(1, len(todo)))):
            write_submission(folder, result)  # before it counts as graded, so that no grade lacks its files
            book.keep(result, content[result.name], graders)
            progress.advance(result)


def _say_where(folder: Path, results: Sequence[SubmissionResult]) -> None:
    where = f"Grades: {folder / 'grades.csv'}   Report: {folder / 'report.html'}"
    out.print(where, markup=False, soft_wrap=True)
    failed = [result.name for result in results if result.status.is_our_fault]
    if failed:
        err.print(
            f"The grader itself failed on {len(failed)}: {', '.join(failed)}. They have no score; "
            "run the same command again to grade only these.",
            markup=False,
            soft_wrap=True,
        )
        raise typer.Exit(INFRASTRUCTURE)
