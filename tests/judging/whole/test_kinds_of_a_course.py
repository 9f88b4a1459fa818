"""A course whose answers are of every kind: built, graded, explained, shown, released and checked by a student."""

import html

import pytest
from kinds_course import BY_TASK, KINDS, solution_text, write_kinds
from results import submission

from autograder.authoring.assignments import build_assignments
from autograder.authoring.reference import build_outputs, verify_outputs
from autograder.authoring.release import homework_folder
from autograder.feedback.pages import feedback_page
from autograder.grading.grade import grade_handin
from autograder.grading.suite import prepare_suite
from autograder.policy.grade import SubmissionGrade
from autograder.sandbox.request import Code
from autograder.student.find import find_work
from autograder.student.homework import open_homework
from autograder.student.load import check_work
from autograder.student.table import Style, render
from autograder.verdict.checks import Outcome
from autograder.verdict.explanation_faults import recording_faults
from autograder.verdict.results import HomeworkResult

pytest.importorskip("pandas")
WRONG = {kind.task: kind.right.replace(*kind.edit) for kind in KINDS}


@pytest.fixture(scope="module")
def course(tmp_path_factory, pool):
    tiny = write_kinds(tmp_path_factory.mktemp("course"))
    report = build_outputs(tiny.course, tiny.homework, pool)
    assert report.written, report
    build_assignments(tiny.course)
    return tiny


@pytest.fixture(scope="module")
def suite(course, pool):
    return prepare_suite(course.course, course.homework, 11, pool)


def graded(suite, pool, bodies):
    with recording_faults() as faults:
        code = Code("kinds.py", {"kinds.py": solution_text(**bodies)})
        result = grade_handin(code, suite, pool)
    assert not faults
    return result


@pytest.fixture(scope="module")
def wrong(suite, pool):
    return graded(suite, pool, WRONG)


@pytest.fixture(scope="module")
def local(course, tmp_path_factory):
    """What a student's own check says of the same file."""
    folder = tmp_path_factory.mktemp("student")
    for name, data in homework_folder(course.course, course.homework).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    (folder / "kinds.py").write_text(solution_text(**WRONG), encoding="utf-8")
    public = open_homework(folder)
    return check_work(public, find_work(public, folder))


def check_of(result, name):
    checks = result.checks if isinstance(result, HomeworkResult) else result.results
    [check] = [check for check in checks if check.check == name]
    return check


def test_what_is_stored_holds(course, pool):
    assert verify_outputs(course.course, course.homework, pool) == []


def test_right_answers_in_other_types_earn_everything(suite, pool):
    result = graded(suite, pool, {kind.task: kind.alike for kind in KINDS if kind.alike})
    assert [check.reason for check in result.checks if check.outcome is not Outcome.PASSED] == []


@pytest.mark.parametrize("kind", KINDS, ids=BY_TASK)
def test_a_wrong_answer_fails_and_says_where_and_which_mistake_it_is(kind, wrong):
    for name in (f"{kind.task}_open", f"{kind.task}_hidden"):
        check = check_of(wrong, name)
        assert check.outcome is Outcome.FAILED
        assert f"You mistake {kind.task}." in check.reason
        assert check.misconceptions == (f"wrong-{kind.task}",)
    assert kind.says in check_of(wrong, f"{kind.task}_open").reason


@pytest.mark.parametrize("kind", KINDS, ids=BY_TASK)
def test_it_is_shown_beside_the_right_answer(kind, suite, pool):
    wrong = graded(suite, pool, {kind.task: WRONG[kind.task]})
    first = wrong.work.shown[0]
    texts = []
    for grid in (first.parts[0].came, first.parts[0].expected):
        texts.append(" ".join([grid.kind, *grid.rows]))
    page = html.unescape(feedback_page(SubmissionGrade.of(submission("ada", wrong))))
    assert f"You mistake {kind.task}." in page
    for text, expected_text in zip(texts, kind.shown, strict=True):
        assert expected_text in text
        assert expected_text in page


@pytest.mark.parametrize("kind", KINDS, ids=BY_TASK)
def test_the_students_own_check_says_it_as_well(kind, local):
    check = check_of(local, f"{kind.task}_open")
    assert check.outcome is Outcome.FAILED
    assert kind.says in check.reason
    assert local.notes == ()
    assert kind.task in render(local, Style(), every=True)


def test_equal_wrong_answers_have_equal_behaviours(suite, pool, wrong):
    again = graded(suite, pool, WRONG)
    other = graded(suite, pool, {**WRONG, "text": 'return "other"', "distinct": "return {1, 2, 77}"})
    assert again.work.behaviours == wrong.work.behaviours
    forms = {behaviour.task: behaviour.form for behaviour in wrong.work.behaviours}
    other_forms = {behaviour.task: behaviour.form for behaviour in other.work.behaviours}
    assert {task for task in forms if forms[task] != other_forms[task]} == {"text", "distinct"}


def test_another_exception_says_which_is_right(suite, pool):
    result = graded(suite, pool, {"refusal": "return x.no_such_thing"})
    reason = check_of(result, "refusal_open").reason
    assert "AttributeError" in reason
    assert reason.endswith(" Here ValueError is right.")


@pytest.mark.parametrize(
    "body", ["return 7 * x", "return None", 'return {"a": {1, "b"}, 2: [None, "x"]}', "return [x, 'y']"]
)
def test_no_other_wrong_answer_makes_an_explanation_fail(body, suite, pool):
    result = graded(suite, pool, {kind.task: body for kind in KINDS})
    passed = {check.task for check in result.checks if check.outcome is Outcome.PASSED}
    assert passed == ({"nothing"} if body == "return None" else set())
    assert {check.outcome for check in result.checks} <= {Outcome.PASSED, Outcome.FAILED}
