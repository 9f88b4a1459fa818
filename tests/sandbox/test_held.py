"""Processes that wait between their two stages while other code of the same submission runs."""

import os
import time
from dataclasses import replace

import pytest

from autograder.sandbox.levels import PROCESS_ONLY
from autograder.sandbox.pool import SandboxPool
from autograder.sandbox.report import Status
from autograder.sandbox.warm import ProcessLetGo

from .asking import is_well, run
from .test_two_stages import call, needs_linux, request, values
from .test_warm import children, open_descriptors

COUNTS = "seen = []\ndef f(x): seen.append(x); return [*seen]"
MANY_MB = 700
"""More than all processes that are held may have together, and less than one of them may use."""


def twice(source, before_later, **limits):
    return replace(request(source, [call("f", 1)], [call("f", 2)], **limits), before_later=before_later)


def test_what_comes_between_happens_after_the_first_stage_and_before_the_second(either):
    reports = []

    def innermost():
        reports.append(either.run(request(COUNTS, [call("f", 1)], [call("f", 2)])))

    def inner():
        reports.append(either.run(twice(COUNTS, innermost)))

    reports.append(either.run(twice(COUNTS, inner)))
    assert [report.status for report in reports] == [Status.GRADED] * 3
    assert [values(report) for report in reports] == [[[1], [1, 2]]] * 3
    assert is_well(either)


def test_nothing_comes_between_where_there_is_no_second_stage(either):
    def never():
        raise AssertionError("called")

    assert either.run(twice("def f(:", never)).status is Status.IMPORT_FAILED
    assert either.run(twice("import posix\nposix._exit(1)", never)).status is Status.CRASHED


@needs_linux
def test_who_waits_does_nothing_meanwhile_and_loses_no_time(warm):
    source = """
    import threading, time
    ticks = 0
    def tick():
        global ticks
        while True:
            ticks += 1
            time.sleep(0.01)
    threading.Thread(target=tick, daemon=True).start()
    def f(x):
        time.sleep(0.1)
        return ticks, time.monotonic()
    """
    report = warm.run(twice(source, lambda: time.sleep(3), seconds=2.0))
    assert report.status is Status.GRADED
    (ticks, started), (later_ticks, ended) = (answer.value for answer in report.answers)
    assert ended - started > 2.9
    assert later_ticks - ticks < 100


@needs_linux
def test_who_has_much_memory_does_not_wait_and_is_run_again_for_the_second_stage(warm):
    source = f"much = bytearray({MANY_MB} << 20)\n{COUNTS}"
    ended = []
    with pytest.raises(ProcessLetGo) as caught:
        warm.run(twice(source, lambda: ended.append(run(warm, "def f(): return 7"))))
    assert [values(report) for report in ended] == [[7]]
    assert caught.value.first is not None
    assert values(caught.value.first) == [[1]]
    with SandboxPool() as pool:
        report = pool.run(twice(source, lambda: ended.append(run(pool, "def f(): return 7"))))
        assert (report.status, values(report)) == (Status.GRADED, [[1], [2]])
        assert [values(each) for each in ended] == [[7]] * 2
        assert is_well(pool)


@needs_linux
def test_memory_of_all_who_wait_counts_together(warm):
    source = f"much = bytearray({MANY_MB // 2} << 20)\n{COUNTS}"
    inner = []

    def inner_run():
        with pytest.raises(ProcessLetGo):
            warm.run(twice(source, lambda: inner.append("innermost")))
        inner.append("inner")

    report = warm.run(twice(source, inner_run))
    assert inner == ["innermost", "inner"]
    assert (report.status, values(report)) == (Status.GRADED, [[1], [1, 2]])


@needs_linux
def test_who_is_dead_before_it_is_held_has_its_first_answers(warm):
    source = """
    import os
    write = os.write
    def leave(*arguments):
        write(*arguments)
        os._exit(3)
    def f(x):
        os.write = lambda file, data: leave(file, data) if file == 203 else write(file, data)
        return x
    """
    between = []
    for _ in range(10):
        report = warm.run(twice(source, lambda: between.append(run(warm, "def f(): return 7"))))
        assert (report.status, values(report)) == (Status.CRASHED, [1])
    assert [values(each) for each in between] == [[7]] * 10
    assert is_well(warm)


@needs_linux
def test_the_next_one_cannot_end_or_wake_who_waits_and_leaves_nothing(warm):
    before = open_descriptors(), children()
    source = "import os, signal\ndef f():\n    for number in (9, 18): os.kill(-1, number)"
    report = warm.run(twice(COUNTS, lambda: run(warm, source)))
    # Both belong to one student: whoever ends the other has lost its own points.
    assert report.status in (Status.GRADED, Status.CRASHED)
    assert values(report)[0] == [1]
    assert is_well(warm)
    assert (open_descriptors(), children()) == before


@needs_linux
def test_a_sandbox_that_dies_meanwhile_is_not_asked_the_first_again(tmp_path, monkeypatch):
    monkeypatch.setattr("autograder.sandbox.warm.strongest_level", lambda: PROCESS_ONLY)
    mark = tmp_path / "mark"
    kills = f"""
    import os, posix, time
    def f():
        if not posix.access({str(mark)!r}, posix.F_OK):
            posix.close(posix.open({str(mark)!r}, posix.O_CREAT | posix.O_WRONLY))
            os.kill(os.getppid(), 9)
            time.sleep(60)
        return 7
    """
    waits = f"import posix\ndef f(x): return x, posix.access({str(mark)!r}, posix.F_OK)"
    between = []
    with SandboxPool() as pool:
        report = pool.run(twice(waits, lambda: between.append(run(pool, kills))))
    assert os.path.exists(mark)
    assert [values(each) for each in between] == [[7]]
    assert (report.status, values(report)) == (Status.GRADED, [(1, False), (2, True)])


@needs_linux
def test_a_fault_of_ours_meanwhile_leaves_a_pool_that_goes_on():
    def fails():
        raise RuntimeError("our fault")

    with SandboxPool() as pool:
        with pytest.raises(RuntimeError, match="our fault"):
            pool.run(twice(COUNTS, fails))
        assert is_well(pool)


def test_after_what_comes_between_the_pool_says_how_long_the_rest_may_take():
    replies = []
    with SandboxPool(replies.append) as pool:
        pool.run(twice(COUNTS, lambda: run(pool, "def f(): return 7", seconds=5.0), seconds=4.0))
    assert replies == [4.0, 5.0, 0, 4.0, 0]


@needs_linux
def test_threads_of_who_waits_take_none_from_the_next(warm):
    source = """
    import threading, time
    def f(*x):
        threading.stack_size(1 << 18)
        for number in range(40): threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
        return threading.active_count()
    """
    source_once = source.replace("def f(*x):", "def f(x):\n        if x > 1: return 0")
    inner = []
    report = warm.run(twice(source_once, lambda: inner.append(run(warm, source))))
    assert [values(each) for each in (report, *inner)] == [[41, 0], [41]]
