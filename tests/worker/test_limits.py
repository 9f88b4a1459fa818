import os
import sys

import pytest

from autograder.sandbox.request import Limits

from .asking import ask, call, module, values

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the kernel's limits are Linux's here")

LIMITS = Limits(cpu_seconds=7, memory_mb=300, answer_mb=3)


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
