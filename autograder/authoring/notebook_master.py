"""Expand a master, ``notebook.py`` beside the solution, into the notebook that ``otter assign`` reads.

A master is a notebook in jupytext's py:percent form. It holds the story and the pictures, and marks where
the parts of the solution go, so that the solution itself has one source:

- a code cell ``# {{ setup }}``: the solution's imports, the pictures and the grader, with how to install it;
- a code cell ``# {{ question: softmax }}``: a task's code and its public checks, under the text before it;
- a code cell ``# {{ code: helper }}``: code that is not graded;
- a code cell ``# {{ answers }}``: the theory questions, and the dictionary for their answers;
- a text cell's ``{{ hand_in }}``: what to do at the end. Text cells are jinja2 templates.
"""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from autograder.authoring.handout_text import question_list
from autograder.course import (
    ANSWERS,
    BEGIN,
    END,
    MASTER,
    PLACEHOLDER,
    CourseError,
    Homework,
    Task,
    notebook_name,
)
from autograder.templates import fill

Definition = ast.FunctionDef | ast.ClassDef


@dataclass(frozen=True)
class Parts:
    """The parts of one source file, as text, marks of solution regions included."""

    name: str
    imports: str
    by_name: dict[str, str]

    def part(self, name: str) -> str:
        """Return the text that defines a name.

        Raises:
            CourseError: nothing on the outermost level defines it.
        """
        if name not in self.by_name:
            known = ", ".join(self.by_name)
            raise CourseError(f"{self.name} defines no {name!r}; its notebook may ask for: {known}")
        return self.by_name[name]


def cut(source: str, name: str) -> Parts:
    """Return the parts of a source file; comments above a part, and statements that follow it, belong to it.

    Raises:
        CourseError: the source is no valid Python.
    """
    try:
        nodes = ast.parse(source).body
    except SyntaxError as error:
        raise CourseError(f"{name}: no valid Python: {error}") from error
    lines = source.split("\n")
    imports = [ast.unparse(node) for node in nodes if isinstance(node, ast.Import | ast.ImportFrom)]
    named = {node_name: _start(node, lines) for node in nodes if (node_name := _name(node))}
    borders = pairwise([*named.values(), len(lines)])
    texts = {
        key: "\n".join(lines[start:end]).rstrip() for key, (start, end) in zip(named, borders, strict=True)
    }
    return Parts(name, "\n".join(imports), texts)


def _start(node: ast.stmt, lines: list[str]) -> int:
    """The index of a part's first line: a decorator, or a comment right above."""
    decorators = node.decorator_list if isinstance(node, Definition) else []
    first = min([node.lineno, *(one.lineno for one in decorators)]) - 1
    while first > 0 and lines[first - 1].startswith("#"):
        first -= 1
    return first


def _name(node: ast.stmt) -> str:
    if isinstance(node, Definition):
        return node.name
    targets = node.targets if isinstance(node, ast.Assign) else []
    return next((one.id for one in targets if isinstance(one, ast.Name)), "")


KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}
Cell = dict[str, Any]

_MARK = re.compile(r"# \{\{ (?P<kind>\w+)(?:: (?P<name>\w+))? \}\}")
_CONFIG = """# ASSIGNMENT CONFIG
init_cell: false
check_all_cell: false
export_cell: false
generate: false
run_tests: false
show_question_points: true
strip_solutions_from_all_cells: true
tests: {files: false, ok_format: false}"""
_INSTALL = """**Before you start**, once, in a terminal in this notebook's folder:

```
pip install -r requirements.txt matplotlib notebook otter-grader
```

A cell that says `grader.check(…)` runs the public checks on your function and tells you what to mend first.
Keep this notebook in its folder and under its name: the checks and the pictures lie beside it."""
_CHECK = """def test_{task}(env):
    from public_checks import require_task

    require_task("{task}", env)"""
_THEORY = "## Theory questions\n\n{questions}"
_ENDING = """## Hand in

Choose *Restart kernel and run all cells*, read once more what the checks say, and hand in `{notebook}`. If
you worked in `{stub}` instead, hand in that file: one of the two is enough. The grader also tries sizes and
numbers that no cell here has tried."""


@dataclass(frozen=True)
class Source:
    """Where the content of marks comes from: the solution, and the stub that students receive."""

    homework: Homework
    solution: Parts
    stub: Parts


def expanded_master(homework: Homework, stub: str) -> dict[str, Any]:
    """Return the master as a notebook in memory, every mark replaced; ``stub`` is the text of the stub.

    Raises:
        CourseError: a mark is unknown or asks for what the solution does not define, or a task has no mark.
    """
    path = homework.folder / MASTER
    cells = _read(path)
    written = {mark[0] for cell in cells if (mark := _mark(cell))}
    for missing in [mark for mark in _needed(homework) if mark not in written]:
        raise CourseError(f"{path} lacks a code cell {missing}, so nobody could answer it")
    source = Source(
        homework, cut(homework.solution.read_text("utf-8"), str(homework.solution)), cut(stub, homework.stub)
    )
    expanded = [_cell("raw", _CONFIG), *_expanded(cells, source)]
    return {"cells": expanded, "metadata": {"kernelspec": KERNEL}, "nbformat": 4, "nbformat_minor": 5}


def _needed(homework: Homework) -> Iterator[str]:
    yield from (f"# {{{{ question: {task.name} }}}}" for task in homework.tasks)
    if homework.questions:
        yield "# {{ answers }}"


def _read(path: Path) -> list[Cell]:
    jupytext: Any = importlib.import_module("jupytext")
    notebook = jupytext.reads(path.read_text(encoding="utf-8"), fmt="py:percent")
    return [_cell(one["cell_type"], one["source"]) for one in notebook["cells"]]


def _mark(cell: Cell) -> re.Match[str] | None:
    return _MARK.fullmatch(cell["source"].strip()) if cell["cell_type"] == "code" else None


def _expanded(cells: Iterable[Cell], source: Source) -> list[Cell]:
    """Return the cells with marks filled in; the text above a question becomes part of it."""
    done: list[Cell] = []
    for cell in cells:
        mark = _mark(cell)
        if mark is None:
            done.append(_told(cell, source.homework))
            continue
        is_introduced = mark["kind"] == "question" and done and done[-1]["cell_type"] == "markdown"
        text = [done.pop()] if is_introduced else []
        done += _filled(mark, source, text)
    return done


def _filled(mark: re.Match[str], source: Source, text: list[Cell]) -> list[Cell]:
    match mark["kind"], mark["name"]:
        case "setup", None:
            return [_cell("markdown", _INSTALL), _cell("code", _setup(source))]
        case "answers", None:
            return _theory(source)
        case "code", str(name):
            return [_cell("code", _for_otter(source.solution.part(name)))]
        case "question", str(name):
            return _question(source.homework.task(name), source.solution.part(name), text)
    raise CourseError(
        f"{source.homework.folder / MASTER}: {mark[0]} is no mark; write # {{{{ setup }}}}, "
        "# {{ question: NAME }}, # {{ code: NAME }} or # {{ answers }}"
    )


def _setup(source: Source) -> str:
    opened = f'grader = otter.Notebook("{notebook_name(source.homework)}")'
    return f"{source.solution.imports}\n\nimport attention_plots as plots\nimport otter\n\n{opened}"


def _theory(source: Source) -> list[Cell]:
    """Students find the stub's dictionary; the solution's own statements follow it, for otter to remove."""
    questions = question_list(source.homework, "in the next cell")
    filled_in = source.solution.part(ANSWERS).partition(f"{BEGIN}\n")[1:]
    code = _for_otter("\n".join([source.stub.part(ANSWERS), "".join(filled_in)]))
    return [_cell("markdown", _THEORY.format(questions=questions)), _cell("code", code)]


def _question(task: Task, code: str, text: list[Cell]) -> list[Cell]:
    return [
        _cell("raw", f"# BEGIN QUESTION\nname: {task.name}\npoints: {task.points:g}"),
        *text,
        _cell("raw", "# BEGIN SOLUTION"),
        _cell("code", _for_otter(code)),
        _cell("raw", "# END SOLUTION"),
        _cell("raw", "# BEGIN TESTS"),
        _cell("code", _CHECK.format(task=task.name)),
        _cell("raw", "# END TESTS"),
        _cell("raw", "# END QUESTION"),
    ]


def _for_otter(code: str) -> str:
    """Spell the regions' marks as otter does, with the stub's own placeholder as what students find.

    A region of the module itself leaves nothing, as in the stub.
    """
    code = re.sub(rf"^([ \t]*){BEGIN}$", r"\g<0> NO PROMPT", code, flags=re.MULTILINE)
    prompt = rf'\g<0>\n\1""" # BEGIN PROMPT\n\1{PLACEHOLDER}\n\1""" # END PROMPT'
    return re.sub(rf"^([ \t]+){END}$", prompt, code, flags=re.MULTILINE)


def _told(cell: Cell, homework: Homework) -> Cell:
    """Fill in what a text cell leaves to the kit."""
    if cell["cell_type"] != "markdown":
        return cell
    ending = _ENDING.format(notebook=notebook_name(homework), stub=homework.stub)
    try:
        return {**cell, "source": fill(cell["source"], {"hand_in": ending})}
    except ValueError as error:
        raise CourseError(f"{homework.folder / MASTER}: {error}") from error


def _cell(kind: str, source: str) -> Cell:
    extra: Cell = {"outputs": [], "execution_count": None} if kind == "code" else {}
    return {"cell_type": kind, "metadata": {}, "source": source, **extra}
