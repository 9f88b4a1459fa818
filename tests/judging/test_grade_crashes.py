"""One task brings the process down: it loses its points, and the others keep theirs."""

from __future__ import annotations

from dataclasses import replace

import pytest
from wording import to_students

from autograder.judging.grade import Suite, grade_handin
from autograder.judging.results import HomeworkResult
from autograder.sandbox.pool import SandboxPool
from autograder.sandbox.report import Status
from autograder.sandbox.request import Limits

from .asking import DOUBLE, Grade, code, outcomes, reason


def assert_only_totals_lost(result: HomeworkResult, status: Status) -> None:
    assert outcomes(result) == {"double_published": "passed", "double_sizes": "passed", "totals": "failed"}
    assert (result.status, result.earned) == (status, 3)


def test_an_endless_loop_costs_its_own_task(grade: Grade) -> None:
    result = grade(f"{DOUBLE}\ndef totals(x):\n    while True:\n        pass\n")
    assert_only_totals_lost(result, Status.TIME_LIMIT)
    assert reason(result, "totals") == to_students["handin_crashes.totals-did-not-finish"]


def test_an_endless_loop_that_cannot_be_interrupted_costs_its_own_task(
    suite: Suite, pool: SandboxPool
) -> None:
    limits = replace(Limits(), cpu_seconds=1, call_seconds=20, seconds=60)
    short = replace(suite, homework=replace(suite.homework, limits=limits))
    text = f"""{DOUBLE}
def totals(x):
    import signal
    signal.signal(signal.SIGALRM, signal.SIG_IGN)
    while True:
        try:
            while True:
                pass
        except BaseException:
            pass
"""
    result = grade_handin(code(text), short, pool)
    assert_only_totals_lost(result, Status.TIME_LIMIT)
    assert reason(result, "totals") == to_students["handin_crashes.did-not-finish-in-time"]
    assert result.detail == to_students["handin_crashes.processor-time"]


@pytest.mark.parametrize("number", [0, 3])
def test_leaving_the_process_costs_its_own_task(grade: Grade, number: int) -> None:
    result = grade(f"{DOUBLE}\ndef totals(x):\n    import os\n    os._exit({number})\n")
    assert_only_totals_lost(result, Status.CRASHED)
    assert "`totals`" in reason(result, "totals")
    assert f"exit status {number}" in result.detail


def test_memory_used_up_costs_its_own_task(grade: Grade) -> None:
    result = grade(f"{DOUBLE}\ndef totals(x):\n    return np.ones((1 << 20, 1 << 20))\n")
    assert_only_totals_lost(result, Status.MEMORY_LIMIT)
    assert "MemoryError" in reason(result, "totals")


def test_a_crash_in_one_task_does_not_hide_what_is_known_of_the_others(grade: Grade) -> None:
    """The names of parameters and the outside names that a function reads come from the same run."""
    text = """
    import os
    import numpy as np
    N = 3

    def double(numbers):
        return 2 * numbers[:N] + np.zeros(N)

    def totals(x):
        os._exit(3)
    """
    result = grade(text)
    assert outcomes(result)["double_published"] == "passed"
    failed = next(check for check in result.checks if check.check == "double_sizes")
    assert failed.misconceptions == ("depends-on-global",)
    assert "`N`" in failed.reason


def test_what_was_printed_before_a_crash_is_kept(grade: Grade) -> None:
    text = f"{DOUBLE}\nprint('loaded', flush=True)\ndef totals(x):\n    import os\n    os._exit(3)\n"
    assert "loaded" in grade(text).output
