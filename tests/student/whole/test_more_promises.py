"""More folders of students: what the check promises is what grading gives."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from autograder.batch.session import GradingSession
from autograder.sandbox.pool import SandboxPool

from .test_promises import QUICK_SEEDS, assert_promise_is_kept, sessions

__all__ = ["sessions"]  # the fixture
SEEDS = range(QUICK_SEEDS.stop, int(os.environ.get("AUTOGRADER_PROMISES", "60")))


@pytest.mark.parametrize("seed", SEEDS)
def test_what_is_promised_is_what_grading_gives(
    seed: int, tmp_path: Path, sessions: dict[str, GradingSession], pool: SandboxPool
) -> None:
    assert_promise_is_kept(seed, tmp_path, sessions, pool)
