import numpy as np
import pytest
from wording import to_students

from autograder.verdict.arrays import kind_of
from autograder.verdict.describe import describe_values
from autograder.verdict.titles import title_of, with_article
from autograder.worker.wire import Tensor, Unsendable

EXPECTED = np.array([[1.0, -2.0], [4.0, 0.5]])
WEIGHTS = np.array([[0.25, 0.75], [0.5, 0.5]])


def described(array, expected=EXPECTED):
    wrong = np.abs(array.astype(float) - expected) > 1e-5
    return describe_values(array, expected, wrong, "the result")


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (None, "nothing (None)"),
        ((1, 2), "a tuple of 2"),
        ([], "a list of 0"),
        (np.ones((3, 4)), "an array of shape (3, 4)"),
        (np.asarray(1.0), "an array of shape ()"),
        (Tensor(np.ones(2)), "a tensor of shape (2,)"),
        (Unsendable("an object of type generator"), "an object of type generator"),
        ({}, "a value of type dict"),
        ("text", "a value of type str"),
    ],
)
def test_every_kind_of_value_has_a_name(value, name):
    assert kind_of(value) == name


def test_the_wrong_entries_are_counted_and_the_first_is_placed():
    text = described(EXPECTED + np.array([[0, 0], [0.3, 0.2]]))
    assert "2 of 4" in text
    assert text == to_students["describe.first-at-index"]


def test_the_place_in_a_vector_is_one_number_and_a_number_has_none():
    assert described(np.array([1.0, 3.0]), np.array([1.0, 2.0])) == to_students["describe.index"]
    assert "index" not in described(np.asarray(3.0), np.asarray(2.0))


def test_zeros_are_called_that():
    text = described(np.zeros((2, 2)), WEIGHTS)
    assert text == to_students["describe.all-entries"]
    assert "sum" not in text


def test_rows_that_should_sum_to_one_and_do_not_are_told():
    assert (
        described(WEIGHTS.T.copy() * [[1, 1], [1, 0.5]], WEIGHTS) == to_students["describe.rows-do-not-sum"]
    )
    assert "rows do not sum to 1" not in described(WEIGHTS[::-1].copy(), WEIGHTS)
    assert "rows do not sum to 1" not in described(EXPECTED * 3)


def test_half_precision_is_named_as_the_cause():
    assert "float16" in described(EXPECTED.astype(np.float16) + np.float16(0.01))
    assert "float16" not in described(EXPECTED + 0.01)
    assert "float16" not in described((EXPECTED + 1).astype(np.float16)), "not the cause"


def test_a_symbol_stands_as_code_and_without_an_article():
    assert [with_article(name) for name in ("Q", "W_q", "attention weights", "ids")] == [
        "`Q`",
        "`W_q`",
        "the attention weights",
        "the ids",
    ]
    assert [title_of(name) for name in ("E", "cache_of_keys")] == ["`E`", "cache of keys"]
