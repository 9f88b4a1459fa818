"""The worked example of hw6: three tokens, and parameters that make each step plain.

With query and key weights of 0 all scores are 0, so that each token weights all tokens equally and attention
returns the mean of the tokens. With identity matrices the feed-forward network returns max(0, y).
"""

import numpy as np

from autograder.authoring import Matrix
from autograder.course import ModuleCall, tensor

TASK = "SimpleEncoderBlock"
TOKENS = ("cats", "chase", "mice")
EMBED_DIM, HEADS, FF_DIM = 4, 2, 4
X = np.array([[4.0, 0.0, 2.0, 0.0], [0.0, 3.0, 0.0, 0.0], [2.0, 0.0, 1.0, 3.0]])
PUBLISHED = ("batch-of-64", "batch-of-128")


def example(reference):
    yield Matrix("x", X, "x, tokens", TOKENS, decimals=0)
    yield Matrix(
        "attended",
        np.tile(X.mean(axis=0), (3, 1)),
        "MultiHead(x, x, x)",
        TOKENS,
        decimals=0,
    )
    yield Matrix("y", _output(reference, feed_forward=0.0), "y", TOKENS)
    yield Matrix("z", _output(reference, feed_forward=1.0), "z, output", TOKENS)
    sums = (X + X.mean(axis=0))[0]
    yield Matrix("sums", sums, decimals=0)
    yield Matrix("mean", sums.mean())
    yield Matrix("spread", sums.std())
    yield from _sizes(reference)


def _output(reference, feed_forward):
    """Return the block's output; without a feed-forward network it is y, which norm2 leaves as it is."""
    parameters = {
        **_attention(),
        **_feed_forward(feed_forward),
        **_norm("norm1."),
        **_norm("norm2."),
    }
    call = ModuleCall(TASK, (EMBED_DIM, HEADS, FF_DIM), tensor(X[None]), parameters)
    return reference(call)[0]


def _attention():
    values = np.vstack([np.zeros((2 * EMBED_DIM, EMBED_DIM)), np.eye(EMBED_DIM)])
    return {
        **_linear("self_attn.in_proj_", values),
        **_linear("self_attn.out_proj.", np.eye(EMBED_DIM)),
    }


def _feed_forward(share):
    return {
        **_linear("ff.0.", np.eye(FF_DIM)),
        **_linear("ff.2.", share * np.eye(EMBED_DIM)),
    }


def _linear(prefix, weight):
    return {
        f"{prefix}weight": tensor(weight),
        f"{prefix}bias": tensor(np.zeros(len(weight))),
    }


def _norm(prefix):
    return {
        f"{prefix}weight": tensor(np.ones(EMBED_DIM)),
        f"{prefix}bias": tensor(np.zeros(EMBED_DIM)),
    }


def _sizes(reference):
    """How many learnable numbers the default block has, and the shapes of the course's batches."""
    call = reference.case(f"{TASK}/{PUBLISHED[0]}").call
    shapes = reference.parameters(call)
    for part in ("", "self_attn", "ff", "norm1"):
        count = sum(
            int(np.prod(shape))
            for name, shape in shapes.items()
            if name.startswith(part)
        )
        yield Matrix(f"count_{part or 'all'}", count, decimals=0)
    for label in PUBLISHED:
        shape = np.array(reference.published(f"{TASK}/{label}").shape)
        yield Matrix(f"shape_{label.rpartition('-')[2]}", shape, decimals=0)
