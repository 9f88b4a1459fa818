from __future__ import annotations

from pathlib import Path

import pytest
from tiny import Tiny, write_tiny

from autograder.judging.known import KnownCase
from autograder.sandbox.pool import SandboxPool

from .mistakes import build, write_mistakes


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory, pool: SandboxPool) -> Tiny:
    """The tiny course with its mistakes and everything stored; no test changes it."""
    tiny = write_mistakes(write_tiny(tmp_path_factory.mktemp("course")))
    return build(tiny, pool)


@pytest.fixture(scope="session")
def known(built: Tiny) -> list[KnownCase]:
    return built.store.read()


@pytest.fixture
def own(tmp_path: Path, pool: SandboxPool) -> Tiny:
    """A tiny course with mistakes that a test may change."""
    return build(write_mistakes(write_tiny(tmp_path / "course")), pool)
