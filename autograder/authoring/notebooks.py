"""Make the notebooks of a homework from its master with ``otter assign``, the same bytes each time.

A master, ``notebook.py`` beside the solution, is a notebook in jupytext's py:percent form. It holds the story
and the pictures, and marks where the parts of the solution go, so that the solution itself has one source:

- a code cell ``# {{ setup }}``: the solution's imports, the pictures and the grader, with how to install it;
- a code cell ``# {{ question: softmax }}``: a task's code and its public checks, under the text before it;
- a code cell ``# {{ code: helper }}``: code that is not graded;
- a code cell ``# {{ answers }}``: the theory questions, and the dictionary for their answers;
- a text cell's ``{{ hand_in }}``: what to do at the end. Text cells are jinja2 templates.
"""

from __future__ import annotations

import ast
import importlib
import json
import re
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from autograder.authoring.handout_text import question_list
from autograder.course import ANSWERS, BEGIN, END, MASTER, PLACEHOLDER, CourseError, Homework, notebook_name
from autograder.templates import fill, render

REMEDY = "pip install 'attention-homework-kit[notebooks]', or run make setup"
PLOTS = "attention_plots.py"
KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}
KEPT_OF_CELLS = ("deletable", "editable")
Cell = tuple[str, str]
"""Of which type it is, ``raw``, ``code`` or ``markdown``, and its source."""
Definition = ast.FunctionDef | ast.ClassDef

_MARK = re.compile(r"# \{\{ (?P<kind>\w+)(?:: (?P<name>\w+))? \}\}")


@dataclass(frozen=True)
class Parts:
    """The parts of one source file as text, including the marks of solution regions."""

    name: str
    imports: str
    by_name: dict[str, str]

    def part(self, name: str) -> str:
        """Return the text that defines a name.

        Raises:
            CourseError: nothing on the top level defines it.
        """
        if name not in self.by_name:
            known = ", ".join(self.by_name)
            raise CourseError(f"{self.name} defines no {name!r}; its notebook may ask for: {known}")
        return self.by_name[name]


def notebook_files(homework: Homework, stub: str) -> Mapping[str, str]:
    """Return the text of each file by its name: the notebook and its pictures; nothing without a master.

    Raises:
        CourseError: the master is wrong, or the pictures are missing.
    """
    if not (homework.folder / MASTER).is_file():
        return {}
    plots = homework.folder.parent / PLOTS
    if not plots.is_file():
        raise CourseError(f"{plots} is missing: the notebooks draw their pictures with it")
    for_students, _ = assign_notebook(homework, stub)
    return {notebook_name(homework): for_students, PLOTS: plots.read_text(encoding="utf-8")}


def assign_notebook(homework: Homework, stub: str) -> list[str]:
    """Return the two notebooks (JSON) that ``otter assign`` makes of a homework's master and its stub's text.

    The first is for students, the second has the solution filled in.

    otter's own run of the tests is left out: it needs a kernel and several seconds for each homework, and
    the kit's tests execute every notebook from end to end.

    Raises:
        CourseError: the master is wrong, or a library for notebooks is missing.
    """
    try:
        assign: Any = importlib.import_module("otter.assign")
        master = expanded_master(homework, stub)
    except ModuleNotFoundError as error:
        raise CourseError(f"notebooks need {error.name}, which is not installed: {REMEDY}") from error
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, notebook_name(homework))
        path.write_text(json.dumps(master), encoding="utf-8")
        assign.main(str(path), str(path.parent / "made"), no_run_tests=True, no_pdfs=True)
        made = [Path(folder, "made", kind, path.name) for kind in ("student", "autograder")]
        notebooks = [json.loads(one.read_text(encoding="utf-8")) for one in made]
    for notebook in notebooks:  # keep nothing that differs from run to run, or between versions of the tools
        otter = notebook["metadata"]["otter"]
        notebook["metadata"] = {"kernelspec": KERNEL, "language_info": {"name": "python"}, "otter": otter}
        for place, cell in enumerate(notebook["cells"], start=1):
            kept = {key: value for key, value in cell["metadata"].items() if key in KEPT_OF_CELLS}
            cell |= {"id": f"cell-{place}", "metadata": kept}
    return [json.dumps(one, indent=1, ensure_ascii=False, sort_keys=True) + "\n" for one in notebooks]


def expanded_master(homework: Homework, stub: str) -> dict[str, Any]:
    """Return the master as a notebook in memory, every mark replaced; ``stub`` is the text of the stub.

    Raises:
        CourseError: a mark is unknown or asks for what the solution does not define, or a task has no mark.
    """
    path = homework.folder / MASTER
    jupytext: Any = importlib.import_module("jupytext")
    cells = jupytext.reads(path.read_text(encoding="utf-8"), fmt="py:percent")["cells"]
    marks = [_MARK.fullmatch(one["source"].strip()) if one["cell_type"] == "code" else None for one in cells]
    needed = [f"# {{{{ question: {task.name} }}}}" for task in homework.tasks]
    needed += ["# {{ answers }}"] if homework.questions else []
    written = {mark[0] for mark in marks if mark}
    for missing in [mark for mark in needed if mark not in written]:
        raise CourseError(f"{path} lacks a code cell {missing}, so nobody could answer it")
    solution = cut(homework.solution.read_text(encoding="utf-8"), str(homework.solution))
    given = cut(stub, homework.stub)
    ending = _text("ending", homework=homework, notebook=notebook_name(homework))
    expanded: list[Cell] = [("raw", _text("config"))]
    for cell, mark in zip(cells, marks, strict=True):
        kind, source = cell["cell_type"], cell["source"]
        if mark:
            # the text above a question becomes part of it
            is_introduced = mark["kind"] == "question" and expanded[-1][0] == "markdown"
            text = [expanded.pop()] if is_introduced else []
            expanded += _filled(mark, homework, solution, given, text)
        elif kind == "markdown":
            try:
                expanded.append((kind, fill(source, {"hand_in": ending})))
            except ValueError as error:
                raise CourseError(f"{path}: {error}") from error
        else:
            expanded.append((kind, source))
    made: list[dict[str, Any]] = []
    for place, (kind, source) in enumerate(expanded, start=1):  # tools draw missing ids at random
        made.append({"cell_type": kind, "id": f"cell-{place}", "metadata": {}, "source": source})
        made[-1] |= {"outputs": [], "execution_count": None} if kind == "code" else {}
    return {"cells": made, "metadata": {"kernelspec": KERNEL}, "nbformat": 4, "nbformat_minor": 5}


def cut(source: str, name: str) -> Parts:
    """Return the parts of a source file; comments above a part, and statements that follow it, belong to it.

    Raises:
        CourseError: the source is not valid Python.
    """
    try:
        nodes = ast.parse(source).body
    except SyntaxError as error:
        raise CourseError(f"{name}: not valid Python: {error}") from error
    lines = source.split("\n")
    starts: dict[str, int] = {}
    for node in nodes:
        if isinstance(node, Definition):
            key, first = node.name, min(one.lineno for one in (node, *node.decorator_list)) - 1
        else:
            targets = node.targets if isinstance(node, ast.Assign) else []
            key, first = next((one.id for one in targets if isinstance(one, ast.Name)), ""), node.lineno - 1
        while first > 0 and lines[first - 1].startswith("#"):
            first -= 1
        starts |= {key: first} if key else {}
    borders = pairwise([*starts.values(), len(lines)])
    imports = [ast.unparse(node) for node in nodes if isinstance(node, ast.Import | ast.ImportFrom)]
    return Parts(
        name,
        "\n".join(imports),
        {key: "\n".join(lines[slice(*border)]).rstrip() for key, border in zip(starts, borders, strict=True)},
    )


def _filled(
    mark: re.Match[str], homework: Homework, solution: Parts, stub: Parts, text: list[Cell]
) -> list[Cell]:
    """Return the cells that replace a mark; ``text`` is what introduces a question."""
    match mark["kind"], mark["name"]:
        case "setup", None:
            grader = f'grader = otter.Notebook("{notebook_name(homework)}")'
            setup = f"{solution.imports}\n\nimport attention_plots as plots\nimport otter\n\n{grader}"
            return [("markdown", _text("start")), ("code", setup)]
        case "answers", None:
            # students find the stub's dictionary; the solution's statements follow it, for otter to remove
            questions = question_list(homework, "in the next cell")
            filled_in = "".join(solution.part(ANSWERS).partition(f"{BEGIN}\n")[1:])
            code = _for_otter(f"{stub.part(ANSWERS)}\n{filled_in}")
            return [("markdown", f"## Theory questions\n\n{questions}"), ("code", code)]
        case "code", str(name):
            return [("code", _for_otter(solution.part(name)))]
        case "question", str(name):
            task = homework.task(name)
            return [
                ("raw", f"# BEGIN QUESTION\nname: {task.name}\npoints: {task.points:g}"),
                *text,
                ("raw", "# BEGIN SOLUTION"),
                ("code", _for_otter(solution.part(name))),
                ("raw", "# END SOLUTION"),
                ("raw", "# BEGIN TESTS"),
                ("code", _text("check", task=task.name)),
                ("raw", "# END TESTS"),
                ("raw", "# END QUESTION"),
            ]
    raise CourseError(
        f"{homework.folder / MASTER}: {mark[0]} is not a known mark; write # {{{{ setup }}}}, "
        "# {{ question: NAME }}, # {{ code: NAME }} or # {{ answers }}"
    )


def _text(name: str, **values: object) -> str:
    return render("autograder.authoring", f"notebook_{name}.txt", **values).rstrip()


def _for_otter(code: str) -> str:
    """Write the marks of regions as otter does, with the stub's placeholder as what students find.

    A region of the module itself leaves nothing, as in the stub.
    """
    code = re.sub(rf"^([ \t]*){BEGIN}$", r"\g<0> NO PROMPT", code, flags=re.MULTILINE)
    prompt = rf'\g<0>\n\1""" # BEGIN PROMPT\n\1{PLACEHOLDER}\n\1""" # END PROMPT'
    return re.sub(rf"^([ \t]+){END}$", prompt, code, flags=re.MULTILINE)
