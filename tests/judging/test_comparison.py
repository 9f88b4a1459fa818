"""Comparison of an answer with the expected one: what is right, how it is described, how far it deviates."""

import math
import re

import hypothesis.extra.numpy as hnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wording import to_students

from autograder.course.calls import FunctionCall
from autograder.course.cases import Case
from autograder.sandbox.report import Answer
from autograder.verdict import arrays
from autograder.verdict.arrays import MOST_KEPT, as_rectangle, deviation, is_plainly_right, unit_of
from autograder.verdict.comparison import compare_case, compare_values
from autograder.verdict.describe import describe
from autograder.verdict.failure import FailureKind
from autograder.verdict.known import KnownCase
from autograder.verdict.titles import title_of, with_article
from autograder.verdict.wrong_numbers import describe_values
from autograder.worker.wire import Tensor, Unsendable

TOLERANCE = 1e-5
EXPECTED = np.array([[0.317, -1.283, 2.419], [4.613, 0.729, -3.851]])
SQUARE = np.array([[1.417, 2.731], [3.259, 4.883]])
WEIGHTS = np.array([[0.2, 0.3, 0.5], [0.6, 0.3, 0.1]])


def judge(value, expected=EXPECTED, *names):
    """What is found wrong with a value that is wrong."""
    finding = compare_values(value, expected, tolerance=TOLERANCE, names=names)
    assert finding is not None
    return finding


def is_right(value, expected=EXPECTED):
    return compare_values(value, expected, tolerance=TOLERANCE) is None


def object_array():
    return Unsendable("an array of dtype object")


# What is right


@pytest.mark.parametrize(
    "value",
    [
        EXPECTED,
        EXPECTED.astype(np.float32),
        EXPECTED + 1e-6,
        np.asfortranarray(EXPECTED),
        EXPECTED.tolist(),
        tuple(map(tuple, EXPECTED.tolist())),
        list(EXPECTED),
        tuple(EXPECTED),
        [[np.asarray(x) for x in row] for row in EXPECTED],
        Tensor(EXPECTED),
        Tensor(EXPECTED.astype(np.float32), requires_grad=True),
        [Tensor(row) for row in EXPECTED],
    ],
)
def test_the_right_numbers_are_right_in_any_container(value):
    assert is_right(value)


@pytest.mark.parametrize("dtype", [np.int64, np.int8, np.uint8, np.float32, np.float16])
def test_whole_numbers_are_right_in_any_real_dtype(dtype):
    expected = np.array([[8, 13], [6, 7]])
    assert is_right(expected.astype(dtype), expected)
    assert is_right(expected.astype(dtype), expected.astype(float))


@pytest.mark.parametrize("value", [2.5, np.asarray(2.5), Tensor(np.asarray(2.5))])
def test_a_number_is_right_where_a_number_is_expected(value):
    assert is_right(value, np.asarray(2.5))


@pytest.mark.parametrize("make", [np.asarray, lambda array: Tensor(np.asarray(array))])
@pytest.mark.parametrize(
    "dtype", ["bool", "int8", "int64", "uint8", "uint64", "float16", "float32", "float64"]
)
@pytest.mark.parametrize(
    "within",
    [
        list,
        tuple,
        lambda numbers: [numbers, [*numbers, numbers[0]]],
        lambda numbers: {"a": numbers, "b": "text"},
    ],
)
def test_an_array_of_any_real_dtype_is_right_where_a_list_of_numbers_is_expected(make, dtype, within):
    numbers = np.array([1, 0], dtype).tolist()
    expected = within(numbers)
    value = make(np.array(numbers, dtype))
    if isinstance(expected, dict):
        value = {"a": value, "b": "text"}
    elif isinstance(expected[0], list):
        value = [value, make(np.array([*numbers, numbers[0]], dtype))]
    case = KnownCase(Case("f/one", FunctionCall("f", ())), expected, None, TOLERANCE)
    assert compare_case(case, value) is None
    assert case.is_right(Answer(value=value))


def test_a_wrong_number_of_an_array_in_place_of_a_list_is_wrong():
    assert judge(np.array([1, 3]), [1, 2]).student == to_students["comparison.second-item-wrong"]


@pytest.mark.parametrize("value", [[], np.zeros((0, 3))])
def test_an_empty_array_is_right_only_where_exactly_it_is_expected(value):
    assert is_right(np.zeros((0, 3)), np.zeros((0, 3)))
    assert not is_right(value, np.zeros((3, 0)))
    assert not is_right(value, np.zeros(3))


# The order of the stages


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (None, FailureKind.ARITY),
        ("text", FailureKind.ARITY),
        ({"a": EXPECTED}, FailureKind.ARITY),
        (Unsendable("an object of type generator"), FailureKind.ARITY),
        ((EXPECTED * 2, EXPECTED * 3), FailureKind.ARITY),
        (np.full((9, 9), np.nan, np.complex64), FailureKind.SHAPE),
        (np.full((9, 9), np.nan), FailureKind.SHAPE),
        (np.zeros((9, 9), bool), FailureKind.SHAPE),
        (np.full((2, 3), np.nan, np.complex64), FailureKind.DTYPE),
        (np.zeros((2, 3), bool), FailureKind.DTYPE),
        (object_array(), FailureKind.DTYPE),
        (Unsendable("an array of dtype complex128"), FailureKind.DTYPE),
        (np.array([[np.nan, 9, 9], [9, 9, 9]]), FailureKind.NOT_FINITE),
        (np.array([[9, 9, 9], [9, 9, np.inf]]), FailureKind.NOT_FINITE),
        (np.full((2, 3), -np.inf), FailureKind.NOT_FINITE),
        (np.full((2, 3), 9.0), FailureKind.VALUES),
    ],
)
def test_the_first_stage_that_fails_is_the_one_told(value, kind):
    assert judge(value).kind is kind


def test_the_same_stages_hold_for_each_part_of_a_tuple():
    expected = (WEIGHTS, EXPECTED)
    assert judge((WEIGHTS,), expected).kind is FailureKind.ARITY
    assert judge((WEIGHTS, EXPECTED[:1]), expected).kind is FailureKind.SHAPE
    assert judge((WEIGHTS > 0, EXPECTED), expected).kind is FailureKind.DTYPE
    assert judge((WEIGHTS, EXPECTED * np.inf), expected).kind is FailureKind.NOT_FINITE
    assert judge((WEIGHTS, -EXPECTED), expected).kind is FailureKind.VALUES


# Shapes are never bent to fit


@pytest.mark.parametrize(
    "value",
    [
        np.zeros((0, 3)),
        np.zeros((2, 0)),
        np.zeros(0),
        [],
        (),
        [[], []],
        np.asarray(0.5),
        0.5,
        np.full(3, 0.5),
        np.full((1, 3), 0.5),
        np.full((2, 1), 0.5),
        np.full((1, 2, 3), 0.5),
        np.full((2, 3, 1), 0.5),
        np.full(6, 0.5),
    ],
)
def test_nothing_is_broadcast_and_nothing_empty_is_right(value):
    assert not is_right(value, np.full((2, 3), 0.5))


@pytest.mark.parametrize("shape", [(1,), (1, 1), (1, 1, 1)])
def test_a_number_and_an_array_of_one_are_different_things(shape):
    assert judge(np.full(shape, 2.5), np.asarray(2.5)).kind is FailureKind.SHAPE
    assert judge(2.5, np.full(shape, 2.5)).kind is FailureKind.SHAPE


def test_a_wrong_shape_is_told_with_both_shapes():
    text = judge(np.ones((4, 5)), EXPECTED, "attention_weights").student
    assert "(4, 5)" in text
    assert "(2, 3)" in text
    assert "attention weights" in text


def test_an_array_that_lost_its_rows_is_told_how_to_keep_them():
    finding = judge(np.append(EXPECTED[0], EXPECTED[1]))
    assert finding.kind is FailureKind.SHAPE
    assert "`np.append` without an axis" in finding.student
    assert "np.vstack(rows)" in finding.student
    one_row_only = judge(EXPECTED[0])
    assert "np.append" not in one_row_only.student
    assert "np.append" not in judge(EXPECTED.ravel(), EXPECTED.reshape(1, 2, 3)).student


def test_a_list_of_rows_of_another_size_is_told_by_its_shape():
    finding = judge([[1.0, 2.0], [3.0, 4.0]])
    assert finding.kind is FailureKind.SHAPE
    assert "(2, 2)" in finding.student


# Known mistakes of form


@pytest.mark.parametrize("value", [EXPECTED.T, EXPECTED.T.tolist(), list(EXPECTED.T), Tensor(EXPECTED.T)])
def test_the_right_numbers_transposed_are_called_that(value):
    finding = judge(value)
    assert finding.kind is FailureKind.SHAPE
    assert finding.misconceptions == ("returns-transposed",)
    assert ".T" in finding.student


def test_a_square_array_transposed_is_called_that_too():
    assert judge(SQUARE.T, SQUARE).misconceptions == ("returns-transposed",)


def test_wrong_numbers_of_the_transposed_shape_are_not_called_transposed():
    assert judge(2 * EXPECTED.T).misconceptions == ()
    assert judge(2 * SQUARE.T, SQUARE).misconceptions == ()


@pytest.mark.parametrize(
    ("value", "label", "sentence"),
    [
        ((EXPECTED,), "returns-tuple", "item 0 of a tuple of 1"),
        ([EXPECTED], "returns-tuple", "item 0 of a list of 1"),
        ((WEIGHTS[:1], EXPECTED), "returns-extra", "item 1 of a tuple of 2"),
        ((EXPECTED, WEIGHTS[:1], None), "returns-extra", "item 0 of a tuple of 3"),
        ((np.ones((1, 3)), Tensor(EXPECTED)), "returns-extra", "item 1 of a tuple of 2"),
    ],
)
def test_the_right_array_inside_of_a_tuple_is_found(value, label, sentence):
    finding = judge(value)
    assert (finding.kind, finding.misconceptions) == (FailureKind.ARITY, (label,))
    assert sentence in finding.student


@pytest.mark.parametrize("guesses", [(EXPECTED, EXPECTED + 1), [EXPECTED + 1, EXPECTED + 2, EXPECTED]])
def test_of_several_arrays_that_may_be_meant_none_is_named(guesses):
    finding = judge(guesses)
    assert finding == judge(type(guesses)(2 * guess + 1 for guess in guesses))
    assert (finding.kind, finding.misconceptions) == (FailureKind.ARITY, ("returns-extra",))


def test_a_tuple_without_the_right_array_is_not_called_that():
    finding = judge((WEIGHTS[:1], EXPECTED + 1))
    assert (finding.kind, finding.misconceptions) == (FailureKind.ARITY, ())
    assert "a tuple of 2" in finding.student


@pytest.mark.parametrize("expected", [EXPECTED, (WEIGHTS, EXPECTED)])
def test_nothing_returned_is_called_that(expected):
    finding = judge(None, expected)
    assert finding.misconceptions == ("returns-nothing",)
    assert "None" in finding.student


def test_two_right_results_in_the_wrong_order_are_called_that():
    finding = judge((EXPECTED, WEIGHTS), (WEIGHTS, EXPECTED), "attention_weights", "context_vector")
    assert finding.misconceptions == ("weights-context-swapped",)
    assert finding.student == to_students["comparison.attention_weights"]


def test_three_results_in_reverse_order_are_not_called_two_swapped_ones():
    expected = (WEIGHTS, EXPECTED, 2 * WEIGHTS)
    assert judge(expected[::-1], expected).misconceptions == ()


def test_two_equal_results_are_not_swapped():
    assert judge((WEIGHTS, 2 * WEIGHTS), (WEIGHTS, WEIGHTS)).misconceptions == ()


@pytest.mark.parametrize("container", [tuple, list])
def test_a_tuple_may_come_as_a_list_and_a_list_as_a_tuple(container):
    parts = container([WEIGHTS, EXPECTED])
    assert is_right(parts, (WEIGHTS, EXPECTED))
    assert is_right(parts, [WEIGHTS, EXPECTED])


def test_parts_of_one_shape_may_come_stacked():
    columns = [np.ones((4, 1)), np.zeros((4, 1)), np.full((4, 1), 3.0)]
    assert is_right(np.stack(columns), columns)
    assert is_right(Tensor(np.stack(columns)), columns)
    assert not is_right(np.hstack(columns), columns)


@pytest.mark.parametrize(
    "value", [(WEIGHTS,), (WEIGHTS, EXPECTED, 1), WEIGHTS, 1.0, {}, "ab", Unsendable("x")]
)
def test_another_number_of_results_is_told_with_the_names_of_those_expected(value):
    finding = judge(value, (WEIGHTS, EXPECTED, SQUARE, SQUARE), "scores", "scaled", "weights", "output")
    assert finding.kind is FailureKind.ARITY
    assert to_students["comparison.values-scores-scaled-weights"] in finding.student


def test_a_wrong_part_is_called_by_its_name():
    text = judge((WEIGHTS, -EXPECTED), (WEIGHTS, EXPECTED), "attention_weights", "context_vector").student
    assert "context vector" in text
    assert "attention weights" not in text


@pytest.mark.parametrize("name", ["gradient of `Q`", "attention_weights", "output"])
def test_a_result_has_one_article(name):
    for value in (np.ones((4, 5)), EXPECTED * np.nan, EXPECTED > 0, -EXPECTED, "text"):
        text = judge(value, EXPECTED, name).student
        assert "the the" not in text.lower()
        assert "the item" not in text.lower()


# Tolerance


@st.composite
def expected_arrays(draw):
    shape = draw(hnp.array_shapes(min_dims=1, max_dims=3, min_side=1, max_side=5))
    scale = draw(st.sampled_from([1e-6, 1.0, 30.0, 1000.0]))
    return scale * draw(hnp.arrays(np.float64, shape, elements=st.floats(-1, 1, width=32)))


@given(expected_arrays(), st.data())
@settings(deadline=None)
def test_noise_below_the_tolerance_is_right_and_one_entry_beyond_it_is_wrong(expected, data):
    allowed = TOLERANCE * unit_of(expected)
    noise = data.draw(hnp.arrays(np.float64, expected.shape, elements=st.floats(-0.9, 0.9)))
    value = expected + allowed * noise
    assert is_right(value, expected)
    at = tuple(data.draw(st.integers(0, size - 1)) for size in expected.shape)
    value[at] = expected[at] + 10 * allowed * data.draw(st.sampled_from([-1, 1]))
    assert judge(value, expected).kind in (FailureKind.VALUES, FailureKind.SHAPE)


def test_the_tolerance_grows_with_the_largest_number_but_never_falls_below_one():
    assert unit_of(np.array([1e-9, 1e-12])) == 1
    assert unit_of(np.array([-200.0, 3.0])) == 200
    assert unit_of(np.array([8, -13])) == 13
    assert unit_of(np.zeros((0, 2))) == 1


def test_a_number_that_should_not_be_finite_is_never_matched():
    assert not is_right(np.zeros(2), np.array([0.0, np.nan]))
    assert not is_right(np.zeros(2), np.array([0.0, np.inf]))


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("value", [1.7e308, -1.7e308])
def test_huge_numbers_are_wrong_without_a_warning(value):
    assert judge(np.full((2, 3), value)).kind is FailureKind.VALUES
    assert judge(np.full((2, 3), value), -np.sign(value) * np.full((2, 3), 1e308)).kind is FailureKind.VALUES


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.uint64, np.int64, np.float16, np.float32])
def test_the_extremes_of_every_dtype_are_judged_without_a_warning(dtype):
    extremes = np.iinfo(dtype) if np.issubdtype(dtype, np.integer) else np.finfo(dtype)
    for extreme in (extremes.min, extremes.max):
        assert judge(np.full((2, 3), extreme, dtype), WEIGHTS).kind is FailureKind.VALUES


# What a student reads


def numbers_in(text):
    return [float(digits) for digits in re.findall(r"-?\d+\.\d+(?:e[-+]?\d+)?", text)]


@given(
    hnp.arrays(np.float64, (2, 3), elements=st.floats(-9, 9)),
    st.sampled_from(["array", "list", "part", "tuple"]),
)
@settings(deadline=None)
def test_no_text_for_students_holds_an_expected_number(value, form):
    given_value = {"array": value, "list": value.tolist(), "tuple": (value, value), "part": (WEIGHTS, value)}[
        form
    ]
    expected = (WEIGHTS, EXPECTED) if form == "part" else EXPECTED
    finding = compare_values(given_value, expected, tolerance=TOLERANCE)
    for number in numbers_in(finding.student if finding else ""):
        assert np.abs(EXPECTED - number).min() > 1e-3


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        (np.zeros((2, 3)), "all entries are 0"),
        (EXPECTED + np.array([[0, 0, 0], [0, 0, 1]]), "1 of 6"),
        (EXPECTED + np.array([[0, 0, 0], [0, 0, 1]]), "index (1, 2)"),
        (EXPECTED.astype(np.float16), "float16"),
    ],
)
def test_wrong_numbers_are_described(value, sentence):
    assert sentence in judge(value).student


def test_weights_whose_rows_do_not_sum_to_one_are_told_so():
    assert judge(WEIGHTS * 0.5, WEIGHTS).student == to_students["comparison.rows-do-not-sum"]
    assert "rows do not sum to 1" not in judge(WEIGHTS[:, ::-1], WEIGHTS).student
    assert "rows do not sum to 1" not in judge(EXPECTED * 0.5).student


def test_texts_of_the_students_own_code_are_harmless():
    hostile = "an object of type <script>\x1b[31m\u202e"
    for value in (Unsendable(hostile), [Unsendable(hostile)], (Unsendable(hostile), EXPECTED)):
        for expected in (EXPECTED, (WEIGHTS, EXPECTED, SQUARE)):
            text = judge(value, expected).student
            assert not {"<", "\x1b", "\u202e"} & set(text)


def test_the_only_row_without_its_axis_is_not_told_as_a_loop_that_ends_early():
    expected = np.array([[1.0, 2.0, 3.0]])
    finding = compare_values(expected[0], expected, 1e-5)
    assert (finding.kind, finding.misconceptions) == (FailureKind.SHAPE, ())
    assert "row" not in finding.student


def test_an_array_of_objects_is_asked_for_its_rows():
    finding = compare_values(Unsendable("an array of dtype object"), np.ones((2, 2)), 1e-5)
    assert finding.student.endswith("do its rows have different lengths or types?")


DESCRIBED = np.array([[1.0, -2.0], [4.0, 0.5]])
SHARES = np.array([[0.25, 0.75], [0.5, 0.5]])


def described(array, expected=DESCRIBED):
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
    assert describe(value) == name


def test_the_wrong_entries_are_counted_and_the_first_is_placed():
    text = described(DESCRIBED + np.array([[0, 0], [0.3, 0.2]]))
    assert "2 of 4" in text
    assert text == to_students["describe.first-at-index"]


def test_the_place_in_a_vector_is_one_number_and_a_number_has_none():
    assert described(np.array([1.0, 3.0]), np.array([1.0, 2.0])) == to_students["describe.index"]
    assert "index" not in described(np.asarray(3.0), np.asarray(2.0))


def test_zeros_are_called_that():
    text = described(np.zeros((2, 2)), SHARES)
    assert text == to_students["describe.all-entries"]
    assert "sum" not in text


def test_rows_that_should_sum_to_one_and_do_not_are_told():
    assert described(SHARES.T.copy() * [[1, 1], [1, 0.5]], SHARES) == to_students["describe.rows-do-not-sum"]
    assert "rows do not sum to 1" not in described(SHARES[::-1].copy(), SHARES)
    assert "rows do not sum to 1" not in described(DESCRIBED * 3)


def test_half_precision_is_named_as_the_cause():
    assert "float16" in described(DESCRIBED.astype(np.float16) + np.float16(0.01))
    assert "float16" not in described(DESCRIBED + 0.01)
    assert "float16" not in described((DESCRIBED + 1).astype(np.float16)), "not the cause"


def test_a_symbol_stands_as_code_and_without_an_article():
    assert [with_article(name) for name in ("Q", "W_q", "attention weights", "ids")] == [
        "`Q`",
        "`W_q`",
        "the attention weights",
        "the ids",
    ]
    assert [title_of(name) for name in ("E", "cache_of_keys")] == ["`E`", "cache of keys"]


@pytest.mark.parametrize(
    ("value", "expected", "distance"),
    [
        (np.array([1.0, 2.5]), np.array([1.0, 2.0]), 0.25),
        (np.array([0.1, 0.3]), np.array([0.1, 0.2]), 0.1),
        ([1.0, 2.5], np.array([1.0, 2.0]), 0.25),
        (Tensor(np.ones(2, np.float32)), np.zeros(2), 1.0),
        (np.array([3, 2]), np.array([1.0, 2.0]), 1.0),
        (2.5, np.float64(2.0), 0.25),
        ((np.zeros(2), np.ones(3)), (np.zeros(2), np.zeros(3)), 1.0),
        (np.array([[0.0], [1.0]]), [np.zeros(1), np.zeros(1)], 1.0),
        (np.zeros(0), np.zeros(0), 0.0),
    ],
)
def test_it_is_relative_to_the_larger_of_one_and_the_expected_magnitude(value, expected, distance):
    assert deviation(value, expected) == pytest.approx(distance)


@pytest.mark.parametrize(
    "value",
    [
        None,
        np.ones(3),
        np.ones((1, 2)),
        np.array([1.0, math.nan]),
        np.array([1.0, math.inf]),
        np.ones(2, bool),
        np.ones(2, complex),
        (np.ones(2),),
        [[1.0], [2.0, 3.0]],
    ],
)
def test_another_form_is_infinitely_far(value):
    assert deviation(value, np.ones(2)) == math.inf
    assert deviation((value, np.ones(2)), (np.ones(2), np.ones(2))) == math.inf


@given(
    st.lists(st.floats(width=32), max_size=4),
    st.lists(st.floats(width=32), max_size=4),
    st.sampled_from([np.float64, np.float32, np.float16]),
)
def test_equal_bytes_say_what_the_numbers_say(numbers, others, dtype):
    with np.errstate(over="ignore"):
        expected = np.array(numbers, np.float64)
        values = [np.array(numbers, dtype), np.array(others, dtype), expected.copy()]
    for value in values:
        by_bytes = (deviation(value, expected), is_plainly_right(value, expected, 1e-9))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(arrays, "MOST_BYTES_COMPARED", -1)
            by_numbers = (deviation(value, expected), is_plainly_right(value, expected, 1e-9))
        assert by_bytes == by_numbers


def test_a_missing_part_is_infinitely_far():
    assert deviation((np.ones(2),), (np.ones(2), np.ones(2))) == math.inf


def test_a_list_is_read_once_though_it_is_compared_often_and_no_other_is_taken_for_it():
    nested = [[1.0, 2.0], [3.0, 4.0]]
    array = as_rectangle(nested)
    assert as_rectangle(nested) is array
    assert not array.flags.writeable
    for number in range(2 * MOST_KEPT):
        assert as_rectangle([[number], [0]]).tolist() == [[number], [0]]
        assert as_rectangle([[number], [0, 1]]) is None
    assert as_rectangle(nested) is not array
    assert as_rectangle(nested).tolist() == nested


numbers = st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=4)


@given(numbers, numbers, st.sampled_from([1e-5, 1e-2, 1.0]))
def test_a_value_is_right_exactly_when_it_deviates_by_no_more_than_the_tolerance(answer, other, tolerance):
    value, expected = np.array(answer), np.array(other)
    distance = deviation(value, expected)
    if not math.isclose(distance, tolerance, rel_tol=1e-9):
        is_right = compare_values(value, expected, tolerance=tolerance) is None
        assert is_right == (distance < tolerance)
