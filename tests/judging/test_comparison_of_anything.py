"""Whatever a student's process sends, judging it ends in a finding or in none."""

import hypothesis.extra.numpy as hnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autograder.course.cases import Case, FunctionCall
from autograder.exhibits.behaviour import behaviour_of
from autograder.exhibits.exhibits import exhibits
from autograder.sandbox.report import Answer
from autograder.sandbox.request import Limits
from autograder.verdict.arrays import as_array, deviation
from autograder.verdict.comparison import compare_case
from autograder.verdict.known import JudgedCase, KnownCase
from autograder.verdict.work import Work, unpacked
from autograder.worker.composites import NOTHING, PARTS, Composite, Keyed
from autograder.worker.wire import Masked, Tensor, Unsendable

MATRIX = np.array([[0.317, -1.283, 2.419], [4.613, 0.729, -3.851]])
SQUARE = np.array([[1.417, 2.731], [3.259, 4.883]])
WEIGHTS = np.array([[0.2, 0.3, 0.5], [0.6, 0.3, 0.1]])
MASK, SCORES = np.array([[True, False], [True, True]]), np.array([[0.5, -np.inf], [1.5, np.inf]])
EXPECTED = [MATRIX, np.asarray(2.5), (WEIGHTS, MATRIX), [SQUARE] * 3, np.arange(2)]
EXPECTED += [MASK, (MASK, MATRIX), SCORES, np.asarray(True), ((WEIGHTS, MASK), [SQUARE, SQUARE])]
STRUCTURED = ["a text", [], ["x", None, MATRIX], {"a": MATRIX, "b": {"c": "d"}}, 3**300, NOTHING]
STRUCTURED += [
    Composite("set", {"items": [1, "x"]}),
    Composite("table", {"columns": ["n", "who"], "values": [MASK[0], ["a", None]], "index": np.arange(2)}),
    Composite("series", {"values": SCORES[0], "index": ["a", "b"]}),
    Composite("sparse", {"shape": [2, 3], "places": np.array([[0, 1]]), "values": np.ones(1)}),
    Composite("exception", {"name": "ValueError"}),
    Composite("objects", {"dtype": "object", "items": [SQUARE, "end"]}),
]


def masked(array):
    return Masked(array, np.arange(array.size).reshape(array.shape) % 2 == 0)


def keyed(values):
    dictionary = Keyed(values)
    dictionary.sent = tuple(range(len(values)))
    return st.just(dictionary)


def composites(kind, inner, arrays):
    """Whatever the wire lets through: parts of the right types that need not fit together."""
    of_type = {
        list: st.lists(inner, max_size=3),
        str: st.sampled_from(["ValueError", "object", "?"]),
        int: st.integers(),
        np.ndarray: arrays,
        object: inner,
    }
    parts = {name: of_type[type_of_part] for name, type_of_part in PARTS[kind].items()}
    return st.fixed_dictionaries(parts).map(lambda filled: Composite(kind, filled))


def decoded():
    dtypes = st.sampled_from("?bBhiqQefdF").map(np.dtype)
    shapes = hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=3)
    arrays = dtypes.flatmap(lambda dtype: hnp.arrays(dtype, shapes)).map(np.asarray)
    wide = st.sampled_from([np.ones((0, 1 << 30)), np.ones((1 << 20, 0, 1 << 10))])
    numbers = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=2)
    leaves = (
        numbers
        | arrays
        | arrays.map(Tensor)
        | arrays.map(masked)
        | wide
        | st.just(Unsendable("an array of dtype object"))
    )
    return st.recursive(
        leaves,
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.lists(inner, max_size=3).map(tuple)
            | st.dictionaries(st.text(max_size=2), inner, max_size=2)
            | st.dictionaries(st.text(max_size=2), inner, max_size=2).flatmap(keyed)
            | st.sampled_from(sorted(PARTS)).flatmap(lambda kind: composites(kind, inner, arrays))
        ),
        max_leaves=6,
    )


@given(decoded())
@settings(deadline=None, max_examples=100)
def test_a_value_is_an_array_of_numbers_or_none_at_all(value):
    array = as_array(value)
    assert array is None or array.dtype.kind in "biufcO"


@pytest.mark.filterwarnings("error")
@given(decoded(), st.sampled_from(STRUCTURED))
@settings(deadline=None, max_examples=150)
def test_comparison_and_distance_agree_on_whatever_came(value, expected):
    known = KnownCase(Case("double/any", FunctionCall("double", (MATRIX,))), expected, None, 1e-5)
    failure = compare_case(known, value, ["a"])
    assert (failure is None) == known.is_right(Answer(value=value))
    assert isinstance(deviation(expected, value), float)
    behaviour_of("double", (known,), {known.case.id: Answer(value=value)})


@pytest.mark.filterwarnings("error")
@given(decoded(), st.sampled_from(EXPECTED + STRUCTURED))
@settings(deadline=None, max_examples=150)
def test_whatever_came_is_shown_beside_what_was_expected(value, expected):
    known = KnownCase(Case("double/any", FunctionCall("double", (MATRIX,))), expected, None, 1e-5)
    [shown_case] = exhibits([("check", JudgedCase(known, Answer(value=value), ["a", "b"]))], Limits(), {})
    work = Work(exhibits=(shown_case,))
    assert unpacked(work.packed()) == work
    assert shown_case.parts
