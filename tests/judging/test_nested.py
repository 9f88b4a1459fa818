"""Expected answers that hold tuples within tuples, and whole numbers."""

import numpy as np
import pytest
from wording import to_students

from autograder.course.cases import Case, FunctionCall
from autograder.exhibits.behaviour import behaviour_of
from autograder.exhibits.exhibits import exhibit
from autograder.sandbox.report import Answer
from autograder.verdict.arrays import deviation
from autograder.verdict.comparison import compare_values
from autograder.verdict.evidence import JudgedCase
from autograder.verdict.failure import FailureKind
from autograder.verdict.interface import find_form
from autograder.verdict.known import KnownCase
from autograder.verdict.reference import known_case
from autograder.verdict.store import Store

KEYS, VALUES, OUT = np.arange(6.0).reshape(2, 3), np.ones((2, 2)), np.array([3.5, 1.5])
RIGHT = ((KEYS, VALUES), OUT)
NAMES = ["cache", "output"]
CASE = Case("double/cache", FunctionCall("double", (OUT,)))
KNOWN = KnownCase(CASE, RIGHT, None, 1e-5)


def test_the_parts_of_a_nested_tuple_are_right_in_any_container():
    for value in (
        RIGHT,
        [[KEYS.tolist(), VALUES], OUT],
        ((KEYS.astype(int), VALUES.astype(int)), [3.5, 1.5]),
    ):
        assert compare_values(value, RIGHT, 1e-5, NAMES) is None
        assert deviation(value, RIGHT) == 0


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
    finding = compare_values(value, RIGHT, 1e-5, NAMES)
    assert (finding.kind, finding.student) == (kind, to_students[f"nested.{entry}"])
    assert find_form([(KNOWN, value)]) is None
    [*parts] = exhibit(JudgedCase(KNOWN, Answer(value), NAMES), ["x"]).parts
    assert parts
    assert behaviour_of("double", (KNOWN,), {CASE.id: Answer(value)}).sketch


def test_a_nested_tuple_is_stored_as_it_is(tmp_path, tiny):
    known = known_case(tiny.homework, CASE, Answer(RIGHT))
    Store(tmp_path).write(tiny.homework, [known])
    [read] = Store(tmp_path).read()
    assert [type(part) for part in read.expected] == [tuple, np.ndarray]
    assert deviation(read.expected, RIGHT) == 0


def test_an_inner_part_is_shown_by_its_own_name():
    parts = exhibit(JudgedCase(KNOWN, Answer(((KEYS, VALUES + 1), OUT)), NAMES), ["x"]).parts
    assert [(part.name, part.says) for part in parts if part.says] == [("cache 1", "all 4 differ")]


@pytest.mark.parametrize("dtype", [np.int8, np.float32, np.float64])
def test_positions_and_counts_are_right_in_any_dtype(dtype):
    positions = np.array([[2, 0], [1, 3]])
    assert compare_values(positions.astype(dtype), positions, 1e-5) is None
    finding = compare_values(positions.astype(dtype) + 1, positions, 1e-5, ["positions"])
    assert finding.student == to_students["nested.positions"]
