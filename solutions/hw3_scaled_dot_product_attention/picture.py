"""The picture of hw3: what scaling does to the softmax, for a small and a large d_k."""

from autograder.authoring import QUIET, Path, Picture, Text, bars

FLOOR, TALL, WIDE = 176, 92, 200


def picture(matrices):
    panels = (
        ("d_k = 4, not scaled", "score", matrices["raw_4"], matrices["entropy_raw_4"]),
        (
            "d_k = 64, not scaled",
            "score",
            matrices["raw_64"],
            matrices["entropy_raw_64"],
        ),
        (
            "d_k = 4 or 64, scaled",
            "score ÷ √d_k",
            matrices["scaled_64"],
            matrices["entropy_scaled_64"],
        ),
    )
    return Picture(
        700,
        244,
        "Scaling keeps the softmax from picking a single key",
        "Three bar charts of one query's weights for four keys, which agree with the query equally well in "
        "each chart. " + " ".join(_in_words(*panel) for panel in panels),
        [
            shape
            for i, panel in enumerate(panels)
            for shape in _panel(20 + 230 * i, *panel)
        ],
    )


def _in_words(title, _, weights, entropy):
    listed = ", ".join(weights.texts())
    return (
        f"With {title}, the weights are {listed}, an entropy of {entropy.texts()} bits."
    )


def _panel(x, title, below, weights, entropy):
    middle = x + WIDE / 2
    yield Text(middle, 26, title, 16, bold=True)
    yield Text(middle, 48, f"entropy {entropy.texts()} bits", 14, QUIET)
    yield from bars(weights.texts(), weights.columns, x, FLOOR, WIDE, TALL)
    yield Path([(x, FLOOR), (x + WIDE, FLOOR)], arrow=False)
    yield Text(middle, FLOOR + 42, below, 14, QUIET)
