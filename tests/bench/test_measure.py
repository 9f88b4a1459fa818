from __future__ import annotations

import sys
from pathlib import Path

import pytest

from autograder.bench.measure import measure
from autograder.bench.records import BenchError

BURN = "import time\nwhile time.process_time() < {seconds}: pass\n"
ORPHAN = """
import os, sys
if os.fork() == 0:
    os.setsid()
    exec({burn!r})
    os._exit(0)
"""


def python(code: str) -> list[str]:
    return [sys.executable, "-I", "-S", "-c", code]


def test_processor_time_of_a_process_that_outlives_its_parent_counts(tmp_path: Path) -> None:
    used = measure(python(ORPHAN.format(burn=BURN.format(seconds=0.4))), 1, cwd=tmp_path)
    assert used.cpu_seconds >= 0.35


def test_the_largest_process_is_told_in_mib(tmp_path: Path) -> None:
    small = measure(python("pass"), 1, cwd=tmp_path)
    large = measure(python("b'x' * (200 << 20)"), 1, cwd=tmp_path)
    assert 150 < large.peak_mb - small.peak_mb < 250


def test_a_command_that_fails_is_told_with_what_it_printed(tmp_path: Path) -> None:
    with pytest.raises(BenchError, match=r"ended with 3:\nout of luck"):
        measure(python("import sys; print('out of luck'); sys.exit(3)"), 1, cwd=tmp_path)


def test_an_exit_status_may_be_accepted(tmp_path: Path) -> None:
    assert measure(python("raise SystemExit(1)"), 4, cwd=tmp_path, accept=(0, 1)).submissions == 4


def test_a_command_that_does_not_exist_is_told(tmp_path: Path) -> None:
    with pytest.raises(BenchError, match="no-such-program"):
        measure(["no-such-program"], 1, cwd=tmp_path)
