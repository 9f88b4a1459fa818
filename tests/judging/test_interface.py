"""A form is found by the shapes of all answers, and what is restored is judged as if it had come so."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from wording import to_students

from autograder.course.calls import FunctionCall, ModuleCall
from autograder.course.cases import Case, Group
from autograder.course.homework import Task
from autograder.sandbox.report import Answer, StudentError
from autograder.verdict.comparison import compare_case
from autograder.verdict.interface import Form, Layout, Place, Restored, find_form, value_key
from autograder.verdict.known import KnownCase
from autograder.worker.wire import Tensor

SIZES = ((2, 3, 4), (3, 3, 3), (5, 2, 6))
"""Queries, keys and values' columns of each case; those of the second are equal."""
RNG = np.random.default_rng(5)
PAIR = Task("attend", 5, "", ("weights", "context"), chained=True)
ONE = Task("softmax", 5, "", ("weights",), value="all_weights")
COLUMNS = Task("columns", 5, "", ("column",))


def cases(task, expected):
    groups = (Group.PUBLISHED, Group.HIDDEN, Group.HIDDEN)
    return [
        KnownCase(
            Case(f"{task.name}/{n}", FunctionCall(task.name, ()), group=group), expected(*size), None, 1e-5
        )
        for n, (size, group) in enumerate(zip(SIZES, groups, strict=True))
    ]


PAIRS = cases(PAIR, lambda n, m, d: (RNG.normal(size=(n, m)), RNG.normal(size=(n, d))))
ONES = cases(ONE, lambda n, m, d: RNG.normal(size=(n, m)))
LISTS = cases(COLUMNS, lambda n, m, d: [RNG.normal(size=(m + 4, 1)) for _ in range(n)])


def form(known, change, chained=True):
    """The form of right answers that were changed in this way."""
    return find_form([(known_case, change(known_case.expected)) for known_case in known], chained)


def is_restored(known, change):
    form_found = form(known, change)
    assert form_found is not None
    return all(
        compare_case(known_case, form_found.restore(change(known_case.expected), known_case)) is None
        for known_case in known
    )


OF_PAIRS = {
    "exchanged": (lambda both: both[::-1], "weights-context-swapped"),
    "exchanged lists": (lambda both: [array.tolist() for array in both[::-1]], "weights-context-swapped"),
    "dictionary": (lambda both: {"w": both[0], "c": both[1]}, ""),
    "dictionary the other way round": (lambda both: {"c": both[1], "w": both[0]}, "weights-context-swapped"),
    "one more before": (lambda both: (both[0][:1], *both), "returns-extra"),
    "one more behind": (lambda both: (*both, None), "returns-extra"),
    "each in a list": (lambda both: ([both[0]], [both[1]]), "axis-of-one"),
    "output alone": (lambda both: both[1], "returns-output-only"),
    "output alone, in a tuple": (lambda both: (both[1],), "returns-output-only"),
}
OF_ONES = {
    "transposed": (lambda array: array.T, "returns-transposed"),
    "tensor": (lambda array: Tensor(array.T), "returns-transposed"),
    "tuple of one": (lambda array: (array,), "returns-tuple"),
    "second of two": (lambda array: (None, array), "returns-extra"),
    "axis before": (lambda array: array[None], "axis-of-one"),
    "axis behind": (lambda array: array[..., None].tolist(), "axis-of-one"),
}
OF_LISTS = {
    "flat": (lambda columns: [column.ravel() for column in columns], ""),
    "rows": (lambda columns: np.hstack(columns).T, ""),
    "columns": (np.hstack, "returns-transposed"),
    "in lists": (lambda columns: [[column] for column in columns], ""),
    "tuple of one": (lambda columns: (columns,), "returns-tuple"),
}


@pytest.mark.parametrize(
    ("known", "change", "label"),
    [
        pytest.param(known, change, label, id=f"{known[0].case.task}-{name}")
        for known, forms in ((PAIRS, OF_PAIRS), (ONES, OF_ONES), (LISTS, OF_LISTS))
        for name, (change, label) in forms.items()
    ],
)
def test_right_values_in_another_form_are_found_and_restored(known, change, label):
    form_found = form(known, change)
    assert form_found.label == label
    assert is_restored(known, change)


AS_ASKED = [
    (PAIRS, lambda both: both),
    (PAIRS, list),
    (PAIRS, lambda both: (both[0] + 1, both[1])),
    (ONES, lambda array: array.tolist()),
    (ONES, lambda array: 3 * array),
    (LISTS, np.stack),
    (LISTS, tuple),
]
UNCLEAR = [
    (ONES, np.ravel),
    (ONES, lambda array: array.T if array.shape[0] == 2 else array),
    (ONES, lambda array: None),
    (PAIRS, lambda both: both[0]),
    (PAIRS, lambda both: (both[1], both[1])),
    (PAIRS, lambda both: ()),
    (LISTS, lambda columns: columns[:1]),
]


@pytest.mark.parametrize(("known", "change"), [*AS_ASKED, *UNCLEAR])
def test_no_form_is_found_where_values_come_as_asked_or_where_it_is_unclear(known, change):
    assert form(known, change) is None


GUESSES = [
    (ONES, lambda array: (array, 2 * array), True),
    (ONES, lambda array: (2 * array, array), False),
    (ONES, lambda array: [(1 + guess) * array for guess in range(8)], True),
    (ONES, lambda array: [guess * array for guess in range(8)], False),
    (PAIRS, lambda both: (2 * both[0], *both), True),
    (PAIRS, lambda both: (*both, 2 * both[1]), False),
    (PAIRS, lambda both: {"weights": both[0], "context": both[1], "guess": 2 * both[1]}, False),
]


@pytest.mark.parametrize(("known", "change", "is_restored_right"), GUESSES)
def test_the_order_decides_which_of_several_counts_whether_it_is_right_or_not(
    known, change, is_restored_right
):
    assert is_restored(known, change) is is_restored_right


def test_square_arrays_follow_the_others_and_never_decide():
    only_square = [known_case for known_case in ONES if known_case.expected.shape == (3, 3)]
    assert form(only_square, np.transpose) is None
    form_found = form(ONES, np.transpose)
    assert form_found == Form((Place(None, Layout.TRANSPOSED),), None)
    assert form_found.restore(np.eye(3)[[1, 2, 0]], only_square[0]).tolist() == np.eye(3)[[2, 0, 1]].tolist()


def test_the_output_alone_vouches_for_what_it_is_made_from_only_where_it_is_right():
    form_found = form(PAIRS, lambda both: both[1])
    assert form_found is not None
    weights, context = PAIRS[0].expected
    restored = form_found.restore(context, PAIRS[0])
    assert restored[0] is weights
    assert form_found.restore(context + 1, PAIRS[0]).shape == context.shape
    assert form(PAIRS, lambda both: both[1], chained=False) is None


def test_wrong_values_stay_wrong_in_any_form():
    wrong = [
        lambda both: (both[1] + 1, both[0]),
        lambda both: {0: both[0], 1: -both[1]},
    ]
    for change in wrong:
        form_found = form(PAIRS, change)
        assert form_found is not None
        for known_case in PAIRS:
            assert (
                compare_case(known_case, form_found.restore(change(known_case.expected), known_case))
                is not None
            )


# Restored answers


def restored(change, **more):
    known = [*PAIRS, *ONES]
    answers = {
        known_case.case.id: Answer(value=change(known_case.expected), modified=(1,)) for known_case in known
    }
    answers |= {value_key("all_weights"): Answer(not_defined=True)} | more
    return Restored(answers, known, (PAIR, ONE))


def test_answers_are_restored_with_everything_else_about_them():
    answers = restored(lambda value: value[::-1] if isinstance(value, tuple) else value)
    for known_case in PAIRS:
        assert compare_case(known_case, answers[known_case.case.id].value) is None
        assert answers[known_case.case.id].modified == (1,)
        assert compare_case(known_case, answers.as_returned[known_case.case.id].value) is not None
    assert answers.form("softmax") is None
    assert answers[ONES[0].case.id] is answers.as_returned[ONES[0].case.id]
    assert list(answers) == list(answers.as_returned)


def test_calls_without_a_value_say_nothing_about_the_form():
    error = Answer(error=StudentError("ValueError"))
    answers = restored(lambda value: (value,), **{ONES[2].case.id: error})
    assert answers[ONES[2].case.id] is error
    assert compare_case(ONES[0], answers[ONES[0].case.id].value) is None
    assert (
        Restored({known_case.case.id: error for known_case in ONES}, ONES, [replace(ONE, value=None)]).form(
            "softmax"
        )
        is None
    )


def test_a_top_level_value_has_a_form_where_the_function_has_none():
    missing = {known_case.case.id: Answer(not_defined=True) for known_case in ONES}
    key = value_key("all_weights")
    answers = Restored({**missing, key: Answer(value=ONES[0].expected.T)}, ONES, [ONE])
    assert compare_case(ONES[0], answers[key].value) is None
    fault = answers.form_failure(key)
    assert fault.misconceptions == ("returns-transposed",)


def fault_told(change, known=PAIRS):
    """What is said of the first case where the answers to these cases are changed so."""
    answers = {known_case.case.id: Answer(value=change(known_case.expected)) for known_case in known}
    fault = Restored(answers, known, [PAIR, replace(ONE, value=None)]).form_failure(known[0].case.id)
    return "" if fault is None else fault.student


def test_values_that_are_missing_are_named():
    flow = Task("flow", 4, "", ("scores", "weights", "output"), chained=True)
    known = cases(
        flow, lambda n, m, d: (RNG.normal(size=(n, m)), RNG.normal(size=(n, m)), RNG.normal(size=(n, d)))
    )
    answers = {known_case.case.id: Answer(value=known_case.expected[1:]) for known_case in known}
    form_found = Restored(answers, known, [flow])
    fault = form_found.form_failure(known[0].case.id)
    assert fault.student == to_students["interface.two-of-three"]
    assert fault.misconceptions == ()
    assert all(compare_case(known_case, form_found[known_case.case.id].value) is None for known_case in known)


def test_the_fault_is_told_of_what_came():
    told_of_dictionary = fault_told(lambda both: {0: both[0], 1: both[1]})
    assert told_of_dictionary == to_students["interface.right-values-in-another-form"]
    assert fault_told(lambda both: (both[0], both[1][None])) == to_students["interface.one-with-an-axis-more"]
    assert fault_told(lambda both: (both[1].T, both[0])) == to_students["interface.exchanged-and-transposed"]
    assert (
        fault_told(lambda both: (both[0][None], both[1][:, None]))
        == to_students["interface.both-in-another-form"]
    )
    assert fault_told(lambda both: (*both, 7)) == to_students["interface.right-values-among-others"]
    assert fault_told(lambda both: both[1]) == to_students["interface.output-without-the-rest"]
    assert fault_told(lambda both: -both[1]) == to_students["interface.wrong-output-without-the-rest"]
    assert (
        fault_told(lambda both: (-both[1], both[0]))
        == to_students["interface.values-exchanged-by-their-shapes"]
    )
    assert (
        fault_told(lambda array: array[None], ONES) == to_students["interface.right-numbers-in-another-shape"]
    )


def test_an_answer_whose_form_does_not_show_tells_that_of_another():
    known = [replace(ONES[0], expected=np.ones((2, 2))), *ONES[1:]]
    answers = Restored(
        {known_case.case.id: Answer(value=known_case.expected.T) for known_case in known},
        known,
        [replace(ONE, value=None)],
    )
    assert compare_case(known[0], answers.as_returned[known[0].case.id].value) is None
    fault = answers.form_failure(known[0].case.id)
    assert fault.misconceptions == ("returns-transposed",)
    assert restored(lambda value: value).form_failure(ONES[0].case.id) is None


def test_the_form_of_what_modules_return_is_found_and_that_of_tasks_without_published_cases_is_not():
    modules = [
        replace(known_case, case=replace(known_case.case, call=ModuleCall(ONE.name, (), np.zeros(1))))
        for known_case in ONES
    ]
    for known, is_found in (
        (modules, True),
        ([known_case for known_case in ONES if known_case.case.group is Group.HIDDEN], False),
    ):
        answers = {known_case.case.id: Answer(value=(known_case.expected,)) for known_case in known}
        form_found = Restored(answers, known, [replace(ONE, value=None)]).form("softmax")
        assert (form_found is not None) is is_found


ARRAYS = st.sampled_from(SIZES).map(lambda size: np.arange(float(size[0] * size[1])).reshape(size[:2]))
ANYTHING = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=2), ARRAYS),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.tuples(inner, inner),
        st.dictionaries(st.text(max_size=1), inner, max_size=3),
    ),
    max_leaves=6,
)


@given(st.lists(ANYTHING, min_size=3, max_size=3))
def test_any_values_have_a_form_or_none_and_never_become_right(values):
    for known in (PAIRS, ONES, LISTS):
        form_found = find_form(list(zip(known, values, strict=True)), True)
        for known_case, value in zip(known, values, strict=True):
            assert (
                form_found is None
                or compare_case(known_case, form_found.restore(value, known_case)) is not None
            )
