"""What grading keeps of a submission beside its result, for pages: source, what came out, behaviour.

Everything here is plain data, so that it can be stored and sent. Numbers are kept as the text that pages
show. It holds expected values and hidden inputs, and is for the staff; only ``Work.shown`` is for students.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

import numpy as np

from autograder.course.cases import ModuleCall
from autograder.course.homework import Homework
from autograder.reasons.errors import explain_no_value
from autograder.sandbox.report import Answers
from autograder.sandbox.request import Limits
from autograder.verdict.arrays import as_entries, kind_of
from autograder.verdict.checks import CheckResult, Outcome
from autograder.verdict.comparison import compare_case
from autograder.verdict.evidence import LARGEST_LIST, AnswerPart, JudgedCase, window
from autograder.verdict.explanation_faults import explaining
from autograder.verdict.failure import FailureKind, is_unwritten
from autograder.verdict.known import OPEN, KnownCase
from autograder.verdict.misfits import misfit_of
from autograder.verdict.work import Exhibit, Grid, Shown
from autograder.worker.wire import Masked

MOST_EXHIBITS, MOST_SHOWN, LONGEST_EXHIBITS = 12, 2, 60_000
"""Exhibits of one homework, those of one task that its student sees, and the letters of all of them."""
ROWS, COLUMNS = 8, 8
DIGITS = (4, 6, 9, 17)
"""Of these, numbers have the fewest with which those that are wrong read otherwise than the right ones."""
MOST_ITEMS = 4
PASTE = 'from public_checks import case; {names} = case("{task}", {number})'
"""What a student types to get the arguments of a public case."""
LONGEST_NAMES = 45
"""Letters of a task and of names to type; of more there is one tuple."""
SCALARS = (bool, int, float, str, type(None))
RIGHT = "·"
NO_VALUES = (
    FailureKind.NOT_DEFINED,
    FailureKind.NOT_WRITTEN,
    FailureKind.TIME_LIMIT,
    FailureKind.MODIFIED,
    FailureKind.GRADIENT,
)
"""Kinds of failed checks for which no wrong value came out."""


def grid(
    value: Any, first: int = 0, form: Callable[[float], str] = "{:.4g}".format
) -> Grid:
    """Return a value as text; of a large array the rows and columns that hold the entry ``first``."""
    array = as_entries(value, LARGEST_LIST)
    if array is None or not array.size:
        return Grid(kind_of(value))
    where, cut = window(array, ROWS, COLUMNS, first)
    rows = [list(map(form, row)) for row in cut.tolist()]
    if isinstance(value, Masked):
        _, masked = window(value.mask, ROWS, COLUMNS, first)
        rows = np.where(masked, "--", rows).tolist()
    return Grid(kind_of(value), tuple(map(" ".join, rows)), where)


def _signed(x: float) -> str:
    return RIGHT if x == 0 else f"{x:+.2g}".replace("-", "−", 1) if x == x else "nan"


def exhibit(
    judged: JudgedCase,
    parameters: Sequence[str],
    error: str = "",
    public: Sequence[KnownCase] = (),
) -> Exhibit:
    """Show a judged case; ``parameters`` are the reference solution's, for a submission's own say nothing.

    ``public`` are cases that students have; one of these is shown with what to type for its arguments.
    """
    known, call, inputs = (
        judged.known,
        judged.known.case.call,
        list(judged.inputs(parameters)),
    )
    given = [
        repr(value) if isinstance(value, SCALARS) else name for name, value in inputs
    ]
    text = f"{call.name}({', '.join(given)})"
    if isinstance(call, ModuleCall):
        text = f"{call.name}({', '.join(given[:-1])})({given[-1]})"
    arrays = tuple(
        (name, grid(value)) for name, value in inputs if not isinstance(value, SCALARS)
    )
    parts = judged.parts() if judged.answer.is_usable else ()
    shown = tuple(one for part in parts for one in _shown(part))
    own = (known.case.task, known.case.id, str(known.case.group), text, known.tolerance)
    ids = [one.case.id for one in public_cases(public, known.case.task)]
    names = (
        "arguments, weights, x"
        if isinstance(call, ModuleCall)
        else ", ".join(name for name, _ in inputs)
    )
    if len(names + known.case.task) > LONGEST_NAMES or "argument " in names:
        names = "x" if len(inputs) == 1 else "arguments"
    number = ids.index(known.case.id) + 1 if known.case.id in ids else None
    paste = (
        PASTE.format(names=names, task=known.case.task, number=number) if number else ""
    )
    raised = judged.answer.error
    misfit = misfit_of(raised) if raised is not None else None
    return Exhibit(*own, arrays, shown, error, paste=paste, misfit=misfit)


def public_cases(known: Iterable[KnownCase], task: str) -> list[KnownCase]:
    """Return the cases of a task that students have, in the order in which they number them."""
    return [one for one in known if one.case.task == task and one.case.group in OPEN]


def _shown(part: AnswerPart) -> Iterator[Shown]:
    """Show one part: without numbers where it is right, and item by item where a tuple came for one array."""
    if part.difference is None:
        items = part.value if isinstance(part.value, tuple) else ()
        came = Grid(kind_of(part.value)) if items else grid(part.value)
        yield Shown(part.name, came, grid(part.expected))
        for number, item in enumerate(items[:MOST_ITEMS]):
            yield Shown(f"item {number}", grid(item), Grid(""))
        return
    wrong = part.difference != 0
    if not wrong.any():
        yield Shown(
            part.name,
            Grid(kind_of(part.value)),
            Grid(kind_of(part.expected)),
            Grid("right"),
        )
        return
    first, kind = int(np.argmax(wrong)), f"{wrong.sum()} of {wrong.size} wrong"
    difference = replace(grid(part.difference, first, _signed), kind=kind)
    for digits in DIGITS:
        came, right = (
            grid(one, first, f"{{:.{digits}g}}".format)
            for one in (part.value, part.expected)
        )
        pairs = zip(
            *(" ".join(one.rows).split(" ") for one in (difference, came, right)),
            strict=True,
        )
        if all(sign == RIGHT or own != due for sign, own, due in pairs):
            break
    yield Shown(part.name, came, right, difference, part.telling())


def exhibits(
    failed: Iterable[tuple[str, JudgedCase]],
    limits: Limits,
    parameters: Mapping[str, Sequence[str]],
    public: Sequence[KnownCase] = (),
) -> tuple[Exhibit, ...]:
    """Return one exhibit for each case on which checks failed, which are given by name, while there is room.

    What is missing or still the stub has none: there is nothing to show. ``public`` is as in ``exhibit``.
    """
    cases: dict[object, tuple[JudgedCase, list[str]]] = {}
    for check, judged in failed:
        if not judged.answer.not_defined and not is_unwritten(judged.answer.error):
            key = (judged.known.case.id, *judged.names)
            cases.setdefault(key, (judged, []))[1].append(check)
    made, room = [], LONGEST_EXHIBITS
    for judged, checks in islice(cases.values(), MOST_EXHIBITS):
        name, error = judged.known.case.call.name, judged.answer.error
        with explaining(
            f"what came out for {judged.known.case.id}"
        ):  # one that fails costs no other
            said = (
                ""
                if error is None
                else explain_no_value(error, name, limits, error).student
            )
            shown = exhibit(judged, parameters.get(name, ()), said, public=public)
            shown = replace(shown, checks=tuple(checks))
            room -= len(json.dumps(shown, default=vars))
            if room >= 0:
                made.append(shown)
    return tuple(made)


def wrong_in_the_open(
    checks: Sequence[CheckResult],
    known: Sequence[KnownCase],
    opened: Answers,
    homework: Homework,
) -> Iterator[tuple[str, JudgedCase]]:
    """Yield the first wrong answers to public cases of each task that failed, each for all its failed checks.

    ``opened`` holds the answers to public cases. Of a task with checks that students have, one of these must
    have failed, for else the answers to public cases are right.
    """
    failed: dict[str, list[str]] = {}
    public = {one.task for one in checks if one.public}
    for check in checks:
        may_show = check.outcome is Outcome.FAILED and check.kind not in NO_VALUES
        if may_show and (check.public or check.task not in public):
            failed.setdefault(check.task, []).append(check.check)
    for task, names in failed.items():
        cases, returns = public_cases(known, task), homework.task(task).returns
        shown = 0
        for case in cases:
            answer = opened.get(case.case.id)
            if answer is None or (
                answer.is_usable and not compare_case(case, answer.value)
            ):
                continue
            yield from ((name, JudgedCase(case, answer, returns)) for name in names)
            shown += 1
            if shown == MOST_SHOWN:
                break
