"""The picture of hw4: tokens are columns, weights add up along columns, and a question about their order."""

from autograder.authoring import (
    GREY,
    QUIET,
    TOKENS,
    Box,
    Path,
    Picture,
    Text,
    grid,
    heat,
    labelled_box,
)

CELL, HIGH = 50, 36
LEFT, MIDDLE, RIGHT = 16, 296, 534
UPPER, LOWER = 62, 236


def picture(matrices):
    tokens, weights, output, exchanged = (
        matrices[name] for name in ("X", "weights", "output", "exchanged")
    )
    return Picture(
        700,
        326,
        "Each token is a column, and so are its weights and its output",
        f"Above, three grids from left to right: the tokens {', '.join(tokens.columns)} as columns of X; the "
        "weights, where the column of a query sums to 1 and each row belongs to a key; and the outputs X', "
        "each in its token's column. Below, the same tokens go through self-attention in the order "
        f"{', '.join(exchanged.columns)}, and question marks stand for the outputs.",
        [
            *_titled(LEFT, UPPER, "X", tokens, _by_token(TOKENS)),
            *_titled(MIDDLE, UPPER, "weights", weights, heat),
            Text(
                MIDDLE + 1.5 * CELL,
                UPPER + 3 * HIGH + 22,
                "each column sums to 1",
                14,
                QUIET,
            ),
            *_titled(RIGHT, UPPER, "X'", output, _by_token(TOKENS)),
            Path([(LEFT + 3 * CELL + 6, UPPER + HIGH), (MIDDLE - 52, UPPER + HIGH)]),
            Path([(MIDDLE + 3 * CELL + 6, UPPER + HIGH), (RIGHT - 6, UPPER + HIGH)]),
            Text((MIDDLE + 3 * CELL + RIGHT) / 2, UPPER + HIGH - 10, "V ×", 14, QUIET),
            *_exchanged(exchanged),
        ],
    )


def _exchanged(exchanged):
    middle = LOWER + HIGH
    yield from _titled(LEFT, LOWER, "X P", exchanged, _by_token(TOKENS[::-1]))
    yield Path([(LEFT + 3 * CELL + 6, middle), (MIDDLE - 2, middle)])
    yield from labelled_box(
        MIDDLE, LOWER + 8, 3 * CELL, 2 * HIGH - 16, ("self-attention",), GREY
    )
    yield Path([(MIDDLE + 3 * CELL, middle), (RIGHT - 6, middle)])
    for i in range(6):
        x, y = RIGHT + CELL * (i % 3), LOWER + HIGH * (i // 3)
        yield Box(x, y, CELL, HIGH)
        yield Text(x + CELL / 2, y + HIGH / 2 + 5, "?", 14)


def _titled(x, y, words, matrix, colour):
    yield Text(x + 1.5 * CELL, y - 28, words, 16, bold=True)
    yield from grid(matrix, x, y, colour, CELL, HIGH)


def _by_token(fills):
    return lambda row, column, number: fills[column]
