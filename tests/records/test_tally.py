"""What is said of a class as a whole."""

from dataclasses import replace

import pytest
from results import FAILED
from results import homework_grade as homework
from results import submission_grade as submission
from wording import to_staff

from autograder.feedback.pages import as_sentence
from autograder.intake.matching import UNCLEAR
from autograder.intake.submission import Problem
from autograder.report.report import Overview, write_report
from autograder.report.tally import Tally
from autograder.sandbox.report import Status


def recognised(*homeworks):
    return submission("eve", *(homework(homework=homework_id, recognised=True) for homework_id in homeworks))


def unclear(name):
    return submission(name, problems=(Problem(f"{name}.py is unclear", cause=UNCLEAR),))


def not_imported(name, error):
    check = replace(FAILED, staff=f"{error}\n  File …")
    return submission(name, homework(status=Status.IMPORT_FAILED, checks=(check,)))


def tally_of(results):
    tally = Tally()
    for result in results:
        tally.add(result)
    return tally


def test_who_was_recognised_as_what_and_who_is_unclear_is_counted():
    results = [
        recognised("hw4"),
        recognised("hw4", "hw5"),
        submission("ada", homework()),
        unclear("b c"),
        unclear("d"),
    ]
    assert tally_of(results).recognition == to_staff["tally.recognised"]
    assert tally_of([unclear("d")]).recognition == to_staff["tally.unclear-alone"]
    assert tally_of([submission("ada", homework())]).recognition == ""


def test_recognised_homeworks_are_listed_by_number_and_a_project_last():
    text = tally_of([recognised("capstone", "hw10", "hw9")]).recognition
    assert [fact.split()[-1] for fact in text.split(", ")] == ["hw9", "hw10", "capstone"]


def test_a_class_that_could_not_be_imported_is_an_alarm_with_the_commonest_reason():
    missing = "ModuleNotFoundError: No module named 'pandas'"
    results = [not_imported(f"s{n}", missing) for n in range(9)]
    results += [not_imported("t", f"SyntaxError: '(' was never closed ({n}.py, line {n})") for n in range(2)]
    assert tally_of(results).alarm == [to_staff["tally.could-not-be-imported"]]


def test_the_reason_is_that_of_the_homework_that_has_no_grade():
    error = "SyntaxError: '(' was never closed"
    without = not_imported("ada", error)
    result = replace(without, homeworks=(homework(), *without.homeworks))
    assert tally_of([result]).causes[Status.IMPORT_FAILED] == {error: 1}


def test_the_more_frequent_status_comes_first_and_equal_causes_are_one():
    lost = [submission(f"s{n}", problems=(Problem.of(f"{n}.zip", "is locked", "ask"),)) for n in range(7)]
    results = [*lost, *(not_imported("t", f"SyntaxError: x ({n}.py, line {n})") for n in range(3))]
    first, second = tally_of(results).alarm
    assert first == to_staff["tally.hold-nothing"]
    assert "(3): SyntaxError: x" in second


@pytest.mark.parametrize(
    ("lost", "graded", "alarms"), [(9, 0, False), (5, 5, False), (6, 5, True), (10, 0, True)]
)
def test_an_alarm_needs_ten_submissions_and_more_than_half_of_them(lost, graded, alarms):
    results = [submission(str(n)) for n in range(lost)] + [submission("g", homework())] * graded
    assert bool(tally_of(results).alarm) is alarms


def test_what_a_submission_says_cannot_steer_the_terminal():
    results = [not_imported(str(n), f"Error: \x1b[2J\x07{'x' * 9}") for n in range(10)]
    assert all(line.isprintable() for line in tally_of(results).alarm)


def test_the_report_says_the_same(tmp_path):
    results = [*(submission(str(n)) for n in range(9)), recognised("hwx"), unclear("z")]
    write_report(tmp_path / "report.html", Overview(results), ["hwx"], 1)
    page, tally = (tmp_path / "report.html").read_text("utf-8"), tally_of(results)
    assert all(as_sentence(line) in page for line in [tally.recognition, *tally.alarm])
    assert len(tally.alarm) == 1
