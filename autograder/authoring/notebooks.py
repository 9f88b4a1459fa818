"""Run ``otter assign`` on an expanded master and return its notebooks, the same bytes each time."""

from __future__ import annotations

import importlib
import json
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autograder.authoring.notebook_master import KERNEL, expanded_master
from autograder.course import MASTER, CourseError, Homework, notebook_name

REMEDY = "pip install 'attention-homework-kit[notebooks]', or run make setup"
KEPT_OF_CELLS = ("deletable", "editable")


@dataclass(frozen=True)
class Assigned:
    """A homework's notebook as text (JSON), as students receive it and with the solution filled in."""

    student: str
    solved: str


def has_notebook(homework: Homework) -> bool:
    """Whether a homework has a master, so that students receive a notebook."""
    return (homework.folder / MASTER).is_file()


def assign_notebook(homework: Homework, stub: str) -> Assigned:
    """Return the notebooks that ``otter assign`` makes of a homework's master; ``stub`` is the stub's text.

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
        path.write_text(json.dumps(_numbered(master)), encoding="utf-8")
        assign.main(str(path), str(path.parent / "made"), no_run_tests=True, no_pdfs=True)
        made = [
            Path(folder, "made", kind, path.name).read_text("utf-8") for kind in ("student", "autograder")
        ]
    student, solved = (_settled(json.loads(text)) for text in made)
    return Assigned(student, solved)


def _settled(notebook: dict[str, Any]) -> str:
    """Return a notebook without what differs from run to run, or between versions of the tools."""
    notebook["metadata"] = {
        "kernelspec": KERNEL,
        "language_info": {"name": "python"},
        "otter": notebook["metadata"]["otter"],
    }
    for cell in notebook["cells"]:
        cell["metadata"] = {key: cell["metadata"][key] for key in KEPT_OF_CELLS if key in cell["metadata"]}
    return json.dumps(_numbered(notebook), indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def _numbered(notebook: dict[str, Any]) -> dict[str, Any]:
    """Give each cell its place as its id; the format wants one, and tools would draw it at random."""
    cells = [{**cell, "id": f"cell-{place}"} for place, cell in enumerate(notebook["cells"], start=1)]
    return {**notebook, "cells": cells}


PLOTS = "attention_plots.py"


def notebook_files(homework: Homework, stub: str) -> Mapping[str, str]:
    """Return the text of each file by its name: the notebook and its pictures; nothing without a master.

    Raises:
        CourseError: the master is wrong, or the pictures are missing.
    """
    if not has_notebook(homework):
        return {}
    plots = homework.folder.parent / PLOTS
    if not plots.is_file():
        raise CourseError(f"{plots} is missing: the notebooks draw their pictures with it")
    assigned = assign_notebook(homework, stub)
    return {notebook_name(homework): assigned.student, PLOTS: plots.read_text(encoding="utf-8")}
