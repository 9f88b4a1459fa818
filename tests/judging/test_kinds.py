"""Answers of every kind: compared by one rule of kind, header and children, also where none is a finite number."""

import math
from dataclasses import replace

import hypothesis.extra.numpy as hnp
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from wording import to_authors, to_students

from autograder.authoring.reference import write_store
from autograder.course.calls import FunctionCall
from autograder.course.cases import Case, Group
from autograder.course.homework import CourseError
from autograder.exhibits.behaviour import behaviour_of
from autograder.exhibits.exhibits import exhibit, exhibits
from autograder.exhibits.side_by_side import sentence
from autograder.language import language_of, speaking
from autograder.sandbox.report import Answer, StudentError
from autograder.sandbox.request import Limits
from autograder.verdict.arrays import as_array, deviation, holds_more
from autograder.verdict.comparison import compare_case, compare_values
from autograder.verdict.describe import describe
from autograder.verdict.failure import Failure, FailureKind
from autograder.verdict.interface import find_form
from autograder.verdict.kinds import is_structured
from autograder.verdict.known import FailedCase, KnownCase, exception_as_value, expected_exception, read_known
from autograder.verdict.reference import known_case, not_comparable
from autograder.verdict.store import Store
from autograder.verdict.work import Work, unpacked
from autograder.worker.composites import MOST_ITEMS, NOTHING, PARTS, Composite, Keyed, put_together
from autograder.worker.wire import Bag, Masked, Tensor, Unsendable, WireError, decode, pack, unpack

TOLERANCE = 1e-5


def crossed(value):
    """The value as it arrives on the other side of the wall."""
    return unpack(pack(value))


def case_of(expected, group=Group.PUBLIC, raises=""):
    case = Case("f/one", FunctionCall("f", (np.ones(2),)), group=group, raises=raises)
    right = NOTHING if expected is None else crossed(expected)
    return KnownCase(case, right, None, TOLERANCE)


def complaint(known, value):
    failure = compare_case(known, crossed(value), ["answer"])
    return "" if failure is None else failure.student


def table(**columns):
    import pandas

    return pandas.DataFrame(columns)


def series(values):
    import pandas

    return pandas.Series(values)


def sparse(array):
    torch = pytest.importorskip("torch")
    return torch.tensor(array).to_sparse()


# The expected answer, one that is right as well, a wrong one, and what is said of it.
ROWS = {
    "text": ("two\nlines", "two\nlines", "two\nlimes", "The answer differs from character 3 of line 2 on."),
    "text in another case": ("Two", "Two", "tWO", "The answer is right except for upper and lower case."),
    "text with blanks": ("a b", "a b", "a  b\n", "The answer is right except for blanks and line ends."),
    "text of NumPy": ("a", np.str_("a"), np.str_("b"), "The answer differs from character 1 on."),
    "nothing": (None, None, 0, "The answer: a value of type int came back; expected nothing (None)."),
    "boolean": (True, np.bool_(True), False, "1 of 1 entries of the answer is wrong: False, expected True."),
    "huge number": (3**200, 3**200, 3**201, "The answer is another one than expected."),
    "dictionary": (
        {"mean": np.array([1.0, 2.0]), "n": 3},
        {"n": 3.0, "mean": [1.0, 2.0 + 1e-7]},
        {"mean": np.array([1.0, 3.0]), "n": 3},
        "1 of 2 numbers of the value of key 'mean' of the answer is wrong, first at index 1.",
    ),
    "dictionary's keys": (
        {"mean": 1, "n": 3},
        {"mean": 1, "n": 3},
        {"means": 1},
        "The answer: 2 of 2 keys are missing and 1 of 1 key is not expected.",
    ),
    "keys that are numbers": (
        {1: "a", 2: "b"},
        {2: "b", 1.0: "a"},
        {"1": "a", "2": "b"},
        "2 of 2 keys are missing",
    ),
    "set": ({1, 2, "x"}, {"x", 2.0, True}, {1, 2, "x", 4}, "The answer: 1 of 4 items is not expected."),
    "set of sets": ({frozenset({1, 2})}, {frozenset({2, 1})}, {frozenset({1})}, "1 of 1 item is missing"),
    "list of texts": (["a", "b"], np.array(["a", "b"]), ["a"], "The answer has 1 item; expected 2 items."),
    "text in a list": (("a", ["b"]), ["a", ("b",)], ["a", ["c"]], "Item 0 of item 1 of the answer differs"),
    "empty list": ([], (), [1], "The answer has 1 item; expected 0 items."),
    "nested list": (
        [["low", [1.0, 2.0]], ["high", []]],
        [("low", np.array([1.0, 2.0])), ("high", [])],
        [["low", [1.0]], ["high", []]],
        "Item 1 of item 0 of the answer has 1 item; expected 2 items.",
    ),
    "ragged array": (
        np.array([np.zeros(0), np.ones(1), "end"], object),
        [[], [1.0], "end"],
        [[], [2.0], "end"],
        "1 of 1 numbers of item 1 of the answer is wrong, first at index 0",
    ),
    "table": (
        {"n": [1.0, math.nan], "who": ["a", "b"]},
        {"n": np.array([1.0, math.nan]), "who": ["a", "b"]},
        {"n": [1.0, math.nan], "who": ["a", "c"]},
        "Item 1 of the column 'who' of the answer differs from character 1 on.",
    ),
    "columns": (
        {"a": [1], "b": [2]},
        {"a": [1], "b": [2]},
        {"b": [2], "a": [1]},
        "columns are right, but in another",
    ),
    "series": (
        [1.0, math.nan],
        [1.0, math.nan],
        [1.0, 2.0],
        "1 of 2 entries of the missing values of the answer",
    ),
    "sparse array": (
        [[0.0, 2.0], [0.0, 0.0]],
        [[1e-14, 2.0], [0.0, 0.0]],
        [[0.0, 0.0], [2.0, 0.0]],
        "of the places of the entries of the answer are wrong",
    ),
}
MAKERS = {"table": lambda columns: table(**columns), "columns": lambda columns: table(**columns)}
MAKERS |= {"series": series, "sparse array": sparse}


@pytest.mark.parametrize("name", ROWS)
def test_each_kind_is_compared_stored_and_shown(name):
    make = MAKERS.get(name, lambda value: value)
    *values, says = ROWS[name]
    expected, right, wrong = map(make, values)
    known = case_of(expected)
    assert not_comparable(known.expected if name != "nothing" else NOTHING) is None
    assert complaint(known, right) == ""
    assert says in complaint(known, wrong)
    assert known.is_right(Answer(crossed(right)))
    assert not known.is_right(Answer(crossed(wrong)))

    inputs, outputs = Bag(), Bag()
    again = read_known(known.written(inputs, outputs), inputs, outputs)
    assert again.case.expects
    assert complaint(again, right) == ""
    assert says in complaint(again, wrong)

    exhibit_shown = exhibit(FailedCase(known, Answer(crossed(wrong)), ["answer"]), ["x"])
    first = exhibit_shown.parts[0]
    assert first.came != first.expected or first.difference is not None
    assert "f(x)" in sentence(exhibit_shown)


@pytest.mark.parametrize(
    "name", ["text", "dictionary", "set", "nested list", "series", "table", "sparse array"]
)
def test_the_measure_of_tolerances_agrees_with_the_comparison(name):
    make = MAKERS.get(name, lambda value: value)
    *values, _ = ROWS[name]
    expected, right, wrong = (crossed(make(value)) for value in values)
    assert deviation(right, expected) <= TOLERANCE
    assert not deviation(wrong, expected) <= TOLERANCE


def test_numbers_in_a_dictionary_have_a_distance():
    assert deviation({"a": 1.0, "b": "x"}, {"a": 1.5, "b": "x"}) == pytest.approx(0.5 / 1.5)


@pytest.mark.parametrize(
    "value", [np.ones(3), "text", {"a": 1}, ["x"], {1}, Unsendable("an object"), 5, (1, None)]
)
@pytest.mark.parametrize("name", ROWS)
def test_an_answer_of_another_kind_is_wrong_and_raises_nothing(name, value):
    expected = MAKERS.get(name, lambda value: value)(ROWS[name][0])
    known = case_of(expected)
    if deviation(crossed(value), known.expected) == 0:
        pytest.skip("it is the right answer")
    assert complaint(known, value)


class TestExceptions:
    def raised(self, name, **more):
        return Answer(error=StudentError(name, **more))

    def known(self, name="ValueError"):
        known = case_of(1, raises=name)
        return KnownCase(known.case, expected_exception(name), None, TOLERANCE)

    @pytest.mark.parametrize("name", ["ValueError", "UnicodeDecodeError"])
    def test_the_exception_and_its_subclasses_are_right(self, name):
        assert self.known().is_right(self.raised(name))

    @pytest.mark.parametrize("name", ["TypeError", "Exception", "TimeLimit", "MyValueError"])
    def test_another_exception_stays_an_error(self, name):
        known = self.known()
        assert not known.is_right(self.raised(name))
        assert exception_as_value(known.case, self.raised(name)).error is not None

    @pytest.mark.parametrize("name", ["NotImplementedError", "RecursionError", "MemoryError"])
    def test_a_stub_and_a_crash_never_count(self, name):
        assert not self.known("Exception").is_right(self.raised(name))
        assert not self.known("RuntimeError").is_right(self.raised(name))
        with pytest.raises(ValueError, match="no exception that a case can expect"):
            Case("f/one", FunctionCall("f", ()), raises=name)

    def test_a_value_in_its_place_is_wrong(self):
        assert complaint(self.known(), 3) == (
            "The answer: a value of type int came back; expected a ValueError to be raised."
        )

    def test_it_is_stored(self):
        inputs, outputs = Bag(), Bag()
        again = read_known(self.known().written(inputs, outputs), inputs, outputs)
        assert again.case.raises == "ValueError"


class TestSecrets:
    def test_a_key_of_a_hidden_case_is_said_only_where_the_homework_says_it(self):
        known = case_of({"secret": 1, "mean": 2}, Group.HIDDEN)
        wrong = compare_case(known, {"secret": 5, "mean": 2}, ["mean"])
        assert wrong.student == "1 of 1 numbers of one of the values of the mean is wrong."
        wrong = compare_case(known, {"secret": 1, "mean": 5}, ["mean"])
        assert "key 'mean'" in wrong.student

    @pytest.mark.parametrize("key", ["my key", "it's", "two words'", 1, (1, 2)])
    def test_a_key_that_the_homework_says_is_named_whatever_it_is_made_of(self, key):
        known = case_of({key: 1.0, "secret": 2.0}, Group.HIDDEN)
        says = str(key)
        wrong = compare_case(known, crossed({key: 5.0, "secret": 2.0}), [says, "other"])
        assert f"of key {key!r}" in wrong.student
        wrong = compare_case(known, crossed({key: 1.0, "secret": 5.0}), [says, "other"])
        assert "one of the values" in wrong.student
        assert "secret" not in wrong.student

    @pytest.mark.parametrize(
        ("kind", "parts"),
        [
            ("exception", {"name": "a secret input"}),
            ("function", {"name": "secret", "source": "raise SystemExit('secret')", "first": []}),
            ("generator", {"seed": 3}),
            ("objects", {"dtype": "a secret input", "items": []}),
            ("sparse", {"shape": ["a secret input"], "places": np.ones((0, 1)), "values": np.ones(0)}),
            ("table", {"columns": ["a secret input"], "values": [], "index": "a secret input"}),
        ],
    )
    def test_no_word_of_a_forged_answer_is_said(self, kind, parts):
        for expected in (1.5, "text", {"a": 1}, np.ones(3), [1, "x"]):
            assert "secret" not in complaint(case_of(expected), Composite(kind, parts))

    @pytest.mark.parametrize(
        "tree",
        [
            {"kind": "function", "parts": {"items": {"list": []}}},
            {"kind": "set", "parts": {"items": 3}},
            {"kind": "set", "parts": {}},
            {"kind": ["set"], "parts": {"items": {"list": []}}},
            {"kind": "set", "parts": [1]},
            {"dict": {"1": 2}, "keys": {"tuple": []}},
            {"dict": {"1": 2}, "keys": 1},
        ],
    )
    def test_a_malformed_composite_is_refused(self, tree):
        with pytest.raises(WireError):
            decode(tree, {})


def test_a_number_in_a_list_in_a_dictionary_is_named_by_its_way_there():
    assert complaint(case_of({"a": [1.0, 2.0]}), {"a": [1.0, 5.0]}) == to_students["kinds.way-to-a-number"]


@pytest.mark.parametrize(
    ("expected", "value", "entry"),
    [
        (np.array([[True, False]]), np.array([[False, False]]), "boolean"),
        ({"a": [1.0, 2.0]}, {"a": [1.0, 5.0]}, "number"),
        ({"a": 1.0, "b": 2.0}, {"b": 2.0, "c": 1.0}, "keys"),
        ("a text", "A text", "text"),
        (["x", None], ["x"], "items"),
        ({"a": "x"}, ["x"], "kind"),
    ],
)
def test_german_students_read_german_only(expected, value, entry):
    with speaking(language_of("de")):
        assert complaint(case_of(expected), value) == to_students[f"german.{entry}"]


def test_a_comparison_that_says_values_is_about_values():
    failure = compare_case(case_of("a"), "b")
    assert failure.kind is FailureKind.VALUES
    assert failure.failed_case is not None


def test_large_sets_and_lists_of_objects_are_not_sent():
    assert isinstance(crossed(set(range(MOST_ITEMS + 1))), Unsendable)
    assert isinstance(crossed(np.array([None] * (MOST_ITEMS + 1))), Unsendable)


def test_diagnosis_counts_what_dictionaries_and_sets_hold():
    assert holds_more({"a": list(range(50))}, 40)
    assert holds_more(crossed(set(range(50))), 40)
    assert not holds_more({"a": list(range(30))}, 40)


@pytest.mark.parametrize(
    "value",
    [{1, 2}, {frozenset({1})}, {1: "a", "b": [2]}, "text", None, np.array(["a", "b"]), [{"x": {3}}]],
)
def test_a_value_is_put_together_as_it_was(value):
    together = put_together(crossed(value))
    assert type(together) is type(value)
    assert np.array_equal(together, value) if isinstance(value, np.ndarray) else together == value


def test_a_table_and_a_series_are_put_together_as_they_were():
    import pandas

    frame = table(n=[1.0, math.nan], who=["a", None])
    pandas.testing.assert_frame_equal(put_together(crossed(frame)), frame)
    column = series([1, 2])
    pandas.testing.assert_series_equal(put_together(crossed(column)), column)


def test_arrays_alone_are_not_structured():
    assert not is_structured((np.ones(2), [1.0, True], crossed(np.ones(1))))
    assert is_structured((np.ones(2), None))


MATRIX = np.array([[0.317, -1.283, 2.419], [4.613, 0.729, -3.851]])
SQUARE = np.array([[1.417, 2.731], [3.259, 4.883]])
WEIGHTS = np.array([[0.2, 0.3, 0.5], [0.6, 0.3, 0.1]])
MASK, SCORES = np.array([[True, False], [True, True]]), np.array([[0.5, -np.inf], [1.5, np.inf]])
EXPECTED = [MATRIX, np.asarray(2.5), (WEIGHTS, MATRIX), [SQUARE] * 3, np.arange(2)]
EXPECTED += [MASK, (MASK, MATRIX), SCORES, np.asarray(True), ((WEIGHTS, MASK), [SQUARE, SQUARE])]
STRUCTURED = ["a text", [], ["x", None, MATRIX], {"a": MATRIX, "b": {"c": "d"}}, 3**300, NOTHING]
STRUCTURED += [{"a": []}, {"a": [1, 2]}, ["x", [True, False]]]
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
@example(Tensor(np.array([], dtype=bool)), [])
@example({"a": Tensor(np.zeros(0))}, {"a": []})
@example({"a": masked(np.zeros(0))}, {"a": []})
@example({"a": Tensor(np.array([1, 2]))}, {"a": [1, 2]})
@example({"a": masked(np.array([1, 2]))}, {"a": [1, 2]})
@example(["x", np.array([True, False])], ["x", [True, False]])
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
    [shown_case] = exhibits([("check", FailedCase(known, Answer(value=value), ["a", "b"]))], Limits(), {})
    work = Work(exhibits=(shown_case,))
    assert unpacked(work.packed()) == work
    assert shown_case.parts


LOWER = np.tril(np.ones((4, 4), bool))


def judge(value, expected=LOWER, **how):
    return compare_values(value, expected, 1e-5, ["mask"], **how)


RIGHT = [
    LOWER,
    LOWER.tolist(),
    list(LOWER),
    Tensor(LOWER),
    [[np.asarray(value) for value in row] for row in LOWER],
]
RIGHT_NUMBERS = [LOWER.astype(kind) for kind in ("i1", "u8", "f4", "f8")]


@pytest.mark.parametrize("value", RIGHT)
def test_booleans_are_right_in_any_container(value):
    assert judge(unpack(pack(value)), dtype="bool") is None


@pytest.mark.parametrize(
    "value", [*RIGHT_NUMBERS, LOWER.astype(int).tolist(), Tensor(LOWER.astype(np.int64))]
)
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
        (np.tril(LOWER, -1), "first-wrong"),
        (np.ones((4, 4), int), "first-wrong-number"),
        (LOWER * 0.5, "neither-0-nor-1"),
        (LOWER.astype(complex), "complex"),
        ([*LOWER.astype(int).tolist()[:3], [2**70, 0, 0, 0]], "too-large"),
    ],
)
def test_wrong_booleans_are_told_in_words_of_their_own(value, entry):
    finding = judge(value)
    assert finding.student == to_students[f"booleans.{entry}"]


@pytest.mark.parametrize("value", [np.where(LOWER, np.nan, 0.0), np.where(LOWER, 1.0, np.nan)])
def test_nan_is_never_right(value):
    finding = judge(value)
    assert finding.kind is FailureKind.NOT_FINITE


@pytest.mark.parametrize("low", [-np.inf, -1e9])
def test_a_mask_that_is_to_be_added_is_named(low):
    finding = judge(np.where(LOWER, 0.0, low))
    assert finding is not None
    assert finding == Failure(
        FailureKind.DTYPE, to_students["booleans.additive"], misconceptions=("mask-additive",)
    )


def test_the_distance_of_booleans_counts_each_wrong_one_as_1():
    assert deviation(LOWER, LOWER) == deviation(LOWER.astype(float), LOWER) == 0
    assert deviation(~LOWER, LOWER) == deviation(np.zeros((4, 4)), LOWER) == 1
    assert deviation(LOWER, LOWER.astype(float)) == np.inf


def test_a_part_of_a_tuple_may_be_of_booleans():
    expected = (LOWER, np.arange(3.0))
    assert compare_values((LOWER, np.arange(3)), expected, 1e-5, ["mask", "sums"]) is None
    finding = compare_values((~LOWER, np.arange(3)), expected, 1e-5, ["mask", "sums"])
    assert finding.student == to_students["booleans.opposite-in-a-tuple"]


def test_a_demand_for_booleans_is_held_against_the_solution(tiny):
    tiny.edit("homework.toml", 'value = "all_doubled"', 'value = "all_doubled"\ndtype = "bool"')
    case = Case("double/one", FunctionCall("double", (np.ones(2),)))
    assert isinstance(known_case(tiny.homework, case, Answer(np.ones(2, bool))), KnownCase)
    with pytest.raises(CourseError, check=to_authors["booleans.no-booleans"]):
        known_case(tiny.homework, case, Answer(np.ones(2)))


INFINITE_SCORES = np.array([[0.317, -np.inf], [1.283, 2.419]])
CASE = Case("double/masked", FunctionCall("double", (np.ones(2),)), infinite=True)


def test_infinite_entries_are_right_where_they_are_expected():
    for value in (INFINITE_SCORES, INFINITE_SCORES.tolist(), INFINITE_SCORES.astype(np.float32)):
        assert compare_values(value, INFINITE_SCORES, 1e-5) is None
        assert deviation(value, INFINITE_SCORES) <= 1e-5
    assert compare_values(np.full(2, -np.inf), np.full(2, -np.inf), 1e-5) is None


@pytest.mark.parametrize(
    ("entry", "value", "kind"),
    [
        (
            "finite-for-infinite",
            np.where(np.isinf(INFINITE_SCORES), -1e9, INFINITE_SCORES),
            FailureKind.VALUES,
        ),
        ("other-sign", np.abs(INFINITE_SCORES), FailureKind.VALUES),
        (
            "nan-for-infinite",
            np.where(np.isinf(INFINITE_SCORES), np.nan, INFINITE_SCORES),
            FailureKind.NOT_FINITE,
        ),
        ("infinite-for-finite", INFINITE_SCORES * np.array([1, np.inf]), FailureKind.NOT_FINITE),
        ("other-number", INFINITE_SCORES + np.array([[0, 0], [0, 1]]), FailureKind.VALUES),
    ],
)
def test_other_entries_are_wrong_and_infinity_has_a_sign(entry, value, kind):
    finding = compare_values(value, INFINITE_SCORES, 1e-5, ["scores"])
    assert finding.kind is kind
    assert finding.student == to_students[f"infinite.{entry}"]
    assert deviation(value, INFINITE_SCORES) > 1e-5


def test_infinity_is_expected_only_where_a_case_says_so(tiny):
    assert known_case(tiny.homework, CASE, Answer(INFINITE_SCORES)).expected is INFINITE_SCORES
    for case, value in ((replace(CASE, infinite=False), INFINITE_SCORES), (CASE, INFINITE_SCORES * np.nan)):
        with pytest.raises(CourseError):
            known_case(tiny.homework, case, Answer(value))


@pytest.mark.filterwarnings("error")
def test_infinite_entries_that_are_right_are_not_shown_as_wrong():
    known = KnownCase(CASE, INFINITE_SCORES, None, 1e-5)
    [shown_case] = exhibit(FailedCase(known, Answer(np.array([[0.317, -np.inf], [1.283, -2]]))), ["x"]).parts
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
    [part] = exhibit(FailedCase(known, Answer(value)), ["x"]).parts
    assert part.came.rows == ("0.25 0.75", "1 --")
    assert describe(value) == part.came.kind == "a masked array of shape (2, 2)"


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
    [*parts] = exhibit(FailedCase(KNOWN, Answer(value), NAMES), ["x"]).parts
    assert parts
    assert behaviour_of("double", (KNOWN,), {CACHE_CASE.id: Answer(value)}).sketch


def test_a_nested_tuple_is_stored_as_it_is(tmp_path, tiny):
    known = known_case(tiny.homework, CACHE_CASE, Answer(PAIRED))
    write_store(Store(tmp_path), tiny.homework, [known])
    [read] = Store(tmp_path).read()
    assert [type(part) for part in read.expected] == [tuple, np.ndarray]
    assert deviation(read.expected, PAIRED) == 0


def test_an_inner_part_is_shown_by_its_own_name():
    parts = exhibit(FailedCase(KNOWN, Answer(((KEYS, VALUES + 1), OUT)), NAMES), ["x"]).parts
    assert [(part.name, part.says) for part in parts if part.says] == [("cache 1", "all 4 differ")]


@pytest.mark.parametrize("dtype", [np.int8, np.float32, np.float64])
def test_positions_and_counts_are_right_in_any_dtype(dtype):
    positions = np.array([[2, 0], [1, 3]])
    assert compare_values(positions.astype(dtype), positions, 1e-5) is None
    finding = compare_values(positions.astype(dtype) + 1, positions, 1e-5, ["positions"])
    assert finding.student == to_students["nested.positions"]
