"""How a written answer that nobody has marked yet looks in the other exports."""

import json

from results import PASSED
from results import homework_grade as homework
from results import submission_grade as submission

from autograder.feedback.pages import write_feedback
from autograder.feedback.results_json import results_mapping
from autograder.report.submission_page import page_data
from autograder.verdict.checks import CheckResult, Outcome

from .test_pages import EVIL, Reader

WAITING = CheckResult(
    "theory_why",
    "theory",
    "Why twice",
    2.0,
    Outcome.COLLECTED,
    reason="Collected for your TA (2 points).",
    answer=f"Because {EVIL}",
)


def waiting():
    return submission("ada", homework(points=3.0, checks=(PASSED, WAITING)))


def test_gradescope_shows_it_neither_as_passed_nor_as_failed():
    mapping = results_mapping(waiting())
    _, test = mapping["tests"]
    assert not {"score", "max_score", "status"} & set(test)
    assert test["output"] == "Collected for your TA (2 points)."
    assert test["extra_data"]["outcome"] == "collected"
    assert mapping["score"] == 1.0


def test_the_student_reads_that_it_waits(tmp_path):
    write_feedback(tmp_path / "feedback.html", waiting())
    text = Reader((tmp_path / "feedback.html").read_text("utf-8")).text
    assert "1 of 3 points" in text
    assert "– no points yet / 2" in text
    assert "Collected for your TA (2 points)." in text


def test_the_staff_reads_the_answer():
    assert f"Because {EVIL}" in json.dumps(page_data(waiting(), {}), default=vars)
