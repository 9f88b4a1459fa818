"""Bring a homework over from Otter: a master notebook becomes the files of a homework."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from autograder.authoring.new_homework import (
    ID,
    OF_A_HOMEWORK,
    refuse_id,
    refuse_tasks,
    written,
)
from autograder.course.course import Course
from autograder.course.homework import CourseError
from autograder.handouts.page import page
from autograder.handouts.text import line_up_pipes
from autograder.otter.code import Solution, solution_of, students_code
from autograder.otter.master import (
    Master,
    MasterCell,
    OtterQuestion,
    OtterTest,
    read_master,
    slug,
)
from autograder.otter.recorded_tests import AGREES, Found, Left, literal, run_tests
from autograder.sandbox.pool import SandboxPool

MOST_TEXT = 3900
HIDDEN_ONLY = "add a case to published() in cases.py and a public check: `autograder check` asks for both"
NO_ANSWER = "REPLACE: a right answer"
BY_HAND = "ask for a text in questions.toml, or leave it out"
_OPTION = re.compile(r"^\W{0,4}([A-Za-z])[.):]\W{0,3}[ \t]+(.+)$", re.MULTILINE)
_IMPORTS = re.compile(r"^\s*(?:import|from) (\w+)", re.MULTILINE)


@dataclass(frozen=True)
class Transfer:
    """A homework made from a master: its id, its files by path, and what is left to people."""

    id: str
    files: Mapping[Path, str]
    left: Sequence[Left]
    summary: str


@dataclass(frozen=True)
class NewCheck:
    """A check of the calls that one test makes to one function."""

    name: str
    task: str
    points: float
    test: OtterTest
    says: str
    is_public: bool
    requires: Sequence[str] = ()


@dataclass(frozen=True)
class NewTask:
    """A function to write: the question that asks for it, and the names of what it returns."""

    name: str
    points: float
    question: str
    text: str
    returns: Sequence[str]


@dataclass(frozen=True)
class NewQuestion:
    """A theory question: a number, an option (the right one is the answer), or a text."""

    id: str
    kind: str
    question: str
    points: float
    text: str
    answer: Any
    tolerance: float = 0
    options: Mapping[str, str] = field(default_factory=dict)


def homework_from_otter(
    course: Course, path: Path, homework_id: str, title: str, pool: SandboxPool
) -> Transfer:
    """Read a master and return the files of the homework that it becomes, without writing them.

    Raises:
        CourseError: it is not a master, one of its names cannot be used, or no test compares values.
    """
    master = read_master(path)
    title = title or _title(master)
    homework_id = homework_id or _id(master, title)
    refuse_id(course, homework_id)
    library = (
        "torch"
        if any("torch" in _IMPORTS.findall(one.source) for one in master.cells)
        else "numpy"
    )
    solution = solution_of(master, title, library)
    for name, cell in solution.asked.items():
        try:
            refuse_tasks([name])
        except CourseError as error:
            raise master.wrong(cell.number, str(error)) from error
    found = run_tests(master, solution, library, pool)
    questions = master.questions.values()
    checks = [check for one in questions for check in _checks(one, found)]
    if not checks:
        said = "; ".join(
            f"{one.question}, cell {one.cell}: {one.why}" for one in found.left[:5]
        )
        wants = "no test compares numbers that a function returns, and a homework is made of such functions"
        raise CourseError(f"{path}: {wants} ({said or 'there are no tests'})")
    closed = [
        made for one in questions if (made := _question(one, master, solution, found))
    ]
    tasks = [*_tasks(master, solution, checks, found)]
    came = {one.question for one in closed} | {one.test.question for one in checks}
    points = math.fsum(
        [*(one.points for one in tasks), *(one.points for one in closed)]
    )
    summary = (
        f"{len(came)} of {len(questions)} questions came over (functions: {len(tasks)}, "
        f"cases: {len(found.cases)}, theory questions: {len(closed)}), {points:g} of "
        f"{sum(one.points for one in questions):g} points"
    )
    names = {
        "id": homework_id,
        "title": title,
        "stub": f"{homework_id.partition('_')[2]}.py",
    }
    values = {
        "tasks": tasks,
        "checks": checks,
        "questions": closed,
        "summary": summary,
        "library": library,
    }
    values["cells"] = list(_cells(master, solution.asked, {one.name for one in tasks}))
    toml = partial(json.dumps, ensure_ascii=False)
    parts = {
        "master": master,
        "solution": solution,
        "found": found,
        "literal": literal,
        "toml": toml,
    }
    return Transfer(
        homework_id,
        written(course, "otter", {**names, **values, **parts}),
        found.left,
        summary,
    )


def _title(master: Master) -> str:
    heads = (
        re.match(r"\s*# +(.+)", one.source)
        for one in master.cells
        if one.kind == "markdown"
    )
    found = next((one[1] for one in heads if one), "") or master.path.stem.replace(
        "_", " "
    )
    return re.sub(r'[*_`"\\${}]', "", found).strip()


def _id(master: Master, title: str) -> str:
    name = slug(str(master.config.get("name") or master.path.stem))
    if ID.fullmatch(name) and name.partition("_")[2] not in OF_A_HOMEWORK:
        return name
    words = "_".join(re.findall(r"[a-z0-9]+", title.lower())[:3])
    return f"{name}_{f'{words}_tasks' if words in OF_A_HOMEWORK else words or 'tasks'}"


def _checks(question: OtterQuestion, found: Found) -> Iterator[NewCheck]:
    """Yield a check for each test and function of a question; they share the question's points.

    Where only all tests together earn points, these go to one more check that requires the others.
    """
    own = {
        (one.test.label, one.task): one.test
        for one in found.cases
        if one.test.question == question.name
    }
    if not own:
        return
    labels = [label for label, _ in own]
    earned = [(test.points or 0) / labels.count(test.label) for test in own.values()]
    if (lost := question.points - sum(earned)) > AGREES:
        found.notes.append(
            f"{question.name}: the {lost:g} points of tests that are left went to the others."
        )
    shares = (
        [one / sum(earned) for one in earned]
        if any(earned)
        else [1 / len(own)] * len(own)
    )
    points = [
        0 if question.all_or_nothing else round(one * question.points, 4)
        for one in shares
    ]
    rest = question.points - sum(points)  # what rounding leaves over, or all of it
    if not question.all_or_nothing:
        points[points.index(max(points))] += rest
    made = []
    for ((label, task), test), worth in zip(own.items(), points, strict=True):
        says = f"{task} gives the values of {label.replace('-', ', test ')}."
        name = slug(f"{task}_{label}")
        made.append(
            NewCheck(name, task, round(worth, 9), test, says, not test.is_hidden)
        )
    yield from made
    if question.all_or_nothing:
        name, says = (
            f"{made[0].task}_{slug(question.name)}_all",
            f"all tests of {slug(question.name)} pass.",
        )
        is_public, names = (
            all(one.is_public for one in made),
            [one.name for one in made],
        )
        yield NewCheck(name, made[0].task, rest, made[0].test, says, is_public, names)


def _tasks(
    master: Master, solution: Solution, checks: Sequence[NewCheck], found: Found
) -> Iterator[NewTask]:
    for name, cell in solution.asked.items():
        own = [one for one in checks if one.task == name]
        cases = [one for one in found.cases if one.task == name]
        if not own:
            continue
        if all(one.test.is_hidden for one in cases):
            why = f"all tests of {name} are hidden"
            found.left.append(Left(cell.question, cell.number, why, remedy=HIDDEN_ONLY))
        value, points = cases[0].value, round(math.fsum(one.points for one in own), 9)
        parts = (
            [f"part {i + 1}" for i in range(len(value))]
            if isinstance(value, tuple)
            else ["result"]
        )
        yield NewTask(
            name,
            points,
            cell.question,
            _raw(_shown(master, cell.question, found)),
            parts,
        )


def _question(
    one: OtterQuestion, master: Master, solution: Solution, found: Found
) -> NewQuestion | None:
    """Return the theory question that a question without cases becomes; else leave it to people."""
    if any(case.test.question == one.name for case in found.cases):
        return None
    code = [
        cell
        for cell in master.code_cells
        if cell.is_answer and cell.question == one.name
    ]
    answer = "\n\n".join(
        cell.source for cell in master.of(one.name, "SOLUTION", kind="markdown")
    )
    names = [name for name, question in solution.others.items() if question == one.name]
    made: dict[str, Any] = {}
    if one.is_manual and not code:
        text = (
            re.sub(r"^\W*solution\W*", "", answer, flags=re.I).strip() or answer.strip()
        )
        made = {"kind": "written", "answer": text[:MOST_TEXT] or NO_ANSWER}
    elif one.tests and len(names) == 1 and names[0] in found.values:
        made = _closed(found.values[names[0]], master.text(one.name))
    if made:
        found.left = [left for left in found.left if left.question != one.name]
        name = slug(one.name) if slug(one.name)[0].isalpha() else f"q_{slug(one.name)}"
        text = _shown(master, one.name, found)
        return NewQuestion(
            name, question=one.name, points=one.points, text=text, **made
        )
    if one.points:
        found.notes.append(
            f"{one.name}: points that did not come over: {one.points:g}."
        )
    if not any(left.question == one.name for left in found.left):
        why = (
            "it is marked by hand, and its answer is code"
            if one.is_manual
            else "it has no test"
        )
        found.left.append(
            Left(
                one.name,
                one.cell,
                why,
                "\n\n".join(one.source for one in code),
                BY_HAND,
            )
        )
    return None


def _closed(value: Any, text: str) -> dict[str, Any]:
    """Return kind, answer and options for a variable that is a number, or names an option of the text."""
    if (
        not isinstance(value, bool)
        and isinstance(value, int | float)
        and math.isfinite(value)
    ):
        tolerance = (
            0 if isinstance(value, int) else float(f"{1e-8 + 1e-5 * abs(value):.2g}")
        )
        return {"kind": "numeric", "answer": value, "tolerance": tolerance}
    options = {one[0].lower(): one[1].strip() for one in _OPTION.findall(text)}
    right = str(value).strip().lower()
    if isinstance(value, bool):
        options, right = {"a": "True", "b": "False"}, "ab"[not value]
    is_choice = right in options and len(options) > 1
    return {"kind": "choice", "answer": right, "options": options} if is_choice else {}


def _shown(master: Master, question: str, found: Found) -> str:
    """Return a question's text for the handout, as a code block where the page cannot show it."""
    text = master.text(question) or question
    try:
        page("", line_up_pipes(text))
    except ValueError as error:
        found.notes.append(
            f"{question}: the handout shows its text as it was typed: {error}."
        )
        text = f"```text\n{text}\n```"
    return text


def _cells(
    master: Master, asked: Mapping[str, MasterCell], tasks: set[str]
) -> Iterator[tuple[str, str]]:
    """Yield the cells of the students' notebook: the master's, with marks where they write functions."""
    for cell in master.cells:
        own = [name for name, one in asked.items() if one is cell]
        is_shown = cell.is_answer or (
            cell.block in ("", "PROMPT") and "otter" not in cell.source
        )
        if cell.kind == "markdown" and cell.block != "SOLUTION":
            yield "markdown", _raw(cell.source)
        elif cell.kind == "code" and is_shown:
            for name in own:
                yield (
                    "code",
                    f"# {{{{ {'question' if name in tasks else 'code'}: {name} }}}}",
                )
            if rest := students_code(cell, own):
                yield "code", re.sub(r"^# %%", "#  %%", rest, flags=re.M)


def _raw(text: str) -> str:
    """Escape what a template would take for its own signs."""
    return re.sub(r"\{(?=[{%#])", '{{ "{" }}', text)
