"""The picture of hw1: scores become weights, row by row, and weights mix the values."""

from dataclasses import replace

from autograder.authoring import PAPER, Path, Picture, grid, heading, heat, note

TOP = 72
MIDDLE = 126


def picture(matrices):
    scores = matrices["scores"]
    weights = matrices["weights"]
    output = replace(matrices["output"], rows=())
    return Picture(
        700,
        196,
        "From scores to weights to the output",
        "Three grids from left to right. The scores of three queries with three keys become attention "
        "weights by scaling and softmax: each row of the weights sums to 1, and bluer cells weigh more. "
        "The query of chase gives equal weights to the keys of cats and mice and little to its own. "
        "The weights times the values V give the output, one row per query.",
        [
            *_titled("scores QKᵀ", scores, 66),
            *_step(232, 318, "÷ √d_k,", "softmax", "of each row"),
            *_titled("weights", weights, 372, heat),
            *_step(534, 574, "× V"),
            *_titled("output", output, 586),
        ],
    )


def _titled(words, matrix, x, colour=lambda *_: PAPER):
    columns = matrix.numbers.shape[1]
    yield heading(x + 25 * columns, 30, words)
    yield from grid(matrix, x, TOP, colour)


def _step(start, end, above, *below):
    middle = (start + end) / 2
    yield Path.horizontal(MIDDLE, start, end)
    yield note(middle, MIDDLE - 12, above)
    for i, words in enumerate(below):
        yield note(middle, MIDDLE + 22 + 18 * i, words)
