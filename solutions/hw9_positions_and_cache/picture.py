"""The picture of hw9: encodings of positions as a map of colours."""

from autograder.authoring import BLUE, ORANGE, PAPER, Picture, Text, grid

DEEP_BLUE, DEEP_ORANGE = "#8fbbe6", "#f0b070"


def picture(matrices):
    encodings = matrices["map"]
    return Picture(
        650,
        392,
        "Each position has a pattern of its own",
        "A grid of eight positions, one a row, and ten columns in pairs of a sine and a cosine. Blue is "
        "above 0 and orange below. The first pair changes colour every few rows; each further pair is 6.3 "
        f"times slower: at position 7 the sines are {', '.join(encodings.texts()[7][::2])}. "
        "All cosines but the first stay blue.",
        [
            Text(345, 28, "pairs: fast on the left, slow on the right", bold=True),
            Text(52, 64, "position", 14),
            *grid(encodings, 90, 76, _colour, 54, 38),
        ],
    )


def _colour(row, column, number):
    warm, cold = (ORANGE, DEEP_ORANGE), (BLUE, DEEP_BLUE)
    light, deep = cold if number > 0 else warm
    return PAPER if abs(number) < 0.05 else light if abs(number) < 0.6 else deep
