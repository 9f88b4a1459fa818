"""What a student is told of the answers to theory questions: their form, and nothing of right or wrong."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from typing import Any

from autograder.course.homework import ANSWERS
from autograder.course.questions import AnswerForm
from autograder.sandbox.report import Answer
from autograder.sandbox.request import Code
from autograder.verdict.theory import read_answer, read_answers, strange_keys


def about_answers(
    forms: Collection[AnswerForm],
    answer: Answer,
    namespace: Mapping[str, Any],
    code: Code | None,
) -> str:
    """Say how many questions have an answer that can be read, and what is wrong with the others."""
    ids, found = [one.id for one in forms], read_answers(answer)
    given = {} if isinstance(found, str) else found
    read = {one.id: read_answer(one, given.get(one.id)) for one in forms}
    missing = [f"`{key}`" for key, one in read.items() if one.is_missing]
    answered = sum(not one.wrong for one in read.values())
    parts = [f"{answered} of {len(read)} questions answered"]
    if isinstance(found, str):
        parts.append(found)
    elif 0 < len(missing) < len(read):
        parts.append(f"no answer to {', '.join(missing)}")
    parts += [
        f"`{key}`: {one.wrong}"
        for key, one in read.items()
        if one.wrong and not one.is_missing
    ]
    parts += [
        strange_keys(given, ids),
        *(_elsewhere(ids, namespace, code) if missing else ()),
    ]
    return "; ".join(one.rstrip(".") for one in parts if one) + "."


def _elsewhere(
    ids: Collection[str], namespace: Mapping[str, Any], code: Code | None
) -> Iterator[str]:
    """Say where answers may be that were meant to count: under another name, or in what was set before."""
    for name, value in namespace.items():
        if name != ANSWERS and type(value) is dict and not value.keys().isdisjoint(ids):
            yield f"`{name}` holds some, but grading reads `{ANSWERS}` alone"
    places = list(_set_at(code)) if code else []
    if len(places) > 1:
        yield f"`{ANSWERS}` is set more than once, and only the last time counts ({places[-1]})"


def _set_at(code: Code) -> Iterator[str]:
    """Yield the line, or the cell, of each statement outside functions that sets the answers."""
    cells = {f"cell {one.number}": one.source for one in code.cells or ()}
    for place, text in (cells or {"": code.files[code.entry]}).items():
        with suppress(SyntaxError):
            for node in ast.parse(text).body:
                own = (
                    ()
                    if isinstance(node, ast.FunctionDef | ast.ClassDef)
                    else ast.walk(node)
                )
                names = {
                    one.id
                    for one in own
                    if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)
                }
                if ANSWERS in names:
                    yield place or f"line {node.lineno}"
