"""Plans whose sessions do in a worker process what a test needs."""

from __future__ import annotations

import os
import signal
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from results import homework, submission

from autograder.grading.plan import Plan
from autograder.grading.results import SubmissionResult
from autograder.homework.model import CourseError
from autograder.submissions.model import Entry


@dataclass(frozen=True)
class FakePlan(Plan):
    """The name of an entry says what happens to the process that grades it."""

    def open(self) -> Any:
        return FakeSession()


class FakeSession:
    def grade(self, entry: Entry, pool: object) -> SubmissionResult:
        what = entry.name.partition("-")[0]
        if what == "killer" or (what == "unlucky" and _first_time(entry.path)):
            os.kill(os.getpid(), signal.SIGKILL)
        if what == "interrupted":
            os.kill(os.getpid(), signal.SIGINT)
        if what == "broken":
            raise CourseError("the course is broken")
        return submission(entry.name, homework(), problems=(str(os.getpid()),))


@dataclass(frozen=True)
class StillbornPlan(Plan):
    """No worker lives long enough to open its session."""

    def open(self) -> Any:
        os._exit(1)


def _first_time(marker: Path) -> bool:
    there = marker.exists()
    marker.touch()
    return not there
