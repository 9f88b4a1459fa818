"""The picture of hw6: the block's two residual paths and norms, and one token on its way through it."""

from autograder.authoring import (
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    QUIET,
    Path,
    Picture,
    Text,
    heading,
    labelled_box,
    note,
)

LEFT = 150
WIDE = 250
MIDDLE = LEFT + WIDE / 2
BYPASS = 100
VECTORS = 550


def picture(matrices):
    token = matrices["x"].rows[0]
    x = _first_vector(matrices["x"])
    y = _first_vector(matrices["y"])
    z = _first_vector(matrices["z"])
    return Picture(
        700,
        500,
        "The encoder block: two steps, each with a residual path and a norm",
        "A diagram from top to bottom. The input x, of shape (batch, tokens, embed_dim), goes through "
        "multi-head attention; a residual path carries x around it, and both are added and normalised by "
        "norm1, which gives y. In the same way y goes through the feed-forward network and around it; the "
        "sum is normalised by norm2 and is the output z, of the same shape. Beside it stands the vector of "
        f"the token {token}: x is {x}, y is {y}, z is {z}.",
        [
            Text(VECTORS, 30, f"the vector of {token}", 14, QUIET, bold=True),
            *_stop(36, "x"),
            Text(
                VECTORS, 56, x, 14, mono=True
            ),  # lower than the others, below its title
            *_step(66, "MultiHead(x, x, x)", "self_attn", BLUE, "LayerNorm₁", "norm1"),
            *_stop(252, "y"),
            Text(VECTORS, 246, y, 14, mono=True),
            *_step(282, "FFN(y)", "ff", ORANGE, "LayerNorm₂", "norm2"),
            *_stop(468, "z"),
            Text(VECTORS, 462, z, 14, mono=True),
            note(MIDDLE, 490, "(batch, tokens, embed_dim), as x"),
        ],
    )


def _first_vector(matrix):
    return ", ".join(matrix.grid()[0])


def _stop(y, name):
    """A named point of the main path."""
    yield heading(MIDDLE, y - 6, name)


def _step(y, layer, attribute, fill, norm, norm_attribute):
    """From one named point to the next: the layer, the sum with what went around it, the norm."""
    yield Path.vertical(MIDDLE, y - 28, y - 2)
    yield from labelled_box(LEFT, y, WIDE, 48, (layer, attribute), fill)
    yield Path.vertical(MIDDLE, y + 48, y + 66)
    yield from labelled_box(MIDDLE - 16, y + 68, 32, 28, ("+",), GREY)
    branch = (MIDDLE, y - 18)
    corners = [(BYPASS, y - 18), (BYPASS, y + 82)]
    plus = (MIDDLE - 18, y + 82)
    yield Path([branch, *corners, plus])
    yield note(BYPASS - 8, y + 36, "residual", "end")
    yield Path.vertical(MIDDLE, y + 96, y + 112)
    norm_label = f"{norm}  ({norm_attribute})"
    yield from labelled_box(LEFT, y + 114, WIDE, 40, (norm_label,), GREEN)
    yield Path([(MIDDLE, y + 154), (MIDDLE, y + 166)], arrow=False)
