"""The files of a homework that its notebook consists of, as students receive them."""

from __future__ import annotations

from collections.abc import Mapping

from autograder.homework.model import CourseError, Homework
from autograder.notebooks.assign import assign_notebook, has_notebook
from autograder.stubs.text import notebook_name

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
