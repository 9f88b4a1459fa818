"""Answers that are masked arrays of NumPy."""

import numpy as np
import pytest
from wording import to_students

from autograder.course.cases import Case, FunctionCall
from autograder.exhibits.exhibits import exhibit
from autograder.sandbox.report import Answer
from autograder.verdict.arrays import kind_of
from autograder.verdict.comparison import compare_values
from autograder.verdict.evidence import JudgedCase
from autograder.verdict.failure import FailureKind
from autograder.verdict.known import KnownCase
from autograder.worker.wire import Masked, WireError, pack, unpack

RIGHT = np.array([[0.25, 0.75], [1.0, 0.0]])
OUT = np.array([[False, False], [False, True]])


def sent(value):
    return unpack(pack(value))


@pytest.mark.parametrize(
    "value",
    [
        np.ma.masked_array(RIGHT, OUT),
        np.ma.masked_array(RIGHT),
        np.ma.masked_array(RIGHT, False),
        np.ma.masked_array(np.where(OUT, 7, RIGHT), OUT).filled(0),
    ],
)
def test_right_numbers_are_right_whether_some_are_masked_or_none(value):
    assert compare_values(sent(value), RIGHT, 1e-5) is None
    assert compare_values((sent(value), RIGHT), (RIGHT, RIGHT), 1e-5) is None


def test_only_masked_entries_that_are_wrong_are_told_as_such():
    value = sent(np.ma.masked_array(np.where(OUT, np.nan, RIGHT), OUT))
    finding = compare_values(value, RIGHT, 1e-5, ["weights"])
    assert (finding.kind, finding.misconceptions) == (FailureKind.VALUES, ("masked-entries",))
    assert finding.student == to_students["masked.fill-them"]


def test_other_wrong_entries_are_told_as_of_any_array():
    value = sent(np.ma.masked_array(RIGHT + 1, OUT))
    finding = compare_values(value, RIGHT, 1e-5, ["weights"])
    assert finding == compare_values(RIGHT + 1, RIGHT, 1e-5, ["weights"])


def test_masked_entries_are_shown_as_such():
    value = sent(np.ma.masked_array(np.where(OUT, 7, RIGHT), OUT))
    known = KnownCase(Case("double/any", FunctionCall("double", (RIGHT,))), RIGHT, None, 1e-5)
    [part] = exhibit(JudgedCase(known, Answer(value)), ["x"]).parts
    assert part.came.rows == ("0.25 0.75", "1 --")
    assert kind_of(value) == part.came.kind == "a masked array of shape (2, 2)"


@pytest.mark.parametrize(
    "value", [np.ma.masked, np.ma.masked_all(2, "U3"), np.ma.masked_all(2, [("a", "f8")])]
)
def test_what_holds_no_numbers_is_wrong_and_not_an_error(value):
    assert compare_values(sent(value), RIGHT, 1e-5) is not None


@pytest.mark.parametrize("mask", [np.ones(2, bool), np.ones((2, 2), int)])
def test_a_mask_marks_each_entry_of_its_array(mask):
    with pytest.raises(WireError):
        unpack(pack(Masked(RIGHT, mask)))
