"""The lines of a test judge what a submission returned, as a notebook's cell would."""

import numpy as np
import pytest

from autograder.otter.recorded_tests import same_text
from autograder.verdict import CheckFailed
from autograder.verdict.scripts import as_objects, scripted
from autograder.worker.composites import Composite
from autograder.worker.wire import Unsendable

TEXT = "Test 1 does not pass."


@pytest.mark.parametrize(
    ("shows", "value"),
    [
        ("True", True),
        ("True", np.True_),
        ("9", np.int64(9)),
        ("9.0", np.float64(9)),
        ("np.float64(0.25)", 0.25),
        ("array([1., 2.])", np.array([1.0, 2.0])),
        ("'match maker'", "match maker"),
        ("['x', 'y']", ["x", "y"]),
        ("", None),
    ],
)
def test_lines_pass_that_show_the_same(shows, value):
    with scripted(shows, TEXT) as (show, _):
        show(value)


@pytest.mark.parametrize(
    ("shows", "value"),
    [
        ("True", False),
        ("9", 9.0001),
        ("19.99909998", 19.99909999),
        ("'match maker'", "matchmaker"),
        ("'a 1'", "a 1.0"),
        ("['x', 'y']", ["y", "x"]),
        ("array([1, 2])", [1, 2]),
        ("array([1, 2])", np.array([12])),
        ("", 3),
        ("None", None),
    ],
)
def test_lines_fail_that_show_something_else(shows, value):
    with pytest.raises(CheckFailed) as failed, scripted(shows, TEXT) as (show, _):
        show(value)
    assert failed.value.failure.student == TEXT


def test_numbers_next_to_each_other_are_not_one_number():
    for shows, text in (("[1 2]", "[12]"), ("[1 23]", "[12 3]"), ("3\n4", "34")):
        assert not same_text(shows, text)
        with pytest.raises(CheckFailed), scripted(shows, TEXT) as (_, print_text):
            print_text(text)
    assert same_text("[ 1  23]", "[1 23]")


def test_what_is_printed_counts_and_stays_unseen(capsys):
    with scripted("a-b\n'None'", TEXT) as (show, print_text):
        print_text("a", "b", sep="-")
        show("None")
    with pytest.raises(CheckFailed), scripted("", TEXT) as (_, print_text):
        print_text("not sorted")
    assert capsys.readouterr().out == ""


def test_an_assertion_and_an_exception_of_the_test_fail_the_answer():
    value = "text"
    with pytest.raises(CheckFailed) as failed, scripted("", TEXT):
        assert value == 3
    assert failed.value.failure.student == TEXT
    with pytest.raises(CheckFailed) as failed, scripted("True", TEXT) as (show, _):
        show(value < 3)
    assert failed.value.failure.student == f"{TEXT} It stops with TypeError."


@pytest.mark.parametrize(
    "hidden_in",
    [
        lambda value: value,
        lambda value: [1, (value,)],
        lambda value: {"a": value},
        lambda value: Composite("objects", {"dtype": "object", "items": [value]}),
        lambda value: Composite("set", {"items": [[1]]}),
        lambda value: Composite("series", {"values": [1, 2], "index": [1]}),
        lambda value: Unsendable("an object"),
    ],
)
def test_an_answer_is_never_code(hidden_in):
    source = "raise SystemExit('the answer ran')"
    function = Composite("function", {"name": "f", "source": source, "first": []})
    with pytest.raises(CheckFailed):
        as_objects(hidden_in(function))


def test_answers_are_the_objects_that_they_stand_for():
    answer = [np.array(2.5), {"a": np.array(1)}, Composite("set", {"items": [1, 2]}), np.array([3])]
    number, dictionary, items, array = as_objects(answer)
    assert isinstance(number, float)
    assert dictionary == {"a": 1}
    assert items == {1, 2}
    assert isinstance(array, np.ndarray)
