"""The public checks of one task, for notebooks: on the functions that a namespace holds."""

from __future__ import annotations

import functools
import html
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autograder.judging import Outcome
from autograder.student.homework import open_homework
from autograder.student.judge import NOT_WRITTEN, Report, judge
from autograder.student.table import MARKS, Style, first_thing_to_fix, render

_open = functools.cache(open_homework)


class NotYetRight(AssertionError):
    """A task does not pass its public checks; the text is the table and the first thing to fix."""


@dataclass(frozen=True)
class TaskReport(Report):
    """A report that notebooks show as a table."""

    def __str__(self) -> str:
        return render(self, Style())

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        words = {Outcome.PASSED: "right", Outcome.FAILED: "wrong", Outcome.NOT_RUN: "not run"}
        rows = ""
        for one in self.results:
            mark = f'<span aria-hidden="true">{MARKS[one.outcome][0]}</span> {words[one.outcome]}'
            text = html.escape(NOT_WRITTEN if one.reason == NOT_WRITTEN else one.sentence)
            rows += f"<tr><td>{mark}</td><td>{one.points:g}</td><td>{text}</td></tr>"
        todo = first_thing_to_fix(self) or "All public checks of this task pass."
        head = '<tr><th scope="col">result</th><th scope="col">points</th><th scope="col">check</th></tr>'
        caption = f"<caption>{html.escape(self.title)}</caption>"
        return f"<table>{caption}{head}{rows}</table><p>{html.escape(todo)}</p>"


def check_task(task: str, namespace: dict[str, Any], folder: Path) -> TaskReport:
    """Run the public checks of one task on what a notebook defines.

    Raises:
        LookupError: the homework has no such task.
        ReleaseError: the homework's folder is not whole.
    """
    return TaskReport(**vars(judge(_open(folder), namespace, task=task)))


def require_task(task: str, namespace: dict[str, Any], folder: Path) -> None:
    """Run the public checks of one task; ``NotYetRight`` unless all of them pass."""
    report = check_task(task, namespace, folder)
    if not report.passed:
        raise NotYetRight(str(report))
