"""Several homeworks in one submission: what may be quoted of any of them comes before all hidden inputs."""

from dataclasses import replace

import pytest

from autograder.grading.runs import run_handins
from autograder.sandbox.pool import SandboxPool
from autograder.sandbox.report import Status
from autograder.sandbox.request import Code, SharedCalls

IDS = ("hw1_attention_scores", "hw3_scaled_dot_product_attention", "hw4_self_attention_columns")
FAT = "much = bytearray(400 << 20)\n"
"""Two such processes have more memory than all that wait may have."""
DIES_AT_ONCE = "import posix\nposix._exit(3)\n"
DIES_WHEN_CALLED = "import posix\ndef softmax(x): posix._exit(3)\n"


def packed(call):
    return SharedCalls([call]).packed


class Recorder(SandboxPool):
    """Notes when a run begins, and with which inputs, and when its second stage begins."""

    def __init__(self, hidden):
        super().__init__()
        self.events = []
        self._hidden = hidden

    def run(self, request):
        entry = request.code.entry
        calls = request.calls.calls if isinstance(request.calls, SharedCalls) else request.calls
        has_hidden = any(packed(call) in self._hidden for call in calls)
        self.events.append((entry, "hidden" if has_hidden else "open"))
        if request.later_calls is None:
            return super().run(request)
        before_later = request.before_later

        def note():
            if before_later is not None:
                before_later()
            self.events.append((entry, "hidden"))

        return super().run(replace(request, before_later=note))


@pytest.fixture
def suites(suite_of):
    return [suite_of(homework) for homework in IDS]


def graded(texts, suites):
    """Run one text for each homework, and return how each ended and what happened in which order."""
    stubs = [suite.homework.stub for suite in suites]
    codes = [Code(stub, {stub: text}) for stub, text in zip(stubs, texts, strict=True)]
    hidden = [case for suite in suites for case in suite.hidden_cases.values()]
    with Recorder({packed(case.as_mapping()) for case in hidden}) as pool:
        runs = run_handins(list(zip(codes, suites, strict=True)), pool)
    return [run.status for run in runs], pool.events


def solutions(suites):
    return [suite.homework.solution.read_text("utf-8") for suite in suites]


def test_all_first_stages_come_first_and_no_run_is_added(suites):
    statuses, events = graded(solutions(suites), suites)
    first, second, third = (suite.homework.stub for suite in suites)
    assert statuses == [Status.GRADED] * 3
    assert events == [
        (first, "open"),
        (second, "open"),
        (third, "open"),
        (third, "hidden"),
        (second, "hidden"),
        (first, "hidden"),
    ]


@pytest.mark.parametrize("place", range(3))
@pytest.mark.parametrize(
    ("begins", "status"),
    [
        (DIES_AT_ONCE, Status.CRASHED),
        (DIES_WHEN_CALLED, Status.CRASHED),
        ("def f(:", Status.IMPORT_FAILED),
        ("much = bytearray(2 << 30)\n" + DIES_AT_ONCE, Status.CRASHED),
    ],
    ids=["dies-at-once", "dies-when-called", "cannot-be-imported", "much-memory"],
)
def test_nothing_open_comes_after_hidden_inputs_whichever_homework_dies(suites, place, begins, status):
    texts = solutions(suites)
    texts[place] = begins
    statuses, events = graded(texts, suites)
    assert statuses == [status if number == place else Status.GRADED for number in range(3)]
    kinds = [kind for _, kind in events]
    assert kinds == sorted(kinds, reverse=True), events
    assert {entry for entry, _ in events} == {suite.homework.stub for suite in suites}


def test_right_homeworks_that_are_too_large_to_wait_are_right(suites):
    statuses, events = graded([FAT + text for text in solutions(suites)], suites)
    assert statuses == [Status.GRADED] * 3
    kinds = [kind for _, kind in events]
    assert kinds == sorted(kinds, reverse=True), events
