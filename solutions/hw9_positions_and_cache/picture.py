"""The picture of hw9: encodings of positions as a map of colours, and a cache that grows by one row a step."""

from autograder.authoring import (
    BLUE,
    ORANGE,
    PAPER,
    Box,
    Path,
    Picture,
    Text,
    grid,
    heading,
)

DEEP_BLUE = "#8fbbe6"
DEEP_ORANGE = "#f0b070"
STEPS = 4
CACHE_TOP = 452


def picture(matrices):
    encodings = matrices["map"]
    last_position = encodings.texts()[7]
    sines = ", ".join(last_position[::2])
    return Picture(
        650,
        640,
        "Each position has a pattern of its own, and a cache grows by one key and value in each step",
        "Above, a grid of eight positions, one a row, and ten columns in pairs of a sine and a cosine. Blue is "
        "above 0 and orange below. The first pair changes colour every few rows; each further pair is 6.3 "
        f"times slower: at position 7 the sines are {sines}. "
        "All cosines but the first stay blue. Below, four steps of a model that writes, one a row. In step 3 the "
        "keys and values 1 and 2 are kept in the cache, number 3 is new, and query 3 attends to all three.",
        [
            heading(345, 28, "pairs: fast on the left, slow on the right"),
            Text(52, 64, "position", 14),
            *grid(encodings, 90, 76, _colour, 54, 38),
            heading(345, 418, "the cache: blue is kept, orange is new"),
            *_cache(),
        ],
    )


def _cache():
    """Yield a row for each step: the query, and the keys and values that it attends to."""
    for step in range(1, STEPS + 1):
        y = CACHE_TOP + (step - 1) * 44
        yield Text(52, y + 20, f"step {step}", 14)
        yield from _cell(110, y, 50, f"q{step}", ORANGE)
        yield Path.horizontal(y + 15, 164, 196)
        for number in range(1, step + 1):
            fill = BLUE
            if number == step:
                fill = ORANGE
            x = 202 + (number - 1) * 104
            yield from _cell(x, y, 96, f"k{number}, v{number}", fill)


def _cell(x, y, width, words, fill):
    yield Box(x, y, width, 30, fill)
    yield Text(x + width / 2, y + 20, words, 14)


def _colour(row, column, number):
    if abs(number) < 0.05:
        return PAPER
    light, deep = BLUE, DEEP_BLUE
    if number < 0:
        light, deep = ORANGE, DEEP_ORANGE
    if abs(number) < 0.6:
        return light
    return deep
