from __future__ import annotations

import pytest
from tiny import Tiny, write_tiny

from autograder.judging.build import build_reference
from autograder.judging.grade import grade_handin
from autograder.judging.suite import Suite, prepare_suite
from autograder.sandbox.pool import SandboxPool

from .asking import Grade, code

SEED = 11


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory, pool: SandboxPool) -> Tiny:
    """The tiny course with its reference outputs; no test changes it."""
    tiny = write_tiny(tmp_path_factory.mktemp("course"))
    assert build_reference(tiny.course, tiny.homework, pool).written
    return tiny


@pytest.fixture(scope="session")
def suite(built: Tiny, pool: SandboxPool) -> Suite:
    return prepare_suite(built.course, built.homework, SEED, pool)


@pytest.fixture
def grade(suite: Suite, pool: SandboxPool) -> Grade:
    """Grade the text of a file."""
    return lambda text, **more: grade_handin(code(text), suite, pool, **more)
