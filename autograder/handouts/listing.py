"""Arrays as Python code that a student can paste, and as short lists inside a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from autograder.handouts.matrix import Matrix
from autograder.worker.wire import Array

MAX_WIDTH = 88


def code_lines(matrices: Sequence[Matrix]) -> str:
    """Return one assignment for each matrix; ``np`` must be NumPy."""
    return "\n".join(_assignment(matrix) for matrix in matrices)


def _assignment(matrix: Matrix) -> str:
    function, numbers = matrix.code or ("np.array", _as_printed(matrix))
    line = f"{matrix.name} = {function}({numbers.tolist()})"
    if len(line) <= MAX_WIDTH or numbers.ndim < 2:
        return line
    rows = "".join(f"    {row.tolist()},\n" for row in numbers)
    return f"{matrix.name} = {function}([\n{rows}])"


def _as_printed(matrix: Matrix) -> Array:
    if not np.issubdtype(matrix.numbers.dtype, np.floating):
        return matrix.numbers
    return np.asarray(matrix.texts(), dtype=float)


def listed(texts: Any) -> str:
    """Return printed numbers in the brackets that Python would put around them."""
    return texts if isinstance(texts, str) else f"[{', '.join(listed(part) for part in texts)}]"
