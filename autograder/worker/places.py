"""Where the code of a submission is: its file names, and how a place in it is named to people."""

from __future__ import annotations

import re
import sys
from typing import Any, TypeAlias

Namespace: TypeAlias = dict[str, Any]
"""The top-level names of a submission."""
SUBMISSION_ROOT = "/submission/"
LIVE_CELLS = ("<ipython-input-", "ipykernel_")
"""How IPython names a cell's code in the notebook that a student is working on."""
NUMBER_IN_NAME = re.compile(r"<ipython-input-(\d+)-")
IN_A_NOTEBOOK = "this notebook"


def is_submitted(filename: str) -> bool:
    """Return whether code of this file is the student's own."""
    if filename.startswith(SUBMISSION_ROOT):
        return True
    return any(mark in filename for mark in LIVE_CELLS)


def shown_name(filename: str) -> str:
    """Return how a file of the student's own code is named to people, as in ``homework.py`` or ``cell [5]``."""
    if filename.startswith(SUBMISSION_ROOT):
        return filename.removeprefix(SUBMISSION_ROOT)
    return _live_cell(filename) or IN_A_NOTEBOOK


def _live_cell(filename: str) -> str:
    """Return how a notebook that is running shows a cell, as in ``cell [5]``; nothing where that is unknown."""
    in_name = NUMBER_IN_NAME.search(filename)
    if in_name:
        return f"cell [{in_name[1]}]"
    # Jupyter and VS Code name the file after the cell's text; IPython knows its number.
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    describe = getattr(getattr(shell, "compile", None), "format_code_name", None)
    place = describe(filename) if describe else None
    if not place:
        return ""
    number = re.search(r"\[(\d+)\]", place[1])
    return f"cell {number[0]}" if number else ""
