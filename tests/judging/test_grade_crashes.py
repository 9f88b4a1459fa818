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


def test_an_endless_loop_costs_its_own_task(grade):
    result = grade(f"{DOUBLE}\ndef totals(x):\n    while True:\n        pass\n")
    assert_only_totals_lost(result, Status.TIME_LIMIT)
    assert reason(result, "totals") == to_students["handin_crashes.totals-did-not-finish"]


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


@pytest.mark.parametrize("number", [0, 3])
def test_leaving_the_process_costs_its_own_task(grade, number):
    result = grade(f"{DOUBLE}\ndef totals(x):\n    import os\n    os._exit({number})\n")
    assert_only_totals_lost(result, Status.CRASHED)
    assert "`totals`" in reason(result, "totals")
    assert f"exit status {number}" in result.detail


def test_memory_used_up_costs_its_own_task(grade):
    result = grade(f"{DOUBLE}\ndef totals(x):\n    return np.ones((1 << 20, 1 << 20))\n")
    assert_only_totals_lost(result, Status.MEMORY_LIMIT)
    assert "MemoryError" in reason(result, "totals")


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
