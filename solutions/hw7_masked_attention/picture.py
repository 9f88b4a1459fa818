"""The picture of hw7: three masks, and below each the weights that it leaves of the same scores."""

from dataclasses import replace

from autograder.authoring import BLUE, GREY, QUIET, Path, Picture, Text, grid, heat

LEFT, STEP, CELL, HEIGHT = 92, 204, 44, 30
MASKS, WEIGHTS = 62, 246


def picture(matrices):
    panels = (
        ("causal", "causal mask"),
        ("padding", "padding mask"),
        ("both", "both masks"),
    )
    shapes = [
        shape
        for i, panel in enumerate(panels)
        for shape in _panel(LEFT + STEP * i, i, matrices, *panel)
    ]
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


def _panel(x, place, matrices, name, title):
    middle = x + 2 * CELL
    mask, weights = matrices[name], matrices[f"weights_{name}"]
    if place:
        mask, weights = replace(mask, rows=()), replace(weights, rows=())
    yield Text(middle, 26, title, 16, bold=True)
    yield from grid(
        mask,
        x,
        MASKS,
        lambda row, column, number: BLUE if number else GREY,
        CELL,
        HEIGHT,
    )
    yield Path([(middle, MASKS + 4 * HEIGHT + 8), (middle, WEIGHTS - 26)])
    yield Text(
        middle + 12,
        (MASKS + 4 * HEIGHT + WEIGHTS) / 2 - 6,
        "softmax",
        14,
        QUIET,
        "start",
    )
    yield from grid(replace(weights, columns=()), x, WEIGHTS - 18, heat, CELL, HEIGHT)
