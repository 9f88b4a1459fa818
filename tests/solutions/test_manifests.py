"""The stored outputs of the course name the files that they were made from."""

import pytest

from autograder.course.course import find_course
from autograder.grading.stale import fingerprints
from autograder.verdict.store import open_store


@pytest.mark.parametrize("homework_id", find_course().homework_ids())
def test_no_file_has_changed_since_the_outputs_were_stored(course, homework_id):
    """Where one has, no value may differ, but every run computes them all again to be sure."""
    homework = course.homework(homework_id)
    assert open_store(course, homework).manifest().made_from == fingerprints(homework)
