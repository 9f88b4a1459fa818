"""What only wrong cases have is named, and a number in the code is blamed only where one stands there."""

from dataclasses import replace

import numpy as np
import pytest

from autograder.course.calls import FunctionCall
from autograder.course.cases import Case
from autograder.reasons.differences import have_other_axes, what_differs
from autograder.reasons.explain import Explainer
from autograder.reasons.student_code import StudentCode
from autograder.sandbox.request import Code
from autograder.verdict.failure import NO_REASON, CheckFailed
from autograder.verdict.known import KnownCase

from .test_fixtures import WIDE, Setup, wrong

MATRIX = np.ones((2, 3))
PARAMETERS = ("X", "ids")


def case(name, *arguments):
    return KnownCase(Case(f"f/{name}", FunctionCall("f", arguments)), MATRIX, None, 1e-5)


RIGHT = [case("square", np.eye(3), np.array([1, 2, 1])), case("other", np.eye(2), np.array([1, 1]))]


@pytest.mark.parametrize(
    ("arguments", "difference"),
    [
        ((np.eye(3), np.array([1, 0, 2])), "`ids` holds 0"),
        ((np.eye(3), np.array([1, -1, 2])), "`ids` holds negative numbers"),
        (
            (np.ones((2, 3)), np.array([1, 1])),
            "the number of rows of `X` and the number of columns of `X` differ",
        ),
        ((np.eye(4), np.array([1, 2, 3, 4])), ""),
    ],
)
def test_what_no_right_case_has_is_named(arguments, difference):
    assert what_differs([case("wrong", *arguments)], RIGHT, PARAMETERS).startswith(difference)
    assert bool(what_differs([case("wrong", *arguments)], RIGHT, PARAMETERS)) == bool(difference)


def test_what_only_some_wrong_cases_have_is_not_named():
    wrong_cases = [case("a", np.eye(3), np.array([0, 1, 2])), case("b", np.eye(3), np.array([1, 1, 1]))]
    assert what_differs(wrong_cases, RIGHT, PARAMETERS) == ""
    assert what_differs(wrong_cases[:1], [], PARAMETERS) == ""


def test_another_number_of_axes_is_seen():
    assert have_other_axes([case("a", np.ones((2, 3, 3)))], RIGHT, PARAMETERS)
    assert not have_other_axes(RIGHT, RIGHT, PARAMETERS)


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("return 2 * x[:3]", "is a size or an axis written as a number in `x[:3]`?"),
        ("return x.sum(axis=0)", "It is right for the published inputs and wrong for others. ("),
    ],
)
def test_a_number_is_blamed_only_where_it_stands_in_the_code(tiny, line, says):
    setup = Setup(tiny)
    code = Code("doubles.py", {"doubles.py": f"def double(x):\n    {line}\n"})
    explainer = Explainer(lambda *_, **__: NO_REASON, code=StudentCode(code))
    compare = replace(setup.compare(setup.proxy((WIDE, wrong()))), explain=explainer)
    with pytest.raises(CheckFailed) as caught:
        compare([WIDE])
    assert says in caught.value.failure.student
