"""Show failed cases as text: the call, its inputs, the answer and the expected value.

Exhibits are plain data, so that they can be stored and sent. Numbers are kept as the text that pages show.
Exhibits hold expected values and hidden inputs and are for the staff; only ``Work.shown`` is for students.
"""

from __future__ import annotations

import functools
import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

import numpy as np

from autograder.course.calls import Call, FunctionCall, ModuleCall, ObjectCall
from autograder.course.cases import Case
from autograder.course.homework import Homework
from autograder.exhibits.cells import cell, shown_lines, text_window
from autograder.exhibits.parts import (
    LARGEST_LIST,
    AnswerPart,
    answer_parts,
    inputs_of,
    window,
)
from autograder.language import say
from autograder.reasons.errors import explain_no_value
from autograder.sandbox.report import Answers
from autograder.sandbox.request import Limits
from autograder.verdict.arrays import STRUCTURED, as_entries
from autograder.verdict.checks import CheckResult, Outcome
from autograder.verdict.describe import describe, shown_shape
from autograder.verdict.explanation_faults import explaining
from autograder.verdict.failure import FailureKind, is_unwritten
from autograder.verdict.kinds import is_structured, structure_of
from autograder.verdict.known import OPEN, FailedCase, KnownCase
from autograder.verdict.misfits import misfit_of
from autograder.verdict.work import RIGHT, Exhibit, Grid, Shown
from autograder.worker.composites import PLAIN, Composite
from autograder.worker.steps import DOT
from autograder.worker.wire import Masked

MOST_EXHIBITS = 12
"""Exhibits of one homework."""
MOST_SHOWN = 2
"""Exhibits of one task that its student sees."""
LONGEST_EXHIBITS = 60_000
"""Letters of all exhibits of one homework."""
ROWS = 8
COLUMNS = 8
DIGITS = (4, 6, 9, 17)
"""Numbers are shown with the fewest of these digits that distinguish each wrong number from the right one."""
MOST_ITEMS = 4
PASTE = 'from public_checks import case; {names} = case("{task}", {number})'
"""What a student types to get the arguments of a public case."""
LONGEST_NAMES = 45
"""Letters of a task and of names to type; where there are more, all arguments are one tuple."""
LONGEST_SCALAR = 60
"""Letters of a text or a number within a call."""
LONGEST_FUNCTION = 20
"""Lines of a function that is an argument."""
NO_VALUES = (
    FailureKind.NOT_DEFINED,
    FailureKind.NOT_WRITTEN,
    FailureKind.TIME_LIMIT,
    FailureKind.MODIFIED,
    FailureKind.GRADIENT,
)
"""Kinds of failed checks for which no wrong value came out."""


def grid(
    value: Any,
    first: int = 0,
    form: Callable[[float], str] = "{:.4g}".format,
    opens: bool = False,
) -> Grid:
    """Show a value as text.

    Args:
        value: an array, a number, or anything else that a function returned.
        first: an entry of the flattened array. Of a large array, the rows and columns around it are shown.
        form: turns one number into text.
        opens: also show what is in a value that is no array, such as a text or a set.
    """
    array = as_entries(value, LARGEST_LIST)
    part = structure_of(value) if opens and array is None else None
    if part is not None:
        cells = shown_lines(value)
        where = f"the first {ROWS}" if len(cells) > ROWS else ""
        return Grid(part.name, tuple(cells[:ROWS]), where)
    shape = shown_shape(value)
    if array is None or not array.size:
        return Grid(describe(value), shape=shape)
    where, cut = window(array, ROWS, COLUMNS, first)
    rows = []
    for row in cut.tolist():
        rows.append(list(map(form, row)))
    if isinstance(value, Masked):
        _, masked = window(value.mask, ROWS, COLUMNS, first)
        rows = np.where(masked, "--", rows).tolist()
    lines = tuple(map(" ".join, rows))
    return Grid(describe(value), lines, where, shape)


def _signed(difference: float) -> str:
    if difference == 0:
        return RIGHT
    if math.isnan(difference):
        return "nan"
    return f"{difference:+.2g}".replace("-", "−", 1)


def exhibit(
    judged: FailedCase,
    parameters: Sequence[str],
    error: str = "",
    public: Sequence[KnownCase] = (),
) -> Exhibit:
    """Show a judged case.

    Args:
        judged: the case, its expected value and the answer to it.
        parameters: what the reference solution calls the arguments; a submission may call them anything.
        error: what to say where no value came back.
        public: the cases that students have. One of these is shown with what to type for its arguments.
    """
    known = judged.known
    inputs = list(inputs_of(judged.known.case.call, parameters))
    parts: list[Shown] = []
    if judged.answer.is_usable:
        for part in answer_parts(judged):
            parts.extend(_show_part(part))
    misfit = None
    if judged.answer.error is not None:
        misfit = misfit_of(judged.answer.error)
    return Exhibit(
        task=known.case.task,
        case=known.case.id,
        group=str(known.case.group),
        call=_call_text(known.case.call, inputs),
        tolerance=known.tolerance,
        inputs=_shown_inputs(known.case, tuple(parameters)),
        parts=tuple(parts),
        error=error,
        paste=_line_to_paste(known, inputs, public),
        misfit=misfit,
    )


@functools.lru_cache(maxsize=256)  # many submissions fail on the same case
def _shown_inputs(
    case: Case, parameters: tuple[str, ...]
) -> tuple[tuple[str, Grid], ...]:
    """Show the arrays among the inputs of a case, by the parameters' names."""
    grids = []
    for name, value in inputs_of(case.call, parameters):
        if _in_the_call(value) is None:
            grids.append((name, grid(value, opens=isinstance(value, STRUCTURED))))
        elif isinstance(value, Composite) and value.kind == "function":
            lines = value.parts["source"].rstrip().split("\n")
            cells = tuple(map(cell, lines[:LONGEST_FUNCTION]))
            grids.append((name, Grid(say("a function"), cells)))
    return tuple(grids)


def _in_the_call(argument: Any) -> str | None:
    """Return an argument as a call shows it; None if its name stands there."""
    if isinstance(argument, PLAIN) and len(repr(argument)) <= LONGEST_SCALAR:
        return repr(argument)
    if isinstance(argument, Composite) and argument.kind == "generator":
        return f"np.random.default_rng({argument.parts['seed']})"
    if isinstance(argument, Composite) and argument.kind == "function":
        return str(argument.parts["name"])
    return None


def _call_text(call: Call, inputs: Sequence[tuple[str, Any]]) -> str:
    """Write a call with its scalars as they are and its arrays by name, as in ``softmax(x, -1)``."""
    arguments = []
    for name, value in inputs:
        text = _in_the_call(value)
        arguments.append(name if text is None else text)
    if isinstance(call, ObjectCall):
        return _steps_text(call.with_inputs(arguments))
    if isinstance(call, ModuleCall):
        *constructor_arguments, module_input = arguments
        return f"{call.name}({', '.join(constructor_arguments)})({module_input})"
    text = f"{call.name}({', '.join(arguments)})"
    if isinstance(call, FunctionCall) and call.times != 1:
        text = f"{text}, {call.times:,} times in a row"
    return text


def _steps_text(call: ObjectCall) -> str:
    """Write the steps with an object, whose arguments are texts, as in ``m = Mean(); m.add(2.0); m.value``."""
    variable = call.name[0].lower()
    texts = [f"{variable} = {call.name}({', '.join(call.args)})"]
    for name, *arguments in call.steps:
        if name.startswith(DOT):
            texts.append(f"{variable}{name}")
        else:
            texts.append(f"{variable}.{name}({', '.join(arguments)})")
    return "; ".join(texts)


def _line_to_paste(
    known: KnownCase, inputs: Sequence[tuple[str, Any]], public: Sequence[KnownCase]
) -> str:
    """Return the line that gives a student the arguments of a public case; empty for other cases."""
    task = known.case.task
    ids = [case.case.id for case in public_cases(public, task)]
    if known.case.id not in ids:
        return ""
    if isinstance(known.case.call, ModuleCall):
        names = "arguments, weights, x"
    elif isinstance(known.case.call, ObjectCall):
        names = "arguments, steps"
    else:
        names = ", ".join(name for name, _ in inputs)
    if (
        len(names + task) > LONGEST_NAMES
        or say("argument {number}", number="") in names
    ):
        names = "arguments"
        if len(inputs) == 1:
            names = "x"
    number = ids.index(known.case.id) + 1
    return PASTE.format(names=names, task=task, number=number)


def public_cases(known: Iterable[KnownCase], task: str) -> list[KnownCase]:
    """Return the cases of a task that students have, in the order in which they number them."""
    cases = []
    for case in known:
        if case.case.task == task and case.case.group in OPEN:
            cases.append(case)
    return cases


def _show_part(part: AnswerPart) -> Iterator[Shown]:
    """Show one part of an answer next to its expected value.

    A right part is shown without numbers. Where a tuple came for one array, each item is shown.
    """
    if part.difference is None:
        if isinstance(part.value, str) and isinstance(part.expected, str):
            yield _show_texts(part)
            return
        items: tuple[Any, ...] = ()
        opens = part.expected is not None and is_structured(part.expected)
        answer = grid(part.value, opens=opens)
        if isinstance(part.value, tuple) and part.value and not opens:
            items = part.value
            answer = Grid(describe(part.value))
        yield Shown(part.name, answer, grid(part.expected, opens=opens))
        for number, item in enumerate(items[:MOST_ITEMS]):
            name = say("item {number}", number=number)
            yield Shown(name, grid(item), Grid(""))
        return

    wrong = part.difference != 0
    if not wrong.any():
        answer = Grid(describe(part.value))
        expected = Grid(describe(part.expected))
        yield Shown(part.name, answer, expected, Grid(say("right")))
        return

    first = int(np.argmax(wrong))
    signs = grid(part.difference, first, _signed)
    difference = replace(
        signs, kind=say("{count} of {total} wrong", count=wrong.sum(), total=wrong.size)
    )
    for digits in DIGITS:
        form = f"{{:.{digits}g}}".format
        answer = grid(part.value, first, form)
        expected = grid(part.expected, first, form)
        if _wrong_entries_read_differently(answer, expected, difference):
            break
    yield Shown(part.name, answer, expected, difference, part.telling())


def _show_texts(part: AnswerPart) -> Shown:
    """Show two texts from the line on in which they differ first."""
    texts = []
    pair = (part.value, part.expected)
    for text, other in (pair, pair[::-1]):
        lines = tuple(text_window(text, other, ROWS))
        texts.append(Grid(grid(text, opens=True).kind, lines))
    answer, expected = texts
    return Shown(part.name, answer, expected, says=part.telling())


def _wrong_entries_read_differently(
    answer: Grid, expected: Grid, difference: Grid
) -> bool:
    """Return whether so many digits are enough to distinguish each wrong entry from the right one."""
    rows = zip(difference.rows, answer.rows, expected.rows, strict=True)
    for signs, numbers, right_numbers in rows:
        columns = (signs.split(), numbers.split(), right_numbers.split())
        for sign, number, right_number in zip(*columns, strict=True):
            if sign != RIGHT and number == right_number:
                return False
    return True


def exhibits(
    failed: Iterable[tuple[str, FailedCase]],
    limits: Limits,
    parameters: Mapping[str, Sequence[str]],
    public: Sequence[KnownCase] = (),
) -> tuple[Exhibit, ...]:
    """Show each case on which checks failed, while there is room.

    A function that is missing or still the stub gives nothing to show.

    Args:
        failed: names of failed checks, each with the case that it failed on.
        limits: those of the homework; a sentence about an exception may name one.
        parameters: what the reference solution calls the arguments, by function.
        public: as in ``exhibit``.
    """
    # Checks that failed on the same case share one exhibit.
    judged_cases: dict[tuple[str, ...], FailedCase] = {}
    checks_of_case: dict[tuple[str, ...], list[str]] = {}
    for check, judged in failed:
        if judged.answer.not_defined or is_unwritten(judged.answer.error):
            continue
        key = (judged.known.case.id, *judged.names)
        judged_cases.setdefault(key, judged)
        checks_of_case.setdefault(key, []).append(check)

    chosen: list[Exhibit] = []
    room = LONGEST_EXHIBITS
    for key, judged in islice(judged_cases.items(), MOST_EXHIBITS):
        # An exhibit that fails costs no other.
        with explaining(f"what came out for {judged.known.case.id}"):
            call = judged.known.case.call
            error = judged.answer.error
            sentence = ""
            if error is not None:
                sentence = explain_no_value(error, call, limits, error).student
            names = parameters.get(call.name, ())
            new_exhibit = exhibit(judged, names, sentence, public)
            new_exhibit = replace(new_exhibit, checks=tuple(checks_of_case[key]))
            room -= len(json.dumps(new_exhibit, default=vars))
            if room >= 0:
                chosen.append(new_exhibit)
    return tuple(chosen)


def wrong_public_answers(
    checks: Sequence[CheckResult],
    known: Sequence[KnownCase],
    opened: Answers,
    homework: Homework,
) -> Iterator[tuple[str, FailedCase]]:
    """Yield the first wrong answers to public cases of each failed task, each for all its failed checks.

    Where a task has public checks, one of them must have failed: otherwise its answers to public cases are
    right.

    Args:
        checks: the results of all checks.
        known: all cases of the homework.
        opened: the answers to public cases, by the cases' ids.
        homework: the homework, for the names of what its tasks return.
    """
    tasks_with_public_checks = set()
    for check in checks:
        if check.public:
            tasks_with_public_checks.add(check.task)
    failed_checks: dict[str, list[str]] = {}
    for check in checks:
        if check.outcome is not Outcome.FAILED or check.kind in NO_VALUES:
            continue
        if check.public or check.task not in tasks_with_public_checks:
            failed_checks.setdefault(check.task, []).append(check.check)

    for task, names in failed_checks.items():
        returns = homework.task(task).returns
        count = 0
        for case in public_cases(known, task):
            answer = opened.get(case.case.id)
            if answer is None:
                continue
            answer = case.exception_as_value(answer)
            if answer.is_usable and case.has_right_value(answer):
                continue
            judged = FailedCase(case, answer, returns)
            for name in names:
                yield name, judged
            count += 1
            if count == MOST_SHOWN:
                break
