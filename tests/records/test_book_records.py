import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from results import FAILED, NOT_RUN, PASSED, homework, ours, submission

from autograder.gradebook.gradings import from_json, to_json
from autograder.intake.submission import Problem
from autograder.sandbox.report import Status
from autograder.verdict.checks import CheckResult, Outcome
from autograder.verdict.results import HomeworkResult, SubmissionResult

texts = st.text(st.characters(exclude_categories=()), max_size=20)
many_texts = st.lists(texts, max_size=3).map(tuple)
points = st.floats(min_value=0, max_value=1e6)
checks = st.builds(
    CheckResult,
    check=texts,
    task=texts,
    sentence=texts,
    points=points,
    outcome=st.sampled_from(Outcome),
    reason=texts,
    staff=texts,
    misconceptions=many_texts,
)
homeworks = st.builds(
    HomeworkResult,
    homework=texts,
    title=texts,
    status=st.sampled_from(Status),
    points=points,
    checks=st.lists(checks, max_size=3).map(tuple),
    detail=texts,
    hints=texts,
    notes=many_texts,
    output=texts,
    layers=many_texts,
    seed=st.integers(0, 2**63),
    seconds=points,
)
submissions = st.builds(
    SubmissionResult,
    name=texts,
    path=texts,
    homeworks=st.lists(homeworks, max_size=3).map(tuple),
    problems=st.lists(st.builds(Problem, texts, texts, texts), max_size=3).map(tuple),
    fault=texts,
)


@settings(deadline=None)
@given(submissions)
def test_any_result_survives_the_way_to_json_and_back(result):
    again = from_json(to_json(result))
    assert again == result
    assert (again.status, again.earned) == (result.status, result.earned)


@settings(deadline=None)
@given(submissions)
def test_the_json_is_plain_ascii_on_one_line(result):
    text = to_json(result)
    assert text.isascii()
    assert "\n" not in text


def test_statuses_and_outcomes_come_back_as_such():
    again = from_json(to_json(submission("ada", homework(), ours())))
    assert [type(one.status) for one in again.homeworks] == [Status, Status]
    assert [one.outcome for one in again.homeworks[0].checks] == [
        Outcome.PASSED,
        Outcome.FAILED,
        Outcome.NOT_RUN,
    ]
    assert again.homeworks[0].checks == (PASSED, FAILED, NOT_RUN)
    assert again.homeworks[1].earned is None


def test_an_unknown_status_is_not_read_as_another():
    fields = json.loads(to_json(submission("ada", homework())))
    fields["homeworks"][0]["status"] = "excellent"
    with pytest.raises(ValueError, match="excellent"):
        from_json(json.dumps(fields))


def test_a_result_that_was_stored_before_checks_had_a_form_is_read():
    stored = json.loads(to_json(submission("ada", homework())))
    for check in stored["homeworks"][0]["checks"]:
        del check["form"]
    again = from_json(json.dumps(stored))
    assert [check.form for check in again.homeworks[0].checks] == ["", "", ""]
