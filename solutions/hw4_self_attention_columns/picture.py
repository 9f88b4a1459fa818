"""The picture of hw4: tokens are columns, weights add up along columns, and a question about their order."""

from autograder.authoring import (
    GREY,
    TOKENS,
    Box,
    Path,
    Picture,
    Text,
    grid,
    heading,
    heat,
    labelled_box,
    note,
)

CELL = 50
HIGH = 36

# The left edges of the grids, and the upper edges of the two rows; a grid has three columns.
LEFT = 16
MIDDLE = 296
RIGHT = 534
UPPER = 62
LOWER = 236
GRID = 3 * CELL


def picture(matrices):
    tokens = matrices["X"]
    exchanged = matrices["exchanged"]
    in_order = ", ".join(tokens.columns)
    in_other_order = ", ".join(exchanged.columns)
    return Picture(
        700,
        326,
        "Each token is a column, and so are its weights and its output",
        f"Above, three grids from left to right: the tokens {in_order} as columns of X; the "
        "weights, where the column of a query sums to 1 and each row belongs to a key; and the outputs X', "
        "each in its token's column. Below, the same tokens go through self-attention in the order "
        f"{in_other_order}, and question marks stand for the outputs.",
        [
            *_attention(tokens, matrices["weights"], matrices["output"]),
            *_exchanged(exchanged),
        ],
    )


def _attention(tokens, weights, output):
    """The upper row: tokens, weights and outputs."""
    middle = UPPER + HIGH
    below = UPPER + 3 * HIGH + 22
    yield from _titled(LEFT, UPPER, "X", tokens, _by_token(TOKENS))
    yield from _titled(MIDDLE, UPPER, "weights", weights, heat)
    yield note(MIDDLE + GRID / 2, below, "each column sums to 1")
    yield from _titled(RIGHT, UPPER, "X'", output, _by_token(TOKENS))
    yield Path.horizontal(middle, LEFT + GRID + 6, MIDDLE - 52)
    yield Path.horizontal(middle, MIDDLE + GRID + 6, RIGHT - 6)
    yield note((MIDDLE + GRID + RIGHT) / 2, middle - 10, "V ×")


def _exchanged(exchanged):
    """The lower row: the tokens in another order, and question marks for their outputs."""
    middle = LOWER + HIGH
    yield from _titled(LEFT, LOWER, "X P", exchanged, _by_token(TOKENS[::-1]))
    yield Path.horizontal(middle, LEFT + GRID + 6, MIDDLE - 2)
    yield from labelled_box(
        MIDDLE, LOWER + 8, GRID, 2 * HIGH - 16, ("self-attention",), GREY
    )
    yield Path.horizontal(middle, MIDDLE + GRID, RIGHT - 6)
    for row in range(2):
        for column in range(3):
            x = RIGHT + CELL * column
            y = LOWER + HIGH * row
            yield Box(x, y, CELL, HIGH)
            yield Text(x + CELL / 2, y + HIGH / 2 + 5, "?", 14)


def _titled(x, y, words, matrix, colour):
    yield heading(x + GRID / 2, y - 28, words)
    yield from grid(matrix, x, y, colour, CELL, HIGH)


def _by_token(fills):
    return lambda row, column, number: fills[column]
