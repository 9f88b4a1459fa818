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
    heading,
)

HEADS = (BLUE, ORANGE, GREEN, GREY)
CELL = 40

# The lower row: three panels so far apart, in each four query heads above their key and value heads.
LEFT = 20
STEP = 230
QUERY_HEADS = 270
KV_HEADS = 366


def picture(matrices):
    head_0 = matrices["head_0"]
    head_1 = matrices["head_1"]
    torn_0 = matrices["torn_0"]
    torn_1 = matrices["torn_1"]
    return Picture(
        700,
        430,
        "Features are cut into heads, and query heads may share keys and values",
        "Above, three tokens of four counted features. Split rightly, head 0 holds the first two features of "
        f"every token, {_rows(head_0)}, and head 1 the last two, {_rows(head_1)}. A "
        f"reshape alone tears tokens apart: its head 0 holds {_rows(torn_0)}. Below, four query "
        "heads, Q0 to Q3. In multi-head attention each has a key and value head of its own. In grouped-query "
        "attention Q0 and Q1 share KV0, Q2 and Q3 share KV1. In multi-query attention all four share KV0.",
        [
            *_grid(60, "X[0]", matrices["counted"], _by_column),
            Path.horizontal(118, 230, 264),
            *_grid(274, "head 0", head_0, lambda *_: BLUE),
            *_grid(374, "head 1", head_1, lambda *_: ORANGE),
            heading(364, 196, "right"),
            *_grid(506, "head 0", torn_0, _by_number),
            *_grid(606, "head 1", torn_1, _by_number),
            heading(596, 196, "a reshape alone"),
            *_shared(LEFT, "multi-head", 4),
            *_shared(LEFT + STEP, "grouped-query", 2),
            *_shared(LEFT + 2 * STEP, "multi-query", 1),
        ],
    )


def _rows(matrix):
    rows = map(" and ".join, matrix.texts())
    return ", then ".join(rows)


def _grid(x, words, matrix, colour):
    columns = len(matrix.grid()[0])
    yield heading(x + columns * CELL / 2, 60, words)
    yield from grid(matrix, x, 76, colour, CELL)


def _by_column(row, column, number):
    return HEADS[column // 2]


def _by_number(row, column, number):
    """The colour of the head that a counted feature belongs to."""
    feature = int(number) % 4
    return HEADS[feature // 2]


def _shared(x, words, n_kv_heads):
    """Four query heads above, each joined to its key and value head below, in that one's colour."""
    yield heading(x + 100, QUERY_HEADS - 26, words)
    heads_per_group = 4 // n_kv_heads
    middles = []
    for g in range(n_kv_heads):
        middle_of_group = g * heads_per_group + (heads_per_group - 1) / 2
        middles.append(_middle(x, middle_of_group))
    for h in range(4):
        g = h // heads_per_group
        middle = _middle(x, h)
        line = [(middles[g], KV_HEADS), (middle, QUERY_HEADS + 34)]
        yield Path(line, arrow=False)
        yield from _box(middle, QUERY_HEADS, f"Q{h}", HEADS[g])
    for g, middle in enumerate(middles):
        yield from _box(middle, KV_HEADS, f"KV{g}", HEADS[g])


def _middle(x, place):
    """The middle of a head; a place between two query heads is a fraction."""
    return x + 25 + 50 * place


def _box(middle, y, words, fill):
    yield Box(middle - 20, y, 40, 34, fill, radius=6)
    yield Text(middle, y + 22, words, 14)
