"""Plans whose sessions do in a worker process what a test needs."""

import os
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from results import homework, submission

from autograder.batch.session import Plan
from autograder.course.schema import CourseError
from autograder.intake.files import read_files
from autograder.intake.submission import Submission
from autograder.sandbox.pool import SandboxPool
from autograder.verdict.results import SubmissionResult


@dataclass(frozen=True)
class FakePlan(Plan):
    """The name of an entry says what happens to the process that grades it."""

    def open(self) -> Any:
        return FakeSession()


class FakeSession:
    def grade(self, entry: Submission, pool: SandboxPool, files: object) -> SubmissionResult:
        deed = _DEEDS.get(entry.name.partition("-")[0])
        folders = ()
        if deed is _open_files:
            folders = _open_files()
        elif deed is _texts_of:
            folders = _texts_of(entry)
        elif deed is not None:
            deed(entry, pool)
        return submission(entry.name, homework(), problems=(str(os.getpid()), *folders))


def _texts_of(entry: Submission) -> tuple[str, ...]:
    """What this process reads of an entry."""
    read = read_files(entry.path, *entry.parts)
    return (*(file.data.decode() for file in read.files), *(problem.text for problem in read.problems))


def _open_files() -> tuple[str, ...]:
    """What this process has open beside the standard streams."""
    names = []
    for link in Path("/proc/self/fd").iterdir():
        if int(link.name) > 2 and link.exists():
            names.append(os.readlink(link))
    return tuple(names)


def _kill_unless_marked(entry: Submission, pool: SandboxPool) -> None:
    if not entry.path.exists():
        entry.path.touch()
        os.kill(os.getpid(), signal.SIGKILL)


def _break_the_course(entry: Submission, pool: SandboxPool) -> None:
    raise CourseError("the course is broken")


def _work_for_ever(entry: Submission, pool: SandboxPool) -> None:
    """In one call of C code, where no Python code of ours could interrupt it."""
    sum(range(10**15))


def _eat_memory(entry: Submission, pool: SandboxPool) -> None:
    bytearray(1 << 31)


def _run_in_sandboxes(entry: Submission, pool: SandboxPool) -> None:
    """Take longer than one may be quiet, with signs of life."""
    for _ in range(6):
        time.sleep(0.4)
        pool._sign_of_life(0)


_DEEDS: dict[str, Callable[..., object]] = {
    "killer": lambda entry, pool: os.kill(os.getpid(), signal.SIGKILL),
    "unlucky": _kill_unless_marked,
    "interrupted": lambda entry, pool: os.kill(os.getpid(), signal.SIGINT),
    "broken": _break_the_course,
    "endless": _work_for_ever,
    "glutton": _eat_memory,
    "looking": _open_files,
    "reading": _texts_of,
    "asleep": lambda entry, pool: time.sleep(600),
    "busy": _run_in_sandboxes,
}


@dataclass(frozen=True)
class StillbornPlan(Plan):
    """No worker lives long enough to open its session."""

    def open(self) -> Any:
        os._exit(1)
