"""Limits of a process, and what a submission finds around it in the process that was forked for it."""

import importlib.util
import os
import sys

import pytest

from autograder.sandbox.levels import PROCESS_ONLY
from autograder.sandbox.report import Status
from autograder.sandbox.request import WORKER_ENVIRONMENT, Limits
from autograder.sandbox.warm import WarmSandbox

from .asking import ask, call, module, values

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="limits and warm workers need Linux")

LIMITS = Limits(cpu_seconds=7, memory_mb=300, answer_mb=3)
MOST_LOOKS = 50


def limit(sandbox, name, limits=LIMITS):
    """One kernel limit, soft and hard, as a submission sees it."""
    source = f"import resource\ndef f(): return resource.getrlimit(resource.{name})"
    [value] = values(ask(sandbox, module(source), call("f"), limits=limits))
    return value


@pytest.mark.parametrize(
    ("name", "soft", "hard"),
    [
        ("RLIMIT_CPU", 7, 8),
        ("RLIMIT_FSIZE", 3 << 20, 3 << 20),
        ("RLIMIT_NOFILE", 64, 64),
        ("RLIMIT_CORE", 0, 0),
    ],
)
def test_a_submission_runs_under_the_homeworks_limits(sandbox, name, soft, hard):
    assert limit(sandbox, name) == (soft, hard)


def test_memory_is_counted_on_top_of_what_the_libraries_need(sandbox):
    small, large = (limit(sandbox, "RLIMIT_AS", Limits(memory_mb=size))[0] for size in (100, 300))
    assert large - small == 200 << 20
    assert small > 100 << 20


def test_a_processor_limit_below_a_second_is_rounded_up(sandbox):
    assert limit(sandbox, "RLIMIT_CPU", Limits(cpu_seconds=0.4)) == (1, 2)


def test_a_submission_cannot_take_its_limits_off(sandbox):
    source = """
    import resource
    def f():
        resource.setrlimit(resource.RLIMIT_FSIZE, (3 << 20, 3 << 20))
        soft, hard = resource.getrlimit(resource.RLIMIT_CPU)
        resource.setrlimit(resource.RLIMIT_CPU, (hard, hard))
        return hard
    """
    assert values(ask(sandbox, module(source), call("f"), limits=LIMITS)) == [8]


def test_a_homework_may_not_open_files_without_end(sandbox):
    source = "import os\ndef f(): return [os.open('/dev/null', 0) for _ in range(100)]\ndef g(): return 1"
    many, other = ask(sandbox, module(source), call("f"), call("g"), limits=LIMITS).answers
    assert many.error.type == "OSError"
    assert other.value == 1


def test_a_submission_has_no_groups_no_capabilities_and_few_threads(sandbox):
    if os.geteuid() != 0:
        pytest.skip("only root gives other user ids away")
    source = """
    import ctypes, os, resource
    def f():
        sets = (ctypes.c_uint32 * 6)()
        ctypes.CDLL(None).capget((ctypes.c_uint32 * 2)(0x20080522, 0), sets)
        return os.getgroups(), list(sets), resource.getrlimit(resource.RLIMIT_NPROC)
    """
    assert values(ask(sandbox, module(source), call("f"))) == [([], [0] * 6, (64, 64))]


@pytest.mark.parametrize(("size", "fits"), [(50, True), (1000, False)])
def test_memory_within_the_limit_is_there_and_beyond_it_is_not(sandbox, size, fits):
    source = "def f(megabytes): return len(bytearray(megabytes << 20))"
    [answer] = ask(sandbox, module(source), call("f", size), limits=LIMITS).answers
    assert answer.is_usable is fits
    assert answer.error is None or answer.error.type == "MemoryError"


def test_only_a_call_with_a_limit_of_its_own_has_more_processor_time(sandbox):
    source = """
    import resource
    def f(): return resource.getrlimit(resource.RLIMIT_CPU)
    def long(): return f()
    """
    limits = Limits(cpu_seconds=7, of_functions={"long": 20})
    report = ask(sandbox, module(source), call("f"), call("long"), call("f"), limits=limits)
    assert values(report)[:2] == [(7, 28), (27, 28)]
    assert values(report)[2] in [(7, 28), (8, 28)]


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
    # On a busy machine a process that was killed may not have ended yet.
    for _ in range(MOST_LOOKS):
        alive = value_in_process(
            weak_sandbox, f"os.path.exists('/proc/{child}/exe') and open('/proc/{child}/stat').read()"
        )
        if not alive or alive.split()[2] in "ZX":
            return
    pytest.fail(f"the process still runs: {alive}")


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
