import shutil
from dataclasses import replace

import pytest
from submissions import edited, of_stub
from tiny import Tiny, write_tiny

from autograder.course.course import Course
from autograder.grading.grade import grade_handin
from autograder.grading.suite import prepare_suite

from .asking import code, failed, reason
from .mistakes import build, write_mistakes

SEED = 11


@pytest.fixture(scope="session")
def suite(built, pool):
    return prepare_suite(built.course, built.homework, SEED, pool)


@pytest.fixture
def grade(suite, pool):
    """Grade the text of a file."""
    return lambda text, **more: grade_handin(code(text), suite, pool, **more)


@pytest.fixture
def grade_edited(grade_text):
    """Grade a solution with other passages in place of its own."""
    return lambda homework_id, *edits: grade_text(homework_id, edited(homework_id, *edits))


@pytest.fixture
def first_failed(judge_text):
    """Grade a solution with passages replaced; return the first check that failed. The later ones get no reason."""
    return lambda homework_id, *edits: failed(
        judge_text(homework_id, edited(homework_id, *edits), reasons=1)
    )[0]


@pytest.fixture
def grade_up_to(suite_of, pool):
    """Grade the text of a stub file, up to a check, or to the last check of a task.

    Later checks are left out: their reasons cost time, and nothing before depends on them.
    """

    def grade(homework_id, name, text):
        suite = suite_of(homework_id)
        places = [number for number, check in enumerate(suite.checks, 1) if name in (check.name, check.task)]
        suite = replace(suite, checks=suite.checks[: places[-1]])
        return grade_handin(of_stub(suite, text), suite, pool)

    return grade


@pytest.fixture
def reason_of(grade_up_to):
    """Grade a solution with passages replaced, up to one check; return its reason."""

    def reason_of_check(homework_id, name, *edits):
        result = grade_up_to(homework_id, name, edited(homework_id, *edits))
        assert result.explanation_faults == ()
        return reason(result, name)

    return reason_of_check


@pytest.fixture(scope="session")
def mistaken(tmp_path_factory, pool):
    """The tiny course with its mistakes and everything stored; no test changes it."""
    tiny = write_mistakes(write_tiny(tmp_path_factory.mktemp("course")))
    return build(tiny, pool)


@pytest.fixture(scope="session")
def known(mistaken):
    return mistaken.store.read()


@pytest.fixture
def own_course(mistaken, tmp_path):
    """A tiny course with mistakes that a test may change: a copy of the built one."""
    root = tmp_path / "course"
    shutil.copytree(mistaken.course.root, root)
    return Tiny(Course(root))
