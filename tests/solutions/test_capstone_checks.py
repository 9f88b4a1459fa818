"""The capstone's checks, on answers that only a manipulated report could hold."""

from dataclasses import replace

from autograder.sandbox.report import Answer
from autograder.verdict.checks import Outcome, load_checks, run_checks
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
