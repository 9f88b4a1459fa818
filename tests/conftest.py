"""What tests share: the course, sandboxes that stay warm for a whole test process, and prepared suites."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tiny import Tiny, write_tiny
from wording import Entry, Session

from autograder.authoring.reference import build_outputs
from autograder.course.course import Course, find_course
from autograder.grading import grade
from autograder.grading.grade import grade_handin
from autograder.grading.suite import Suite, prepare_suite
from autograder.reasons.explain import Explainer
from autograder.sandbox.pool import SandboxPool
from autograder.sandbox.request import Code
from autograder.verdict.results import HomeworkResult

SEED = 20270101
LONGEST = ("test_installed.py", "test_gradescope_rehearsal.py")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--accept-wording", action="store_true", help="write what is said into tests/wording/")


def pytest_configure() -> None:
    """Let students' checks speak as on a student's machine, also where a workflow runs these tests."""
    os.environ.pop("GITHUB_ACTIONS", None)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep together what shares costly fixtures: a suite or the browser, else the tests of a file.

    What takes longest begins first, so that no process waits for it in the end.
    """
    items.sort(key=lambda item: not item.location[0].endswith(LONGEST))
    homeworks = find_course().homework_ids()
    for item in items:
        fixtures = getattr(item, "fixturenames", ())
        graded = homeworks if "suite_of" in fixtures else ()
        group = next((one for one in graded if one in item.name), item.location[0])
        group = "browser" if "browser" in fixtures else group
        item.add_marker(pytest.mark.xdist_group(group))


def pytest_make_parametrize_id(val: object) -> str | None:
    return val.id if isinstance(val, Entry) else None


@pytest.fixture(scope="session", autouse=True)
def wording_session(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> None:
    Session.folder = tmp_path_factory.getbasetemp()
    Session.accept = pytestconfig.getoption("--accept-wording")


@pytest.fixture(scope="session")
def course() -> Course:
    return find_course()


@pytest.fixture(scope="session")
def pool() -> Iterator[SandboxPool]:
    with SandboxPool() as opened:
        yield opened


@pytest.fixture(scope="session")
def suite_of(course: Course, pool: SandboxPool) -> Callable[[str], Suite]:
    return functools.cache(
        lambda homework_id: prepare_suite(course, course.homework(homework_id), SEED, pool)
    )


@pytest.fixture(scope="session")
def grade_text(suite_of: Callable[[str], Suite], pool: SandboxPool) -> Callable[[str, str], HomeworkResult]:
    """Grade the text of a stub file for a homework; the corpus is graded once for all tests of it."""

    @functools.cache
    def graded(homework_id: str, text: str) -> HomeworkResult:
        suite = suite_of(homework_id)
        stub = suite.homework.stub
        return grade_handin(Code(stub, {stub: text}), suite, pool)

    return graded


@pytest.fixture(scope="session")
def judge_text(suite_of: Callable[[str], Suite], pool: SandboxPool) -> Callable[[str, str], HomeworkResult]:
    """As ``grade_text``, but no reason is looked for: that costs most of a wrong answer, and no points."""

    def judge(homework_id: str, text: str) -> HomeworkResult:
        suite = suite_of(homework_id)
        stub = suite.homework.stub
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Explainer, "reason", lambda explainer, compare, failed, failure: failure)
            patch.setattr(grade, "_with_exhibits", lambda work, *more: work)
            return grade_handin(Code(stub, {stub: text}), suite, pool)

    return judge


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory, pool: SandboxPool) -> Tiny:
    """The tiny course with its reference outputs; no test changes it."""
    tiny = write_tiny(tmp_path_factory.mktemp("course"))
    assert build_outputs(tiny.course, tiny.homework, pool).written
    return tiny


@pytest.fixture
def tiny(tmp_path: Path) -> Tiny:
    """A course of one small homework in a folder of its own."""
    return write_tiny(tmp_path / "course")
