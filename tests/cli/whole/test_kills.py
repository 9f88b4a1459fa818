"""The driver is killed and started again: every submission once, grades as in an uninterrupted run."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from benchmarks.kills import try_kills


@pytest.mark.skipif(sys.platform != "linux", reason="worker processes end with their driver on Linux")
def test_a_class_survives_kills_of_its_driver(tmp_path: Path) -> None:
    killed, differences = try_kills(tmp_path, kills=2, submissions=42)
    assert killed >= 1, "no kill came while a class was graded"
    assert differences == []
