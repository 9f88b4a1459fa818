"""The capstone's checks, on answers that only a manipulated report could hold."""

from dataclasses import replace

import numpy as np
import pytest

from autograder.course.cases import load_module, tensor
from autograder.sandbox.report import Answer
from autograder.verdict.checks import Outcome, checks_file, load_checks, run_checks
from autograder.verdict.fixtures import Cases, Compare, Fixtures, SubmissionProxy
from autograder.verdict.interface import Restored
from autograder.verdict.store import open_store

CAPSTONE = "capstone_tiny_transformer"


def test_no_outputs_at_all_are_judged_as_wrong_logits(course):
    homework = course.homework(CAPSTONE)
    cases = Cases(open_store(course, homework).read())
    answers = {known.case.id: Answer(value=[]) for known in cases.known}
    submission = SubmissionProxy(Restored(answers), dict, tuple, lambda calls: [])
    compare = Compare(homework, submission, cases)
    checks = {check.name: check for check in load_checks(homework)}
    pieces = replace(checks["model_pieces"], requires=())
    [result] = run_checks([pieces], Fixtures(submission, cases, compare))
    assert result.outcome is Outcome.FAILED
    assert result.reason.endswith("what comes first is not an array.")


@pytest.mark.parametrize(
    ("second_gain", "is_untouched"),
    [([1, 1, 1], True), ([1, 0.97, 1.02], False)],
    ids=["no norm has moved", "one norm has moved"],
)
def test_a_model_with_a_norm_that_moved_has_learned(course, second_gain, is_untouched):
    module = load_module(checks_file(course.homework(CAPSTONE)))
    arrays = [np.ones(3), np.zeros(3), second_gain, [0.02, -0.01, 0.0], np.ones(3), np.eye(3)]
    assert module._has_untouched_norms(map(tensor, arrays)) is is_untouched
