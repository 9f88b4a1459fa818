"""Sandboxes end when they should: with the grader, never before, and leave nothing running."""

import os
import signal
import subprocess
import time

import pytest

from autograder.sandbox.isolation import ClaimedUser
from autograder.sandbox.levels import FULL, NO_NAMESPACES, PROCESS_ONLY
from autograder.sandbox.request import Code, Request

from ..conftest import needs_root, require
from ..machines import Machine
from ..pools import LevelPool
from ..watch import descendants, is_running, memory_of

PATIENCE = 20.0
CLINGS_TO_LIFE = """
import ctypes, signal, time
for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
    signal.signal(number, signal.SIG_IGN)
ctypes.CDLL(None).prctl(1, 0, 0, 0, 0)
print("running", flush=True)
time.sleep(3600)
"""
SLEEPS = "import time\ntime.sleep(3600)\n"
ADDS = Code("a.py", {"a.py": "def add(a, b):\n    return a + b\n"})
ONE_CALL = [{"op": "function", "name": "add", "args": [1, 2]}]


@pytest.mark.parametrize(
    ("level", "source"),
    [(FULL, CLINGS_TO_LIFE), (NO_NAMESPACES, CLINGS_TO_LIFE), (PROCESS_ONLY, SLEEPS)],
    ids=["full", "no-namespaces", "process-only"],
)
def test_killing_the_grader_ends_everything(level, source):
    require(level)
    grader = subprocess.Popen(
        Machine().command(level.name, source, "numpy", "--announce"),
        env=Machine().environment,
        stdout=subprocess.PIPE,
        text=True,
    )
    sandbox = int(grader.stdout.readline())
    zygote_and_child = 2 + ("namespaces" in level.layers)  # bubblewrap itself stays as the third
    _wait_until(lambda: len(descendants(sandbox)) == zygote_and_child)
    started = descendants(sandbox)
    grader.kill()
    grader.communicate()
    _wait_until(lambda: not any(map(is_running, started)))


@pytest.mark.parametrize("level", [FULL, NO_NAMESPACES], ids=lambda level: level.name)
def test_dead_sandbox_is_replaced_and_the_submission_graded(level):
    require(level)
    with LevelPool(level) as pool:
        first = pool.sandbox("numpy")._process.pid
        for process in descendants(first):
            os.kill(process, signal.SIGKILL)
        report = pool.run(Request(ADDS, ONE_CALL))
        assert [answer.value for answer in report.answers] == [3]
        assert pool.sandbox("numpy")._process.pid != first


def test_closed_sandbox_leaves_no_process():
    require(FULL)
    with LevelPool(FULL) as pool:
        pool.run(Request(ADDS, ONE_CALL))
        started = descendants(pool.sandbox("numpy")._process.pid)
    _wait_until(lambda: not any(map(is_running, started)))


def test_zygote_does_not_grow_from_submission_to_submission():
    require(FULL)
    greedy = Code("a.py", {"a.py": "import numpy as np\nkept = np.ones(5_000_000)\nprint('x' * 100_000)\n"})
    with LevelPool(FULL) as pool:
        sandbox = pool.sandbox("numpy")
        pool.run(Request(greedy, []))
        before = sum(map(memory_of, descendants(sandbox._process.pid)))
        for _ in range(50):
            assert pool.run(Request(greedy, [])).status == "graded"
        assert sum(map(memory_of, descendants(sandbox._process.pid))) - before < 1024


def test_nothing_of_one_submission_is_seen_by_the_next():
    require(FULL)
    modules = "import builtins, os, numpy\n"
    leaves = modules + "builtins.left = numpy.left = 1\nos.environ['LEFT'] = '1'\n"
    looks = modules + "print(hasattr(builtins, 'left'), hasattr(numpy, 'left'), os.getenv('LEFT'))\n"
    with LevelPool(FULL) as pool:
        assert pool.run(Request(Code("a.py", {"a.py": leaves}), [])).status == "graded"
        assert pool.run(Request(Code("b.py", {"b.py": looks}), [])).output == "False False None\n"


@needs_root
def test_no_two_sandboxes_share_a_user():
    first, second = ClaimedUser(), ClaimedUser()
    assert first.uid != second.uid
    first.release()
    third = ClaimedUser()
    assert third.uid != second.uid
    for user in (second, third):
        user.release()


def _wait_until(happens):
    """Wait for something that comes at once or not at all."""
    deadline = time.monotonic() + PATIENCE
    while not happens():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.02)
