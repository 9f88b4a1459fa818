"""Make the notebook of a homework from its master, the same bytes each time.

A master, ``notebook.py`` next to the solution, is a notebook in the percent form: ``# %%`` begins a code cell,
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
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from autograder.authoring.checks_package import what_is_asked
from autograder.authoring.statements import start_with_comments
from autograder.course.course import MASTER
from autograder.course.homework import ANSWERS, CourseError, Homework
from autograder.course.stub import BEGIN, END, notebook_name
from autograder.handouts.text import question_list
from autograder.language import say
from autograder.templates import fill, render
from autograder.worker.inert import PLOTS

DEFAULT_PLOTS = Path(__file__).parent / "templates" / f"{PLOTS[0]}.py"
"""What notebooks draw with, unless the course has a file of one of the names next to its homeworks."""
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
LOCKED = {"deletable": False, "editable": False}
"""What Jupyter keeps from being changed by mistake."""

_CELL = re.compile(r"^# %%(?: \[(markdown)\])?[ ]*\n", re.MULTILINE)
_COMMENT = re.compile(r"^# ?", re.MULTILINE)
_MARK = re.compile(r"# \{\{ (?P<kind>\w+)(?:: (?P<name>\w+))? \}\}")
_REGION_MARK = re.compile(rf"^[ \t]*(?:{BEGIN}|{END})\n?", re.MULTILINE)


@dataclass(frozen=True)
class Parts:
    """The parts of one source file as text, including the marks of solution regions.

    Attributes:
        name: how the file is called in messages.
        imports: its imports.
        by_name: its functions, classes and constants.
    """

    name: str
    imports: str
    by_name: dict[str, str]

    def part(self, name: str) -> str:
        """Return the text that defines a name.

        Raises:
            CourseError: there is none.
        """
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
    plots = plots_file(homework.folder.parent)
    return {
        notebook_name(homework): notebook_text(homework, stub),
        plots.name: plots.read_text("utf-8"),
    }


def plots_file(solutions: Path) -> Path:
    """Return the file that a course's notebooks draw with: its own one in ``solutions/``, or the kit's."""
    for name in PLOTS:
        path = solutions / f"{name}.py"
        if path.is_file():
            return path
    return DEFAULT_PLOTS


def notebook_text(homework: Homework, source: str) -> str:
    """Return the notebook (JSON) that the master gives with some code.

    Args:
        homework: the homework.
        source: the text of the stub, or of the solution.

    Raises:
        CourseError: the master lacks a cell, or holds a mark that is not known.
    """
    path = homework.language.existing_path(homework.folder / MASTER)
    master_cells = []
    marks = set()
    for kind, text in _cells_of(path):
        mark = None
        if not kind:
            mark = _MARK.fullmatch(text.strip())
        if mark:
            marks.add(mark[0])
        master_cells.append((kind, text, mark))
    needed = [f"# {{{{ question: {task.name} }}}}" for task in homework.tasks]
    if homework.questions:
        needed.append("# {{ answers }}")
    for needed_mark in needed:
        if needed_mark not in marks:
            raise CourseError(
                f"{path} lacks a code cell {needed_mark}, so nobody could answer it"
            )

    code = cut(source, homework.stub)
    ending = _text("ending", homework=homework, notebook=notebook_name(homework))
    cells: list[dict[str, Any]] = []
    for kind, text, mark in master_cells:
        if mark:
            cells += _cells_for(mark, homework, code)
        elif kind:
            template = _COMMENT.sub("", text)
            try:
                cells.append(_cell("markdown", fill(template, {"hand_in": ending})))
            except ValueError as error:
                raise CourseError(f"{path}: {error}") from error
        else:
            cells.append(_cell("code", text))
    for number, cell in enumerate(cells, start=1):
        cell["id"] = f"cell-{number}"  # tools draw missing ids at random
    notebook = {
        "cells": cells,
        "metadata": METADATA,
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(notebook, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def code_cells(path: Path) -> list[str]:
    """Return the texts of a master's code cells, in order; a mark is such a text too.

    Raises:
        CourseError: something stands before the first cell.
    """
    texts = []
    for kind, text in _cells_of(path):
        if not kind:
            texts.append(text)
    return texts


def is_mark(cell: str) -> bool:
    """Return whether a code cell of a master is a mark, in whose place something is put: ``# {{ setup }}``."""
    return _MARK.fullmatch(cell.strip()) is not None


def _cells_of(path: Path) -> list[tuple[str, str]]:
    """Return kind (``"markdown"`` or nothing for code) and text of each cell of a master.

    Raises:
        CourseError: something stands before the first cell.
    """
    before, *parts = _CELL.split(path.read_text("utf-8"))
    if before.strip():
        raise CourseError(
            f"{path}, line 1: begin with # %% or # %% [markdown], as every cell does"
        )
    cells = []
    for kind, text in zip(parts[::2], parts[1::2], strict=True):
        cells.append((kind, text.strip("\n")))
    return cells


def cut(source: str, name: str) -> Parts:
    """Return the parts of a source file; comments above a part and statements after it belong to it.

    Args:
        source: the text of the file.
        name: how it is called in messages.

    Raises:
        CourseError: it is not valid Python.
    """
    try:
        statements = ast.parse(source).body
    except SyntaxError as error:
        raise CourseError(f"{name}: not valid Python: {error}") from error
    lines = source.split("\n")
    imports = []
    starts: dict[str, int] = {}
    for statement in statements:
        if isinstance(statement, ast.Import | ast.ImportFrom):
            imports.append(ast.unparse(statement))
        elif isinstance(statement, ast.FunctionDef | ast.ClassDef):
            starts[statement.name] = start_with_comments(statement, lines)
        elif isinstance(statement, ast.Assign):
            for target in statement.targets:
                if isinstance(target, ast.Name):
                    starts[target.id] = start_with_comments(statement, lines)
                    break
    texts = {}
    borders = pairwise([*starts.values(), len(lines)])
    for part, (start, end) in zip(starts, borders, strict=True):
        texts[part] = "\n".join(lines[start:end]).rstrip()
    return Parts(name, "\n".join(imports), texts)


def _cells_for(
    mark: re.Match[str],
    homework: Homework,
    code: Parts,
) -> list[dict[str, Any]]:
    """Return the cells that replace a mark."""
    match mark["kind"], mark["name"]:
        case "setup", None:
            start = _text("start", homework=homework)
            setup = _text(
                "setup",
                homework=homework,
                code=code,
                asked=what_is_asked(homework),
                plots=plots_file(homework.folder.parent).stem,
            )
            return [_cell("markdown", start), _cell("code", setup)]
        case "answers", None:
            questions = question_list(homework, say("in the next cell"))
            heading = say("Theory questions")
            return [
                _cell("markdown", f"## {heading}\n\n{questions}"),
                _code_cell(code, ANSWERS),
            ]
        case "code", str(name):
            return [_code_cell(code, name)]
        case "question", str(name):
            task = homework.task(name)
            points = say("{points:g} points", points=task.points)
            call = f'check_task("{task.name}", globals())  # {points}'
            check = _cell("code", call)
            check["metadata"] = LOCKED
            return [_code_cell(code, name), check]
    raise CourseError(
        f"{homework.folder / MASTER}: {mark[0]} is not a known mark; write # {{{{ setup }}}}, "
        "# {{ question: NAME }}, # {{ code: NAME }} or # {{ answers }}"
    )


def _code_cell(code: Parts, name: str) -> dict[str, Any]:
    """Return a cell with a part of the code, without the marks of solution regions."""
    return _cell("code", _REGION_MARK.sub("", code.part(name)))


def _cell(kind: str, source: str) -> dict[str, Any]:
    cell: dict[str, Any] = {
        "cell_type": kind,
        "metadata": {},
        "source": source.splitlines(keepends=True),
    }
    if kind == "code":
        cell["outputs"] = []
        cell["execution_count"] = None
    return cell


def _text(name: str, **values: object) -> str:
    """Fill a template of notebooks."""
    return render("autograder.authoring", f"notebook_{name}.txt", **values).rstrip()
