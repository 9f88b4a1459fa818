"""One task brings the process down: it loses its points, and the others keep theirs."""

from dataclasses import replace

import pytest
from wording import to_students

from autograder.course.cases import FunctionCall
from autograder.grading.grade import grade_handin
from autograder.sandbox.report import Status
from autograder.sandbox.request import Limits, SharedCalls

from .asking import DOUBLE, code, outcomes, reason


def assert_only_totals_lost(result, status):
    assert outcomes(result) == {"double_published": "passed", "double_sizes": "passed", "totals": "failed"}
    assert (result.status, result.earned) == (status, 3)


FILLS_MEMORY = """
kept = []
def totals(x):
    if not kept:
        kept.append(x)
        return np.ones(10_000_000, np.int8)
    try:
        while True: kept.append(bytes(1 << 20))
    except MemoryError:
        del kept[-8:]
        return 1
"""
"""The memory that is left is enough for the call, and too little to pack the answers."""


@pytest.fixture
def graded_briefly(suite, pool):
    """Grade the text of a file with little memory, and little time where it has a loop."""

    def graded(text):
        seconds = 0.5 if "while True: pass" in text else 9.0
        limits = replace(Limits(), call_seconds=seconds, memory_mb=200, answer_mb=16)
        return grade_handin(code(text), replace(suite, homework=replace(suite.homework, limits=limits)), pool)

    return graded


@pytest.mark.parametrize(
    ("totals", "status", "said", "detail"),
    [
        ("def totals(x):\n    while True: pass", Status.TIME_LIMIT, "did not finish in time", ""),
        ("def totals(x): import os; os._exit(0)", Status.CRASHED, "ended the whole process", "exit status 0"),
        ("def totals(x): import os; os._exit(3)", Status.CRASHED, "ended the whole process", "exit status 3"),
        ("def totals(x): return np.ones((1 << 20, 1 << 20))", Status.MEMORY_LIMIT, "MemoryError", ""),
        (FILLS_MEMORY, Status.MEMORY_LIMIT, "MemoryError", "200 MiB"),
        (
            "def totals(x): return np.ones(17 << 20, np.int8)",
            Status.INVALID_ANSWER,
            "too large",
            "limit 16 MiB",
        ),
    ],
    ids=["loop", "exit 0", "exit 3", "too large an array", "memory filled", "too large an answer"],
)
def test_what_brings_the_process_down_or_reaches_a_limit_costs_its_own_task(
    graded_briefly, totals, status, said, detail
):
    result = graded_briefly(f"{DOUBLE}\n{totals}\n")
    assert_only_totals_lost(result, status)
    assert reason(result, "totals").startswith("`totals`")
    assert said in reason(result, "totals")
    assert detail in result.detail


def test_where_one_task_has_too_little_time_and_another_too_little_memory_time_is_the_status(graded_briefly):
    text = "import numpy as np\ndef double(x): return np.ones((1 << 20, 1 << 20))\n"
    assert graded_briefly(f"{text}def totals(x):\n    while True: pass\n").status is Status.TIME_LIMIT


def test_an_endless_loop_that_cannot_be_interrupted_costs_its_own_task(suite, pool):
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


def test_a_crash_in_one_task_does_not_hide_what_is_known_of_the_others(grade):
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


def test_what_was_printed_before_a_crash_is_kept(grade):
    text = f"{DOUBLE}\nprint('loaded', flush=True)\ndef totals(x):\n    import os\n    os._exit(3)\n"
    assert "loaded" in grade(text).output


# The order of runs: hidden inputs come last, and what is quoted is never asked after them


class RememberingPool:
    """Runs what it is asked, and remembers the requests."""

    def __init__(self, pool):
        self._pool = pool
        self.requests = []

    def run(self, request):
        self.requests.append(request)
        return self._pool.run(request)


def kinds_of_runs(text, suite, pool):
    """What each run was given: nothing, public inputs, hidden ones, or both in two stages."""
    remembering = RememberingPool(pool)
    grade_handin(code(text), suite, remembering)
    hidden = {id(call.args[0]) for call in suite.hidden_cases.values() if isinstance(call, FunctionCall)}
    kinds = []
    for request in remembering.requests:
        sent = request.calls.calls if isinstance(request.calls, SharedCalls) else request.calls
        calls = [call for call in sent if "args" in call]
        if request.later_calls is not None:
            kinds.append("two stages")
        elif not calls:
            kinds.append("quiet")
        else:
            kinds.append("hidden" if any(id(call["args"][0]) in hidden for call in calls) else "open")
    return kinds


def test_after_a_crash_with_public_inputs_hidden_ones_come_last(suite, pool):
    text = f"{DOUBLE}\ndef totals(x):\n    import os\n    os._exit(3)\n"
    # `totals` is not run with hidden inputs: it has brought a run with public ones down.
    assert kinds_of_runs(text, suite, pool) == ["two stages", "quiet", "open", "open", "hidden"]


def test_after_a_crash_with_hidden_inputs_nothing_else_is_asked(suite, pool):
    public = [call.args[0].tolist() for call in suite.open_cases.values()]
    text = f"""{DOUBLE}
PUBLIC = {public!r}
def totals(x):
    import os
    if x.tolist() not in PUBLIC:
        os._exit(3)
    return x.sum(), np.prod(x)
"""
    assert kinds_of_runs(text, suite, pool) == ["two stages", "hidden", "hidden"]


def test_a_crash_with_hidden_inputs_leaves_what_was_answered_before(suite, pool):
    public = [call.args[0].tolist() for call in suite.open_cases.values()]
    text = f"""import numpy as np
PUBLIC = {public!r}
def double(x):
    import os
    if x.tolist() not in PUBLIC:
        os._exit(3)
    return 2 * x
def totals(x):
    return x.sum(), np.prod(x)
"""
    result = grade_handin(code(text), suite, pool)
    assert result.status is Status.CRASHED
    assert outcomes(result) == {"double_published": "passed", "double_sizes": "failed", "totals": "passed"}
    assert "exit status 3" in result.detail
