"""The picture of hw8: how features are cut into heads, and how query heads share key and value heads."""

from autograder.authoring import (
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    Box,
    Path,
    Picture,
    Text,
    grid,
)

HEADS = (BLUE, ORANGE, GREEN, GREY)
CELL, LOWER = 40, 270


def picture(matrices):
    shares = (("multi-head", 4), ("grouped-query", 2), ("multi-query", 1))
    return Picture(
        700,
        430,
        "Features are cut into heads, and query heads may share keys and values",
        "Above, three tokens of four counted features. Split rightly, head 0 holds the first two features of "
        f"every token, {_rows(matrices['head_0'])}, and head 1 the last two, {_rows(matrices['head_1'])}. A "
        f"reshape alone tears tokens apart: its head 0 holds {_rows(matrices['torn_0'])}. Below, four query "
        "heads, Q0 to Q3. In multi-head attention each has a key and value head of its own. In grouped-query "
        "attention Q0 and Q1 share KV0, Q2 and Q3 share KV1. In multi-query attention all four share KV0.",
        [
            *_grid(60, "X[0]", matrices["counted"], _of_columns),
            Path([(230, 118), (264, 118)]),
            *_grid(274, "head 0", matrices["head_0"], lambda *_: BLUE),
            *_grid(374, "head 1", matrices["head_1"], lambda *_: ORANGE),
            Text(364, 196, "right", 16, bold=True),
            *_grid(
                506,
                "head 0",
                matrices["torn_0"],
                lambda i, j, number: _of_number(number),
            ),
            *_grid(
                606,
                "head 1",
                matrices["torn_1"],
                lambda i, j, number: _of_number(number),
            ),
            Text(596, 196, "a reshape alone", 16, bold=True),
            *(
                shape
                for i, share in enumerate(shares)
                for shape in _shared(20 + 230 * i, *share)
            ),
        ],
    )


def _rows(matrix):
    return ", then ".join(" and ".join(row) for row in matrix.texts())


def _grid(x, words, matrix, colour):
    yield Text(x + len(matrix.grid()[0]) * CELL / 2, 60, words, 16, bold=True)
    yield from grid(matrix, x, 76, colour, CELL)


def _of_columns(row, column, number):
    return HEADS[column // 2]


def _of_number(number):
    return HEADS[int(number) % 4 // 2]


def _shared(x, words, n_kv_heads):
    """Four query heads above, each joined to its key and value head below, in that one's colour."""
    group = 4 // n_kv_heads
    yield Text(x + 100, LOWER - 26, words, 16, bold=True)
    for h in range(4):
        middle = x + 25 + 50 * h
        target = x + 25 + 50 * (h // group * group + (group - 1) / 2)
        yield Path([(target, LOWER + 96), (middle, LOWER + 34)], arrow=False)
        yield from _box(middle, LOWER, f"Q{h}", HEADS[h // group])
    for g in range(n_kv_heads):
        yield from _box(
            x + 25 + 50 * (g * group + (group - 1) / 2), LOWER + 96, f"KV{g}", HEADS[g]
        )


def _box(middle, y, words, fill):
    yield Box(middle - 20, y, 40, 34, fill, radius=6)
    yield Text(middle, y + 22, words, 14)
