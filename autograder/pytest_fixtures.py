"""The fixtures of checks in pytest: the submission, its cases and the comparison, as grading gives them.

``pytest_plugin.py`` loads this module where pytest is called with ``--submission``.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from autograder.batch.evidence import Explanation, fixtures_of
from autograder.batch.session import open_session
from autograder.course.course import find_course
from autograder.course.homework import CourseError
from autograder.intake.submission import Submission, SubmissionError
from autograder.sandbox.pool import SandboxPool
from autograder.verdict.explanation_faults import recording_faults
from autograder.verdict.failure import CheckFailed, Failure
from autograder.verdict.fixtures import Cases, Compare, Fixtures, SubmissionProxy

FIXTURES = pytest.StashKey[Fixtures]()
"""In a module of checks: the fixtures that its checks share."""


@pytest.fixture(scope="session")
def autograder_pool() -> Iterator[SandboxPool]:
    """The sandboxes that the checks of all homeworks share."""
    with SandboxPool() as pool:
        yield pool


@pytest.fixture(scope="module")
def autograder_fixtures(
    request: pytest.FixtureRequest, autograder_pool: SandboxPool
) -> Fixtures:
    """Run the submission once for the homework of this module."""
    path = request.config.getoption("submission")
    chosen = request.config.getoption("homework")
    seed = request.config.getoption("seed")
    homework_id = request.module.__name__.rpartition(".")[2].removeprefix("test_")
    try:
        course = find_course(request.path, [path])
        session = open_session(seed, [chosen] if chosen else [], course)
        if session.chosen and homework_id not in session.chosen:
            pytest.skip(f"only {session.chosen[0]} was asked for")
        submission = Submission(path.stem, path.resolve())
        fixtures = fixtures_of(session, submission, homework_id, autograder_pool)
    except SubmissionError as error:
        pytest.skip(str(error))
    except (CheckFailed, CourseError) as error:
        pytest.fail(str(error), pytrace=False)
    request.node.stash[FIXTURES] = fixtures
    return fixtures


@pytest.fixture
def submission(autograder_fixtures: Fixtures) -> SubmissionProxy:
    """The submission; its calls run in a worker."""
    return autograder_fixtures.submission


@pytest.fixture
def cases(autograder_fixtures: Fixtures) -> Cases:
    """The homework's cases with their expected answers."""
    return autograder_fixtures.cases


@pytest.fixture
def compare(autograder_fixtures: Fixtures) -> Compare:
    """The comparison that raises ``CheckFailed`` with the reason."""
    return autograder_fixtures.compare


def explanation_lines(item: pytest.Item, failure: Failure) -> list[str]:
    """Return the lines that ``autograder explain`` shows about a failed check."""
    from autograder.report.evidence import evidence_lines

    module = item.getparent(pytest.Module)
    if module is None or FIXTURES not in module.stash:
        return [failure.staff]  # nothing of the submission loads
    config = item.config
    path = config.getoption("submission").resolve()
    seed = config.getoption("seed")
    width = config.get_terminal_writer().fullwidth
    fixtures = module.stash[FIXTURES]
    with recording_faults() as faults:
        explanation = Explanation.of(failure, fixtures)
        texts = evidence_lines(
            explanation, path, fixtures.compare.homework, seed, width
        )
        lines = [line.text for line in texts]
    for fault in faults:
        lines.append(f"an explanation failed: {fault}")
    return lines
