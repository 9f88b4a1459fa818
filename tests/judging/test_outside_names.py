"""What is told of names that a function reads from outside: a proof, or a fact, or nothing."""

import numpy as np
import pytest
from wording import to_students

from autograder.course.cases import FunctionCall, ReboundCall
from autograder.verdict.fixtures import Cases

from .test_fixtures import FRESH, LARGE, PUBLISHED, RAISED, SMALL, WIDE, Setup, known, right, wrong


@pytest.fixture
def setup(tiny):
    return Setup(tiny)


def right_when_rebound(calls):
    """The answers of a function that is right as soon as `N` is 3, the length of its argument."""
    return [right() if isinstance(call, ReboundCall) and call.sizes["N"] == 3 else wrong() for call in calls]


@pytest.mark.parametrize("group_case", [WIDE, FRESH])
def test_a_global_is_named_where_a_size_in_its_place_makes_the_answer_right(setup, group_case):
    submission = setup.proxy(
        (group_case, wrong()), globals_read=("M", "N"), sizes={"N": 2}, ask=right_when_rebound
    )
    finding = setup.finding(submission, group_case)
    assert finding.misconceptions == ("depends-on-global",)
    assert finding.student.startswith(
        "It is right for the published inputs and wrong for others: it reads `N` from outside"
    )
    assert finding.student == to_students["outside_names.n-is-there"]
    assert "3 of 3 numbers" in finding.student


def test_a_global_is_named_where_the_published_values_are_wrong_too(setup):
    facts = {"globals_read": ("N",), "sizes": {"N": 2}, "ask": right_when_rebound}
    finding = setup.finding(setup.proxy((PUBLISHED, wrong()), **facts), PUBLISHED)
    assert finding.misconceptions == ("depends-on-global",)
    assert finding.student.startswith("It reads `N` from outside")


def test_no_size_written_as_a_number_is_suspected_where_a_larger_input_is_right(setup):
    larger = known("larger", call=FunctionCall("double", (np.arange(7.0),)), expected=2 * np.arange(7.0))
    setup.cases = Cases((*setup.cases.known, larger))
    suspected = setup.finding(setup.proxy((WIDE, wrong()), (larger, wrong())), WIDE)
    assert suspected.student == to_students["outside_names.size-as-a-number"]
    spared = setup.finding(setup.proxy((WIDE, wrong()), (larger, right(larger.expected))), WIDE)
    assert spared.student == to_students["outside_names.three-of-three"]


def test_an_axis_written_as_a_number_is_suspected_where_the_wrong_input_has_another_number_of_axes(setup):
    larger = known("larger", call=FunctionCall("double", (np.arange(7.0),)), expected=2 * np.arange(7.0))
    square = known("square", call=FunctionCall("double", (np.eye(3),)))
    setup.cases = Cases((*setup.cases.known, larger, square))
    submission = setup.proxy((square, wrong()), (larger, right(larger.expected)))
    assert setup.finding(submission, square).student == to_students["outside_names.size-as-a-number"]


def test_a_global_is_mentioned_without_a_name_where_no_size_helps(setup):
    submission = setup.proxy(
        (WIDE, wrong()), globals_read=("N",), sizes={"N": 2}, ask=lambda calls: [RAISED for _ in calls]
    )
    finding = setup.finding(submission, WIDE)
    assert finding.misconceptions == ()
    assert finding.student.startswith(
        "It is right for the published inputs and wrong for others, and it reads `N` from"
    )


def test_of_thousands_of_names_the_first_are_mentioned(setup):
    names = tuple(f"n{number}" for number in range(3000))
    finding = setup.finding(setup.proxy((WIDE, RAISED), globals_read=names), WIDE)
    assert finding.student == to_students["outside_names.n9-and-more-from-outside"]
    assert "`n10`" not in finding.student


@pytest.mark.parametrize("group_case", [SMALL, WIDE, FRESH])
def test_data_outside_that_is_no_number_is_mentioned(setup, group_case):
    finding = setup.finding(setup.proxy((group_case, RAISED), globals_read=("N", "D")), group_case)
    assert finding.misconceptions == ()
    assert finding.student == to_students["outside_names.reads-n-d-from-outside"]


def test_no_global_is_blamed_where_the_published_values_are_wrong_too(setup):
    submission = setup.proxy((PUBLISHED, wrong()), (WIDE, wrong()), globals_read=("N",))
    assert setup.finding(submission, WIDE).misconceptions == ()
    assert setup.finding(submission, PUBLISHED).misconceptions == ()


def test_no_global_is_blamed_for_large_numbers(setup):
    submission = setup.proxy((LARGE, wrong()), globals_read=("N",))
    assert setup.finding(submission, LARGE).misconceptions == ()


def test_no_global_is_blamed_where_none_is_read(setup):
    assert "from outside" not in setup.finding(setup.proxy((WIDE, wrong())), WIDE).student
