"""The pytest plugin: ``pytest solutions/ID --submission=PATH`` grades one submission test by test.

It gives the same checks the same fixtures as ``autograder grade``, so that a teacher can debug with
the tool they know; with ``-vv`` it says of each failed check what ``autograder explain`` does. Without
``--submission`` the plugin stays out of the way.

Pytest chooses its settings before it loads a plugin, and settings can load code. Until then it takes the PATH
of ``--submission PATH`` for a folder of tests, and that of ``--submission=PATH`` for nothing.
"""

from __future__ import annotations

import contextlib
import importlib
from collections import Counter
from collections.abc import Generator
from pathlib import Path
from typing import Any, NoReturn

import pytest

from autograder.safe_path import WithoutCurrentFolder

FAILED_CHECKS = pytest.StashKey[set[tuple[Path, str]]]()
"""In a session: the file and name of each check that did not pass."""
FAULTS = pytest.StashKey[list[str]]()
"""In a check: the explanations that raised an exception."""


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
    options = early_config.known_args_namespace
    if options.submission is None:
        return
    closing = contextlib.ExitStack()
    closing.enter_context(WithoutCurrentFolder())
    early_config.add_cleanup(closing.close)
    submission = options.submission.resolve()
    current_folder = early_config.invocation_params.dir

    # Tests must not be collected in the submission.
    test_paths = []
    for word in options.file_or_dir:
        file, _, _ = word.partition("::")
        test_paths.append(Path(current_folder, file).resolve())
    existing_paths = list(filter(Path.exists, test_paths))
    for path in existing_paths or [current_folder]:
        is_inside = submission == path or submission in path.parents
        if is_inside or path in submission.parents:
            why = f"pytest would collect tests in {path}, where the submission is"
            raise pytest.UsageError(f"{why}: name the checks, and only these")

    # Settings must not be looked for in it either.
    words = list(map(str, early_config.invocation_params.args))
    if options.inifilename is None and "--submission" in words:
        # Fine where the settings are around the checks and a path of the checks comes first: pytest would
        # have looked at the submission later.
        earlier_words = words[: words.index("--submission")]
        settings = early_config.inipath
        are_around = settings is not None and all(
            settings.parent in path.parents for path in test_paths
        )
        comes_first = not set(options.file_or_dir).isdisjoint(earlier_words)
        if not are_around or not comes_first:
            raise pytest.UsageError(
                "write --submission=PATH, with an equals sign: otherwise pytest looks for its settings in "
                "the submission, too, and settings can load code"
            )


def pytest_configure(config: pytest.Config) -> None:
    """Register the mark and the fixtures of checks; refuse a submission that is not there."""
    config.addinivalue_line(
        "markers", "check(task, points, requires): a graded check of a homework"
    )
    path = config.getoption("submission", None)
    if path is None:
        config.pluginmanager.register(FixturesWithoutSubmission())
        return
    if not path.exists():
        raise pytest.UsageError(f"--submission {path}: there is no such file or folder")
    # Loaded only here: other runs of pytest have nothing to do with the engine, and start without it.
    fixtures = importlib.import_module("autograder.pytest_fixtures")
    config.pluginmanager.register(fixtures)


class FixturesWithoutSubmission:
    """The fixtures of checks in a run of pytest without ``--submission``."""

    @pytest.fixture
    def submission(self) -> NoReturn:
        """Fail, and say what is missing."""
        pytest.fail(
            "hidden checks need a submission: pytest … --submission=PATH", pytrace=False
        )

    @pytest.fixture
    def cases(self, submission: object) -> None:
        """Fail as ``submission`` does."""

    @pytest.fixture
    def compare(self, submission: object) -> None:
        """Fail as ``submission`` does."""


def pytest_report_header(config: pytest.Config) -> str | None:
    """Name the protection level of the run."""
    if config.getoption("submission", None) is None:
        return None
    from autograder.sandbox.levels import strongest_level

    return f"autograder: protection level {strongest_level().name}"


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
    if mark is None:
        return
    failed = item.session.stash.get(FAILED_CHECKS, set())
    for name in mark.kwargs.get("requires", ()):
        if (item.path, name) in failed:
            pytest.skip(f"not run because {name} must pass first")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, None, None]:
    """Record the explanations that fail: as in grading, they change no verdict."""
    if item.get_closest_marker("check") is None:
        return (yield)
    from autograder.verdict.explanation_faults import recording_faults

    with recording_faults() as faults:
        item.stash[FAULTS] = faults
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Remember which checks did not pass, and show what the reason leaves to the staff."""
    report = yield
    if call.excinfo is None or item.get_closest_marker("check") is None:
        return report
    failed = item.session.stash.setdefault(FAILED_CHECKS, set())
    failed.add((item.path, item.name.removeprefix("test_")))
    failure: Any = getattr(call.excinfo.value, "failure", None)
    if failure is None:
        return report
    lines = [failure.staff]
    if item.config.get_verbosity() > 1:
        from autograder.pytest_fixtures import explanation_lines

        lines = explanation_lines(item, failure)
    labels = ", ".join(failure.misconceptions) or "none known"
    lines.append(f"misconceptions: {labels}")
    for fault in item.stash[FAULTS]:
        lines.append(f"an explanation failed: {fault}")
    report.sections.append(("for the staff", "\n".join(lines)))
    return report


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Say once why checks were skipped, which pytest leaves out."""
    if config.getoption("submission", None) is None:
        return
    counts = Counter[str]()
    for report in terminalreporter.stats.get("skipped", ()):
        if isinstance(report.longrepr, tuple):
            _, _, reason = report.longrepr
            counts[reason.removeprefix("Skipped: ")] += 1
    for reason, count in counts.most_common():
        terminalreporter.write_line(f"{count} skipped: {reason}")
