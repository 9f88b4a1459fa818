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
    name_of_ours,
)
from benchmarks.duration import PREPARING, Progress, Step, duration_of
from benchmarks.records import BenchError, Measured, Report, Row, Scale

SEED = 0
OUR_JOBS = (1, 2)
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
    """Measure everything in the plan; ``tell`` gets a line at the start, and one when each step begins.

    Raises:
        BenchError: our own command failed; a peer that fails is left out with its reason.
    """
    level = strongest_level()
    rows: list[Row] = []
    scales: list[Scale] = []
    steps: list[Step] = []
    for homework in homeworks:
        steps += _steps(homework, plan)
    progress = Progress(tell, steps)
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        for homework in homeworks:
            progress.begin(f"{homework.id}: preparing the cases")
            with SandboxPool() as pool:
                suite = prepare_suite(course, homework, SEED, pool)
            setting = Setting(course, suite, Path(folder), plan.venvs.resolve())
            rows += _compare(setting, plan, level, progress)
            scales += _scale(setting, plan, level, progress)
    return Report(tuple(rows), tuple(scales), os.cpu_count() or 1, level.name)


def _steps(homework: Homework, plan: Plan) -> Iterator[Step]:
    """Yield what will be measured for one homework, in order, with the seconds it should take."""
    yield Step(f"{homework.id}: preparing the cases", PREPARING)
    for peer in plan.peers:
        yield Step(_preparing(homework, PEERS[peer].name), PREPARING)
    for number in range(plan.rounds):
        for jobs in OUR_JOBS:
            seconds = duration_of("ours", homework.library, plan.class_size) / jobs
            yield Step(_round(homework, plan, number, name_of_ours(jobs)), seconds)
        for peer in plan.peers:
            seconds = duration_of(peer, homework.library, plan.peer_submissions)
            yield Step(_round(homework, plan, number, PEERS[peer].name), seconds)
    if plan.sizes:
        seconds = SMALL_CLASSES * duration_of("ours", homework.library, 1)
        yield Step(_class_of(homework, 1), seconds)
    for size in plan.sizes:
        seconds = _classes_of(size) * duration_of("ours", homework.library, size)
        yield Step(_class_of(homework, size), seconds)


def _preparing(homework: Homework, contestant: str) -> str:
    return f"{homework.id}: preparing {contestant}"


def _round(homework: Homework, plan: Plan, number: int, contestant: str) -> str:
    return f"{homework.id}, round {number + 1} of {plan.rounds}: {contestant}"


def _class_of(homework: Homework, size: int) -> str:
    return f"{homework.id}: a class of {size:,}, {_classes_of(size)} x"


def _classes_of(size: int) -> int:
    """How often a class of this size is graded."""
    return SMALL_CLASSES if size <= SMALL else 1


def _compare(
    setting: Setting, plan: Plan, level: Level, progress: Progress
) -> Iterator[Row]:
    """Alternate the contestants within each round, so that a busy machine is busy for all of them."""
    homework = setting.suite.homework
    files = write_class(
        homework, setting.workspace / homework.id / "class", plan.class_size
    )
    ours = [_ours(jobs, level) for jobs in OUR_JOBS]
    taking_part: list[Contestant] = [*ours]
    for name in plan.peers:
        peer = PEERS[name]()
        progress.begin(_preparing(homework, peer.name))
        try:
            peer.prepare(setting)
        except BenchError as error:
            left_out = []
            for number in range(plan.rounds):
                left_out.append(_round(homework, plan, number, peer.name))
            progress.leave_out(left_out)
            yield Row(homework.id, peer.name, unavailable=str(error))
        else:
            taking_part.append(peer)
    measured: dict[str, list[Measured]] = {
        contestant.name: [] for contestant in taking_part
    }
    for number in range(plan.rounds):
        for contestant in taking_part:
            progress.begin(_round(homework, plan, number, contestant.name))
            graded = files
            if contestant not in ours:
                graded = files[: plan.peer_submissions]
            measured[contestant.name].append(contestant.grade(setting, graded))
    for name, rounds in measured.items():
        yield Row(homework.id, name, tuple(rounds))


def _scale(
    setting: Setting, plan: Plan, level: Level, progress: Progress
) -> Iterator[Scale]:
    """Grade classes of growing size with one job, which starts the same things for each of them."""
    if not plan.sizes:
        return
    homework = setting.suite.homework
    progress.begin(_class_of(homework, 1))
    alone = tuple(_grade_new(setting, level, 1) for _ in range(SMALL_CLASSES))
    for size in plan.sizes:
        progress.begin(_class_of(homework, size))
        classes = [_grade_new(setting, level, size) for _ in range(_classes_of(size))]
        yield Scale(homework.id, tuple(classes), alone)


def _grade_new(setting: Setting, level: Level, size: int) -> Measured:
    """Grade a class that is written anew."""
    folder = setting.own(f"class-of-{size}")
    shutil.rmtree(folder, ignore_errors=True)
    return _ours(1, level).grade(
        setting, write_class(setting.suite.homework, folder, size)
    )


def _ours(jobs: int, level: Level) -> Ours:
    return Ours(jobs, unsafe=not level.confines_hostile_code)
