"""Whom to praise, on the class report."""

from dataclasses import replace

from results import FAILED, NOT_RUN, PASSED
from results import homework as result
from results import homework_grade as homework
from results import submission as submitted
from results import submission_grade as submission

from autograder.gradebook.opening import open_gradebook
from autograder.report.praise import improvements
from autograder.report.report import Overview, write_report

BETTER = (PASSED, replace(FAILED, check="double_sizes", outcome=PASSED.outcome), NOT_RUN)


def test_full_marks_and_more_are_praised_and_provisional_ones_are_not():
    overview = Overview(
        [
            submission("ada", homework(final=5.5)),
            submission("bo", homework(final=6.0), homework(homework="hwy", final=5.5)),
            submission("cy", homework(final=5.4)),
            submission("di", homework(final=5.5, awaiting=("why",))),
            submission("ed", homework(final=0.0, points=0.0)),
        ]
    )
    assert overview.full_marks == {"hwx": [0, 1], "hwy": [1]}


def test_a_later_hand_in_with_more_points_is_an_improvement(tmp_path):
    with open_gradebook(tmp_path) as book:
        for name in ("ada", "bo", "cy"):
            book.keep(submitted(name, result()), "first", "g")
        book.keep(submitted("ada", result(checks=BETTER)), "second", "g")
        book.keep(submitted("bo", result(checks=BETTER)), "first", "other graders")
        book.keep(submitted("cy", result(checks=(FAILED, NOT_RUN))), "second", "g")
        points = {("ada", "hwx"): 3.0, ("bo", "hwx"): 3.0, ("cy", "hwx"): 0.0}
        improvements_found = [
            (improvement.name, improvement.homework, improvement.before, improvement.now)
            for improvement in improvements(book, points)
        ]
    assert improvements_found == [("ada", "hwx", 1.0, 3.0)]


def test_who_is_praised_stands_on_the_page_as_text(tmp_path):
    overview = Overview([submission("<i>ada", homework(final=5.5))])
    write_report(tmp_path / "report.html", overview, ["hwx"], 5.5)
    page = (tmp_path / "report.html").read_text("utf-8")
    assert "1 with full marks in hwx" in page
    assert "<bdi>&lt;i&gt;ada</bdi>" in page
    overview = Overview([submission("ada", homework())])
    write_report(tmp_path / "report.html", overview, ["hwx"], 5.5)
    assert "Well done" not in (tmp_path / "report.html").read_text("utf-8")
