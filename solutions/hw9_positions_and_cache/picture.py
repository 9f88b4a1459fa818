"""The picture of hw9: encodings of positions as a map of colours."""

from autograder.authoring import BLUE, ORANGE, PAPER, Picture, Text, grid

DEEP_BLUE = "#8fbbe6"
DEEP_ORANGE = "#f0b070"


def picture(matrices):
    encodings = matrices["map"]
    last_position = encodings.texts()[7]
    sines = ", ".join(last_position[::2])
    return Picture(
        650,
        392,
        "Each position has a pattern of its own",
        "A grid of eight positions, one a row, and ten columns in pairs of a sine and a cosine. Blue is "
        "above 0 and orange below. The first pair changes colour every few rows; each further pair is 6.3 "
        f"times slower: at position 7 the sines are {sines}. "
        "All cosines but the first stay blue.",
        [
            Text(345, 28, "pairs: fast on the left, slow on the right", bold=True),
            Text(52, 64, "position", 14),
            *grid(encodings, 90, 76, _colour, 54, 38),
        ],
    )


def _colour(row, column, number):
    if abs(number) < 0.05:
        return PAPER
    is_light = abs(number) < 0.6
    if number > 0:
        return BLUE if is_light else DEEP_BLUE
    return ORANGE if is_light else DEEP_ORANGE
