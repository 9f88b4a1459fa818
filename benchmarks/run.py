"""One benchmark: every way of grading in turn, round by round, then one class size after another."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from autograder.course.course import Course
from autograder.course.homework import Homework
from autograder.grading.suite import prepare_suite
from autograder.sandbox.levels import Level, strongest_level
from autograder.sandbox.pool import SandboxPool
from benchmarks.classroom import write_class
from benchmarks.contestants import (
    ColdPytest,
    Contestant,
    KitInOtter,
    Nbgrader,
    OtterRun,
    Ours,
    Setting,
)
from benchmarks.records import BenchError, Measured, Report, Row, Scale

SEED = 0
SMALL, SMALL_CLASSES = 100, 3
"""Up to this size a class is graded so often: what starting costs differs, and weighs more there."""
PEERS: dict[str, type[Contestant]] = {
    "pytest": ColdPytest,
    "otter": OtterRun,
    "nbgrader": Nbgrader,
    "kit-in-otter": KitInOtter,
}
Tell = Callable[[str], None]


@dataclass(frozen=True)
class Plan:
    """What is compared: the peers, how many submissions we and they grade per round, and class sizes."""

    peers: Sequence[str]
    class_size: int
    peer_submissions: int
    rounds: int
    sizes: Sequence[int]
    venvs: Path


def run_bench(
    course: Course, homeworks: Sequence[Homework], plan: Plan, tell: Tell
) -> Report:
    """Measure everything in the plan; ``tell`` is called with what is being done.

    Raises:
        BenchError: our own command failed; a peer that fails is left out with its reason.
    """
    level = strongest_level()
    rows: list[Row] = []
    scales: list[Scale] = []
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        for homework in homeworks:
            with SandboxPool() as pool:
                suite = prepare_suite(course, homework, SEED, pool)
            setting = Setting(course, suite, Path(folder), plan.venvs.resolve())
            rows += _compare(setting, plan, level, tell)
            scales += _scale(setting, plan, level, tell)
    return Report(tuple(rows), tuple(scales), os.cpu_count() or 1, level.name)


def _compare(setting: Setting, plan: Plan, level: Level, tell: Tell) -> Iterator[Row]:
    """Alternate the contestants within each round, so that a busy machine is busy for all of them."""
    homework = setting.suite.homework
    files = write_class(
        homework, setting.workspace / homework.id / "class", plan.class_size
    )
    ours = [_ours(jobs, level) for jobs in (1, 2)]
    taking_part: list[Contestant] = [*ours]
    for name in plan.peers:
        peer = PEERS[name]()
        tell(f"{homework.id}: preparing {peer.name}")
        try:
            peer.prepare(setting)
        except BenchError as error:
            yield Row(homework.id, peer.name, unavailable=str(error))
        else:
            taking_part.append(peer)
    measured: dict[str, list[Measured]] = {one.name: [] for one in taking_part}
    for number in range(plan.rounds):
        for one in taking_part:
            tell(f"{homework.id}, round {number + 1} of {plan.rounds}: {one.name}")
            own = files if one in ours else files[: plan.peer_submissions]
            measured[one.name].append(one.grade(setting, own))
    yield from (
        Row(homework.id, name, tuple(rounds)) for name, rounds in measured.items()
    )


def _scale(setting: Setting, plan: Plan, level: Level, tell: Tell) -> Iterator[Scale]:
    """Grade classes of growing size with one job, which starts the same things for each of them."""
    if not plan.sizes:
        return
    homework = setting.suite.homework.id
    tell(f"{homework}: classes of one")
    alone = tuple(_grade_new(setting, level, 1) for _ in range(SMALL_CLASSES))
    for size in plan.sizes:
        tell(f"{homework}: a class of {size}")
        runs = SMALL_CLASSES if size <= SMALL else 1
        yield Scale(
            homework,
            tuple(_grade_new(setting, level, size) for _ in range(runs)),
            alone,
        )


def _grade_new(setting: Setting, level: Level, size: int) -> Measured:
    """Grade a class that is written anew."""
    folder = setting.own(f"class-of-{size}")
    shutil.rmtree(folder, ignore_errors=True)
    return _ours(1, level).grade(
        setting, write_class(setting.suite.homework, folder, size)
    )


def _ours(jobs: int, level: Level) -> Ours:
    return Ours(jobs, unsafe=not level.contains_hostile_code)
