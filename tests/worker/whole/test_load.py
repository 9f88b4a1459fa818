"""Slow tests of the same subject as ``test_load``, for CI and `make test WHOLE=1`."""

import pytest

from autograder.sandbox.report import Status
from autograder.sandbox.request import Limits

from ..asking import ask, call, module, values
from ..test_load import LOOP, stopped

SWALLOWS = "while True:\n    try: int(input())\n    except: print('again')"


@pytest.mark.parametrize(
    "loop", [LOOP, "import time; time.sleep(600)", "for _ in iter(int, 1): g()", SWALLOWS]
)
def test_endless_statements_are_cut_and_the_others_run(sandbox, loop):
    source = "\n".join(["def g(): pass", *[loop] * 4, "def f(): return 7", loop])
    report = ask(sandbox, module(source), call("f"), limits=Limits(seconds=3, cpu_seconds=2))
    assert (report.status, values(report)) == (Status.GRADED, [7])
    assert [kind for kind, _, _ in stopped(report)] == ["TimeLimit"] * 5
