"""``autograder audit``: prove that every known mistake is caught and named, and no correct answer fails."""

from __future__ import annotations

from pathlib import Path

import msgspec
from typer import Option

from autograder.authoring.audit import RECORD, Audit, Kind, Trial, audit_course
from autograder.authoring.audit_seeds import escapes, left_to_stored_cases, run_seeds
from autograder.authoring.corpus import write_losses
from autograder.authoring.mutant_audit import Fate, Verdict, audit_mutants
from autograder.cli.console import err, fail_if, note, out, say, table_of
from autograder.cli.options import AT_ONCE, CourseOption, HomeworkIds, Jobs
from autograder.cli.progress import SeedProgress
from autograder.course.course import Course, find_course
from autograder.course.homework import Homework

OF_NAMED = 8
"""Who works on a homework audits it again and again: every so many pairs find what a change breaks."""


def audit(
    homework: HomeworkIds = None,
    json_file: Path | None = Option(
        None,
        "--json",
        metavar="FILE",
        dir_okay=False,
        help="Also write every trial to this file.",
    ),
    jobs: Jobs = AT_ONCE,
    seeds: int = Option(
        0, min=0, metavar="N", help="Only judge answers, on fresh inputs of N seeds."
    ),
    every: int = Option(
        0,
        min=0,
        metavar="N",
        help="Grade only every N-th pair, odd answer and mistake in another form. "
        "By default all; of pairs every 8th where homeworks are named. Of mutants, every N-th.",
    ),
    matrix: bool = Option(
        False, "--matrix", help="Print which checks each mistake fails."
    ),
    accept: bool = Option(
        False, "--accept", help="Record which checks each known mistake loses."
    ),
    mutants: bool = Option(
        False,
        "--mutants",
        help="Change the solutions systematically instead: is each change noticed?",
    ),
    course_folder: CourseOption = None,
) -> None:
    """Prove that known mistakes are caught and right answers pass.

    Grades every known mistake, every pair of them, every correct answer of the corpus, the stubs, and odd
    answers (None, texts, NaN, wrong shapes and types, an exception) to each task.
    `autograder audit hw7 --mutants` looks for mistakes that nobody thought of instead: it changes the
    solution systematically and shows each change that costs no points.

    Exit status 0: all as it should be. 1: a mistake loses no points or is given another's name, a correct
    answer loses any, a case separates a mistake by less than ten tolerances, a check or an explanation
    raises, or a change of the solution costs no points. 2: wrong usage.

    Example: `autograder audit --every 8`
    """
    course = find_course(course_folder)
    if seeds:
        _audit_seeds(course, course.homeworks(homework), seeds, jobs)
        return
    if json_file:
        json_file.parent.mkdir(parents=True, exist_ok=True)
    if mutants:
        _audit_mutants(course, course.homeworks(homework), jobs, every or 1, json_file)
        return
    homeworks, begun = course.homeworks(homework), set[str]()
    every_pair = every or (OF_NAMED if homework else 1)
    with err.status("auditing") as status:

        def tell(trial: Trial) -> None:
            status.update(f"auditing {trial.homework}: {trial.name}")
            if (
                len(homeworks) > 1
                and not err.is_interactive
                and trial.homework not in begun
            ):
                begun.add(trial.homework)
                say(f"auditing {trial.homework}", err)

        found = audit_course(
            course, homeworks, jobs, tell, every_pair=every_pair, every_form=every or 1
        )
    for trial in found.of(Kind.SINGLE) if matrix else ():
        earned = "–" if trial.earned is None else f"{trial.earned:g}"
        say(
            f"{trial.homework}  {trial.name:<28} {earned:>5}/{trial.points:g}  {', '.join(trial.failed)}"
        )
    for one in (
        dict.fromkeys(trial.homework for trial in found.trials) if accept else ()
    ):
        losses = {
            trial.name: trial.failed
            for trial in found.of(Kind.SINGLE)
            if trial.homework == one
        }
        say(
            f"{write_losses(course, one, losses).relative_to(course.root)}: {len(losses)} mistakes"
        )
    _print_summary(found)
    if not every and homework:
        note(
            f"of the pairs of mistakes every {every_pair}th was graded; --every 1 grades all"
        )
    if json_file:
        text = msgspec.json.encode(
            found
        )  # JSON has no infinity: an infinite margin becomes null
        json_file.write_bytes(msgspec.json.format(text, indent=1) + b"\n")
    fail_if(
        [line for line in found.violations if not (accept and line.endswith(RECORD))]
    )


def _audit_seeds(
    course: Course, homeworks: list[Homework], seeds: int, jobs: int
) -> None:
    with SeedProgress(seeds * len(homeworks)) as progress:
        runs = run_seeds(course, homeworks, seeds, jobs, progress.advance)
    false_failures = [line for run in runs for line in run.false_failures]
    escaped = escapes(runs)
    say(
        f"{seeds} seeds: {sum(run.right for run in runs)} answers of right submissions, "
        f"false failures: {len(false_failures)}; {sum(len(run.shows) for run in runs)} trials of mistakes, "
        f"escapes: {len(escaped)}"
    )
    for line in left_to_stored_cases(runs):
        note(f"caught by stored cases alone: {line}")
    fail_if((*false_failures, *escaped))


def _audit_mutants(
    course: Course,
    homeworks: list[Homework],
    jobs: int,
    every: int,
    json_file: Path | None,
) -> None:
    with err.status("making mutants") as status:

        def tell(verdict: Verdict) -> None:
            status.update(f"mutants of {verdict.homework}: {verdict.function}")

        audit = audit_mutants(course, homeworks, jobs, tell, every)
    table = table_of(("homework",), ("mutants", "killed", "equivalent", "survivors"))
    for homework in homeworks:
        killed, equivalent, survivors = (
            len(audit.of(homework.id, fate))
            for fate in (Fate.KILLED, Fate.EQUIVALENT, Fate.SURVIVED)
        )
        counts = (killed + equivalent + survivors, killed, equivalent, survivors)
        table.add_row(homework.id, *map(str, counts))
    out.print(table)
    if every > 1:
        note(f"1 mutant of {every} was graded")
    if json_file:
        json_file.write_bytes(
            msgspec.json.format(msgspec.json.encode(audit), indent=1) + b"\n"
        )
    fail_if(audit.violations)


def _print_summary(found: Audit) -> None:
    """One row for each homework; a cell says how many of what was tried kept their promise."""
    titles = (
        "mistakes named",
        "in a notebook",
        "as a value",
        "with outside sizes",
        "pairs named",
    )
    table = table_of(
        ("homework",), (*titles, "right answers", "odd answers", "closest mistake")
    )
    kinds = (
        Kind.SINGLE,
        Kind.NOTEBOOK,
        Kind.VALUE,
        Kind.OUTSIDE,
        Kind.PAIR,
        Kind.CORRECT,
    )
    for homework in dict.fromkeys(trial.homework for trial in found.trials):
        cells = []
        for kind in kinds:
            own = [trial for trial in found.of(kind) if trial.homework == homework]
            kept = sum(
                not one.loses_points if kind is Kind.CORRECT else one.is_named
                for one in own
            )
            cells.append(f"{kept}/{len(own)}" if own else "")
        odd = [trial for trial in found.of(Kind.ODD) if trial.homework == homework]
        judged = sum(trial.earned is not None for trial in odd)
        cells.append(f"{judged}/{len(odd)}" if odd else "")
        closest = min(
            (m.tolerances for m in found.margins if m.homework == homework),
            default=None,
        )
        table.add_row(
            homework, *cells, "" if closest is None else f"{closest:.0f} tolerances"
        )
    out.print(table)
