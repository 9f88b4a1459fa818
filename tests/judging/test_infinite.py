"""Expected answers with infinite entries, as scores have where a mask allows nothing."""

from dataclasses import replace

import numpy as np
import pytest
from wording import to_students

from autograder.course.cases import Case, FunctionCall
from autograder.course.homework import CourseError
from autograder.exhibits.exhibits import exhibit
from autograder.sandbox.report import Answer
from autograder.verdict.arrays import deviation
from autograder.verdict.comparison import compare_values
from autograder.verdict.evidence import JudgedCase
from autograder.verdict.failure import FailureKind
from autograder.verdict.known import KnownCase
from autograder.verdict.reference import known_case

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
