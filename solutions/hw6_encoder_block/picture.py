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
    labelled_box,
)

X, WIDE = 150, 250
MIDDLE = X + WIDE / 2
BYPASS = 100


def picture(matrices):
    token = matrices["x"].rows[0]
    vectors = {name: ", ".join(matrices[name].grid()[0]) for name in ("x", "y", "z")}
    return Picture(
        700,
        500,
        "The encoder block: two steps, each with a residual path and a norm",
        "A diagram from top to bottom. The input x, of shape (batch, tokens, embed_dim), goes through "
        "multi-head attention; a residual path carries x around it, and both are added and normalised by "
        "norm1, which gives y. In the same way y goes through the feed-forward network and around it; the "
        "sum is normalised by norm2 and is the output z, of the same shape. Beside it stands the vector of "
        f"the token {token}: x is {vectors['x']}, y is {vectors['y']}, z is {vectors['z']}.",
        [
            Text(550, 30, f"the vector of {token}", 14, QUIET, bold=True),
            *_stop(36, "x", vectors["x"]),
            *_step(66, "MultiHead(x, x, x)", "self_attn", BLUE, "LayerNorm₁", "norm1"),
            *_stop(252, "y", vectors["y"]),
            *_step(282, "FFN(y)", "ff", ORANGE, "LayerNorm₂", "norm2"),
            *_stop(468, "z", vectors["z"]),
            Text(MIDDLE, 490, "(batch, tokens, embed_dim), as x", 14, QUIET),
        ],
    )


def _stop(y, name, vector):
    """A named point of the main path, with what one token's vector is there."""
    yield Text(MIDDLE, y - 6, name, 16, bold=True)
    yield Text(550, y - 6 + 26 * (name == "x"), vector, 14, mono=True)


def _step(y, layer, attribute, fill, norm, norm_attribute):
    """From one named point to the next: the layer, the sum with what went around it, the norm."""
    yield Path([(MIDDLE, y - 28), (MIDDLE, y - 2)])
    yield from labelled_box(X, y, WIDE, 48, (layer, attribute), fill)
    yield Path([(MIDDLE, y + 48), (MIDDLE, y + 66)])
    yield from labelled_box(MIDDLE - 16, y + 68, 32, 28, ("+",), GREY)
    yield Path(
        [(MIDDLE, y - 18), (BYPASS, y - 18), (BYPASS, y + 82), (MIDDLE - 18, y + 82)]
    )
    yield Text(BYPASS - 8, y + 36, "residual", 14, QUIET, "end")
    yield Path([(MIDDLE, y + 96), (MIDDLE, y + 112)])
    yield from labelled_box(
        X, y + 114, WIDE, 40, (f"{norm}  ({norm_attribute})",), GREEN
    )
    yield Path([(MIDDLE, y + 154), (MIDDLE, y + 166)], arrow=False)
