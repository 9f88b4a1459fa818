import dataclasses

import numpy as np
import pytest

from autograder.sandbox import cold as cold_module
from autograder.sandbox.cold import VARIABLES_OF_THE_SYSTEM, ColdSandbox
from autograder.sandbox.report import Status
from autograder.sandbox.request import WORKER_ENVIRONMENT, Cell, Code, Request

from .asking import is_well, run


@pytest.fixture
def cold():
    opened = ColdSandbox("numpy")
    yield opened
    opened.close()


def facts(report):
    """All that a report says of a submission, apart from what was measured."""
    answers = [(repr(a.value), a.error, a.not_defined, a.modified, repr(a.gradients)) for a in report.answers]
    cells = [dataclasses.astuple(cell) for cell in report.stops]
    return report.status, report.detail, answers, report.load_error, cells, report.functions, report.output


SOURCE = """
import numpy as np
D = 4
print("hello, Zürich")
def f(x):
    x -= 1
    return x, np.random.rand(), [None, {"a": 1.5}]
def g(x): return x @ np.ones(D)
def h(x): raise NotImplementedError
def i(x): return 10 ** 13 // 0
"""


@pytest.mark.parametrize(
    "code",
    [
        Code("homework.py", {"homework.py": SOURCE}),
        Code("homework.py", {"homework.py": "import sibling\nf = sibling.f", "sibling.py": SOURCE}),
        Code("homework.py", {"homework.py": "import missing"}),
        Code("homework.ipynb", {}, [Cell(1, SOURCE), Cell(2, "1 / 0"), Cell(3, "display(D)")]),
    ],
    ids=["module", "sibling", "broken", "notebook"],
)
def test_a_cold_sandbox_gives_the_answers_of_a_warm_one(cold, warm, code):
    calls = [{"op": "function", "name": name, "args": [np.eye(3)]} for name in "fghij"]
    request = Request(code, calls)
    assert facts(cold.run(request)) == facts(warm.run(request))


@pytest.mark.parametrize(
    ("source", "status"),
    [
        ("import os\ndef f(): os._exit(0)", Status.CRASHED),
        ("import os\ndef f(): os._exit(1)", Status.CRASHED),
        ("import os\ndef f(): os.abort()", Status.CRASHED),
        ("import numpy as np\ndef f(): return np.ones(1 << 20)", Status.INVALID_ANSWER),
        ("import sys\nsys.exit(1)", Status.IMPORT_FAILED),
        ("import sys\nsys.stdout.close()\ndef f(): return 1", Status.GRADED),
    ],
)
def test_its_statuses_are_those_of_a_warm_one(cold, source, status):
    assert run(cold, source, answer_mb=4).status is status


def test_a_run_that_does_not_end_is_stopped(cold, monkeypatch):
    monkeypatch.setitem(cold_module._START_SECONDS, "numpy", 0.0)
    report = run(cold, "import time\ntime.sleep(600)", seconds=0.5)
    assert report.status is Status.TIME_LIMIT


def test_a_loop_is_interrupted_and_the_next_run_is_well(cold):
    report = run(cold, "def f():\n    while True: pass\ndef g(): return 1", "f", "g", call_seconds=0.3)
    assert report.answers[0].error.type == "TimeLimit"
    assert report.answers[1].value == 1
    assert is_well(cold)


def test_it_hands_on_no_environment_variable_of_the_grader(cold, monkeypatch):
    monkeypatch.setenv("COURSE_TOKEN", "secret")
    source = "import os\ndef f(): return sorted(os.environ), os.environ['HOME']"
    names, home = run(cold, source).answers[0].value
    assert set(names) <= {*WORKER_ENVIRONMENT, *VARIABLES_OF_THE_SYSTEM, "LC_CTYPE"}
    assert home == WORKER_ENVIRONMENT["HOME"]
