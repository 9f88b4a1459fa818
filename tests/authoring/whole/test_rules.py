"""Slow tests of the same subject as ``test_rules``, for CI and `make test WHOLE=1`."""

from __future__ import annotations

import pytest

from autograder.course.course import Course
from autograder.sandbox.pool import SandboxPool

from ..test_rules import said

NOTES = {
    "hw4": [
        "solutions/hw4_self_attention_columns/cases.py: an argument of softmax has the size 3 in each published "
        "and public case, so code with that number in it passes them; let a public case have another"
    ]
}
SIX = ["hw1", "hw2", "hw3", "hw4", "hw5", "hw6"]


@pytest.mark.parametrize("homework_id", SIX)
def test_the_kits_first_homeworks_break_no_rule(course: Course, pool: SandboxPool, homework_id: str) -> None:
    findings = [str(one) for one in said(course, course.homework(homework_id).id, pool)]
    assert findings == NOTES.get(homework_id, [])
