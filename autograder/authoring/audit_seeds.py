"""Fresh inputs over many seeds: no right answer ever fails on them, and no mistake that shows escapes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from autograder.authoring.audit_trials import CORPUS
from autograder.course import Course, Homework, fresh_cases
from autograder.judging import KnownCase, know_fresh, open_store, read_catalogue, run_calls, run_variants
from autograder.sandbox import Answer, SandboxPool, in_parallel

SEEDS_PER_RUN = 10


@dataclass(frozen=True)
class SeedTrial:
    """One mistake on the fresh inputs of one seed."""

    homework: str
    mistake: str
    seed: int
    shows: bool


@dataclass(frozen=True)
class SeedRun:
    """What some seeds of one homework brought: how many answers were judged, and what went wrong."""

    homework: str
    right: int = 0
    false_failures: tuple[str, ...] = ()
    tried: tuple[SeedTrial, ...] = ()
    seeds: int = 0


def run_seeds(
    course: Course, homeworks: Sequence[Homework], seeds: int, jobs: int, tell: Callable[[SeedRun], None]
) -> list[SeedRun]:
    """Judge the right answers of the corpus and every single mistake on the fresh inputs of many seeds."""
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
    cases = [
        replace(case, name=f"{case.name}/seed-{seed}")
        for seed in seeds
        for case in fresh_cases(homework, seed)
    ]
    known = know_fresh(homework, cases, open_store(course, homework).fresh_tolerances(), pool)
    corpus = sorted((course.root / CORPUS / homework.id / "correct").glob("*.py"))
    judged = [verdict for path in corpus for verdict in _judge_file(homework, path, known, pool)]
    return SeedRun(
        homework.id,
        right=len(judged),
        false_failures=tuple(text for text in judged if text),
        tried=tuple(_try_mistakes(homework, known, seeds, pool)),
        seeds=len(seeds),
    )


def _judge_file(
    homework: Homework, path: Path, known: Sequence[KnownCase], pool: SandboxPool
) -> Iterator[str]:
    """Yield for each answer of a right file what is wrong with it, which is nothing if all is well."""
    answers = run_calls(homework, path, [one.case.call for one in known], pool)
    for one, answer in zip(known, answers, strict=True):
        if answer.not_defined:
            continue
        yield "" if _is_right(one, answer) else f"{homework.id}: {path.stem} fails {one.case.id}"


def _try_mistakes(
    homework: Homework, known: Sequence[KnownCase], seeds: range, pool: SandboxPool
) -> Iterator[SeedTrial]:
    """Yield for each mistake and seed whether it shows in any of its tasks."""
    for mistake in read_catalogue(homework):
        own = [one for one in known if one.case.task in mistake.tasks]
        (variant,) = run_variants(homework, [one.case for one in own], [(mistake.id,)], pool)
        for seed in seeds:
            of_seed = [one for one in own if one.case.name.endswith(f"/seed-{seed}")]
            shows = any(not _is_right(one, variant.answers[one.case.id]) for one in of_seed)
            yield SeedTrial(homework.id, mistake.id, seed, shows)


def _is_right(known: KnownCase, answer: Answer) -> bool:
    return answer.is_usable and known.compare(answer.value) is None


def escapes(runs: Sequence[SeedRun]) -> list[str]:
    """Return each mistake and seed where it does not show, of the mistakes that fresh inputs can show."""
    tried, shown = _tried_and_shown(runs)
    return [
        f"{one.homework}: {one.mistake} escapes seed {one.seed}"
        for one in tried
        if not one.shows and (one.homework, one.mistake) in shown
    ]


def left_to_stored_cases(runs: Sequence[SeedRun]) -> list[str]:
    """Return the mistakes that show on no fresh inputs; only stored cases catch them."""
    tried, shown = _tried_and_shown(runs)
    return sorted({f"{t.homework}: {t.mistake}" for t in tried if (t.homework, t.mistake) not in shown})


def _tried_and_shown(runs: Sequence[SeedRun]) -> tuple[list[SeedTrial], set[tuple[str, str]]]:
    """Return all trials, and the homework and name of each mistake that shows on some seed."""
    tried = [trial for run in runs for trial in run.tried]
    return tried, {(trial.homework, trial.mistake) for trial in tried if trial.shows}
