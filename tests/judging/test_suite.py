import numpy as np
import pytest
from tiny import CHECKS_FILE
from wording import to_authors

from autograder.authoring.reference import build_outputs
from autograder.course.schema import CourseError
from autograder.grading.suite import prepare_suite
from autograder.verdict.fixtures import Cases
from autograder.worker.wire import pack


def content(suite, group):
    return [
        pack([dict(known_case.case.call.as_mapping()), known_case.expected])
        for known_case in suite.known
        if known_case.case.group == group
    ]


def test_stored_cases_come_first_and_fresh_ones_are_answered_by_the_reference(suite):
    groups = [str(known_case.case.group) for known_case in suite.known]
    assert groups == ["published"] * 2 + ["public"] * 2 + ["hidden"] * 3 + ["fresh"] * 2
    [fresh] = Cases(suite.known).fresh("double")
    np.testing.assert_array_equal(fresh.expected, 2 * fresh.case.call.args[0])


def test_the_suite_knows_checks_and_seed(suite):
    assert [check.name for check in suite.checks] == ["double_published", "double_sizes", "totals"]
    assert (suite.seed, suite.homework.id) == (11, "hwx")


def test_fresh_cases_follow_the_seed_and_stored_ones_do_not(built, pool):
    first, again, other = (prepare_suite(built.course, built.homework, seed, pool) for seed in (1, 1, 2))
    assert content(first, "fresh") == content(again, "fresh") != content(other, "fresh")
    assert content(first, "hidden") == content(other, "hidden")


def test_without_reference_outputs_nothing_is_graded(tiny, pool):
    with pytest.raises(CourseError, check=to_authors["suite.missing-run-make-reference"]):
        prepare_suite(tiny.course, tiny.homework, 0, pool)


def test_without_checks_nothing_is_graded(tiny, pool):
    build_outputs(tiny.course, tiny.homework, pool)
    (tiny.folder / CHECKS_FILE).unlink()
    with pytest.raises(CourseError, check=to_authors["suite.missing"]):
        prepare_suite(tiny.course, tiny.homework, 0, pool)


def test_every_real_homework_can_be_prepared(suite_of):
    for homework_id in ("hw1_attention_scores", "hw4_self_attention_columns", "hw5_multihead_attention"):
        suite = suite_of(homework_id)
        kinds = {(known_case.case.task, str(known_case.case.group)) for known_case in suite.known}
        assert {(task.name, "fresh") for task in suite.homework.tasks} <= kinds
