"""Expected answers of other kinds than finite numbers: booleans, infinite entries, masked arrays, nested tuples."""

from dataclasses import replace

import numpy as np
import pytest
from wording import to_authors, to_students

from autograder.course.cases import Case, FunctionCall
from autograder.course.homework import CourseError
from autograder.exhibits.behaviour import behaviour_of
from autograder.exhibits.exhibits import exhibit
from autograder.sandbox.report import Answer
from autograder.verdict.arrays import deviation, kind_of
from autograder.verdict.comparison import compare_values
from autograder.verdict.evidence import JudgedCase
from autograder.verdict.failure import Failure, FailureKind
from autograder.verdict.interface import find_form
from autograder.verdict.known import KnownCase
from autograder.verdict.reference import known_case
from autograder.verdict.store import Store
from autograder.worker.wire import Masked, Tensor, WireError, pack, unpack

MASK = np.tril(np.ones((4, 4), bool))


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


SCORES = np.array([[0.317, -np.inf], [1.283, 2.419]])
CASE = Case("double/masked", FunctionCall("double", (np.ones(2),)), infinite=True)


def test_infinite_entries_are_right_where_they_are_expected():
    for value in (SCORES, SCORES.tolist(), SCORES.astype(np.float32)):
        assert compare_values(value, SCORES, 1e-5) is None
        assert deviation(value, SCORES) <= 1e-5
    assert compare_values(np.full(2, -np.inf), np.full(2, -np.inf), 1e-5) is None


@pytest.mark.parametrize(
    ("entry", "value", "kind"),
    [
        ("finite-for-infinite", np.where(np.isinf(SCORES), -1e9, SCORES), FailureKind.VALUES),
        ("other-sign", np.abs(SCORES), FailureKind.VALUES),
        ("nan-for-infinite", np.where(np.isinf(SCORES), np.nan, SCORES), FailureKind.NOT_FINITE),
        ("infinite-for-finite", SCORES * np.array([1, np.inf]), FailureKind.NOT_FINITE),
        ("other-number", SCORES + np.array([[0, 0], [0, 1]]), FailureKind.VALUES),
    ],
)
def test_other_entries_are_wrong_and_infinity_has_a_sign(entry, value, kind):
    finding = compare_values(value, SCORES, 1e-5, ["scores"])
    assert finding.kind is kind
    assert finding.student == to_students[f"infinite.{entry}"]
    assert deviation(value, SCORES) > 1e-5


def test_infinity_is_expected_only_where_a_case_says_so(tiny):
    assert known_case(tiny.homework, CASE, Answer(SCORES)).expected is SCORES
    for case, value in ((replace(CASE, infinite=False), SCORES), (CASE, SCORES * np.nan)):
        with pytest.raises(CourseError):
            known_case(tiny.homework, case, Answer(value))


@pytest.mark.filterwarnings("error")
def test_infinite_entries_that_are_right_are_not_shown_as_wrong():
    known = KnownCase(CASE, SCORES, None, 1e-5)
    [shown_case] = exhibit(JudgedCase(known, Answer(np.array([[0.317, -np.inf], [1.283, -2]]))), ["x"]).parts
    assert (shown_case.difference.rows, shown_case.says) == (
        ("· ·", "· −4.4"),
        "1 of 4 differ, first at [1, 1]",
    )


MASKED_RIGHT = np.array([[0.25, 0.75], [1.0, 0.0]])
MASKED_OUT = np.array([[False, False], [False, True]])


def sent(value):
    return unpack(pack(value))


@pytest.mark.parametrize(
    "value",
    [
        np.ma.masked_array(MASKED_RIGHT, MASKED_OUT),
        np.ma.masked_array(MASKED_RIGHT),
        np.ma.masked_array(MASKED_RIGHT, False),
        np.ma.masked_array(np.where(MASKED_OUT, 7, MASKED_RIGHT), MASKED_OUT).filled(0),
    ],
)
def test_right_numbers_are_right_whether_some_are_masked_or_none(value):
    assert compare_values(sent(value), MASKED_RIGHT, 1e-5) is None
    assert compare_values((sent(value), MASKED_RIGHT), (MASKED_RIGHT, MASKED_RIGHT), 1e-5) is None


def test_only_masked_entries_that_are_wrong_are_told_as_such():
    value = sent(np.ma.masked_array(np.where(MASKED_OUT, np.nan, MASKED_RIGHT), MASKED_OUT))
    finding = compare_values(value, MASKED_RIGHT, 1e-5, ["weights"])
    assert (finding.kind, finding.misconceptions) == (FailureKind.VALUES, ("masked-entries",))
    assert finding.student == to_students["masked.fill-them"]


def test_other_wrong_entries_are_told_as_of_any_array():
    value = sent(np.ma.masked_array(MASKED_RIGHT + 1, MASKED_OUT))
    finding = compare_values(value, MASKED_RIGHT, 1e-5, ["weights"])
    assert finding == compare_values(MASKED_RIGHT + 1, MASKED_RIGHT, 1e-5, ["weights"])


def test_masked_entries_are_shown_as_such():
    value = sent(np.ma.masked_array(np.where(MASKED_OUT, 7, MASKED_RIGHT), MASKED_OUT))
    known = KnownCase(Case("double/any", FunctionCall("double", (MASKED_RIGHT,))), MASKED_RIGHT, None, 1e-5)
    [part] = exhibit(JudgedCase(known, Answer(value)), ["x"]).parts
    assert part.came.rows == ("0.25 0.75", "1 --")
    assert kind_of(value) == part.came.kind == "a masked array of shape (2, 2)"


@pytest.mark.parametrize(
    "value", [np.ma.masked, np.ma.masked_all(2, "U3"), np.ma.masked_all(2, [("a", "f8")])]
)
def test_what_holds_no_numbers_is_wrong_and_not_an_error(value):
    assert compare_values(sent(value), MASKED_RIGHT, 1e-5) is not None


@pytest.mark.parametrize("mask", [np.ones(2, bool), np.ones((2, 2), int)])
def test_a_mask_marks_each_entry_of_its_array(mask):
    with pytest.raises(WireError):
        unpack(pack(Masked(MASKED_RIGHT, mask)))


KEYS, VALUES, OUT = np.arange(6.0).reshape(2, 3), np.ones((2, 2)), np.array([3.5, 1.5])
PAIRED = ((KEYS, VALUES), OUT)
NAMES = ["cache", "output"]
CACHE_CASE = Case("double/cache", FunctionCall("double", (OUT,)))
KNOWN = KnownCase(CACHE_CASE, PAIRED, None, 1e-5)


def test_the_parts_of_a_nested_tuple_are_right_in_any_container():
    for value in (
        PAIRED,
        [[KEYS.tolist(), VALUES], OUT],
        ((KEYS.astype(int), VALUES.astype(int)), [3.5, 1.5]),
    ):
        assert compare_values(value, PAIRED, 1e-5, NAMES) is None
        assert deviation(value, PAIRED) == 0


@pytest.mark.parametrize(
    ("entry", "value", "kind"),
    [
        ("inner-values", ((KEYS, VALUES + 1), OUT), FailureKind.VALUES),
        ("inner-shape", ((KEYS[:1], VALUES), OUT), FailureKind.SHAPE),
        ("inner-alone", (KEYS, OUT), FailureKind.ARITY),
        ("flat", (KEYS, VALUES, OUT), FailureKind.ARITY),
        ("inner-swapped", ((VALUES, KEYS), OUT), FailureKind.ARITY),
        ("outer-swapped", (OUT, (KEYS, VALUES)), FailureKind.ARITY),
    ],
)
def test_what_is_wrong_in_a_nested_tuple_is_told_by_its_name(entry, value, kind):
    finding = compare_values(value, PAIRED, 1e-5, NAMES)
    assert (finding.kind, finding.student) == (kind, to_students[f"nested.{entry}"])
    assert find_form([(KNOWN, value)]) is None
    [*parts] = exhibit(JudgedCase(KNOWN, Answer(value), NAMES), ["x"]).parts
    assert parts
    assert behaviour_of("double", (KNOWN,), {CACHE_CASE.id: Answer(value)}).sketch


def test_a_nested_tuple_is_stored_as_it_is(tmp_path, tiny):
    known = known_case(tiny.homework, CACHE_CASE, Answer(PAIRED))
    Store(tmp_path).write(tiny.homework, [known])
    [read] = Store(tmp_path).read()
    assert [type(part) for part in read.expected] == [tuple, np.ndarray]
    assert deviation(read.expected, PAIRED) == 0


def test_an_inner_part_is_shown_by_its_own_name():
    parts = exhibit(JudgedCase(KNOWN, Answer(((KEYS, VALUES + 1), OUT)), NAMES), ["x"]).parts
    assert [(part.name, part.says) for part in parts if part.says] == [("cache 1", "all 4 differ")]


@pytest.mark.parametrize("dtype", [np.int8, np.float32, np.float64])
def test_positions_and_counts_are_right_in_any_dtype(dtype):
    positions = np.array([[2, 0], [1, 3]])
    assert compare_values(positions.astype(dtype), positions, 1e-5) is None
    finding = compare_values(positions.astype(dtype) + 1, positions, 1e-5, ["positions"])
    assert finding.student == to_students["nested.positions"]
