"""Which functions surely keep nothing from one call to the next: for these no run need show it."""

import pytest

from autograder.reasons.student_code import StudentCode
from autograder.reasons.without_memory import keeps_nothing
from autograder.sandbox.request import Cell, Code
from autograder.verdict.fixtures import SubmissionProxy

HW1 = "hw1_attention_scores"
OUTPUT = "return attention_weights @ V"

PURE = """\
import numpy as np
from math import sqrt

SCALE = -2.0

def softmax(x):
    exponentials = np.exp(x - x.max(axis=-1, keepdims=True))
    exponentials /= exponentials.sum(axis=-1, keepdims=True)
    return exponentials

def attention(Q, K, V, scale=None):
    weights = softmax(SCALE * Q @ K.T / sqrt(len(K)))
    rows = [sum(weight * row for weight, row in zip(row_weights, V)) for row_weights in weights]
    if not isinstance(V, np.ndarray):
        raise ValueError("no array")
    return np.where(rows == 0, 0, rows)

print(attention(np.eye(2), np.eye(2), np.eye(2)))
"""


def code(text):
    return StudentCode(Code("a.py", {"a.py": text}))


def test_a_function_of_its_arguments_and_of_numpy_keeps_nothing():
    assert keeps_nothing(code(PURE), "attention")
    assert keeps_nothing(code(PURE), "softmax")


def test_what_other_functions_draw_does_not_matter():
    other = "\ndef noise(x):\n    return np.random.normal(size=3) + np.empty(3)\n\nnp.random.seed(0)\n"
    assert keeps_nothing(code(PURE + other), "attention")
    assert not keeps_nothing(code(PURE + other), "noise")


def test_a_deleted_name_is_in_doubt_and_no_other():
    text = PURE + "\nanswers = {}\ndel answers\n"
    assert keeps_nothing(code(text), "attention")
    assert not keeps_nothing(code(PURE + "\ndel softmax\n"), "attention")
    assert not keeps_nothing(code(PURE + "\ndel softmax.calls\n"), "attention")
    assert not keeps_nothing(code(PURE + "\nif True:\n    del softmax\n"), "attention")


def test_cells_of_a_notebook_are_read_together():
    head, _, tail = PURE.partition("def attention")
    cells = [Cell(1, f"%matplotlib inline\n{head}"), Cell(2, f"def attention{tail}")]
    assert keeps_nothing(StudentCode(Code("a.ipynb", cells=cells)), "attention")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("scale=None", "seen=[]"),
        ("scale=None", "seen=np.zeros(3)"),
        ("SCALE = -2.0", "SCALE = [2.0]"),
        ("SCALE = -2.0", "SCALE = 2.0\nSCALE = 3.0"),
        ("def softmax", "from functools import cache\n@cache\ndef softmax"),
        ("    return exponentials", "    softmax.calls = 1\n    return exponentials"),
        ("    return exponentials", "    global SCALE\n    SCALE *= 2\n    return exponentials"),
        ("    return exponentials", "    globals()['SCALE'] *= 2\n    return exponentials"),
        ("    return exponentials", "    return exponentials + np.random.default_rng().normal()"),
        ("    return exponentials", "    return np.empty(3)"),
        ("    return exponentials", "    return np.ndarray(3)"),
        ("    return exponentials", "    return np.exp(x, where=x > 0)"),
        ("    return exponentials", "    return helper(x)"),
        ("import numpy as np", "import numpy as np\nnp.exp = print"),
        ("import numpy as np", "import numpy as np\nsetattr(np, 'exp', print)"),
        ("import numpy as np", "import numpy as np\nimport helpers as np"),
        ("from math import sqrt", "from math import *"),
        ("from math import sqrt", "from helpers import sqrt"),
        ("from math import sqrt", "from numpy.random import rand as sqrt"),
        ("from math import sqrt", "from numpy import random as sqrt"),
        ("def softmax", "len = print\ndef softmax"),
        ("def softmax(x):", "def softmax(x:"),
    ],
)
def test_any_doubt_means_that_a_run_must_show_it(old, new):
    assert PURE.count(old) == 1
    assert not keeps_nothing(code(PURE.replace(old, new)), "attention")


def test_a_name_that_is_no_function_and_several_files_are_in_doubt():
    assert not keeps_nothing(code(PURE), "missing")
    assert not keeps_nothing(code(PURE), "sum")
    assert not keeps_nothing(code(PURE), "SCALE")
    assert not keeps_nothing(StudentCode(Code("a.py", {"a.py": PURE, "b.py": ""})), "softmax")


@pytest.mark.parametrize(("parameters", "is_asked"), [("V", False), ("V, seen=[]", True)])
def test_only_code_that_may_keep_something_is_run_again_to_see_whether_it_does(
    grade_text, course, monkeypatch, parameters, is_asked
):
    source = course.homework(HW1).solution.read_text("utf-8")
    head = "def attention_output(attention_weights, V)"
    assert source.count(head) == source.count(OUTPUT) == 1
    text = source.replace(head, head.replace("V)", f"{parameters})")).replace(OUTPUT, f"{OUTPUT} ** 3 + 0.3")
    keys = []
    calls_anew = SubmissionProxy.calls_anew

    def noting(submission, key, calls):
        keys.append(key)
        return calls_anew(submission, key, calls)

    monkeypatch.setattr(SubmissionProxy, "calls_anew", noting)
    failed = [
        check for check in grade_text(HW1, text).checks if check.task == "attention_output" and check.reason
    ]
    assert failed
    assert any(key.endswith("with nothing before") for key in keys) == is_asked


@pytest.mark.parametrize(
    "text",
    [
        PURE + "\n" + "# a long comment\n" * 20_000,
        PURE.replace("return np.where", f"return {' + '.join(['V'] * 3000)} + np.where"),
        PURE + "\n)",
        PURE + "\nx = '\0'",
    ],
    ids=["long", "deep", "no Python", "null character"],
)
def test_of_code_that_cannot_be_read_nothing_is_sure(text):
    assert not keeps_nothing(code(text), "attention")
