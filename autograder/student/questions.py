"""What a student reads about the answers to theory questions: their form, and nothing of right or wrong."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from typing import Any

from autograder.course.answer_form import AnswerForm
from autograder.course.homework import ANSWERS
from autograder.course.statements import names_in
from autograder.language import say
from autograder.sandbox.report import Answer
from autograder.sandbox.request import Code
from autograder.verdict.theory_answers import read_answer, read_answers, strange_keys


def count_unanswered(forms: Collection[AnswerForm], answer: Answer) -> int:
    """Return how many questions have no answer that can be read."""
    answers, _ = read_answers(answer)
    count = 0
    for form in forms:
        student_answer = read_answer(form, answers.get(form.id))
        if student_answer.is_missing or student_answer.wrong:
            count += 1
    return count


def about_answers(
    forms: Collection[AnswerForm],
    answer: Answer,
    namespace: Mapping[str, Any],
    code: Code | None,
) -> str:
    """Say how many questions have an answer that can be read, and what is wrong with the others."""
    ids = [form.id for form in forms]
    answers, trouble = read_answers(answer)
    count = 0
    missing = []
    unreadable = []
    for form in forms:
        student_answer = read_answer(form, answers.get(form.id))
        if student_answer.is_missing:
            missing.append(f"`{form.id}`")
        elif student_answer.wrong:
            unreadable.append(f"`{form.id}`: {student_answer.wrong}")
        else:
            count += 1

    sentences = [
        say("{count} of {total} questions answered", count=count, total=len(ids))
    ]
    if trouble:
        sentences.append(trouble)
    elif 0 < len(missing) < len(ids):
        sentences.append(say("no answer to {missing}", missing=", ".join(missing)))
    sentences += unreadable
    strange = strange_keys(answers, ids)
    if strange:
        sentences.append(strange)
    if missing:
        sentences += _elsewhere(ids, namespace, code)
    return "; ".join(sentence.rstrip(".") for sentence in sentences) + "."


def _elsewhere(
    ids: Collection[str], namespace: Mapping[str, Any], code: Code | None
) -> Iterator[str]:
    """Say where lost answers may be: under another name, or in an earlier assignment."""
    for name, value in namespace.items():
        holds_ids = type(value) is dict and not value.keys().isdisjoint(ids)
        if holds_ids and name != ANSWERS:
            yield say(
                "`{name}` holds some, but grading reads only `{answers}`",
                name=name,
                answers=ANSWERS,
            )
    places = list(_places_where_set(code)) if code else []
    if len(places) > 1:
        yield f"`{ANSWERS}` is set more than once, and only the last time counts ({places[-1]})"


def _places_where_set(code: Code) -> Iterator[str]:
    """Yield the line, or the cell, of each statement outside functions that sets the answers."""
    if code.cells:
        for cell in code.cells:
            for _ in _lines_where_set(cell.source):
                yield say("cell {number}", number=cell.number)
        return
    for line in _lines_where_set(code.files[code.entry]):
        yield say("line {line}", line=line)


def _lines_where_set(source: str) -> Iterator[int]:
    with suppress(SyntaxError):
        for statement in ast.parse(source).body:
            if isinstance(statement, ast.FunctionDef | ast.ClassDef):
                continue
            if ANSWERS in names_in(statement, ast.Store):
                yield statement.lineno
