from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from judging.mistakes import build, write_mistakes
from tiny import SOLUTION, Tiny, write_tiny

from autograder.authoring.assignments import build_assignments
from autograder.batch.session import Plan
from autograder.cli import workforce
from autograder.course.course import Course
from autograder.intake.submission import Submission
from autograder.sandbox.pool import SandboxPool
from autograder.verdict.results import SubmissionResult

RIGHT = SOLUTION
TRIPLES = SOLUTION.replace("factor * x", "3 * x")


@dataclass(frozen=True)
class Kit:
    """A tiny course in order with everything built, and a class of submissions beside it."""

    tiny: Tiny
    pool: SandboxPool

    @property
    def root(self) -> Path:
        return self.tiny.course.root

    @property
    def submissions(self) -> Path:
        return self.root / "class"

    @property
    def out(self) -> Path:
        return self.root / "graded"

    def submit(self, student: str, text: str = RIGHT, name: str = "doubles.py") -> Path:
        """Hand in a folder with one file."""
        folder = self.submissions / student
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / name
        path.write_text(text, encoding="utf-8")
        return path

    def build(self) -> None:
        """Store anew what reference and mistakes return."""
        build(self.tiny, self.pool)


@pytest.fixture(scope="session")
def pattern(tmp_path_factory: pytest.TempPathFactory, pool: SandboxPool) -> Path:
    """The course that each test gets a copy of."""
    root = tmp_path_factory.mktemp("pattern") / "course"
    tiny = build(write_mistakes(write_tiny(root)), pool)
    build_assignments(tiny.course)
    return root


@pytest.fixture
def kit(pattern: Path, tmp_path: Path, pool: SandboxPool, monkeypatch: pytest.MonkeyPatch) -> Kit:
    """A course of its own for a test, which stands in its folder."""
    root = tmp_path / "course"
    shutil.copytree(pattern, root)
    monkeypatch.chdir(root)
    return Kit(Tiny(Course(root)), pool)


class InThisProcess:
    """Stands for the worker pool: grades here in warm sandboxes, so that not every test starts its own."""

    def __init__(self, plan: Plan, pool: SandboxPool) -> None:
        self._session = plan.open()
        self._pool = pool

    def grade(self, entries: Iterable[Submission]) -> Iterator[SubmissionResult]:
        return (self._session.grade(entry, self._pool) for entry in entries)


@pytest.fixture(autouse=True)
def warm(pool: SandboxPool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        workforce, "WorkerPool", lambda plan, jobs: contextlib.nullcontext(InThisProcess(plan, pool))
    )
