"""Further calls of checks are made once for all texts that do not change the called functions."""

from dataclasses import dataclass, field

import pytest

from autograder.authoring.further_calls import FurtherCalls, PoolOfText, statements_behind
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
def of_texts(pool):
    return PoolOfText(pool, FurtherCalls(TEXT))


def test_a_call_of_unchanged_functions_is_made_once(pool, of_texts):
    first = of_texts.run(request(TEXT))
    second = of_texts.run(request(TEXT.replace("HALF * x", "HALF + x")))
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
def test_a_call_is_made_again_where_its_function_or_what_runs_at_the_top_is_changed(pool, of_texts, old, new):
    of_texts.run(request(TEXT))
    head, _, tail = TEXT.rpartition(old)
    of_texts.run(request(head + new + tail))
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


@pytest.mark.parametrize(
    "more",
    ["import numpy as np\nimport math", "import math\nfrom os import path", "import numpy as np"],
)
def test_an_import_that_the_called_function_does_not_need_makes_no_other_call(pool, of_texts, more):
    of_texts.run(request(TEXT))
    of_texts.run(request(TEXT.replace("import numpy as np", f"import numpy as np\n{more}")))
    of_texts.run(request(f"{more}\n{TEXT}"))
    of_texts.run(request(f'{more}\n"""A docstring."""\n{TEXT}'))
    assert len(pool.requests) == 1


@pytest.mark.parametrize(
    "more",
    [
        "from math import *",
        "from statistics import mean as np",
        "import math as np\nimport numpy as np",
        "import torch",
        "import numpy as np, matplotlib",
    ],
)
def test_an_import_that_binds_a_needed_name_or_does_more_makes_another_call(pool, of_texts, more):
    of_texts.run(request(TEXT))
    of_texts.run(request(TEXT.replace("import numpy as np", f"import numpy as np\n{more}")))
    assert len(pool.requests) == 2


def test_code_that_mentions_another_library_makes_its_calls_itself(pool, of_texts):
    of_texts.run(request(TEXT))
    of_texts.run(request(TEXT + "\ndef other(x):\n    import torch\n"))
    assert len(pool.requests) == 2


def test_other_arguments_are_another_call(pool, of_texts):
    of_texts.run(request(TEXT))
    of_texts.run(request(TEXT, [{**CALL, "args": [[1, 3]]}]))
    of_texts.run(request(TEXT, [{**CALL, "memory_mb": 36}]))
    assert len(pool.requests) == 3


def test_a_call_that_raised_is_made_by_each_text_itself(pool, of_texts):
    pool.answer = Answer(error=StudentError("MemoryError", ""))
    of_texts.run(request(TEXT))
    of_texts.run(request(TEXT))
    assert len(pool.requests) == 2


def test_calls_to_all_cases_notebooks_and_explanations_are_always_made(pool, of_texts):
    notebook = Request(Code("a.ipynb", cells=[Cell(1, TEXT)]), [CALL])
    for always in (
        request(TEXT, later_calls=SharedCalls([CALL])),
        Request(Code("a.py", {"a.py": TEXT}), SharedCalls([CALL])),
        notebook,
    ):
        of_texts.run(always)
        of_texts.run(always)
    with explaining("why"):
        of_texts.run(request(TEXT))
        of_texts.run(request(TEXT))
    assert len(pool.requests) == 8
