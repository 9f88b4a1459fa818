"""What an exception says is quoted only from the same stop of the same function in a public case."""

from dataclasses import replace

import pytest

from autograder.sandbox.report import Answer

from .test_fixtures import PUBLISHED, RAISED, SMALL, TOTALS, WIDE, setup

__all__ = ["setup"]  # the fixture


@pytest.mark.parametrize(
    ("case", "change", "is_shown"),
    [
        (SMALL, {}, True),
        (PUBLISHED, {}, True),
        (SMALL, {"line": 5}, False),
        (SMALL, {"type": "IndexError"}, False),
        (SMALL, {"file": "other.py"}, False),
        (TOTALS, {}, False),
        (WIDE, {}, False),
    ],
    ids=[
        *("a public case", "a published case", "another line", "another exception", "another file"),
        *("another function", "a hidden case"),
    ],
)
def test_a_message_is_shown_where_a_public_case_of_the_function_raises_the_same(
    case, change, is_shown, setup
):
    assert RAISED.error is not None
    openly = {case.case.id: Answer(error=replace(RAISED.error, message="said openly", **change))}
    submission = replace(setup.proxy((WIDE, RAISED)), ask_openly=lambda: openly)
    finding = setup.finding(submission, WIDE)
    assert ("said openly" in finding.student) == is_shown
    assert "shapes" not in finding.student, "that message comes from a run with hidden inputs"
