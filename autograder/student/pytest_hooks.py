"""Plain ``pytest`` in a homework's folder: a test per public check, and the table instead of its report.

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

from autograder.student.bootstrap import ARCHIVE, ReleaseError
from autograder.student.find import find_work, own_files, unknown_task
from autograder.student.homework import open_homework
from autograder.student.judge import Report, unless_asked
from autograder.student.load import check_work
from autograder.student.progress import is_begun, show
from autograder.student.table import render, style_of
from autograder.verdict.checks import Check, Outcome
from autograder.verdict.failure import FailureKind
from autograder.worker.places import is_submitted

TRIGGER = "check.py"
MARK = "public_checks.py"
NAME = "public_checks_table"
CATEGORY = "public check"
QUIET = "-qq"
"""What ``pytest.ini`` asks for, so that nothing is printed but the table."""


class NotPassed(BdbQuit):
    """A public check did not pass; the text says why. No debugger opens for it: it is raised in our code."""


def register(config: pytest.Config) -> None:
    """Let pytest collect public checks instead of ``check.py``, and print their table."""
    if not config.pluginmanager.has_plugin(NAME):
        config.pluginmanager.register(TablePlugin(config), NAME)


class PublicChecks(pytest.File):
    """The public checks of one homework: of the student's file of this path, or of the one that is found."""

    def __init__(self, *, table: TablePlugin, **settings: Any) -> None:
        super().__init__(**settings)
        self.table = table
        self.ran: list[str] = []

    def collect(self) -> Iterator[pytest.Item]:
        """Yield one test per check."""
        try:
            self.public = open_homework(self.path.parent)
        except ReleaseError as error:
            if self.config.rootpath == self.path.parent:
                raise self.CollectError(str(error)) from error
            # Among other homeworks, an incomplete one costs only itself.
            yield IncompleteHomework.from_parent(
                self, name="complete", trouble=str(error)
            )
            return
        self.table.tasks += self.public.tasks
        for check in self.public.checks:
            yield PublicCheck.from_parent(self, name=check.name, check=check)

    @functools.cached_property
    def report(self) -> Report:
        """The report on the student's work: all checks are run when the first of them is."""
        chosen_file = None
        if self.name != TRIGGER:
            chosen_file = self.name
        work = find_work(self.public, self.path.parent, chosen_file)
        may_stop = work.stops_to_look and not self.table.is_worker
        is_live = may_stop or self.config.option.capture == "no"
        capture = self.config.pluginmanager.getplugin("capturemanager")
        # A report on code that is ended in the middle goes to the real screen; other output is kept anyway.
        real_screen = contextlib.nullcontext()
        if capture:
            real_screen = capture.global_and_fixture_disabled()
        with real_screen:
            report = check_work(self.public, work, is_live)
            return unless_asked(self.public, report)


class PublicCheck(pytest.Item):
    """One public check; ``-k`` finds it by its task as well."""

    def __init__(self, *, check: Check, **settings: Any) -> None:
        super().__init__(**settings)
        self.check = check
        self.extra_keyword_matches.add(check.task)

    def runtest(self) -> None:
        """Fail unless the check passes: with what the student's code raised, where that is to be seen."""
        assert isinstance(self.parent, PublicChecks), "only PublicChecks yields these"
        table = self.parent.table
        report = self.parent.report
        table.reports[self.parent.path] = self.parent
        table.node_ids.add(self.nodeid)
        self.parent.ran.append(self.check.name)
        results = {result.check: result for result in report.results}
        result = results[self.check.name]
        if result.outcome is Outcome.PASSED:
            return
        error = report.raised.get(self.check.task)
        has_raised = result.kind == FailureKind.RAISED
        if error is not None and has_raised and table.shows_code:
            frames = own_frames(error.__traceback__)
            raise error.with_traceback(frames)
        reason = report.language.translated(result.reason)
        raise NotPassed(report.trouble or reason)

    def repr_failure(
        self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None
    ) -> Any:
        """Show the reason, or the student's own lines that raised; lines of the kit say nothing to them."""
        error = excinfo.value
        if isinstance(error, NotPassed):
            return str(error)
        frames = own_frames(error.__traceback__)
        if frames is None:
            return excinfo.getrepr(style="short")
        style = self.config.option.tbstyle
        if style == "auto":
            style = "long"
        own_part = (type(error), error, frames)
        own_info = pytest.ExceptionInfo.from_exc_info(own_part)
        return own_info.getrepr(style=style)

    def reportinfo(self) -> tuple[Path, None, str]:
        return self.path, None, self.check.sentence


class IncompleteHomework(pytest.Item):
    """Fails in place of the checks of a homework whose folder is incomplete."""

    def __init__(self, *, trouble: str, **settings: Any) -> None:
        super().__init__(**settings)
        self.trouble = trouble

    def runtest(self) -> None:
        assert isinstance(self.parent, PublicChecks), "only PublicChecks yields these"
        table = self.parent.table
        table.incomplete.append(self.path.parent)
        table.node_ids.add(self.nodeid)
        raise NotPassed(self.trouble)

    def repr_failure(
        self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None
    ) -> str:
        return str(excinfo.value)

    def reportinfo(self) -> tuple[Path, None, str]:
        return self.path, None, f"{self.path.parent.name} is complete"


class TablePlugin:
    """Puts public checks instead of a student's files, and prints their tables at the end."""

    def __init__(self, config: pytest.Config) -> None:
        self.reports: dict[Path, PublicChecks] = {}
        self.tasks: list[str] = []
        self.incomplete: list[Path] = []
        self.node_ids: set[str] = set()
        self.is_worker = hasattr(config, "workerinput")
        option = config.option
        if QUIET in config.getini("addopts"):
            # How much is asked for beyond the usual report.
            verbose = option.verbose + QUIET.count("q")
            if verbose > 0:
                option.verbose = verbose
            elif option.collectonly:
                option.verbose = -1
        self.is_replaced = option.tbstyle == "auto" and option.verbose < 0
        self.shows_code = not self.is_replaced or getattr(option, "usepdb", False)

    @pytest.hookimpl(wrapper=True)
    def pytest_collect_file(self, file_path: Path, parent: pytest.Collector) -> Any:
        """Return the public checks in place of ``check.py``, or of the student's own file where it is named.

        Pytest would import such a file, with all that stands at its top level, and does if tests are in it.
        """
        others = yield
        folder = file_path.parent
        name = file_path.name
        mark = folder / MARK
        archive = folder / ARCHIVE
        if not mark.is_file() and not archive.is_file():
            return others
        is_trigger = name == TRIGGER
        is_named = not is_trigger and parent.session.isinitpath(file_path)
        if not is_trigger:
            if not is_named or name not in own_files(folder):
                return others
        public_checks = PublicChecks.from_parent(parent, path=file_path, table=self)
        if is_named and b"def test" in file_path.read_bytes():
            return [*others, public_checks]
        return [public_checks]

    def pytest_report_teststatus(
        self, report: pytest.TestReport
    ) -> tuple[str, str, str] | None:
        """Keep public checks out of pytest's own dots and lists; its exit status still counts them."""
        is_public_check = report.when == "call" and report.nodeid in self.node_ids
        if is_public_check and self.is_replaced:
            return (CATEGORY, "", "")
        return None

    def pytest_terminal_summary(
        self, terminalreporter: Any, exitstatus: int, config: pytest.Config
    ) -> None:
        """Print the table; of several homeworks, those of work in progress, then the course's.

        Where no check was selected, it says how the tasks are called.
        """
        stream = sys.__stdout__ or sys.stdout
        width = terminalreporter._tw.fullwidth
        style = style_of(stream, width, terminalreporter.hasmarkup)
        write = terminalreporter.write_line
        folders = {}
        for checks in self.reports.values():
            folders[checks.path.parent] = checks.report
        is_course = len(folders) + len(self.incomplete) > 1
        for checks in self.reports.values():
            report = checks.report.only(checks.ran)
            if not is_course:
                write(render(report, style))
            elif is_begun(report) and not report.passed:
                table = render(report, style)
                write(f"{table}\n")
        if is_course:
            all_folders = sorted([*folders, *self.incomplete])
            show(all_folders, folders, style, write)
        keyword = config.option.keyword
        is_empty = exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED
        if is_empty and self.tasks and keyword:
            tasks = list(dict.fromkeys(self.tasks))
            sentence = unknown_task(keyword, tasks)
            write(style.fit(sentence))


def own_frames(trace: TracebackType | None) -> TracebackType | None:
    """Return the part of a traceback that is in the student's own files; None where nothing is."""
    if trace is None:
        return None
    inner = own_frames(trace.tb_next)
    frame = trace.tb_frame
    if not is_submitted(frame.f_code.co_filename):
        return inner
    return TracebackType(inner, frame, trace.tb_lasti, trace.tb_lineno)
