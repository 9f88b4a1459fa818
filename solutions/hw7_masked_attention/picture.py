"""The picture of hw7: three masks, and below each the weights that it leaves of the same scores."""

from dataclasses import replace

from autograder.authoring import BLUE, GREY, Path, Picture, grid, heading, heat, note

# Three panels, so far apart; a grid has four rows and columns of cells.
LEFT = 92
STEP = 204
CELL = 44
HEIGHT = 30
MASKS = 62
WEIGHTS = 246


def picture(matrices):
    causal = matrices["causal"]
    weights_causal = matrices["weights_causal"]
    shapes = [*_panel(LEFT, "causal mask", causal, weights_causal)]
    for number, name, title in (
        (1, "padding", "padding mask"),
        (2, "both", "both masks"),
    ):
        # The queries' names stand beside the first panel alone.
        mask = replace(matrices[name], rows=())
        weights = replace(matrices[f"weights_{name}"], rows=())
        shapes += _panel(LEFT + STEP * number, title, mask, weights)
    return Picture(
        700,
        360,
        "A mask decides who shares in a row of weights",
        "Three masks in the upper row, one cell for each query and key, 1 where looking is allowed: the "
        "causal mask is a lower triangle, the padding mask hides the last column, and both hide what either "
        "one hides. Below each mask, the weights that it leaves. All rows have the same scores; the allowed "
        "keys of a row share its weight of 1, so the first row of the causal mask gives all of it to the "
        "first key.",
        shapes,
    )


def _panel(x, title, mask, weights):
    middle = x + 2 * CELL
    bottom = MASKS + 4 * HEIGHT
    between = (bottom + WEIGHTS) / 2
    unnamed_keys = replace(weights, columns=())
    yield heading(middle, 26, title)
    yield from grid(mask, x, MASKS, _by_mask, CELL, HEIGHT)
    yield Path.vertical(middle, bottom + 8, WEIGHTS - 26)
    yield note(middle + 12, between - 6, "softmax", "start")
    yield from grid(unnamed_keys, x, WEIGHTS - 18, heat, CELL, HEIGHT)


def _by_mask(row, column, number):
    if number:
        return BLUE
    return GREY
