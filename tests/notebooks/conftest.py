from __future__ import annotations

import functools
from collections.abc import Callable

import pytest

from autograder.authoring.notebooks import Assigned, assign_notebook
from autograder.course.course import Course
from autograder.course.stub import stub_text

Assign = Callable[[str], Assigned]


@pytest.fixture(scope="session")
def assigned(course: Course) -> Assign:
    """The notebooks of a homework, made once in each test process."""

    def assign(homework_id: str) -> Assigned:
        homework = course.homework(homework_id)
        return assign_notebook(homework, stub_text(homework))

    return functools.cache(assign)
