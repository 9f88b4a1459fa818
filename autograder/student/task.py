"""For notebooks: the public checks of one task on what a namespace holds, and the public cases."""

from __future__ import annotations

import functools
import html
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autograder.course import ModuleCall
from autograder.judging import Exhibit, Outcome, grids, public_cases, sentence
from autograder.student.answers import Copies
from autograder.student.homework import open_homework
from autograder.student.judge import NOT_WRITTEN, Report, judge
from autograder.student.table import MARKS, SCREEN, Style, first_thing_to_fix, render

WIDTH = 100
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
        calls = "".join(map(_call, self.shown))
        return f"<table>{caption}{head}{rows}</table><p>{html.escape(todo)}</p>{calls}"


def _call(exhibit: Exhibit) -> str:
    """Return the call behind a reason as HTML; what is off is bold and carries a ``*``."""
    lines = html.escape("\n".join(grids(exhibit, WIDTH, SCREEN, "\0{}\1".format)))
    table = lines.replace("\0", "<b>").replace("\1", "</b>")
    scroll = 'style="overflow-x: auto; white-space: pre; line-height: 1.3"'
    shown = f"<pre {scroll}>{table}</pre>" if table else ""
    paste = f"<pre {scroll}>{html.escape(exhibit.paste)}</pre>"
    return f"<p>{html.escape(sentence(exhibit))}</p>{shown}{paste}"


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


def case(task: str, number: int, folder: Path) -> tuple[Any, Any]:
    """Return copies of the arguments of a public case, and of what it expects.

    The arguments are one value or, where the function takes more, a tuple. Of a module they are its own
    arguments, its weights by name, and the input.

    Raises:
        LookupError: the homework has no such case; the message lists those that there are.
    """
    public = _open(folder)
    found = public_cases(public.known, task)
    if number not in range(1, len(found) + 1):
        counts = Counter(one.case.task for one in public.known)
        there = ", ".join(f"{name} {list(range(1, count + 1))}" for name, count in counts.items())
        raise LookupError(f"there is no public case {number!r} of {task!r}; there are: {there}")
    call: Any = found[number - 1].case.call
    given = (call.args, dict(call.parameters), call.input) if isinstance(call, ModuleCall) else call.args
    both = (given[0] if len(given) == 1 else given, found[number - 1].expected)
    arguments, expected = Copies().freeze(both, as_torch=public.homework.library == "torch")
    return arguments, expected
