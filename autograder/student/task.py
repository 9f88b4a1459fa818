"""For notebooks: the public checks of one task on the names of a notebook, and the public cases."""

from __future__ import annotations

import functools
import html
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autograder.course.calls import ModuleCall, ObjectCall
from autograder.exhibits.exhibits import public_cases
from autograder.exhibits.side_by_side import grids, sentence
from autograder.language import in_language, say
from autograder.student.answers import Copies
from autograder.student.homework import open_homework
from autograder.student.judge import NOT_WRITTEN, Report, judge, unless_asked
from autograder.student.table import (
    MARKS,
    SCREEN,
    Style,
    first_thing_to_fix,
    render,
    sentence_of,
)
from autograder.verdict.checks import Outcome
from autograder.verdict.work import Exhibit
from autograder.worker.composites import put_together

WIDTH = 100
LEFT = 'style="text-align: left"'
WORDS = {
    Outcome.PASSED: "right",
    Outcome.FAILED: "wrong",
    Outcome.NOT_RUN: "not run",
    Outcome.NOT_JUDGED: "not judged",
}
_open = functools.cache(open_homework)


@dataclass(frozen=True)
class TaskReport(Report):
    """A report that notebooks show as a table."""

    def __str__(self) -> str:
        return render(self, Style())

    def __repr__(self) -> str:
        return str(self)

    @in_language
    def _repr_html_(self) -> str:
        title = say(
            "{title}: {earned:g} of {points:g} points",
            title=html.escape(self.title),
            earned=self.earned,
            points=self.points,
        )
        lines = [f"<table><caption {LEFT}><b>{title}</b></caption><tr>"]
        for word in ("result", "points", "check"):
            lines.append(f'<th scope="col" {LEFT}>{say(word)}</th>')
        lines.append("</tr>")
        for check in self.results:
            sign, _ = MARKS[check.outcome]
            word = say(WORDS[check.outcome])
            mark = f'<span aria-hidden="true">{sign}</span>&nbsp;{word}'
            text = sentence_of(check)
            if check.reason == NOT_WRITTEN:
                text = say(NOT_WRITTEN)
            lines.append(
                f"<tr><td {LEFT}>{mark}</td><td>{check.points:g}</td>"
                f"<td {LEFT}>{html.escape(text)}</td></tr>"
            )
        lines.append("</table>")
        todo = first_thing_to_fix(self) or say("All public checks of this task pass.")
        lines.append(_paragraph(todo))
        for exhibit in self.shown:
            lines.append(_call(exhibit))
        return "".join(lines)


def _call(exhibit: Exhibit) -> str:
    """Return the call behind a reason as HTML; what is off is bold and carries a ``*``."""
    # Marks that survive the escaping of HTML.
    marked = grids(exhibit, WIDTH, SCREEN, "\0{}\1".format)
    table = html.escape("\n".join(marked))
    table = table.replace("\0", "<b>").replace("\1", "</b>")
    parts = [_paragraph(sentence(exhibit))]
    if table:
        style = "font-family: monospace; overflow-x: auto; white-space: pre; line-height: 1.3"
        parts.append(f'<pre style="{style}">{table}</pre>')
    parts.append(_paragraph(say("To try it: `{paste}`", paste=exhibit.paste)))
    return "".join(parts)


def _paragraph(text: str) -> str:
    return "<p>" + re.sub("`([^`\n]+)`", r"<code>\1</code>", html.escape(text)) + "</p>"


def check_task(task: str, namespace: dict[str, Any], folder: Path) -> TaskReport:
    """Run the public checks of one task on what a notebook defines.

    Raises:
        LookupError: the homework has no such task.
        ReleaseError: the homework's folder is not whole.
    """
    public = _open(folder)
    report = judge(public, namespace, task=task)
    return TaskReport(**vars(unless_asked(public, report)))


def case(task: str, number: int, folder: Path) -> tuple[Any, Any]:
    """Return copies of the arguments of a public case, and of what it expects.

    The arguments are one value or, where the function takes more, a tuple. Of a module they are its own
    arguments, its weights by name, and the input; of a class those of its constructor, and the steps.

    Raises:
        LookupError: the homework has no such case; the message lists those that there are.
    """
    public = _open(folder)
    cases = public_cases(public.known, task)
    if number not in range(1, len(cases) + 1):
        counts = Counter(known.case.task for known in public.known)
        numbers = []
        for name, count in counts.items():
            numbers.append(f"{name} {list(range(1, count + 1))}")
        raise LookupError(
            f"there is no public case {number!r} of {task!r}; there are: {', '.join(numbers)}"
        )
    known = cases[number - 1]
    call: Any = known.case.call
    arguments: Any = call.args
    if isinstance(call, ModuleCall):
        arguments = (call.args, dict(call.parameters), call.input)
    elif isinstance(call, ObjectCall):
        arguments = (call.args, list(call.steps))
    elif len(arguments) == 1:
        [arguments] = arguments
    as_torch = public.homework.library == "torch"
    copies = Copies().freeze((arguments, known.expected), as_torch=as_torch)
    copied_arguments, copied_expected = put_together(copies)
    return copied_arguments, copied_expected
