"""What a submission finds around it in the process that was forked for it."""

import importlib.util
import sys

import pytest

from autograder.sandbox.levels import PROCESS_ONLY
from autograder.sandbox.report import Status
from autograder.sandbox.request import WORKER_ENVIRONMENT
from autograder.sandbox.warm import WarmSandbox

from .asking import ask, call, module, values

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="a warm worker needs Linux")


@pytest.fixture(scope="module")
def weak_sandbox():
    """A sandbox without the layers that hide ``/proc`` and stop a fork."""
    opened = WarmSandbox("numpy", PROCESS_ONLY)
    yield opened
    opened.close()


def value_in_process(sandbox, expression):
    """The value of an expression inside of a submission's process."""
    source = f"import gc, os, posix, signal, sys, threading\ndef f(): return {expression}"
    return values(ask(sandbox, module(source), call("f")))[0]


def test_only_the_standard_streams_and_the_answer_are_open(sandbox):
    assert value_in_process(sandbox, "[number for number in range(4096) if os.path.exists(number)]") == [
        0,
        1,
        2,
        201,
    ]


def test_each_submission_has_a_process_and_a_group_of_its_own(sandbox):
    first, second = (value_in_process(sandbox, "(os.getpid(), os.getpgid(0))") for _ in range(2))
    assert first[0] == first[1]
    assert first != second


def test_there_is_one_thread(weak_sandbox):
    assert value_in_process(weak_sandbox, "len(os.listdir('/proc/self/task'))") == 1


def test_the_environment_tells_nothing_of_the_graders(sandbox):
    assert set(value_in_process(sandbox, "list(os.environ)")) <= set(WORKER_ENVIRONMENT)
    assert value_in_process(sandbox, "posix.getcwd()") == "/"


def test_standard_input_is_empty(sandbox):
    assert value_in_process(sandbox, "sys.stdin.read()") == ""


def test_interrupts_behave_as_in_any_python(sandbox):
    assert value_in_process(sandbox, "signal.getsignal(signal.SIGINT) is signal.default_int_handler") is True
    assert value_in_process(sandbox, "signal.getsignal(signal.SIGTERM) == signal.SIG_DFL") is True


def test_a_process_that_the_submission_started_ends_with_it(weak_sandbox):
    source = """
    import os, time
    def f():
        child = os.fork()
        if child == 0:
            time.sleep(600)
        return child
    """
    [child] = values(ask(weak_sandbox, module(source), call("f")))
    alive = value_in_process(
        weak_sandbox, f"os.path.exists('/proc/{child}/exe') and open('/proc/{child}/stat').read()"
    )
    assert not alive or alive.split()[2] in "ZX"


@pytest.mark.parametrize(
    "module_name",
    ["errors", "sandbox.report", "intake", "course", "verdict.checks", "verdict.store", "cli.app"],
)
def test_no_other_package_of_the_kit_can_be_imported(weak_sandbox, module_name):
    assert importlib.util.find_spec(f"autograder.{module_name}") is not None
    source = f"def f():\n    import autograder.{module_name}\n    return 1"
    [answer] = ask(weak_sandbox, module(source), call("f")).answers
    assert answer.error.type == "ModuleNotFoundError"


def test_two_submissions_know_nothing_of_each_other(sandbox):
    leave = """
    import builtins, os, sys
    import numpy as np
    trace = builtins.left_behind = np.left_behind = sys.left_behind = 1
    os.environ["TRACE"] = "1"
    np.set_printoptions(precision=1)
    np.random.seed(99)
    np.exp = None
    sys.setrecursionlimit(99)
    def f(): return trace
    """
    look = """
    import builtins, os, sys
    import numpy as np
    left = [hasattr(place, "left_behind") for place in (builtins, np, sys)]
    def f():
        return left, "TRACE" in os.environ, str(np.array([1.23456])), np.random.rand(), np.exp(0.0) == 1
    """
    before = values(ask(sandbox, module(look), call("f")))
    assert values(ask(sandbox, module(leave), call("f"))) == [1]
    after = values(ask(sandbox, module(look), call("f")))
    assert before == after
    assert not any(after[0][0])


def test_what_the_kernel_measured_comes_with_the_report(sandbox):
    source = """
    import time
    started = time.process_time()
    def f():
        while time.process_time() < started + 0.1: pass
        return len(bytes(40 << 20).hex())
    """
    report = ask(sandbox, module(source), call("f"))
    assert report.status is Status.GRADED
    assert report.cpu_seconds >= 0.1
    assert report.memory_mb > 40
