"""The picture of hw3: what scaling does to the softmax, for a small and a large d_k."""

from autograder.authoring import Path, Picture, bars, heading, note

FLOOR = 176
TALL = 92
WIDE = 200
LEFT = 20
STEP = 230


def picture(matrices):
    # A title, what the bars' labels are, and the names of the weights and of their entropy.
    panels = (
        ("d_k = 4, not scaled", "score", "raw_4"),
        ("d_k = 64, not scaled", "score", "raw_64"),
        ("d_k = 4 or 64, scaled", "score ÷ √d_k", "scaled_64"),
    )
    description = (
        "Three bar charts of one query's weights for four keys, which agree with the query equally well in "
        "each chart."
    )
    shapes = []
    for number, (title, labels, name) in enumerate(panels):
        weights = matrices[name]
        entropy = matrices[f"entropy_{name}"]
        x = LEFT + STEP * number
        shapes += _panel(x, title, labels, weights, entropy)
        description += f" {_in_words(title, weights, entropy)}"
    title = "Scaling keeps the softmax from picking a single key"
    return Picture(700, 244, title, description, shapes)


def _in_words(title, weights, entropy):
    numbers = ", ".join(weights.texts())
    bits = entropy.texts()
    return f"With {title}, the weights are {numbers}, an entropy of {bits} bits."


def _panel(x, title, below, weights, entropy):
    middle = x + WIDE / 2
    yield heading(middle, 26, title)
    yield note(middle, 48, f"entropy {entropy.texts()} bits")
    yield from bars(weights.texts(), weights.columns, x, FLOOR, WIDE, TALL)
    yield Path([(x, FLOOR), (x + WIDE, FLOOR)], arrow=False)
    yield note(middle, FLOOR + 42, below)
