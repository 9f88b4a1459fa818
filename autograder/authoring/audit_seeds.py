"""Fresh inputs over many seeds: no correct answer ever fails on them, and no visible mutant escapes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from autograder.authoring.corpus import read_corpus
from autograder.authoring.parallel import in_parallel
from autograder.authoring.tolerances import fresh_draws
from autograder.course.course import Course
from autograder.course.homework import Homework
from autograder.reasons.catalogue import read_catalogue
from autograder.reasons.mutation import run_variants
from autograder.sandbox.pool import SandboxPool
from autograder.sandbox.report import Answer
from autograder.verdict.comparison import compare_case
from autograder.verdict.known import KnownCase
from autograder.verdict.reference import know_fresh, run_calls
from autograder.verdict.store import open_store

SEEDS_PER_RUN = 10


@dataclass(frozen=True)
class SeedRun:
    """The outcome of some seeds of one homework.

    Attributes:
        homework: the id of the homework.
        right: how many answers of right submissions were judged.
        false_failures: a line for each of these that failed.
        shows: of each misconception and seed, whether the mutant shows on these inputs.
        seeds: how many seeds were drawn.
    """

    homework: str
    right: int = 0
    false_failures: tuple[str, ...] = ()
    shows: Mapping[tuple[str, int], bool] = field(default_factory=dict)
    seeds: int = 0


def run_seeds(
    course: Course,
    homeworks: Sequence[Homework],
    seeds: int,
    jobs: int,
    tell: Callable[[SeedRun], None],
) -> list[SeedRun]:
    """Judge the correct answers of the corpus and the mutant of every misconception on fresh inputs.

    Args:
        course: the course that the homeworks are from.
        homeworks: the homeworks.
        seeds: how many seeds are drawn, from 0.
        jobs: how many blocks of seeds run at once.
        tell: called with each block as it ends.
    """
    blocks = []
    for first in range(0, seeds, SEEDS_PER_RUN):
        block_seeds = range(first, min(first + SEEDS_PER_RUN, seeds))
        for homework in homeworks:
            blocks.append((course, homework, block_seeds))
    runs = []
    for run in in_parallel(_run_block, blocks, jobs):
        runs.append(run)
        tell(run)
    return runs


def _run_block(block: tuple[Course, Homework, range], pool: SandboxPool) -> SeedRun:
    course, homework, seeds = block
    tolerances = open_store(course, homework).fresh_tolerances()
    draws = fresh_draws(homework, seeds)
    known_cases = know_fresh(homework, draws, tolerances, pool)
    calls = [known.case.call for known in known_cases]

    # Right submissions.
    count = 0
    failures = []
    for submission in read_corpus(course, homework):
        if not submission.is_right:
            continue
        answers = run_calls(homework, submission.path, calls, pool, submission.text)
        for known, answer in zip(known_cases, answers, strict=True):
            if answer.not_defined:
                continue
            count += 1
            if not _is_right(known, answer):
                failure = f"{submission.name} fails {known.case.id}"
                failures.append(f"{homework.id}: {failure}")

    # Mutants.
    shows = {}
    for misconception in read_catalogue(homework):
        tasks = misconception.tasks
        known_of_tasks = []
        for known in known_cases:
            if known.case.task in tasks:
                known_of_tasks.append(known)
        cases = [known.case for known in known_of_tasks]
        labels = (misconception.id,)
        (mutant,) = run_variants(homework, cases, [labels], pool)
        for seed in seeds:
            shows[misconception.id, seed] = False
            for known in known_of_tasks:
                if not known.case.name.endswith(f"/seed-{seed}"):
                    continue
                if not _is_right(known, mutant.answers[known.case.id]):
                    shows[misconception.id, seed] = True
    return SeedRun(
        homework=homework.id,
        right=count,
        false_failures=tuple(failures),
        shows=shows,
        seeds=len(seeds),
    )


def _is_right(known: KnownCase, answer: Answer) -> bool:
    return answer.is_usable and compare_case(known, answer.value) is None


def escapes(runs: Sequence[SeedRun]) -> list[str]:
    """Return each misconception and seed where it does not show, if fresh inputs can show it at all."""
    invisible = left_to_stored_cases(runs)
    lines = []
    for run in runs:
        for (mistake, seed), is_visible in run.shows.items():
            name = f"{run.homework}: {mistake}"
            if not is_visible and name not in invisible:
                lines.append(f"{name} escapes seed {seed}")
    return lines


def left_to_stored_cases(runs: Sequence[SeedRun]) -> list[str]:
    """Return the misconceptions that show on no fresh inputs; only stored cases catch them."""
    tried = set()
    visible = set()
    for run in runs:
        for (mistake, _), is_visible in run.shows.items():
            name = f"{run.homework}: {mistake}"
            tried.add(name)
            if is_visible:
                visible.add(name)
    return sorted(tried - visible)
