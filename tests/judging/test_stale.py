"""Whoever changes a homework and forgets to build its reference outputs is told before anything is graded."""

import numpy as np
import pytest
from wording import to_authors

from autograder.authoring.reference import build_outputs
from autograder.course.cases import Case, FunctionCall, tensor
from autograder.course.homework import DRILL
from autograder.course.schema import CourseError
from autograder.grading import stale
from autograder.grading.suite import prepare_suite
from autograder.reasons.catalogue import CATALOGUE

from .mistakes import ADDS_ITSELF, add_mistake

NEW_CASE = """yield Case("double/one", FunctionCall("double", (np.ones(1),)))
    yield Case("double/huge\""""


@pytest.mark.parametrize(
    ("file", "old", "new", "entry"),
    [
        ("doubles.py", "np.prod(x)", "np.prod(x) + 0.125", "solution"),
        ("cases.py", 'yield Case("double/huge"', NEW_CASE, "new-case"),
        ("cases.py", '"double/huge"', '"double/enormous"', "renamed-case"),
        ("cases.py", '_sized(rng, "wide", 5)', '_sized(rng, "wide", 6)', "other-arguments"),
        ("cases.py", '"large", 1e-3', '"far", 1e-3', "other-topic"),
        (CATALOGUE, '["return factor", "return 3"]', '["return factor", "return 4"]', "mistake"),
    ],
)
def test_outputs_of_other_files_are_not_graded_with(own_course, pool, file, old, new, entry):
    own_course.edit(file, old, new)
    with pytest.raises(CourseError, check=to_authors[f"stale.{entry}"]):
        prepare_suite(own_course.course, own_course.homework, 0, pool)


def test_a_mistake_that_is_not_stored_yet_is_told(own_course, pool):
    add_mistake(own_course, "adds-itself", ADDS_ITSELF)
    with pytest.raises(CourseError, check=to_authors["stale.new-mistake"]):
        prepare_suite(own_course.course, own_course.homework, 0, pool)
    build_outputs(own_course.course, own_course.homework, pool)
    prepare_suite(own_course.course, own_course.homework, 0, pool)


def test_comments_sentences_and_another_way_to_the_same_numbers_are_no_complaint(own_course, pool):
    own_course.edit("doubles.py", "factor = 2\n", "factor = 2 + 1e-9  # about two\n")
    own_course.edit("cases.py", "def published():", "def published():  # as printed")
    prepare_suite(own_course.course, own_course.homework, 0, pool)


def test_a_comment_in_the_cases_of_a_homework_is_no_complaint_in_its_drill(own_course, pool):
    own_course.edit("cases.py", "def published():", "def published():  # as printed")
    prepare_suite(own_course.course, own_course.homework.as_drill(DRILL), 0, pool)


def test_nothing_is_run_again_where_no_file_has_changed(own_course, pool, monkeypatch):
    monkeypatch.delattr(stale, "stored_cases")
    prepare_suite(own_course.course, own_course.homework, 0, pool)


def test_inputs_of_another_machine_are_the_same_up_to_rounding():
    def case(array):
        return Case("double/scores", FunctionCall("double", (array, tensor(array), 3)))

    scores = np.array([[1e-3, 3.0], [-2.0, 1e3]])
    rounded = scores * (1 + 4 * np.finfo(np.float64).eps)
    assert not np.array_equal(scores, rounded)
    assert stale.same_inputs(case(scores), case(rounded))
    others = (scores + 1e-6, scores[:1], scores > 0, scores.astype(np.float32))
    for other in others:
        assert not stale.same_inputs(case(scores), case(other))
