import contextlib
import shutil
from dataclasses import dataclass

import pytest
from judging.mistakes import build, write_mistakes
from tiny import SOLUTION, Tiny, write_tiny

from autograder.authoring.assignments import build_assignments
from autograder.cli import graders
from autograder.course.course import Course
from autograder.sandbox.pool import SandboxPool

RIGHT = SOLUTION
TRIPLES = SOLUTION.replace("factor * x", "3 * x")


@dataclass(frozen=True)
class Kit:
    """A tiny course in order with everything built, and a class of submissions beside it."""

    tiny: Tiny
    pool: SandboxPool

    @property
    def root(self):
        return self.tiny.course.root

    @property
    def submissions(self):
        return self.root / "class"

    @property
    def out(self):
        return self.root / "graded"

    def submit(self, student, text=RIGHT, name="doubles.py"):
        """Hand in a folder with one file."""
        folder = self.submissions / student
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / name
        path.write_text(text, encoding="utf-8")
        return path

    def build(self):
        """Store anew what reference and mistakes return."""
        build(self.tiny, self.pool)


@pytest.fixture(scope="session")
def pattern(tmp_path_factory, pool):
    """The course that each test gets a copy of."""
    root = tmp_path_factory.mktemp("pattern") / "course"
    tiny = build(write_mistakes(write_tiny(root)), pool)
    build_assignments(tiny.course)
    return root


@pytest.fixture
def kit(pattern, tmp_path, pool, monkeypatch):
    """A course of its own for a test, which stands in its folder."""
    root = tmp_path / "course"
    shutil.copytree(pattern, root)
    monkeypatch.chdir(root)
    return Kit(Tiny(Course(root)), pool)


class InThisProcess:
    """Stands for the grader pool: grades here in warm sandboxes, so that not every test starts its own."""

    def __init__(self, plan, pool, finish):
        self._session = plan.open()
        self._pool = pool
        self._finish = finish

    def grade(self, entries):
        return (self._finish(self._session.grade(entry, self._pool)) for entry in entries)


@pytest.fixture(autouse=True)
def warm(pool, warm_sandboxes, monkeypatch):
    def in_this_process(plan, jobs, finish):
        return contextlib.nullcontext(InThisProcess(plan, pool, finish))

    monkeypatch.setattr(graders, "GraderPool", in_this_process)
