"""Slow tests of the same subject as ``test_courses``, for CI and `make test WHOLE=1`."""

from __future__ import annotations

import pytest

from autograder.course.course import Course

from ..running import run


def test_the_course_that_is_handed_out_is_in_sync(course: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(course.root)
    assert run("assignments", "verify").exit == 0
