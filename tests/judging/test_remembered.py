"""What the solution answers to further calls is asked once, for it is the same for every submission."""

import numpy as np
import pytest

from autograder.course.calls import FunctionCall
from autograder.reasons import remembered
from autograder.reasons.remembered import RememberedAnswers
from autograder.sandbox.report import Answer


class Homework:
    solution = "solution.py"


@pytest.fixture
def asked(monkeypatch):
    """The calls that the solution was asked; it answers with the sum of the first argument."""
    asked = []

    def run_calls(homework, path, calls, pool):
        asked.append([call.name for call in calls])
        return [Answer(value=np.sum(call.args[0])) for call in calls]

    monkeypatch.setattr(remembered, "run_calls", run_calls)
    return asked


def sums(answers):
    return [answer.value.item() for answer in answers]


def test_equal_calls_are_made_once_and_others_again(asked):
    reference = RememberedAnswers(Homework())
    for number, name in ((1, "f"), (1, "f"), (2, "f"), (1, "g")):
        calls = [FunctionCall(name, (np.full(2, number),)), FunctionCall(name, (np.ones(3),))]
        assert sums(reference.ask(calls, None)) == [2 * number, 3]
    assert asked == [["f", "f"], ["f", "f"], ["g", "g"]]


def test_what_was_answered_is_forgotten_when_it_becomes_too_much(asked, monkeypatch):
    monkeypatch.setattr(remembered, "MOST_FURTHER_NUMBERS", 120)
    reference = RememberedAnswers(Homework())
    for number in (1, 2, 3, 1):
        reference.ask([FunctionCall("f", (np.full(2, number),))], None)
    assert len(asked) == 4
