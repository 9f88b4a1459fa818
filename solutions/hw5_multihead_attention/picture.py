"""The picture of hw5: two heads look at the same tokens in two ways; their outputs are stacked and mixed."""

from autograder.authoring import (
    BLUE,
    GREEN,
    ORANGE,
    Path,
    Picture,
    grid,
    heading,
    heat,
    note,
)

CELL = 52
GRID = 3 * CELL

# The left edges of the attention maps, of the stacked heads and of the output.
MAPS = 62
STACK = 330
OUTPUT = 536


def picture(matrices):
    return Picture(
        700,
        346,
        "Two heads, two views of the same tokens",
        "Two attention maps, one below the other, in which each column belongs to a query and sums to 1. "
        f"{_looks(matrices, 1)} {_looks(matrices, 2)} The output of head 1 is stacked on top of that of "
        "head 2, and the weights omega_c mix both into the output.",
        [
            *_map(52, "head 1", matrices["weights1"]),
            *_map(228, "head 2", matrices["weights2"]),
            *_step(106, 146, "values of head 1", 66),
            *_step(284, 236, "values of head 2", 332),
            *_stack(matrices["stacked"]),
            *_output(matrices["output"]),
        ],
    )


def _looks(matrices, number):
    """Say where the first token looks most."""
    weights = matrices[f"weights{number}"]
    most = weights.numbers[:, 0].argmax()
    share = weights.texts()[most][0]
    return f"In head {number}, {weights.columns[0]} gives most weight, {share}, to {weights.rows[most]}."


def _map(y, words, weights):
    yield heading(MAPS + GRID / 2, y - 28, f"{words}: weights")
    yield from grid(weights, MAPS, y, heat, CELL)


def _step(start, end, words, beside):
    right = MAPS + GRID
    yield Path([(right + 4, start), (STACK - 6, end)])
    yield note(right + 14, beside, f"times the {words}", "start")


def _stack(stacked):
    yield heading(STACK + GRID / 2, 88, "stacked")
    yield from grid(stacked, STACK, 122, _by_head, CELL)


def _by_head(row, column, number):
    if row < 2:
        return BLUE
    return ORANGE


def _output(output):
    right = STACK + GRID
    yield Path.horizontal(197, right + 4, OUTPUT - 4)
    yield note((right + OUTPUT) / 2, 184, "Ω_c")
    yield heading(OUTPUT + GRID / 2, 88, "X'")
    yield from grid(output, OUTPUT, 122, lambda *_: GREEN, CELL)
