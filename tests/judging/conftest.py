from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from tiny import Tiny, write_tiny

from autograder.course.course import Course
from autograder.grading.grade import grade_handin
from autograder.grading.suite import Suite, prepare_suite
from autograder.sandbox.pool import SandboxPool
from autograder.verdict.known import KnownCase

from .asking import Grade, code
from .mistakes import build, write_mistakes

SEED = 11


@pytest.fixture(scope="session")
def suite(built: Tiny, pool: SandboxPool) -> Suite:
    return prepare_suite(built.course, built.homework, SEED, pool)


@pytest.fixture
def grade(suite: Suite, pool: SandboxPool) -> Grade:
    """Grade the text of a file."""
    return lambda text, **more: grade_handin(code(text), suite, pool, **more)


@pytest.fixture(scope="session")
def mistaken(tmp_path_factory: pytest.TempPathFactory, pool: SandboxPool) -> Tiny:
    """The tiny course with its mistakes and everything stored; no test changes it."""
    tiny = write_mistakes(write_tiny(tmp_path_factory.mktemp("course")))
    return build(tiny, pool)


@pytest.fixture(scope="session")
def known(mistaken: Tiny) -> list[KnownCase]:
    return mistaken.store.read()


@pytest.fixture
def own(mistaken: Tiny, tmp_path: Path) -> Tiny:
    """A tiny course with mistakes that a test may change: a copy of the built one."""
    root = tmp_path / "course"
    shutil.copytree(mistaken.course.root, root)
    return Tiny(Course(root))
