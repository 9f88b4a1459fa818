import json
from dataclasses import replace

import pytest
from gradescope_folder import documented
from results import FAILED, NOT_RUN, PASSED
from results import homework_grade as homework
from results import our_fault as ours
from results import submission_grade as submission
from wording import to_staff

from autograder.feedback.results_json import results_mapping, write_results
from autograder.sandbox.report import Status
from autograder.verdict.checks import Outcome


def written(tmp_path, result):
    path = tmp_path / "results.json"
    write_results(path, result)
    text = path.read_text("ascii")
    return json.loads(text) if result.earned is None else documented(text)


def test_points_of_extra_credit_are_called_a_bonus_in_the_text_and_in_the_data(tmp_path):
    mapping = written(tmp_path, submission("ada", homework(points=3, final=5.5, bonus=2.5)))
    assert to_staff["gradescope.bonus"] in mapping["output"]
    assert mapping["extra_data"]["homeworks"]["hwx"]["bonus"] == 2.5


def test_the_top_level_has_score_output_visibility_tests_and_extra_data(tmp_path):
    mapping = written(tmp_path, submission("ada", homework()))
    formats = {"output_format", "test_output_format", "test_name_format"}
    assert set(mapping) == {"score", "output", *formats, "visibility", "tests", "extra_data"}
    assert {mapping[key] for key in formats} == {"text"}
    assert mapping["score"] == 1.0
    assert mapping["visibility"] == "visible"
    write_results(tmp_path / "blank.json", submission("ada", homework()), is_blank=True)
    assert json.loads((tmp_path / "blank.json").read_text("ascii")).keys() == mapping.keys() - {"score"}


def test_each_check_is_a_test_with_points_reason_and_labels(tmp_path):
    [passed, failed, not_run] = written(tmp_path, submission("ada", homework()))["tests"]
    assert failed == {
        "name": to_staff["gradescope.hwx-double-works-for-any"],
        "number": "1.2",
        "tags": ["double", "failed"],
        "score": 0.0,
        "max_score": 2.0,
        "status": "failed",
        "output": to_staff["gradescope.shape-of-the-doubled-numbers"],
        "visibility": "visible",
        "extra_data": {
            "homework": "hwx",
            "task": "double",
            "check": "double_sizes",
            "status": "graded",
            "outcome": "failed",
            "misconceptions": ["hard-coded-size", "returns-tuple"],
        },
    }
    assert [passed[key] for key in ("score", "max_score", "status", "output")] == [1.0, 1.0, "passed", ""]
    assert (not_run["score"], not_run["status"]) == (0.0, "failed")
    assert not_run["output"].startswith("Not run because")


@pytest.mark.parametrize(
    ("hints", "visibility"),
    [("always", "visible"), ("after_published", "after_published"), ("never", "hidden")],
)
def test_the_hint_policy_decides_who_sees_a_check(tmp_path, hints, visibility):
    tests = written(tmp_path, submission("ada", homework(hints=hints)))["tests"]
    assert {test["visibility"] for test in tests} == {visibility}


def test_checks_are_numbered_by_task_and_of_several_homeworks_by_homework_and_add_up_to_the_score(tmp_path):
    tests_of_one = written(tmp_path, submission("ada", homework()))["tests"]
    mapping = written(tmp_path, submission("ada", homework(), homework(homework="hwy")))
    tests_of_two = mapping["tests"]
    assert mapping["score"] == sum(test["score"] for test in tests_of_two) == 2.0
    assert [test["number"] for test in tests_of_one] == ["1.1", "1.2", "2.1"]
    assert [test["number"] for test in tests_of_two] == ["1.1.1", "1.1.2", "1.2.1", "2.1.1", "2.1.2", "2.2.1"]


@pytest.mark.parametrize("visibility", ["visible", "after_due_date", "after_published", "hidden"])
def test_the_policy_decides_when_a_hidden_check_is_shown_and_public_ones_always_are(tmp_path, visibility):
    checks = (replace(PASSED, public=True), FAILED)
    homework_result = homework(checks=checks, hints="never", shown=visibility)
    assert [
        test["visibility"] for test in written(tmp_path, submission("ada", homework_result))["tests"]
    ] == [
        "visible",
        visibility,
    ]


@pytest.mark.parametrize(
    "result",
    [
        submission("ada", ours()),
        submission("ada", homework(), ours(homework="hwy")),
        submission("ada", fault="Traceback: secret"),
        submission("ada", homework(), fault="Traceback: secret"),
    ],
)
def test_our_fault_has_no_score_and_never_a_zero(tmp_path, result):
    mapping = written(tmp_path, result)
    assert "score" not in mapping
    assert not any("score" in test for test in mapping["tests"]), "their sum would be taken for the score"
    assert mapping["extra_data"]["status"] == "infrastructure_error"
    assert mapping["output"].splitlines()[0] == to_staff["gradescope.grader-failed-not-you"]


def test_nothing_handed_in_scores_zero_and_says_why(tmp_path):
    mapping = written(tmp_path, submission("ada", problems=("no stub's name was found",)))
    assert (mapping["score"], mapping["tests"]) == (0, [])
    assert "no stub's name was found" in mapping["output"]


def test_what_only_the_staff_may_read_is_not_in_it(tmp_path):
    result = submission(
        "ada", homework(output="printed: secret"), ours(homework="hwy"), fault="Traceback: secret"
    )
    text = json.dumps(written(tmp_path, result))
    assert FAILED.staff not in text
    assert "secret" not in text


def test_the_summary_tells_points_status_and_notes(tmp_path):
    result = submission(
        "ada", homework(status=Status.TIME_LIMIT, notes=("Cell 3 raised NameError.",)), ours()
    )
    lines = written(tmp_path, result)["output"].splitlines()
    assert lines == [
        to_staff["gradescope.grader-failed-not-you"],
        to_staff["gradescope.doubles-and-totals-2"],
        "  Cell 3 raised NameError.",
        to_staff["gradescope.doubles-and-totals"],
    ]


def test_extra_data_repeats_each_homework_for_programs(tmp_path):
    extra = written(tmp_path, submission("ada", homework(), ours(homework="hwy"), problems=("a",)))[
        "extra_data"
    ]
    assert (extra["submission"], extra["problems"]) == ("ada", ["a"])
    assert extra["homeworks"]["hwx"] == {
        "status": "graded",
        "score": 1.0,
        "max_score": 5.5,
        "raw_score": 1.0,
        "adjustments": [],
        "not_marked_yet": [],
        "layers": ["process", "no-network"],
        "seed": 7,
    }
    assert extra["homeworks"]["hwy"]["score"] is None


def test_a_test_is_named_by_its_sentence_and_of_several_homeworks_by_the_title_too(tmp_path):
    [test] = written(tmp_path, submission("ada", homework(checks=(FAILED,))))["tests"]
    assert test["name"] == FAILED.sentence
    both = submission(
        "ada", homework(checks=(FAILED,)), homework(homework="hwy", title="Other", checks=(FAILED,))
    )
    names = [test["name"] for test in written(tmp_path, both)["tests"]]
    assert names == [f"{homework().title}: {FAILED.sentence}", f"Other: {FAILED.sentence}"]


@pytest.mark.parametrize(
    "text", ["zoë 🎓", "a\nb", 'quote"', "<script>", "\x1b[31m", "</pre>", "\u2028", "NaN", "\\u0000"]
)
def test_any_text_is_kept_in_valid_json(tmp_path, text):
    mapping = written(tmp_path, awkward(text))
    assert mapping["extra_data"]["submission"] == text
    assert text in mapping["output"]
    assert text in mapping["tests"][0]["name"]


@pytest.mark.parametrize(("text", "shown_text"), [("ada\udcff", "ada?"), ("\ud83d", "?"), ("a\0b", "a?b")])
def test_what_no_database_takes_is_replaced(tmp_path, text, shown_text):
    mapping = written(tmp_path, awkward(text))
    assert mapping["extra_data"]["submission"] == shown_text
    assert shown_text in mapping["tests"][0]["name"]


def awkward(text):
    """A result in which every text that is not ours alone is this one."""
    check = replace(FAILED, sentence=text, reason=text)
    return submission(text, homework(checks=(check,), title=text, notes=(text,)), problems=(text,))


def test_where_a_check_was_not_judged_the_others_carry_their_points_and_no_test_has_a_score():
    broken = replace(FAILED, outcome=Outcome.NOT_JUDGED)
    fault = homework(checks=(PASSED, broken, NOT_RUN), status=Status.INFRASTRUCTURE_ERROR)
    mapping = results_mapping(submission("ada", fault))
    earned = {test["extra_data"]["check"]: test["extra_data"]["earned"] for test in mapping["tests"]}
    assert earned == {PASSED.check: PASSED.earned, broken.check: None, NOT_RUN.check: 0.0}
    assert not any("score" in test for test in mapping["tests"])
