"""For notebooks: the public checks of one task on what a namespace holds, and the public cases."""

from __future__ import annotations

import functools
import html
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autograder.course.cases import ModuleCall
from autograder.exhibits.exhibits import public_cases
from autograder.exhibits.side_by_side import grids, sentence
from autograder.student.answers import Copies
from autograder.student.homework import open_homework
from autograder.student.judge import NOT_WRITTEN, Report, judge
from autograder.student.table import MARKS, SCREEN, Style, first_thing_to_fix, render
from autograder.verdict.checks import Outcome
from autograder.verdict.work import Exhibit

WIDTH, LEFT = 100, 'style="text-align: left"'
_open = functools.cache(open_homework)


@dataclass(frozen=True)
class TaskReport(Report):
    """A report that notebooks show as a table."""

    def __str__(self) -> str:
        return render(self, Style())

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        words = {
            Outcome.PASSED: "right",
            Outcome.FAILED: "wrong",
            Outcome.NOT_RUN: "not run",
            Outcome.NOT_JUDGED: "not judged",
        }
        rows = ""
        for one in self.results:
            mark = f'<span aria-hidden="true">{MARKS[one.outcome][0]}</span>&nbsp;{words[one.outcome]}'
            said = one.sentence.removeprefix(f"{one.task} ").rstrip(".")
            text = html.escape(NOT_WRITTEN if one.reason == NOT_WRITTEN else said)
            rows += f"<tr><td {LEFT}>{mark}</td><td>{one.points:g}</td><td {LEFT}>{text}</td></tr>"
        todo = first_thing_to_fix(self) or "All public checks of this task pass."
        heads = (
            f'<th scope="col" {LEFT}>{word}</th>'
            for word in ("result", "points", "check")
        )
        title = f"{html.escape(self.title)}: {self.earned:g} of {self.points:g} points"
        caption = f"<caption {LEFT}><b>{title}</b></caption>"
        calls = "".join(map(_call, self.shown))
        return f"<table>{caption}<tr>{''.join(heads)}</tr>{rows}</table>{_paragraph(todo)}{calls}"


def _call(exhibit: Exhibit) -> str:
    """Return the call behind a reason as HTML; what is off is bold and carries a ``*``."""
    lines = html.escape("\n".join(grids(exhibit, WIDTH, SCREEN, "\0{}\1".format)))
    table = lines.replace("\0", "<b>").replace("\1", "</b>")
    scroll = 'style="font-family: monospace; overflow-x: auto; white-space: pre; line-height: 1.3"'
    shown = f"<pre {scroll}>{table}</pre>" if table else ""
    return (
        _paragraph(sentence(exhibit))
        + shown
        + _paragraph(f"To try it: `{exhibit.paste}`")
    )


def _paragraph(text: str) -> str:
    return "<p>" + re.sub("`([^`\n]+)`", r"<code>\1</code>", html.escape(text)) + "</p>"


def check_task(task: str, namespace: dict[str, Any], folder: Path) -> TaskReport:
    """Run the public checks of one task on what a notebook defines.

    Raises:
        LookupError: the homework has no such task.
        ReleaseError: the homework's folder is not whole.
    """
    return TaskReport(**vars(judge(_open(folder), namespace, task=task)))


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
        there = ", ".join(
            f"{name} {list(range(1, count + 1))}" for name, count in counts.items()
        )
        raise LookupError(
            f"there is no public case {number!r} of {task!r}; there are: {there}"
        )
    call: Any = found[number - 1].case.call
    given = (
        (call.args, dict(call.parameters), call.input)
        if isinstance(call, ModuleCall)
        else call.args
    )
    both = (given[0] if len(given) == 1 else given, found[number - 1].expected)
    arguments, expected = Copies().freeze(
        both, as_torch=public.homework.library == "torch"
    )
    return arguments, expected
