"""Calls during which a function of the submission returns its first argument."""

import numpy as np
import pytest

from autograder.course.cases import FunctionCall, PassThroughCall
from autograder.sandbox.request import Code, Request

ATTENDS = """
def softmax(x, axis=-1):
    return x * 0

other_name = softmax

def attend(scores):
    return {call}
"""


@pytest.fixture(name="answers")
def _answers(course, pool):
    def answers(text):
        call = FunctionCall("attend", (np.ones((2, 3)),))
        calls = [PassThroughCall(call, "softmax").as_mapping(), call.as_mapping()]
        request = Request(Code("a.py", {"a.py": text}), calls, course.homework("hw3").library)
        return list(pool.run(request).answers)

    return answers


@pytest.mark.parametrize(
    "call", ["softmax(5 * scores)", "softmax(x=5 * scores, axis=0)", "other_name(5 * scores, 1)"]
)
def test_the_function_returns_its_argument_in_this_call_and_is_itself_afterwards(answers, call):
    passed, as_it_is = answers(ATTENDS.format(call=call))
    assert (passed.value == 5).all()
    assert (as_it_is.value == 0).all()


@pytest.mark.parametrize(
    "text",
    [
        "def attend(scores):\n    return scores\n",
        "softmax = max\ndef attend(scores):\n    return scores\n",
        "def make(n):\n    return lambda x: n * x\n\nsoftmax = make(0)\n"
        + ATTENDS.partition("softmax\n\n")[2].format(call="softmax(scores)"),
    ],
    ids=["missing", "built in", "within another"],
)
def test_what_is_no_plain_function_of_the_submission_is_an_error_of_this_call_alone(answers, text):
    passed, as_it_is = answers(text)
    assert not passed.is_usable
    assert as_it_is.is_usable
