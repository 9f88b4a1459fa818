"""Make the notebook of a homework from its master, the same bytes each time.

A master, ``notebook.py`` beside the solution, is a notebook in the percent form: ``# %%`` begins a code cell,
``# %% [markdown]`` a text cell, whose lines are comments. It holds the story and the pictures, and marks
where the parts of the solution go, so that the solution itself has one source:

- a code cell ``# {{ setup }}``: the imports, the pictures and the checks, with how to install them;
- a code cell ``# {{ question: softmax }}``: a task's code and its public checks, under the text before it;
- a code cell ``# {{ code: helper }}``: code that is not graded;
- a code cell ``# {{ answers }}``: the theory questions, and the dictionary for their answers;
- a text cell's ``{{ hand_in }}``: what to do at the end. Text cells are jinja2 templates.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from autograder.authoring.checks_package import PLOTS, what_is_asked
from autograder.course.course import MASTER
from autograder.course.homework import ANSWERS, CourseError, Homework
from autograder.course.stub import BEGIN, END, notebook_name
from autograder.handouts.text import question_list
from autograder.templates import fill, render

KITS_PLOTS = Path(__file__).parent / "templates" / PLOTS
"""What notebooks draw with, unless the course has a file of this name beside its homeworks."""
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
LOCKED = {"deletable": False, "editable": False}
"""What Jupyter keeps from being changed by mistake."""
Definition = ast.FunctionDef | ast.ClassDef

_CELL = re.compile(r"^# %%(?: \[(markdown)\])?[ ]*\n", re.MULTILINE)
_COMMENT = re.compile(r"^# ?", re.MULTILINE)
_MARK = re.compile(r"# \{\{ (?P<kind>\w+)(?:: (?P<name>\w+))? \}\}")
_REGION_MARK = re.compile(rf"^[ \t]*(?:{BEGIN}|{END})\n?", re.MULTILINE)


@dataclass(frozen=True)
class Parts:
    """The parts of one source file as text, including the marks of solution regions."""

    name: str
    imports: str
    by_name: dict[str, str]

    def part(self, name: str) -> str:
        """Return the text that defines a name."""
        if name not in self.by_name:
            known = ", ".join(self.by_name)
            raise CourseError(
                f"{self.name} defines no {name!r}; its notebook may ask for: {known}"
            )
        return self.by_name[name]


def notebook_files(homework: Homework, stub: str) -> Mapping[str, str]:
    """Return the text of each file by its name: the notebook and its pictures; nothing without a master."""
    if not (homework.folder / MASTER).is_file():
        return {}
    own = homework.folder.parent / PLOTS
    plots = own if own.is_file() else KITS_PLOTS
    for_students = notebook_text(homework, stub)
    return {notebook_name(homework): for_students, PLOTS: plots.read_text("utf-8")}


def notebook_text(homework: Homework, source: str) -> str:
    """Return the notebook (JSON) that the master gives with code: that of the stub, or of the solution."""
    path = homework.folder / MASTER
    before, *parts = _CELL.split(path.read_text("utf-8"))
    if before.strip():
        raise CourseError(
            f"{path}, line 1: begin with # %% or # %% [markdown], as every cell does"
        )
    cells = [
        (kind, source.strip("\n"))
        for kind, source in zip(parts[::2], parts[1::2], strict=True)
    ]
    marks = [
        None if kind else _MARK.fullmatch(source.strip()) for kind, source in cells
    ]
    needed = [f"# {{{{ question: {task.name} }}}}" for task in homework.tasks]
    needed += ["# {{ answers }}"] if homework.questions else []
    written = {mark[0] for mark in marks if mark}
    for missing in [mark for mark in needed if mark not in written]:
        raise CourseError(
            f"{path} lacks a code cell {missing}, so nobody could answer it"
        )
    code = cut(source, homework.stub)
    ending = _text("ending", homework=homework, notebook=notebook_name(homework))
    made: list[dict[str, Any]] = []
    for (kind, text), mark in zip(cells, marks, strict=True):
        if mark:
            made += _filled(mark, homework, code)
        elif kind:
            try:
                made.append(
                    _cell("markdown", fill(_COMMENT.sub("", text), {"hand_in": ending}))
                )
            except ValueError as error:
                raise CourseError(f"{path}: {error}") from error
        else:
            made.append(_cell("code", text))
    for place, one in enumerate(made, start=1):  # tools draw missing ids at random
        one["id"] = f"cell-{place}"
    whole = {"cells": made, "metadata": METADATA, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(whole, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def cut(source: str, name: str) -> Parts:
    """Return the parts of a source file; comments above a part and statements after it belong to it."""
    try:
        nodes = ast.parse(source).body
    except SyntaxError as error:
        raise CourseError(f"{name}: not valid Python: {error}") from error
    lines = source.split("\n")
    starts: dict[str, int] = {}
    for node in nodes:
        if isinstance(node, Definition):
            key = node.name
        else:
            targets = node.targets if isinstance(node, ast.Assign) else []
            key = next((one.id for one in targets if isinstance(one, ast.Name)), "")
        starts |= {key: start_of(node, lines)} if key else {}
    borders = pairwise([*starts.values(), len(lines)])
    imports = [
        ast.unparse(node)
        for node in nodes
        if isinstance(node, ast.Import | ast.ImportFrom)
    ]
    return Parts(
        name,
        "\n".join(imports),
        {
            key: "\n".join(lines[slice(*border)]).rstrip()
            for key, border in zip(starts, borders, strict=True)
        },
    )


def start_of(node: ast.stmt, lines: Sequence[str]) -> int:
    """Return the first line of a statement, from 0, with its decorators and the comments above it."""
    first: int = (
        min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", ()))])
        - 1
    )
    while first > 0 and lines[first - 1].startswith("#"):
        first -= 1
    return first


def _filled(
    mark: re.Match[str], homework: Homework, code: Parts
) -> list[dict[str, Any]]:
    """Return the cells that replace a mark."""
    match mark["kind"], mark["name"]:
        case "setup", None:
            return [
                _cell("markdown", _text("start", homework=homework)),
                _cell(
                    "code",
                    _text(
                        "setup",
                        homework=homework,
                        code=code,
                        asked=what_is_asked(homework),
                    ),
                ),
            ]
        case "answers", None:
            questions = question_list(homework, "in the next cell")
            answers = _REGION_MARK.sub("", code.part(ANSWERS))
            return [
                _cell("markdown", f"## Theory questions\n\n{questions}"),
                _cell("code", answers),
            ]
        case "code", str(name):
            return [_cell("code", _REGION_MARK.sub("", code.part(name)))]
        case "question", str(name):
            task = homework.task(name)
            check = _cell(
                "code",
                f'check_task("{task.name}", globals())  # {task.points:g} points',
            )
            return [
                _cell("code", _REGION_MARK.sub("", code.part(name))),
                check | {"metadata": LOCKED},
            ]
    raise CourseError(
        f"{homework.folder / MASTER}: {mark[0]} is not a known mark; write # {{{{ setup }}}}, "
        "# {{ question: NAME }}, # {{ code: NAME }} or # {{ answers }}"
    )


def _cell(kind: str, source: str) -> dict[str, Any]:
    rest: dict[str, Any] = (
        {"outputs": [], "execution_count": None} if kind == "code" else {}
    )
    return {
        "cell_type": kind,
        "metadata": {},
        "source": source.splitlines(keepends=True),
        **rest,
    }


def _text(name: str, **values: object) -> str:
    return render("autograder.authoring", f"notebook_{name}.txt", **values).rstrip()
