"""``autograder audit``: prove that every known mistake is caught and named, and no correct answer fails."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec
from rich.table import Table
from typer import Option

from autograder.authoring.audit import RECORD, Audit, Kind, Trial, audit_course
from autograder.authoring.audit_seeds import (
    SeedRun,
    escapes,
    left_to_stored_cases,
    run_seeds,
)
from autograder.authoring.corpus import write_losses
from autograder.authoring.mutant_audit import Fate, MutantAudit, Verdict, audit_mutants
from autograder.batch.garbage import rare_collections
from autograder.cli.console import err, fail_if, note, out, print_line, table_of
from autograder.cli.options import AT_ONCE, CourseOption, HomeworkIds, Jobs
from autograder.cli.progress import ProgressBar
from autograder.course.course import Course, find_course
from autograder.course.homework import Homework

PAIRS_OF_NAMED = 8
"""Every so many pairs of a homework that is named are graded: its author audits it again and again, and this share
finds what a change breaks."""
SEED_LINES = 20
"""At most so many plain lines are printed by an audit over many seeds."""
TITLES = {
    Kind.SINGLE: "mistakes named",
    Kind.NOTEBOOK: "in a notebook",
    Kind.VALUE: "as a value",
    Kind.OUTSIDE: "with outside sizes",
    Kind.PAIR: "pairs named",
    Kind.CORRECT: "right answers",
    Kind.ODD: "odd answers",
}
"""The columns of the summary, each a kind of trial that ends as it should or not."""


def audit(
    homework_ids: HomeworkIds = None,
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
        help="Grade only every N-th pair of mistakes, odd answer, rewritten mistake, "
        "mistaken submission or mutant. By default all, but every 8th pair if homeworks "
        "are named.",
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
    course_root: CourseOption = None,
) -> None:
    """Check that known mistakes are caught and right answers pass.

    Grades every known mistake, also in rewritten forms, every pair of them (of homeworks that are named, every
    eighth), every correct answer and every mistaken submission of the corpus, the stubs, and odd answers (None,
    texts, NaN, wrong shapes and types, an exception) to each task. With `--every N` pairs, forms, odd answers
    and mistaken submissions are a sample: before each release of a course of your own, run `autograder audit`
    without it.
    `autograder audit hw7 --mutants` looks for mistakes that nobody thought of instead: it changes the
    solution systematically and shows each change that costs no points.

    Exit status 0: everything passed. 1: a mistake loses no points or is given another's name, a correct
    answer loses any, a case separates a mistake by less than ten tolerances, a check or an explanation
    raises, or a change of the solution costs no points. 2: wrong usage.

    Example: `autograder audit --every 8`
    """
    course = find_course(course_root)
    homeworks = course.homeworks(homework_ids)
    if seeds:
        _audit_seeds(course, homeworks, seeds, jobs)
        return
    if json_file:
        json_file.parent.mkdir(parents=True, exist_ok=True)
    if mutants:
        _audit_mutants(course, homeworks, jobs, every or 1, json_file)
        return
    every_pair = every
    if not every:
        every_pair = PAIRS_OF_NAMED if homework_ids else 1

    # Grade.
    begun = set()
    with err.status("auditing") as status, rare_collections():

        def tell(trial: Trial) -> None:
            status.update(f"auditing {trial.homework}: {trial.name}")
            if len(homeworks) == 1 or err.is_interactive:
                return
            if trial.homework not in begun:
                begun.add(trial.homework)
                print_line(f"auditing {trial.homework}", err)

        audit = audit_course(
            course, homeworks, jobs, tell, every_pair=every_pair, every_form=every or 1
        )

    # Which checks each mistake fails.
    if matrix:
        for trial in audit.of(Kind.SINGLE):
            earned = "–" if trial.earned is None else f"{trial.earned:g}"
            print_line(
                f"{trial.homework}  {trial.name:<28} {earned:>5}/{trial.points:g}  "
                f"{', '.join(trial.failed)}"
            )
    audited_ids = list(dict.fromkeys(trial.homework for trial in audit.trials))
    if accept:
        for homework_id in audited_ids:
            losses = {}
            for trial in audit.of(Kind.SINGLE):
                if trial.homework == homework_id:
                    losses[trial.name] = trial.failed
            path = write_losses(course, homework_id, losses)
            print_line(f"{path.relative_to(course.root)}: {len(losses)} mistakes")

    # The summary, the file, and what breaks a promise.
    out.print(_summary(audit, audited_ids))
    if not every and homework_ids:
        note(
            f"only every {every_pair}th pair of mistakes was graded; --every 1 grades all"
        )
    if json_file:
        _write_json(json_file, audit)
    violations = []
    for line in audit.violations:
        is_recorded_now = accept and line.endswith(RECORD)
        if not is_recorded_now:
            violations.append(line)
    fail_if(violations)


def _audit_seeds(
    course: Course, homeworks: list[Homework], seeds: int, jobs: int
) -> None:
    """Judge answers of right submissions and of mistakes on fresh inputs, and count the wrong verdicts."""
    with SeedProgress(seeds * len(homeworks)) as progress:
        runs = run_seeds(course, homeworks, seeds, jobs, progress.advance)
    right_answers = 0
    mistake_trials = 0
    false_failures: list[str] = []
    for run in runs:
        right_answers += run.right
        mistake_trials += len(run.shows)
        false_failures += run.false_failures
    escaped_mistakes = escapes(runs)
    print_line(
        f"{seeds} seeds: {right_answers} answers of right submissions, "
        f"false failures: {len(false_failures)}; {mistake_trials} trials of mistakes, "
        f"escapes: {len(escaped_mistakes)}"
    )
    for line in left_to_stored_cases(runs):
        note(f"caught only by stored cases: {line}")
    fail_if([*false_failures, *escaped_mistakes])


class SeedProgress(ProgressBar):
    """A bar of draws of fresh inputs, one per seed and homework, and of right answers that failed."""

    def __init__(self, total: int) -> None:
        super().__init__("fresh inputs", total)
        self._total = total
        self._done = 0
        self._failures = 0

    def advance(self, run: SeedRun) -> None:
        """Count a run; off a terminal, write a line now and then."""
        lines_before = self._done * SEED_LINES // max(self._total, 1)
        self._done += run.seeds
        lines = self._done * SEED_LINES // max(self._total, 1)
        self._failures += len(run.false_failures)
        failures = f"false failures: {self._failures}"
        self._bar.update(self._task, advance=run.seeds, news=failures)
        if not err.is_interactive and lines > lines_before:
            print_line(
                f"fresh inputs: {self._done} of {self._total} draws, {failures}", err
            )


def _audit_mutants(
    course: Course,
    homeworks: list[Homework],
    jobs: int,
    every: int,
    json_file: Path | None,
) -> None:
    """Change the solutions systematically, and count the changes that are noticed."""
    with err.status("making mutants") as status, rare_collections():

        def tell(verdict: Verdict) -> None:
            status.update(f"mutants of {verdict.homework}: {verdict.function}")

        audit = audit_mutants(course, homeworks, jobs, tell, every)
    table = table_of(("homework",), ("mutants", "killed", "equivalent", "survivors"))
    for homework in homeworks:
        killed = len(audit.of(homework.id, Fate.KILLED))
        equivalent = len(audit.of(homework.id, Fate.EQUIVALENT))
        survivors = len(audit.of(homework.id, Fate.SURVIVED))
        total = killed + equivalent + survivors
        table.add_row(
            homework.id, str(total), str(killed), str(equivalent), str(survivors)
        )
    out.print(table)
    if every > 1:
        note(f"1 mutant of {every} was graded")
    if json_file:
        _write_json(json_file, audit)
    fail_if(audit.violations)


def _write_json(path: Path, audit: Audit | MutantAudit) -> None:
    """Write every trial, the same way in each run.

    JSON has no infinity, so that an infinite margin becomes null; sets are sorted.
    """
    data = msgspec.json.encode(audit, order="deterministic")
    path.write_bytes(msgspec.json.format(data, indent=1) + b"\n")


def _summary(audit: Audit, homework_ids: Sequence[str]) -> Table:
    """Return a row for each homework; a cell says how many trials of a kind ended as they should."""
    table = table_of(("homework",), (*TITLES.values(), "closest mistake"))
    for homework_id in homework_ids:
        cells = []
        for kind in TITLES:
            trials = 0
            successes = 0
            for trial in audit.of(kind):
                if trial.homework == homework_id:
                    trials += 1
                    if _ended_as_it_should(trial, kind):
                        successes += 1
            cells.append(f"{successes}/{trials}" if trials else "")
        distances = []
        for margin in audit.margins:
            if margin.homework == homework_id:
                distances.append(margin.tolerances)
        cells.append(f"{min(distances):.0f} tolerances" if distances else "")
        table.add_row(homework_id, *cells)
    return table


def _ended_as_it_should(trial: Trial, kind: Kind) -> bool:
    if kind is Kind.CORRECT:
        return not trial.loses_points
    if kind is Kind.ODD:
        return trial.earned is not None  # it was judged; what it loses is not promised
    return trial.is_named
