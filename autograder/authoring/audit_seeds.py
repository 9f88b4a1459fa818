"""Fresh inputs over many seeds: no correct answer ever fails on them, and no visible mutant escapes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from autograder.authoring.corpus import read_corpus
from autograder.authoring.tolerances import fresh_draws
from autograder.course.course import Course
from autograder.course.homework import Homework
from autograder.reasons.catalogue import read_catalogue
from autograder.reasons.mutation import run_variants
from autograder.sandbox.pool import SandboxPool, in_parallel
from autograder.sandbox.report import Answer
from autograder.verdict.comparison import compare_case
from autograder.verdict.known import KnownCase
from autograder.verdict.reference import know_fresh, run_calls
from autograder.verdict.store import open_store

SEEDS_PER_RUN = 10


@dataclass(frozen=True)
class SeedRun:
    """The outcome of some seeds of one homework: how many answers were judged, and what went wrong.

    ``shows`` says of each misconception and seed whether the mutant shows on these inputs.
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

    ``tell`` is called with each block of seeds as it ends.
    """
    blocks = [
        (course, homework, range(first, min(first + SEEDS_PER_RUN, seeds)))
        for first in range(0, seeds, SEEDS_PER_RUN)
        for homework in homeworks
    ]
    runs = []
    for run in in_parallel(_run_block, blocks, jobs):
        runs.append(run)
        tell(run)
    return runs


def _run_block(block: tuple[Course, Homework, range], pool: SandboxPool) -> SeedRun:
    course, homework, seeds = block
    tolerances = open_store(course, homework).fresh_tolerances()
    known = know_fresh(homework, fresh_draws(homework, seeds), tolerances, pool)
    right, failures, shows = 0, [], {}
    for example in (one for one in read_corpus(course, homework) if one.is_right):
        answers = run_calls(
            homework, example.path, [one.case.call for one in known], pool, example.text
        )
        for one, answer in zip(known, answers, strict=True):
            right += not answer.not_defined
            if not answer.not_defined and not _is_right(one, answer):
                failures.append(f"{homework.id}: {example.name} fails {one.case.id}")
    for misconception in read_catalogue(homework):
        own = [one for one in known if one.case.task in misconception.tasks]
        (mutant,) = run_variants(
            homework, [one.case for one in own], [(misconception.id,)], pool
        )
        for seed in seeds:
            of_seed = [one for one in own if one.case.name.endswith(f"/seed-{seed}")]
            is_seen = any(
                not _is_right(one, mutant.answers[one.case.id]) for one in of_seed
            )
            shows[misconception.id, seed] = is_seen
    return SeedRun(homework.id, right, tuple(failures), shows, len(seeds))


def _is_right(known: KnownCase, answer: Answer) -> bool:
    return answer.is_usable and compare_case(known, answer.value) is None


def escapes(runs: Sequence[SeedRun]) -> list[str]:
    """Return each misconception and seed where it does not show, of those that fresh inputs can show."""
    never = left_to_stored_cases(runs)
    return [
        f"{run.homework}: {mistake} escapes seed {seed}"
        for run in runs
        for (mistake, seed), is_seen in run.shows.items()
        if not is_seen and f"{run.homework}: {mistake}" not in never
    ]


def left_to_stored_cases(runs: Sequence[SeedRun]) -> list[str]:
    """Return the misconceptions that show on no fresh inputs; only stored cases catch them."""
    every = [
        (f"{run.homework}: {mistake}", seen)
        for run in runs
        for (mistake, _), seen in run.shows.items()
    ]
    return sorted(
        {line for line, _ in every} - {line for line, is_seen in every if is_seen}
    )
