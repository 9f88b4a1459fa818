"""An exhibit as text: one true fact, marks at what differs, and no more lines than there is room for."""

import math

import numpy as np
import pytest
from homeworks import SIX

from autograder.course.cases import Case, FunctionCall, Group, tensor
from autograder.course.course import find_course
from autograder.exhibits.exhibits import exhibit
from autograder.exhibits.side_by_side import grids, sentence
from autograder.sandbox.report import Answer
from autograder.verdict.known import JudgedCase, KnownCase
from autograder.verdict.store import open_store
from autograder.worker.wire import Unsendable

WEIGHTS = np.array([[0.2, 0.8], [0.5, 0.5], [0.9, 0.1]])
LARGE = np.arange(400.0).reshape(20, 20)


def exhibit_of(value, expected, *args, names=("result",)):
    call = FunctionCall("double", args or (np.ones(2),))
    known = KnownCase(Case("double/small", call, group=Group.PUBLIC), expected, None, 1e-5)
    return exhibit(
        JudgedCase(known, Answer(value=value), names), ["x", "y"][: len(call.args)], public=[known]
    )


def says(value, expected, name="weights"):
    return next((part.says for part in exhibit_of(value, expected, names=(name,)).parts if part.says), "")


def changed(array, *places, to=7.25):
    array = array.copy()
    for place in places:
        array[place] = to
    return array


# The fact that tells most


@pytest.mark.parametrize(
    ("value", "expected", "fact"),
    [
        (np.zeros((2, 2)), LARGE[:2, :2], "all entries are 0"),
        (np.full((3, 2), 0.5), WEIGHTS, "all entries are 0.5"),
        (changed(LARGE, (0, 2), (3, 1)), LARGE, "2 of 400 differ, first at [0, 2]"),
        (LARGE + 1, LARGE, "all 400 differ"),
        (changed(LARGE, (4, 0), to=math.nan), LARGE, "1 of 400 are NaN, first at [4, 0]"),
        (changed(LARGE, (4, 0), to=math.inf), LARGE, "1 of 400 are NaN or infinite, first at [4, 0]"),
        (np.array([1.0, 3, 3]), np.array([1.0, 2, 3]), "1 of 3 differ, first at [1]"),
        (np.float64(2), np.float64(3), ""),
        (
            [np.ones((2, 1)), np.ones((2, 1)) * [[1], [2]]],
            [np.ones((2, 1))] * 2,
            "1 of 4 differ, first at [1][1, 0]",
        ),
        (tensor(LARGE + 1), tensor(LARGE), "all 400 differ"),
        (np.ones((2, 2), int) + 1, np.arange(4.0).reshape(2, 2), "all entries are 2"),
    ],
)
def test_one_fact_is_told(value, expected, fact):
    assert says(value, expected) == fact


@pytest.mark.parametrize(
    ("value", "expected", "fact"),
    [
        (WEIGHTS * [[2], [1], [3]], WEIGHTS, "rows sum to 2, 1, 3 instead of 1"),
        ((WEIGHTS * [[2], [1], [3]]).T, WEIGHTS.T, "columns sum to 2, 1, 3 instead of 1"),
        (WEIGHTS[0] * 2, WEIGHTS[0], "entries sum to 2 instead of 1"),
        (
            np.tile(WEIGHTS, (3, 1)) * 3,
            np.tile(WEIGHTS, (3, 1)),
            "9 of 9 rows sum to 3, 3, 3, 3, 3, … instead of 1",
        ),
        (
            np.tile(WEIGHTS, (3, 1)) * np.r_[[2], [1] * 8][:, None],
            np.tile(WEIGHTS, (3, 1)),
            "1 of 9 rows sum to 2 instead of 1",
        ),
        (WEIGHTS + 0.001, WEIGHTS, "rows sum to 1.002, 1.002, 1.002 instead of 1"),
        (WEIGHTS[:, ::-1], WEIGHTS, "4 of 6 differ, first at [0, 0]"),
        (LARGE[:3, :2], LARGE[1:4, :2], "all 6 differ"),
    ],
)
def test_sums_are_told_only_of_what_should_sum_to_1(value, expected, fact):
    assert says(value, expected) == fact


def test_where_rows_and_columns_should_sum_to_1_neither_is_told():
    remark = says(np.array([[0.5, 0.5], [0.6, 0.6]]), np.array([[0.4, 0.6], [0.6, 0.4]]))
    assert remark == "3 of 4 differ, first at [0, 0]"


def test_rows_that_sum_to_1_by_chance_are_not_told():
    assert says(WEIGHTS * 2, WEIGHTS, "context vector") == "all 6 differ"


def test_in_the_course_sums_are_told_of_weights_and_of_nothing_else():
    course, names = find_course(None), set()
    for homework in course.homeworks(SIX):
        for known in open_store(course, homework).read():
            returns, expected = homework.task(known.case.task).returns, known.expected
            parts = expected if isinstance(expected, tuple) else [expected] if len(returns) == 1 else []
            for name, right in zip(returns, parts, strict=bool(parts)):
                array = np.asarray(getattr(right, "array", right))
                wrong = array + 0.01 * np.arange(1, array.size + 1).reshape(array.shape)
                names |= {name} if "sum to" in says(wrong, array, name) else set()
    assert names == {"attention weights", "softmax", "array of weights"}


# Beside each other


def test_what_differs_is_marked_and_decimal_points_stand_below_each_other():
    picture = exhibit_of(np.array([[1.5, 10], [0.25, 2]]), np.array([[1.5, 2], [0.25, 2]]), np.ones((2, 2)))
    assert sentence(picture) == "double(x) with x (2, 2): 1 of 4 differ, first at [0, 1]"
    assert grids(picture, 79) == [
        "x       yours        expected",
        "1  1    1.5   *10    1.5   2",
        "1  1    0.25    2    0.25  2",
    ]
    assert grids(picture, 79, paint=lambda off: f"<{off}>")[1] == "1  1    1.5   <*10>    1.5   2"


def test_what_is_no_number_takes_no_more_room():
    picture = exhibit_of(np.array([[0.25, -math.inf], [math.nan, 1]]), np.array([[0.25, 2], [3, 1]]))
    assert grids(picture, 79) == [
        "x       yours            expected",
        "1  1    0.25    *-inf    0.25  2",
        "         *nan  1         3     1",
    ]


def test_rows_of_one_stand_below_each_other_also_where_one_is_longer():
    assert grids(exhibit_of(np.array([1.0, 5]), np.array([1.0, 2])), 79) == [
        "x         1   1",
        "yours     1  *5",
        "expected  1   2",
    ]
    assert grids(exhibit_of(np.array([1.5, 2, 3, 4]), np.array([10.25, 2])), 79)[1:] == [
        "yours, shape (4,)      1.5   2  3  4",
        "expected, shape (2,)  10.25  2",
    ]


@pytest.mark.parametrize("height", [0, 1, 2, 3, 5, 9])
@pytest.mark.parametrize("width", [30, 60, 109])
def test_it_shrinks_around_the_first_entry_that_differs(width, height):
    picture = exhibit_of(changed(LARGE, (17, 13), (19, 19)), LARGE, LARGE, LARGE)
    lines = grids(picture, width, height)
    assert len(lines) <= height
    assert all(len(line) <= width for line in lines)
    assert not lines or "*7.25" in "".join(lines)
    assert not lines or lines[0].split("  ")[0] == "yours, in part"


def test_numbers_have_the_digits_that_tell_them_apart():
    [part] = exhibit_of(np.array([0.123456789, 0.25]), np.array([0.123456789, 0.25002])).parts
    assert (part.came.rows, part.expected.rows) == (("0.123457 0.25",), ("0.123457 0.25002",))
    [huge] = exhibit_of(np.array([1e-9, 2.5e12]), np.array([1e-9, 2.6e12])).parts
    assert huge.came.rows == ("1e-09 2.5e+12",)


def test_of_several_parts_the_wrong_one_is_named_and_shown_alone():
    picture = exhibit_of((WEIGHTS, LARGE[:2, :2] + 1), (WEIGHTS, LARGE[:2, :2]), names=("weights", "output"))
    assert sentence(picture) == "double(x) with x (2,); output: all 4 differ"
    assert [line.split() for line in grids(picture, 79)[1:]] == [
        ["1", "1", "*1", "*2", "0", "1"],
        ["*21", "*22", "20", "21"],
    ]


@pytest.mark.parametrize(
    "value", [None, "text", Unsendable("an object of type <b>"), {"a": 1}, (), 1j, [[1.0], [1, 2]]]
)
def test_what_holds_no_numbers_is_named(value):
    picture = exhibit_of(value, WEIGHTS)
    assert grids(picture, 79) == []
    assert "expected an array of shape (3, 2)" in sentence(picture)


def test_other_shapes_stand_beside_each_other_without_marks():
    lines = grids(exhibit_of(WEIGHTS.T, WEIGHTS), 79)
    assert lines[0].endswith("yours, shape (2, 3)    expected, shape (3, 2)")
    assert len(lines) == 4
    assert "*" not in "".join(lines)


def test_the_fact_is_never_cut_off_however_many_arguments_there_are():
    text = sentence(exhibit_of(np.zeros(2), np.arange(2.0), *[LARGE] * 40), 100)
    assert len(text) <= 100
    assert text.endswith(" …: all entries are 0")


def test_what_to_type_gives_the_arguments_their_names_as_far_as_they_are_short():
    start = 'from public_checks import case; {} = case("double", 1)'
    assert exhibit_of(1.0, WEIGHTS).paste == start.format("x")
    assert exhibit_of(1.0, WEIGHTS, LARGE, 3).paste == start.format("x, y")
    assert exhibit_of(1.0, WEIGHTS, *[LARGE] * 7).paste == start.format("arguments")


def test_a_hidden_case_is_never_offered():
    known = KnownCase(Case("double/x", FunctionCall("double", (LARGE,))), LARGE, None, 1e-5)
    assert known.case.group is Group.HIDDEN
    assert exhibit(JudgedCase(known, Answer(value=1.0)), ["x"], public=[known]).paste == ""
