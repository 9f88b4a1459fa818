"""Say of a product whose sizes do not fit in which order they would."""

from __future__ import annotations

import re

MATRIX = r"([^\W\d]\w*)(\.T\b)?"
PRODUCTS = (
    rf"(?<![\w.)\]]){MATRIX}\s*@\s*{MATRIX}(?![\w.(\[])",
    rf"\b(?:np|numpy|torch)\.(?:dot|matmul|mm)\(\s*{MATRIX}\s*,\s*{MATRIX}\s*\)",
)
"""How a line multiplies two matrices that have names."""


def order_that_fits(line: str, shapes: str) -> str:
    """Say in which order, or transposed how, the sizes of a product that failed would fit.

    Args:
        line: the student's line.
        shapes: the shapes of its names in a run of public cases, as in "`X` is (4, 3), `omega.T` is (5, 4)".

    Returns:
        a sentence, or nothing where no product of two named matrices is the one that does not fit.
    """
    sizes: dict[str, tuple[int, int]] = {}
    for name, flipped, rows, columns in re.findall(rf"`{MATRIX}` is \((\d+), (\d+)\)", shapes):
        sizes[name] = (int(columns), int(rows)) if flipped else (int(rows), int(columns))
    for pattern in PRODUCTS:
        for a, a_flipped, b, b_flipped in re.findall(pattern, line):
            if a not in sizes or b not in sizes or a == b:
                continue
            inner_of_a = sizes[a][0 if a_flipped else 1]
            inner_of_b = sizes[b][1 if b_flipped else 0]
            if inner_of_a == inner_of_b:
                continue
            # as they are, in either order, before one of them is transposed
            if sizes[a][1] == sizes[b][0]:
                return f"The sizes fit in `{a} @ {b}`."
            if sizes[b][1] == sizes[a][0]:
                return f"The sizes fit in `{b} @ {a}`."
            compares_rows, compares_columns = sizes[a][1] == sizes[b][1], sizes[a][0] == sizes[b][0]
            if compares_rows and compares_columns:
                of_rows, of_columns = f"`{a} @ {b}.T`", f"`{a}.T @ {b}`"
                return f"The sizes fit in {of_rows}, which compares rows, and in {of_columns}, of columns."
            if compares_rows:
                return f"The sizes fit in `{a} @ {b}.T`."
            return f"The sizes fit in `{a}.T @ {b}`." if compares_columns else ""
    return ""
