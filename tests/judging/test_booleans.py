"""Booleans as expected answers: what counts as right, and what a student reads where it is not."""

import numpy as np
import pytest
from wording import to_authors, to_students

from autograder.course.cases import Case, FunctionCall
from autograder.course.homework import CourseError
from autograder.sandbox.report import Answer
from autograder.verdict.arrays import deviation
from autograder.verdict.comparison import compare_values
from autograder.verdict.failure import Failure, FailureKind
from autograder.verdict.known import KnownCase
from autograder.verdict.reference import known_case
from autograder.worker.wire import Tensor, pack, unpack

MASK = np.tril(np.ones((4, 4), bool))
NUMBERS = np.where(MASK, 0.0, -np.inf)


def judge(value, expected=MASK, **how):
    return compare_values(value, expected, 1e-5, ["mask"], **how)


RIGHT = [
    MASK,
    MASK.tolist(),
    list(MASK),
    Tensor(MASK),
    [[np.asarray(value) for value in row] for row in MASK],
]
RIGHT_NUMBERS = [MASK.astype(kind) for kind in ("i1", "u8", "f4", "f8")]


@pytest.mark.parametrize("value", RIGHT)
def test_booleans_are_right_in_any_container(value):
    assert judge(unpack(pack(value)), dtype="bool") is None


@pytest.mark.parametrize("value", [*RIGHT_NUMBERS, MASK.astype(int).tolist(), Tensor(MASK.astype(np.int64))])
def test_zeros_and_ones_are_right_unless_booleans_are_demanded(value):
    assert judge(value) is None
    finding = judge(value, dtype="bool")
    assert (finding.kind, finding.misconceptions) == (FailureKind.DTYPE, ("numbers-for-booleans",))


@pytest.mark.parametrize("value", [np.arange(3), np.arange(3, dtype="u1"), [0, 1, 2], Tensor(np.arange(3))])
def test_whole_numbers_are_right_where_they_are_demanded(value):
    assert judge(unpack(pack(value)), np.arange(3), dtype="int") is None


@pytest.mark.parametrize("value", [np.arange(3.0), [0.0, 1.0, 2.0], Tensor(np.arange(3.0))])
def test_floats_are_right_unless_whole_numbers_are_demanded(value):
    assert judge(value, np.arange(3)) is None
    finding = judge(value, np.arange(3), dtype="int")
    assert (finding.kind, finding.misconceptions) == (FailureKind.DTYPE, ("floats-for-integers",))


def test_an_array_without_entries_may_have_any_dtype():
    assert judge(np.array([]), np.array([], int), dtype="int") is None


def test_floats_in_a_part_of_a_tuple_are_not_taken_for_another_order():
    finding = compare_values((np.arange(3.0), np.ones(3)), (np.arange(3), np.ones(3, int)), 1e-5, dtype="int")
    assert finding.misconceptions == ("floats-for-integers",)


def test_one_boolean_may_be_expected():
    assert judge(True, np.asarray(True)) is judge(np.asarray(1), True) is None
    assert judge(False, np.asarray(True)) == Failure(FailureKind.VALUES, to_students["booleans.one"])


@pytest.mark.parametrize(
    ("value", "entry"),
    [
        (np.tril(MASK, -1), "first-wrong"),
        (np.ones((4, 4), int), "first-wrong-number"),
        (MASK * 0.5, "neither-0-nor-1"),
        (MASK.astype(complex), "complex"),
        ([*MASK.astype(int).tolist()[:3], [2**70, 0, 0, 0]], "too-large"),
    ],
)
def test_wrong_booleans_are_told_in_words_of_their_own(value, entry):
    finding = judge(value)
    assert finding.student == to_students[f"booleans.{entry}"]


@pytest.mark.parametrize("value", [np.where(MASK, np.nan, 0.0), np.where(MASK, 1.0, np.nan)])
def test_nan_is_never_right(value):
    finding = judge(value)
    assert finding.kind is FailureKind.NOT_FINITE


@pytest.mark.parametrize("low", [-np.inf, -1e9])
def test_a_mask_that_is_to_be_added_is_named(low):
    finding = judge(np.where(MASK, 0.0, low))
    assert finding is not None
    assert finding == Failure(
        FailureKind.DTYPE, to_students["booleans.additive"], misconceptions=("mask-additive",)
    )


def test_the_distance_of_booleans_counts_each_wrong_one_as_1():
    assert deviation(MASK, MASK) == deviation(MASK.astype(float), MASK) == 0
    assert deviation(~MASK, MASK) == deviation(np.zeros((4, 4)), MASK) == 1
    assert deviation(MASK, MASK.astype(float)) == np.inf


def test_a_part_of_a_tuple_may_be_of_booleans():
    expected = (MASK, np.arange(3.0))
    assert compare_values((MASK, np.arange(3)), expected, 1e-5, ["mask", "sums"]) is None
    finding = compare_values((~MASK, np.arange(3)), expected, 1e-5, ["mask", "sums"])
    assert finding.student == to_students["booleans.opposite-in-a-tuple"]


def test_a_demand_for_booleans_is_held_against_the_solution(tiny):
    tiny.edit("homework.toml", 'value = "all_doubled"', 'value = "all_doubled"\ndtype = "bool"')
    case = Case("double/one", FunctionCall("double", (np.ones(2),)))
    assert isinstance(known_case(tiny.homework, case, Answer(np.ones(2, bool))), KnownCase)
    with pytest.raises(CourseError, check=to_authors["booleans.no-booleans"]):
        known_case(tiny.homework, case, Answer(np.ones(2)))
