"""A fault of ours on a student's machine: a note says so, the fact stays, the other checks are judged."""

from dataclasses import replace
from types import FunctionType
from typing import cast

import pytest
from judging.injecting import raising

from autograder.course.course import find_course
from autograder.exhibits import exhibits as work
from autograder.reasons import explain
from autograder.student.find import find_work
from autograder.student.homework import open_homework
from autograder.student.judge import NOT_EXPLAINED, OUR_FAULT
from autograder.student.load import check_work
from autograder.verdict.checks import Outcome

from .conftest import libraries_as_before

HW1 = "hw1_attention_scores"


def text_of(students):
    """A solution whose softmax is wrong."""
    folder = students.folder(HW1)
    stub = open_homework(folder).homework.stub
    right = (find_course().solutions / HW1 / stub).read_text("utf-8")
    return f"{right}\n\ndef softmax(x):\n    return x * 0.5\n"


def outcomes(report):
    return {check.check: (check.outcome, check.earned) for check in report.results}


@pytest.mark.parametrize("function", [explain.Explainer.reason, work.exhibit], ids=["reason", "exhibit"])
def test_an_explanation_that_fails_leaves_the_plain_fact(students, function):
    text = text_of(students)
    usual = students.check(HW1, text)
    with raising(cast(FunctionType, function)):
        report = students.check(HW1, text)
    assert outcomes(report) == outcomes(usual)
    assert any(outcome is Outcome.FAILED for outcome, _ in outcomes(report).values())
    assert not any(note.startswith(NOT_EXPLAINED) for note in usual.notes)
    [note] = [note for note in report.notes if note.startswith(NOT_EXPLAINED)]
    assert "ZeroDivisionError: put in by a test" in note
    assert "numbers of the attention weights are wrong" in students.screen(report)


def test_a_check_that_raises_is_not_judged_and_the_others_are(students):
    def breaks():
        raise KeyError("x")

    text = text_of(students)
    usual = outcomes(students.check(HW1, text))
    folder = students.folder(HW1)
    public = open_homework(folder)
    first, *others = public.checks
    public = replace(public, checks=[replace(first, function=breaks), *others])
    with libraries_as_before():
        report = check_work(public, find_work(public, folder))
    assert outcomes(report)[first.name][0] is Outcome.NOT_JUDGED
    free = [check.name for check in others if first.name not in check.requires]
    assert {name: outcomes(report)[name] for name in free} == {name: usual[name] for name in free}
    assert report.notes[0].startswith(f"{OUR_FAULT} ({first.name}: KeyError: 'x'")
    assert not report.passed
    assert report.results[0].reason == OUR_FAULT
    assert "not your fault" in students.screen(report)
