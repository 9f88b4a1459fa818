"""What works with one version of NumPy and not with another, found in a source before it is sent."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Trap:
    """A way of writing, and what to write instead."""

    pattern: str
    remedy: str


TRAPS = (
    Trap(
        r"\b(?:float|int)\([^()\n]*@",
        "float() and int() of a 1×1 array fail since NumPy 2.4: write `(k.T @ q).item()`",
    ),
    Trap(
        r"\b(?:float|int)\(\s*(?:np|numpy)\.(?:dot|matmul)\(",
        "float() and int() of a 1×1 array fail since NumPy 2.4: write `np.dot(a, b).item()`",
    ),
    Trap(
        r"\b(?:np|numpy)\.(?:float|int|bool|object|complex|str)\b(?!_|\d)",
        "this alias was removed in NumPy 1.24: use Python's own type of that name",
    ),
    Trap(
        r"\b(?:np|numpy)\.(?:float_|complex_|unicode_|Inf|Infinity|NaN|infty|PINF|NINF)\b",
        "this name was removed in NumPy 2.0: write np.float64, np.inf or np.nan",
    ),
    Trap(
        r"\b(?:np|numpy)\.(?:product|cumproduct|alltrue|sometrue|in1d|row_stack|trapz|asfarray|msort)\(",
        "this function is gone or going from NumPy 2: look for its successor (np.prod, np.vstack …)",
    ),
    Trap(
        r"\b(?:np|numpy)\.(?:concat|permute_dims|matrix_transpose|vecdot|astype|unstack)\(",
        "this function is new in NumPy 2: with an older NumPy at the grader's it would be missing",
    ),
    Trap(r"\b(?:np|numpy)\.matrix\(", "np.matrix multiplies with `*` and stays 2-D: use np.array"),
)


def find_traps(source: str, name: str) -> Iterator[str]:
    """Yield a line for each trap in a source: the file, the line, and the remedy."""
    for number, line in enumerate(source.splitlines(), start=1):
        code = line.partition("#")[0]
        for trap in TRAPS:
            if re.search(trap.pattern, code):
                yield f"{name}, line {number}: {trap.remedy}"
