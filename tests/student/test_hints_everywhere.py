"""One table: what `hints` in `homework.toml` shows and hides, wherever students read of their work.

Each row is one kind of words on one page, and the values of `hints` with which these words stand there.
"""

import re
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from results import FAILED, NOT_RUN, PASSED
from results import homework_grade as homework
from results import submission_grade as submission

from autograder.course.course import Course
from autograder.examples.telling import Exam, Score, example_checks
from autograder.feedback import pages
from autograder.feedback.results_json import results_mapping
from autograder.student.homework import open_homework
from autograder.student.judge import ON_REQUEST, judge, unless_asked
from autograder.student.table import Style, render
from autograder.student.task import TaskReport
from autograder.verdict.failure import CheckFailed
from autograder.verdict.work import Exhibit, Grid, Shown, Work

from .conftest import Released

HINTS = ("always", "after_published", "never")
WITH_HINTS = {"always", "after_published"}
EVERYWHERE = set(HINTS)
HW1 = "hw1_attention_scores"

ARRAY = "an array of shape (2, 2)"
DIFFERENCE = Shown(
    "sum", Grid(ARRAY, ("1 -14", "3 4")), Grid(ARRAY, ("1 2", "3 4")), Grid("1 of 4 wrong", ("· −16", "· ·"))
)
OF_ONE_FAULT = Exhibit(
    "double",
    "public/double/one",
    "public",
    "double(x, 1)",
    1e-6,
    parts=(DIFFERENCE,),
    checks=("double_sizes",),
)
OF_TWO_FAULTS = replace(OF_ONE_FAULT, call="double(x, 2)", checks=("double_sizes", "double_other"))
OF_NO_FAULT = replace(OF_ONE_FAULT, call="double(x, 3)", checks=())


def told_check(check, name, cause, reason, task="double"):
    return replace(
        check, check=name, task=task, sentence=f"{name} holds.", kind="shape", cause=cause, reason=reason
    )


CHECKS = (
    PASSED,
    told_check(FAILED, "double_sizes", "x", "Look at the sizes."),
    told_check(FAILED, "double_more", "x", "Look at the sizes."),
    replace(told_check(FAILED, "double_other", "y", "Look at the public sizes."), public=True),
    told_check(FAILED, "totals_sizes", "x", "Look at the sizes.", "totals"),
    NOT_RUN,
    replace(PASSED, check="double_form", sentence="double_form holds.", public=True, form="transposed"),
)


def result(hints):
    """Two faults of a task, one of which costs points in two checks and in another task."""
    work = Work(shown=(OF_ONE_FAULT, OF_TWO_FAULTS, OF_NO_FAULT))
    return homework(checks=CHECKS, hints=hints, work=work)


@dataclass(frozen=True)
class Reading:
    """What the pages are made of, and by."""

    folder: Path
    course: Course
    students: Released
    patch: pytest.MonkeyPatch


def feedback_page(hints, reading):
    page = pages.feedback_page(submission("ada", result(hints)))
    return re.sub(r"<style>.*?</style>", "", page, flags=re.DOTALL)


def page_with_the_first_task_unwritten(hints, reading):
    """The headings of tasks in their order; only the second one is written."""
    unwritten = replace(told_check(FAILED, "double_sizes", "x", "Write it."), kind="not_written")
    form = told_check(FAILED, "totals_sizes", "y", "Return both.", "totals")
    page = pages.feedback_page(submission("ada", homework(checks=(unwritten, form), hints=hints)))
    return "\n".join(re.findall(r"<h3>.*</h3>", page))


def visible_tests(hints, reading):
    """What Gradescope shows at once, of results.json."""
    mapping = results_mapping(submission("ada", result(hints)))
    tests = mapping["tests"]
    assert isinstance(tests, list)
    return "\n".join(f"{test['name']}\n{test['output']}" for test in tests if test["visibility"] == "visible")


def local_report(hints, reading):
    public = open_homework(reading.students.folder(HW1))
    wrong = {"softmax": lambda x: x, "scale_scores": lambda scores, d_k: scores}
    return judge(replace(public, homework=replace(public.homework, hints=hints)), wrong)


def local_table(hints, reading):
    return render(local_report(hints, reading), Style(width=110), every=True)


def table_of_another_form(hints, reading):
    public = open_homework(reading.students.folder(HW1))
    public = replace(public, homework=replace(public.homework, hints=hints))
    return render(judge(public, {"qk_scores": lambda Q, K: (Q @ K.T).T}), Style(width=110), every=True)


def notebook_table(hints, reading):
    return TaskReport(**vars(local_report(hints, reading)))._repr_html_()


def drill_of_inputs(hints, reading):
    """What the check of inputs says that tell some mistakes from right code, and others not."""
    reading.patch.setattr(Exam, "score", lambda *arguments: Score(1, (), ["no-scaling"], ["double-softmax"]))
    base = reading.course.homework("hw3_scaled_dot_product_attention")
    examples = replace(reading.course.homework("hw3_examples"), hints=hints)
    check = next(
        check
        for check in example_checks(reading.course, examples, base)
        if check.points and "_90" in check.name
    )
    with pytest.raises(CheckFailed) as caught:
        check.function(None, None)
    return caught.value.failure.student


ROWS = [
    (feedback_page, "a check's sentence", "double_sizes holds", EVERYWHERE),
    (feedback_page, "points", "of 5.5 points", EVERYWHERE),
    (feedback_page, "a reason", "Look at the sizes", WITH_HINTS),
    (feedback_page, "the reason of a public check", "Look at the public sizes", WITH_HINTS),
    (feedback_page, "what to do first", "Start with", WITH_HINTS),
    (
        feedback_page,
        "that checks fail for one reason",
        r'class="fault">\s*<table[^>]*>(\s*<tr>.*?</tr>\s*){2}',
        WITH_HINTS,
    ),
    (
        feedback_page,
        "that tasks fail for one reason",
        "This also costs points in|The reason is the same as",
        WITH_HINTS,
    ),
    (feedback_page, "what must pass first", "must pass first", WITH_HINTS),
    (feedback_page, "a case of one fault", r"double\(x, 1\)", WITH_HINTS),
    (feedback_page, "a case of two faults", r"double\(x, 2\)", WITH_HINTS),
    (feedback_page, "a case of no fault", r"double\(x, 3\)", WITH_HINTS),
    (feedback_page, "numbers", 'class="off"|-14', WITH_HINTS),
    (feedback_page, "another form", "Counted, though transposed: double_form holds", WITH_HINTS),
    (feedback_page, "the name of a mistake", "hard-coded-size", set()),
    (page_with_the_first_task_unwritten, "what to do first", "totals.*double", WITH_HINTS),
    (page_with_the_first_task_unwritten, "the homework's order", "double.*totals", {"never"}),
    (visible_tests, "a public check's sentence", "double_other holds", EVERYWHERE),
    (visible_tests, "the reason of a public check", "Look at the public sizes", WITH_HINTS),
    (visible_tests, "a hidden check's sentence", "double_sizes holds", {"always"}),
    (visible_tests, "the reason of a hidden check", "Look at the sizes", {"always"}),
    (visible_tests, "another form", "double_form holds.\nCounted, though transposed.", WITH_HINTS),
    (visible_tests, "the name of a mistake", "hard-coded-size", set()),
    (local_table, "a check's sentence", "softmax", EVERYWHERE),
    (
        local_table,
        "a reason",
        "comes back, with the numbers it had|scaled scores equal the plain ones",
        WITH_HINTS,
    ),
    (local_table, "a case to paste", r"case\(", WITH_HINTS),
    (local_table, "numbers", r"yours", WITH_HINTS),
    (table_of_another_form, "another form", "counted, though transposed", WITH_HINTS),
    (local_table, "that something is wrong", "does not return what is expected yet", {"never"}),
    (
        notebook_table,
        "a reason",
        "comes back, with the numbers it had|scaled scores equal the plain ones",
        WITH_HINTS,
    ),
    (notebook_table, "numbers", "<pre", WITH_HINTS),
    (notebook_table, "a case to paste", r"case\(", WITH_HINTS),
    (drill_of_inputs, "how many mistakes are told apart", "1 of 2 known mistakes", EVERYWHERE),
    (drill_of_inputs, "mistakes that are told apart", "no-scaling", WITH_HINTS),
    (drill_of_inputs, "mistakes that are not", "double-softmax", WITH_HINTS),
]


@pytest.mark.parametrize("hints", HINTS)
@pytest.mark.parametrize(
    ("surface", "words", "expected"),
    [(surface, words, expected) for surface, _, words, expected in ROWS],
    ids=[f"{surface.__name__}: {kind}" for surface, kind, _, _ in ROWS],
)
def test_hints_decide_what_stands_on_each_page(
    surface, words, expected, hints, tmp_path, course, students, monkeypatch
):
    page = surface(hints, Reading(tmp_path, course, students, monkeypatch))
    assert bool(re.search(words, page, re.DOTALL)) == (hints in expected)


def test_on_request_a_table_shows_the_call_first_and_the_reason_when_it_is_asked_for(
    tmp_path, course, students, monkeypatch
):
    reading = Reading(tmp_path, course, students, monkeypatch)
    public = open_homework(students.folder(HW1))
    public = replace(public, homework=replace(public.homework, hints=ON_REQUEST))
    whole = local_report(ON_REQUEST, reading)
    first = render(unless_asked(public, whole), Style(width=110))
    reasons = {check.reason for check in whole.results if check.outcome is FAILED}
    assert all(" ".join(reason.split()[:5]) not in first for reason in reasons)
    assert "yours" in first
    assert "python check.py --all" in first
    assert unless_asked(replace(public, homework=replace(public.homework, hints="always")), whole) is whole
