"""Masters of Otter Assign, written cell by cell: how an existing course looks that comes over."""

import json
from collections.abc import Sequence
from pathlib import Path

Cell = tuple[str, str, str]


def raw(source: str) -> Cell:
    return "raw", source, ""


def text(source: str) -> Cell:
    return "markdown", source, ""


def code(source: str, shows: str = "") -> Cell:
    return "code", source, shows


def question(
    head: str,
    *tests: Cell,
    asks: str = "What it asks.",
    solution: Sequence[Cell] = (),
    more: Sequence[Cell] = (),
) -> list[Cell]:
    """A question: the lines of its head, its test cells, its text, the cells of its solution."""
    solved = [raw("# BEGIN SOLUTION"), *solution, raw("# END SOLUTION")] if solution else []
    tested = [raw("# BEGIN TESTS"), *tests, raw("# END TESTS")] if tests else []
    return [raw(f"# BEGIN QUESTION\n{head}"), text(asks), *more, *solved, *tested, raw("# END QUESTION")]


def config(lines: str) -> str:
    """The head of a test cell."""
    return f'""" # BEGIN TEST CONFIG\n{lines}\n""" # END TEST CONFIG\n'


def write_master(path: Path, *cells: Cell | Sequence[Cell], head: str = "name: hw3_words") -> Path:
    """Write a master of these cells and questions; return its path."""
    flat: list[Cell] = [raw(f"# ASSIGNMENT CONFIG\n{head}")]
    for cell in cells:
        flat += [cell] if isinstance(cell, tuple) else cell  # type: ignore[list-item]
    path.write_text(
        json.dumps({"cells": [_tree(*cell) for cell in flat], "metadata": {}, "nbformat": 4}), "utf-8"
    )
    return path


def _tree(kind: str, source: str, shows: str) -> dict[str, object]:
    lines = source.splitlines(keepends=True)
    if kind != "code":
        return {"cell_type": kind, "metadata": {}, "source": lines}
    outputs = [{"output_type": "execute_result", "data": {"text/plain": [shows]}}] if shows else []
    return {"cell_type": kind, "metadata": {}, "source": lines, "outputs": outputs, "execution_count": 1}


SOFTMAX = '''def softmax(x):
    """Each row as shares."""
    # BEGIN SOLUTION
    # Subtracting the maximum first.
    powers = np.exp(x - x.max(axis=-1, keepdims=True))
    # END SOLUTION
    return powers / powers.sum(axis=-1, keepdims=True) # SOLUTION'''
SETUP = code("import numpy as np\nimport pylab as plt\n%pylab\nX = np.arange(6).reshape(2, 3) / 2")
