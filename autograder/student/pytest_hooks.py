"""Plain ``pytest`` in a homework's folder: a test per public check, and the table in place of its report."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from autograder.judging import Check, Outcome
from autograder.student.bootstrap import ReleaseError
from autograder.student.find import find_work, is_as_handed_out
from autograder.student.homework import PublicHomework, open_homework
from autograder.student.judge import Report, unwritten
from autograder.student.load import check_work
from autograder.student.progress import is_begun, show
from autograder.student.table import render, style_of

TRIGGER = "check.py"
NAME = "public_checks_table"
CATEGORY = "public check"


class NotPassed(Exception):
    """A public check did not pass; the table says why."""


def collect(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Return the public checks of a homework's folder in place of its ``check.py``."""
    if file_path.name != TRIGGER and not parent.session.isinitpath(file_path):
        return None
    manager = parent.config.pluginmanager
    table = manager.get_plugin(NAME)
    if table is None:
        table = Table()
        manager.register(table, NAME)
    if file_path.parent in table.homeworks:
        return None
    return PublicChecks.from_parent(parent, path=file_path, table=table)


class PublicChecks(pytest.File):
    """The public checks of one homework."""

    def __init__(self, *, table: Table, **settings: Any) -> None:
        super().__init__(**settings)
        self.table = table

    def collect(self) -> Iterator[pytest.Item]:
        """Yield one test per check."""
        try:
            public = self.table.homeworks[self.path.parent] = open_homework(self.path.parent)
        except ReleaseError as error:
            raise self.CollectError(str(error)) from error
        for check in public.checks:
            yield PublicCheck.from_parent(self, name=check.name, check=check)


class PublicCheck(pytest.Item):
    """One public check."""

    def __init__(self, *, check: Check, **settings: Any) -> None:
        super().__init__(**settings)
        self.check = check

    def runtest(self) -> None:
        """Fail unless the check passes."""
        parent = self.parent
        assert isinstance(parent, PublicChecks), "only PublicChecks yields these"
        report = parent.table.report(self.path.parent)
        outcome = next(one.outcome for one in report.results if one.check == self.check.name)
        if outcome is not Outcome.PASSED:
            raise NotPassed(str(outcome))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> str:
        """Show no traceback of a check that failed; one of a broken check stays."""
        return "" if isinstance(excinfo.value, NotPassed) else str(excinfo.getrepr(style="short"))

    def reportinfo(self) -> tuple[Path, None, str]:
        return self.path, None, self.check.sentence


class Table:
    """Collects the reports of all homeworks of a run and prints them at its end."""

    def __init__(self) -> None:
        self.homeworks: dict[Path, PublicHomework] = {}
        self.reports: dict[Path, Report] = {}

    def report(self, folder: Path) -> Report:
        """Return the report on a folder, where all checks are run when the first of them is."""
        if folder not in self.reports:
            public = self.homeworks[folder]
            work = find_work(public, folder)
            started = not is_as_handed_out(public, work)
            self.reports[folder] = check_work(public, work) if started else unwritten(public)
        return self.reports[folder]

    def pytest_report_teststatus(self, report: pytest.TestReport) -> tuple[str, str, str] | None:
        """Keep public checks out of pytest's own dots and lists; its exit status still counts them."""
        is_ours = report.nodeid.partition("::")[0].endswith(TRIGGER)
        is_broken = report.failed and bool(str(report.longrepr or ""))
        return (CATEGORY, "", "") if is_ours and not is_broken else None

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Print the table; of several homeworks, those of work in progress, then the course's."""
        stream = sys.__stdout__ or sys.stdout
        style = style_of(stream, terminalreporter._tw.fullwidth, terminalreporter.hasmarkup)
        if len(self.homeworks) == 1:
            for report in self.reports.values():
                terminalreporter.write_line(render(report, style))
            return
        for report in self.reports.values():
            if is_begun(report) and not report.passed:
                terminalreporter.write_line(render(report, style) + "\n")
        show(sorted(self.homeworks), self.reports, style, terminalreporter.write_line)
