"""The stub of a homework: its text, and whether a file is still what was handed out."""

from __future__ import annotations

from pathlib import Path

from autograder.homework.model import CourseError, Homework
from autograder.stubs.answers import fill_in_answers
from autograder.stubs.strip import strip_solution
from autograder.submissions.notebook import parse_notebook


def notebook_name(homework: Homework) -> str:
    """The file name of a homework's notebook, which is that of its stub but for the ending."""
    return homework.stub.removesuffix(".py") + ".ipynb"


def stub_text(homework: Homework) -> str:
    """Return the text of a homework's stub.

    Raises:
        CourseError: the reference solution is missing or its regions are wrong.
    """
    if not homework.solution.is_file():
        raise CourseError(f"{homework.solution} is missing: it is the reference solution of {homework.id}")
    stub = strip_solution(homework.solution.read_text(encoding="utf-8"), str(homework.solution))
    return fill_in_answers(homework, stub)


def is_untouched(homework: Homework, text: str) -> bool:
    """Whether a file's text is the homework's stub as it was handed out, apart from white space.

    The text of a notebook is that of its code cells, and the notebook as it was handed out is one of ours.
    """
    notebook = homework.folder.parents[1] / "assignments" / homework.id / notebook_name(homework)
    given = [stub_text(homework), *([_code_of(notebook)] if notebook.is_file() else [])]
    return text.split() in [one.split() for one in given]


def _code_of(notebook: Path) -> str:
    return "\n".join(cell.source for cell in parse_notebook(notebook.read_bytes(), notebook.name).cells)
