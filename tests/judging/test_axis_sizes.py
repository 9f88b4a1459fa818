"""A wrong shape comes with what the size of its axis is, and what it should be, where the cases tell them apart."""

from dataclasses import replace

import numpy as np
import pytest
from wording import to_students

from autograder.course.cases import FunctionCall
from autograder.reasons.axis_sizes import describe_axes
from autograder.sandbox.report import Answer

from .test_fixtures import known

SIZES = ((2, 3, 4), (5, 6, 7))


def cases_of(shape_of, sizes=SIZES):
    """Cases of a product of queries and keys, with answers of other shapes."""
    answers = {}
    for n_q, n_k, d_k in sizes:
        call = FunctionCall("double", (np.ones((n_q, d_k)), np.ones((n_k, d_k))))
        case = known(f"{n_q}-{n_k}", call=call, expected=np.ones((n_q, n_k)))
        answers[case] = Answer(np.ones(shape_of(n_q, n_k, d_k)))
    return answers


def told(answers):
    return describe_axes(answers, [*answers], ["Q", "K"])


def test_an_axis_of_another_size_is_named_with_both_sizes():
    text = told(cases_of(lambda n_q, n_k, d_k: (n_q, d_k)))
    assert (
        text
        == "Its number of columns is the number of columns of `Q`; it should be the number of rows of `K`."
    )


def test_a_size_that_no_argument_has_is_not_named():
    assert told(cases_of(lambda n_q, n_k, d_k: (n_q, 1))) == (
        "Its number of columns should be the number of rows of `K`."
    )


@pytest.mark.parametrize(
    ("shape_of", "sizes"),
    [
        (lambda n_q, n_k, d_k: (n_q,) if n_q == 2 else (n_q, n_k, 1), SIZES),  # once fewer axes, once more
        (lambda n_q, n_k, d_k: (n_q, d_k), SIZES[:1]),  # one case tells no size from another
    ],
)
def test_nothing_is_said_that_the_cases_do_not_show(shape_of, sizes):
    assert told(cases_of(shape_of, sizes)) == ""


def test_of_sizes_that_were_equal_in_wrong_cases_none_is_said_to_be_the_axis():
    answers = cases_of(lambda n_q, n_k, d_k: (n_q, d_k), [(2, 3, 2), (5, 6, 5)])
    right = cases_of(lambda n_q, n_k, d_k: (n_q, n_k), [(4, 8, 9)])
    text = describe_axes({**answers, **right}, [*answers], ["Q", "K"])
    assert text == "Its number of columns should be the number of rows of `K`."


def test_another_number_of_axes_comes_with_what_may_add_or_remove_one():
    assert "list of arrays" in told(cases_of(lambda n_q, n_k, d_k: (n_q, n_k, d_k)))
    assert "an index or a sum" in told(cases_of(lambda n_q, n_k, d_k: (n_q,)))


@pytest.mark.parametrize("leading", [(2,), (3, 2)])
def test_a_product_of_each_matrix_with_each_is_told_from_a_stack(leading):
    scores = np.ones((*leading, 5, 4))
    values = np.ones((*leading, 4, 6))
    call = FunctionCall("double", (scores, values))
    case = known("pairs", call=call, expected=scores @ values)
    text = describe_axes({case: Answer(np.dot(scores, values))}, [case], ["weights", "V"])
    assert text.startswith("It has the leading axes twice")
    assert "`@` (`np.matmul`)" in text
    stacked = Answer(np.ones((*leading, 5, 7, 6)))
    assert "list of arrays" in describe_axes({case: stacked}, [case], ["weights", "V"])


@pytest.mark.parametrize(
    ("sizes", "is_named"),
    [
        # a third of both widths is always that of `X`, too
        (((4, 2, 5), (3, 2, 5)), True),
        (((3, 2, 5), (4, 3, 6)), False),
    ],
)
def test_a_size_that_is_as_well_a_share_of_other_widths_is_not_named(sizes, is_named):
    """Three products in one matrix that is cut into equal parts, as np.split cuts it."""
    answers = {}
    for d_model, d_k, d_v in sizes:
        arguments = (
            np.ones((2, d_model)),
            np.ones((d_model, d_k)),
            np.ones((d_model, d_k)),
            np.ones((d_model, d_v)),
        )
        call = FunctionCall("double", arguments)
        case = known(f"{d_model}-{d_k}", call=call, expected=np.ones((2, d_k)))
        answers[case] = Answer(np.ones((2, d_model)))
    # The right width has to differ, so that it can be named.
    other = known("other", call=FunctionCall("double", tuple(map(np.ones, ((2, 9), (9, 7), (9, 7), (9, 8))))))
    other = replace(other, expected=np.ones((2, 7)))
    text = describe_axes({**answers, other: Answer(np.ones((2, 7)))}, [*answers], ["X", "W_q", "W_k", "W_v"])
    assert "should be the number of columns of `W_q`" in text
    assert ("is the number of columns of `X`" in text) == is_named


@pytest.mark.parametrize(
    ("shape_of", "is_told"),
    [
        (lambda n_q, n_k, d_k: (n_q, n_k) if n_k > 1 else (n_q, n_q), True),  # it broadcasts
        (lambda n_q, n_k, d_k: (n_q, n_k) if n_k > 1 else (n_q, 2), False),
        (lambda n_q, n_k, d_k: (n_q, n_q), False),  # wrong without such an axis as well
    ],
)
def test_an_axis_of_length_1_that_is_lost_and_broadcast_is_put_down_to_a_squeeze(shape_of, is_told):
    answers = cases_of(shape_of, [(3, 1, 4), (5, 6, 7)])
    wrong = [case for case, answer in answers.items() if answer.value.shape != case.expected.shape]
    text = describe_axes(answers, wrong, ["Q", "K"])
    assert (to_students["axes.squeeze"] in text) == is_told
