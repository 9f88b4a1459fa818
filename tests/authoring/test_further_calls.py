"""Further calls of checks are made once for all mutants that do not change the called functions."""

from dataclasses import dataclass, field

import pytest

from autograder.authoring.further_calls import FurtherCalls, PoolOfMutant, statements_behind
from autograder.sandbox.report import Answer, RunReport, Status, StudentError
from autograder.sandbox.request import Cell, Code, Request, SharedCalls
from autograder.verdict.explanation_faults import explaining

TEXT = """\
import numpy as np

HALF = 0.5

def scaled(x):
    return HALF * x

def mean(x):
    return scaled(np.sum(x))

def total(x):
    return np.sum(x)
"""
CALL = {"op": "function", "name": "total", "args": [[1, 2]]}


@dataclass
class CountingPool:
    """Answers every run with the same report, and keeps the requests."""

    answer: Answer = field(default_factory=lambda: Answer(value=3))
    requests: list[Request] = field(default_factory=list)

    def run(self, request):
        self.requests.append(request)
        return RunReport(Status.GRADED, answers=[self.answer])


def request(text, calls=(CALL,), **more):
    return Request(Code("a.py", {"a.py": text}), list(calls), **more)


@pytest.fixture
def pool():
    return CountingPool()


@pytest.fixture
def of_mutants(pool):
    return PoolOfMutant(pool, FurtherCalls(TEXT))


def test_a_call_of_unchanged_functions_is_made_once(pool, of_mutants):
    first = of_mutants.run(request(TEXT))
    second = of_mutants.run(request(TEXT.replace("HALF * x", "HALF + x")))
    assert second is first
    assert len(pool.requests) == 1


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("return np.sum(x)\n", "return np.mean(x)\n"),
        ("import numpy as np", "import numpy as np\nnp.sum = np.mean"),
        ("HALF = 0.5", "HALF = 0.5\nnp.random.seed(1)"),
    ],
)
def test_a_call_is_made_again_where_its_function_or_what_runs_at_the_top_is_changed(
    pool, of_mutants, old, new
):
    of_mutants.run(request(TEXT))
    head, _, tail = TEXT.rpartition(old)
    of_mutants.run(request(head + new + tail))
    assert len(pool.requests) == 2


def test_a_function_is_changed_by_what_it_calls_and_reads():
    names = frozenset({"mean"})
    behind = statements_behind(TEXT, names)
    assert statements_behind(TEXT.replace("HALF * x", "HALF + x"), names) != behind
    assert statements_behind(TEXT.replace("HALF = 0.5", "HALF = 0.25"), names) != behind
    assert statements_behind(TEXT.replace("    return np.sum(x)\n", "    return 0\n"), names) == behind


@pytest.mark.parametrize(
    "more",
    [
        "\ndef other(x):\n    return 1\n\nANSWER = other(1)\n",
        "\n@print\ndef other(x):\n    return 1\n",
    ],
)
def test_a_decorated_function_and_a_function_that_is_called_at_the_top_count_for_every_call(more):
    text = TEXT + more
    changed = text.replace("return 1", "return 2")
    assert statements_behind(changed, frozenset({"total"})) != statements_behind(text, frozenset({"total"}))


def test_other_arguments_are_another_call(pool, of_mutants):
    of_mutants.run(request(TEXT))
    of_mutants.run(request(TEXT, [{**CALL, "args": [[1, 3]]}]))
    of_mutants.run(request(TEXT, [{**CALL, "memory_mb": 36}]))
    assert len(pool.requests) == 3


def test_a_call_that_raised_is_made_by_each_mutant_itself(pool, of_mutants):
    pool.answer = Answer(error=StudentError("MemoryError", ""))
    of_mutants.run(request(TEXT))
    of_mutants.run(request(TEXT))
    assert len(pool.requests) == 2


def test_calls_to_all_cases_notebooks_and_explanations_are_always_made(pool, of_mutants):
    notebook = Request(Code("a.ipynb", cells=[Cell(1, TEXT)]), [CALL])
    for always in (
        request(TEXT, later_calls=SharedCalls([CALL])),
        Request(Code("a.py", {"a.py": TEXT}), SharedCalls([CALL])),
        notebook,
    ):
        of_mutants.run(always)
        of_mutants.run(always)
    with explaining("why"):
        of_mutants.run(request(TEXT))
        of_mutants.run(request(TEXT))
    assert len(pool.requests) == 8
