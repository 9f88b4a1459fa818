"""Arrays of one entry are taken for numbers where NumPy took them before 2.4, and nothing else changes."""

import textwrap
import time
import traceback

import numpy as np
import pytest

from autograder.worker.one_entry import parse

START = """
import math
import math as m
from math import exp, hypot
import numpy as np
a = np.array([[3.0]])
"""


def run(text):
    namespace = {}
    exec(compile(parse(START + textwrap.dedent(text), "handed_in.py"), "handed_in.py", "exec"), namespace)
    return namespace


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("float(a)", 3.0),
        ("int(a)", 3),
        ("complex(a, 1)", 3 + 1j),
        ("math.exp(a)", np.exp(3.0)),
        ("m.sqrt(a[0])", np.sqrt(3.0)),
        ("exp(a)", np.exp(3.0)),
        ("hypot(a, np.array([4]))", 5.0),
        ("math.pow(np.matrix(a), 2)", 9.0),
        ("list(map(float, [a, 2, a[0]]))", [3.0, 2.0, 3.0]),
        ("[float(one) for one in (a, '1', np.float32(2))]", [3.0, 1.0, 2.0]),
        ("(lambda column: float(column.T @ column))(np.ones((3, 1)))", 3.0),
    ],
)
def test_functions_of_numbers_take_arrays_of_one_entry(expression, value):
    got = run(f"got = {expression}")["got"]
    assert got == value
    assert not isinstance(got, np.ndarray)


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("math.fsum(a[0])", 3.0),
        ("math.prod(a[0])", 3.0),
        ("math.dist(a[0], np.ones(1))", 2.0),
        ("list(map(math.fsum, [a[0]]))", [3.0]),
    ],
)
def test_functions_of_sequences_take_an_array_of_one_entry_as_a_sequence(expression, value):
    assert run(f"got = {expression}")["got"] == value


def test_items_of_arrays_are_set_to_arrays_of_one_entry():
    text = """
    scores, table = np.zeros(3), np.zeros((2, 2), dtype=int)
    scores[0] = a
    scores[-1] += a[0]
    table[1, 0], other = a, 2
    for scores[1] in (a, 2 * a):
        pass
    """
    namespace = run(text)
    assert namespace["scores"].tolist() == [3.0, 6.0, 3.0]
    assert namespace["table"].tolist() == [[0, 0], [3, 0]]


def test_everything_else_is_as_it_was():
    text = """
    kept, named, columns = [0, 1], {}, np.zeros((2, 1))
    kept[0] = a
    named["a"] = a
    columns[0] = a
    columns[1:] = a
    columns[:, 0] *= 2
    roots = np.sqrt(a), np.exp(a).shape
    is_float = isinstance(1.0, float)
    def float(x):
        return x
    own = float(a)
    order = []
    def say(word, value):
        order.append(word)
        return value
    say("container", kept)[say("index", 1)] = say("value", 5)
    """
    namespace = run(text)
    assert namespace["kept"][0] is namespace["named"]["a"] is namespace["own"] is namespace["a"]
    assert namespace["columns"].tolist() == [[6.0], [6.0]]
    assert namespace["roots"] == (np.sqrt([[3.0]]), (1, 1))
    assert namespace["is_float"]
    assert namespace["order"] == ["value", "container", "index"]


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("float(np.ones(2))", TypeError),
        ("math.exp('1')", TypeError),
        ("int('x')", ValueError),
        ("np.zeros(2)[0]", None),
        ("np.zeros(2).__setitem__(0, np.ones(2))", ValueError),
    ],
)
def test_what_was_wrong_still_is(line, error):
    if error is None:
        run(line)
        return
    with pytest.raises(error):
        run(line)


def test_a_longer_array_fits_no_item_and_errors_keep_their_line():
    text = "x = np.zeros(2)\n\nx[0] = np.ones(2)"
    with pytest.raises(ValueError, match="sequence") as caught:
        run(text)
    lines = [frame.lineno for frame in traceback.extract_tb(caught.tb) if frame.filename == "handed_in.py"]
    assert lines == [len(START.splitlines()) + 3]


def test_long_expressions_and_files_are_read_as_quickly_as_python_reads_them():
    long = f"x = {' + '.join(['1'] * 500)}\n" + "y = [float(1)]\ny[0] = math.exp(2)\n" * 2000
    started = time.perf_counter()
    assert run(long)["x"] == 500
    assert time.perf_counter() - started < 5
