"""Plain ``pytest`` in a homework's folder: a test per public check, and the table in place of its report.

Where pytest is asked for its own report, with ``-v`` or ``--tb``, it gives that as well.
"""

from __future__ import annotations

import contextlib
import functools
import sys
from bdb import BdbQuit
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any

import pytest

from autograder.student.bootstrap import ReleaseError
from autograder.student.find import find_work, own_files, unknown_task
from autograder.student.homework import open_homework
from autograder.student.judge import Report
from autograder.student.load import check_work
from autograder.student.progress import is_begun, show
from autograder.student.table import render, style_of
from autograder.verdict.checks import Check, Outcome
from autograder.verdict.failure import FailureKind
from autograder.worker.errors import is_submitted

TRIGGER, MARK = "check.py", "public_checks.py"
NAME = "public_checks_table"
CATEGORY = "public check"
QUIET = "-qq"
"""What ``pytest.ini`` asks for, so that nothing stands beside the table."""


class NotPassed(BdbQuit):
    """A public check did not pass; the text says why. No debugger opens for it: it is raised in our code."""


def register(config: pytest.Config) -> None:
    """Let pytest collect public checks in place of ``check.py``, and print their table."""
    if not config.pluginmanager.has_plugin(NAME):
        config.pluginmanager.register(Table(config), NAME)


class PublicChecks(pytest.File):
    """The public checks of one homework: of the student's file of this path, or of the one that is found."""

    def __init__(self, *, table: Table, **settings: Any) -> None:
        super().__init__(**settings)
        self.table = table
        self.ran: list[str] = []

    def collect(self) -> Iterator[pytest.Item]:
        """Yield one test per check."""
        try:
            self.public = open_homework(self.path.parent)
        except ReleaseError as error:
            raise self.CollectError(str(error)) from error
        self.table.tasks += self.public.tasks
        for check in self.public.checks:
            yield PublicCheck.from_parent(self, name=check.name, check=check)

    @functools.cached_property
    def report(self) -> Report:
        """The report on the student's work: all checks are run when the first of them is."""
        work = find_work(
            self.public, self.path.parent, None if self.name == TRIGGER else self.name
        )
        is_live = self.config.option.capture == "no" or (
            work.stops_to_look and not self.table.is_worker
        )
        capture = self.config.pluginmanager.getplugin("capturemanager")
        # A report on code that is ended in the middle goes to the real screen; other output is kept anyway.
        with (
            capture.global_and_fixture_disabled()
            if capture
            else contextlib.nullcontext()
        ):
            return check_work(self.public, work, is_live)


class PublicCheck(pytest.Item):
    """One public check; ``-k`` finds it by its task as well."""

    def __init__(self, *, check: Check, **settings: Any) -> None:
        super().__init__(**settings)
        self.check = check
        self.extra_keyword_matches.add(check.task)

    def runtest(self) -> None:
        """Fail unless the check passes: with what the student's code raised, where that is to be seen."""
        assert isinstance(self.parent, PublicChecks), "only PublicChecks yields these"
        table, report = self.parent.table, self.parent.report
        table.reports[self.parent.path] = self.parent
        table.told.add(self.nodeid)
        self.parent.ran.append(self.check.name)
        result = next(one for one in report.results if one.check == self.check.name)
        if result.outcome is Outcome.PASSED:
            return
        error = report.raised.get(self.check.task)
        if error is not None and result.kind == FailureKind.RAISED and table.shows_code:
            raise error.with_traceback(own_frames(error.__traceback__))
        raise NotPassed(report.trouble or result.reason)

    def repr_failure(
        self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None
    ) -> Any:
        """Show the reason, or the student's own lines that raised; lines of ours say nothing to them."""
        error, asked = excinfo.value, self.config.option.tbstyle
        if isinstance(error, NotPassed):
            return str(error)
        own = own_frames(error.__traceback__)
        shown = (
            excinfo
            if own is None
            else pytest.ExceptionInfo.from_exc_info((type(error), error, own))
        )
        return shown.getrepr(
            style="short" if own is None else "long" if asked == "auto" else asked
        )

    def reportinfo(self) -> tuple[Path, None, str]:
        return self.path, None, self.check.sentence


class Table:
    """Puts public checks in place of a student's files, and prints their tables at the end."""

    def __init__(self, config: pytest.Config) -> None:
        self.reports: dict[Path, PublicChecks] = {}
        self.tasks: list[str] = []
        self.told: set[str] = set()
        self.is_worker = hasattr(config, "workerinput")
        option = config.option
        if QUIET in config.getini(
            "addopts"
        ):  # how much is asked for beyond the usual report
            asked = option.verbose + QUIET.count("q")
            option.verbose = (
                asked if asked > 0 else -1 if option.collectonly else option.verbose
            )
        self.is_replaced = option.tbstyle == "auto" and option.verbose < 0
        self.shows_code = not self.is_replaced or getattr(option, "usepdb", False)

    @pytest.hookimpl(wrapper=True)
    def pytest_collect_file(self, file_path: Path, parent: pytest.Collector) -> Any:
        """Return the public checks in place of ``check.py``, or of the student's own file where it is named.

        Pytest would import such a file, with all that stands at its top level, and does if tests are in it.
        """
        others = yield
        folder, name = file_path.parent, file_path.name
        is_named = name != TRIGGER and parent.session.isinitpath(file_path)
        if not (folder / MARK).is_file() or not (
            name == TRIGGER or (is_named and name in own_files(folder))
        ):
            return others
        has_tests = is_named and b"def test" in file_path.read_bytes()
        ours = PublicChecks.from_parent(parent, path=file_path, table=self)
        return [*(others if has_tests else ()), ours]

    def pytest_report_teststatus(
        self, report: pytest.TestReport
    ) -> tuple[str, str, str] | None:
        """Keep public checks out of pytest's own dots and lists; its exit status still counts them."""
        is_ours = report.when == "call" and report.nodeid in self.told
        return (CATEGORY, "", "") if is_ours and self.is_replaced else None

    def pytest_terminal_summary(
        self, terminalreporter: Any, exitstatus: int, config: pytest.Config
    ) -> None:
        """Print the table; of several homeworks, those of work in progress, then the course's.

        Where no check was selected, it says how the tasks are called.
        """
        stream = sys.__stdout__ or sys.stdout
        style = style_of(
            stream, terminalreporter._tw.fullwidth, terminalreporter.hasmarkup
        )
        write = terminalreporter.write_line
        folders = {
            checks.path.parent: checks.report for checks in self.reports.values()
        }
        is_course = len(folders) > 1
        for checks in self.reports.values():
            report = checks.report.only(checks.ran)
            if not is_course or (is_begun(report) and not report.passed):
                write(render(report, style) + "\n" * is_course)
        if is_course:
            show(sorted(folders), folders, style, write)
        if (
            exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED
            and self.tasks
            and config.option.keyword
        ):
            write(
                style.fit(
                    unknown_task(config.option.keyword, list(dict.fromkeys(self.tasks)))
                )
            )


def own_frames(trace: TracebackType | None) -> TracebackType | None:
    """Return the part of a traceback that is in the student's own files; None where nothing is."""
    if trace is None:
        return None
    rest = own_frames(trace.tb_next)
    if not is_submitted(trace.tb_frame.f_code.co_filename):
        return rest
    return TracebackType(rest, trace.tb_frame, trace.tb_lasti, trace.tb_lineno)
