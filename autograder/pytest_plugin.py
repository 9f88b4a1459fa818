"""The pytest plugin: ``pytest solutions/ID --submission=PATH`` grades one submission test by test.

It gives the same checks the same fixtures as ``autograder grade``, so that a teacher can debug with
the tool they know; with ``-vv`` it says of each failed check what ``autograder explain`` does. Without
``--submission`` the plugin stays out of the way.

Pytest chooses its settings before it loads a plugin, and settings can load code. Until then it takes the PATH
of ``--submission PATH`` for a folder of tests, and that of ``--submission=PATH`` for nothing.
"""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from autograder.safe_path import WithoutCurrentFolder

if TYPE_CHECKING:
    from autograder.sandbox.pool import SandboxPool
    from autograder.verdict.failure import Failure
    from autograder.verdict.fixtures import Cases, Compare, Fixtures, SubmissionProxy

_FIXTURES = pytest.StashKey["Fixtures"]()
_FAILED = pytest.StashKey[set[tuple[Path, str]]]()
_FAULTS = pytest.StashKey[list[str]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of ``autograder grade`` that make sense for one submission."""
    add = parser.getgroup("autograder").addoption
    add(
        "--submission",
        dest="submission",
        type=Path,
        help="run the checks on this file, folder or zip",
    )
    add(
        "--homework",
        dest="homework",
        help="take its only file for this homework, whatever its name",
    )
    add(
        "--seed",
        dest="seed",
        type=int,
        default=0,
        help="seed of the freshly drawn inputs (default: 0)",
    )


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Let nothing of the submission, or of the current folder, be imported; refuse what pytest might run.

    Raises:
        pytest.UsageError: pytest may take settings or tests from the submission.
    """
    given = early_config.known_args_namespace
    if given.submission is None:
        return
    closing = contextlib.ExitStack()
    closing.enter_context(WithoutCurrentFolder())
    early_config.add_cleanup(closing.close)
    submission, here = given.submission.resolve(), early_config.invocation_params.dir
    named = [
        Path(here, word.partition("::")[0]).resolve() for word in given.file_or_dir
    ]
    for place in [path for path in named if path.exists()] or [here]:
        if (
            submission == place
            or submission in place.parents
            or place in submission.parents
        ):
            why = f"pytest would collect tests in {place}, where the submission lies"
            raise pytest.UsageError(f"{why}: name the checks, and only these")
    words = [str(word) for word in early_config.invocation_params.args]
    if given.inifilename is None and "--submission" in words:
        # fine where the settings lie around the checks, and pytest would have looked at the submission later
        earlier, settings = words[: words.index("--submission")], early_config.inipath
        around = settings is not None and all(
            settings.parent in one.parents for one in named
        )
        if not around or not any(word in earlier for word in given.file_or_dir):
            raise pytest.UsageError(
                "write --submission=PATH, with an equals sign: otherwise pytest looks for its settings in "
                "the submission, too, and settings can load code"
            )


def pytest_configure(config: pytest.Config) -> None:
    """Register the mark of checks; refuse a submission that is not there."""
    config.addinivalue_line(
        "markers", "check(task, points, requires): a graded check of a homework"
    )
    path = config.getoption("submission", None)
    if path is not None and not path.exists():
        raise pytest.UsageError(f"--submission {path}: there is no such file or folder")


def pytest_report_header(config: pytest.Config) -> str | None:
    """Say what the submission is kept from."""
    if config.getoption("submission", None) is None:
        return None
    from autograder.sandbox.levels import strongest_level

    return f"autograder: protection level {strongest_level().name}"


@pytest.fixture(scope="session")
def autograder_pool() -> Iterator[SandboxPool]:
    """The sandboxes that the checks of all homeworks share."""
    from autograder.sandbox.pool import SandboxPool

    with SandboxPool() as pool:
        yield pool


@pytest.fixture(scope="module")
def autograder_fixtures(
    request: pytest.FixtureRequest, autograder_pool: SandboxPool
) -> Fixtures:
    """Run the submission once for the homework of this module."""
    from autograder.batch.session import open_session
    from autograder.course.course import find_course
    from autograder.course.homework import CourseError
    from autograder.intake.submission import Entry, SubmissionError
    from autograder.verdict.failure import CheckFailed

    path, chosen, seed = (
        request.config.getoption(name) for name in ("submission", "homework", "seed")
    )
    homework_id = request.module.__name__.rpartition(".")[2].removeprefix("test_")
    if path is None:
        pytest.fail(
            "hidden checks need a submission: pytest … --submission=PATH", pytrace=False
        )
    try:
        session = open_session(
            seed, [chosen] if chosen else [], find_course(request.path, [path])
        )
        if homework_id not in (session.chosen or [homework_id]):
            pytest.skip(f"only {session.chosen[0]} was asked for")
        fixtures = session.fixtures(
            Entry(path.stem, path.resolve()), homework_id, autograder_pool
        )
    except SubmissionError as error:
        pytest.skip(str(error))
    except (CheckFailed, CourseError) as error:
        pytest.fail(str(error), pytrace=False)
    request.node.stash[_FIXTURES] = fixtures
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


def pytest_itemcollected(item: pytest.Item) -> None:
    """Give checks pytest's own mark as well, so that ``-m check`` finds them."""
    for mark in getattr(getattr(item, "function", None), "check_marks", ()):
        item.add_marker(
            pytest.mark.check(
                task=mark.task, points=mark.points, requires=mark.requires
            )
        )


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a check whose prerequisite has failed."""
    mark = item.get_closest_marker("check")
    failed = item.session.stash.get(_FAILED, set())
    for name in mark.kwargs.get("requires", ()) if mark else ():
        if (item.path, name) in failed:
            pytest.skip(f"not run because {name} must pass first")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, None, None]:
    """Record the explanations that fail: as in grading, they change no verdict."""
    if item.get_closest_marker("check") is None:
        return (yield)
    from autograder.verdict.explanation_faults import recording_faults

    with recording_faults() as faults:
        item.stash[_FAULTS] = faults
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Remember which checks did not pass, and show what the reason leaves to the staff."""
    report = yield
    if call.excinfo is not None and item.get_closest_marker("check"):
        failed = item.session.stash.setdefault(_FAILED, set())
        failed.add((item.path, item.name.removeprefix("test_")))
        failure = getattr(call.excinfo.value, "failure", None)
        if failure is not None:
            labels = (
                f"misconceptions: {', '.join(failure.misconceptions) or 'none known'}"
            )
            told = (
                _explained(item, failure)
                if item.config.get_verbosity() > 1
                else [failure.staff]
            )
            failed_explanations = [
                f"an explanation failed: {fault}" for fault in item.stash[_FAULTS]
            ]
            report.sections.append(
                ("for the staff", "\n".join([*told, labels, *failed_explanations]))
            )
    return report


def _explained(item: pytest.Item, failure: Failure) -> list[str]:
    """Return what ``autograder explain`` says of a check that failed."""
    from autograder.batch.session import Explanation
    from autograder.cli.explain import explained
    from autograder.verdict.explanation_faults import recording_faults

    module, config = item.getparent(pytest.Module), item.config
    if (
        module is None or _FIXTURES not in module.stash
    ):  # nothing of the submission loads
        return [failure.staff]
    path, seed = config.getoption("submission").resolve(), config.getoption("seed")
    fixtures, width = module.stash[_FIXTURES], config.get_terminal_writer().fullwidth
    with recording_faults() as faults:
        why = Explanation.of(failure, fixtures)
        lines = [
            line.plain
            for line in explained(why, path, fixtures.compare.homework, seed, width)
        ]
    return [*lines, *(f"an explanation failed: {fault}" for fault in faults)]


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Say once why checks were skipped, which pytest by itself leaves out."""
    if config.getoption("submission", None) is None:
        return
    skipped = (report.longrepr for report in terminalreporter.stats.get("skipped", ()))
    reasons = Counter(
        why[2].removeprefix("Skipped: ") for why in skipped if isinstance(why, tuple)
    )
    for reason, count in reasons.most_common():
        terminalreporter.write_line(f"{count} skipped: {reason}")
