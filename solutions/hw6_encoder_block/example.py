"""The worked example of hw6: three tokens, and parameters that make each step plain.

With query and key weights of 0 all scores are 0, so that each token weights all tokens equally and attention
returns the mean of the tokens. With identity matrices the feed-forward network returns max(0, y).
"""

import numpy as np

from autograder.authoring import Matrix
from autograder.course import ModuleCall, tensor

TASK = "SimpleEncoderBlock"
TOKENS = ("cats", "chase", "mice")
EMBED_DIM = 4
NUM_HEADS = 2
FF_DIM = 4
X = np.array(
    [
        [4.0, 0.0, 2.0, 0.0],
        [0.0, 3.0, 0.0, 0.0],
        [2.0, 0.0, 1.0, 3.0],
    ]
)


def example(reference):
    yield Matrix("x", X, "x, tokens", TOKENS, decimals=0)
    mean_of_tokens = X.mean(axis=0)
    attended = np.tile(mean_of_tokens, (3, 1))
    yield Matrix("attended", attended, "MultiHead(x, x, x)", TOKENS, decimals=0)
    yield Matrix("y", _output(reference, feed_forward=0.0), "y", TOKENS)
    yield Matrix("z", _output(reference, feed_forward=1.0), "z, output", TOKENS)
    sums = X[0] + mean_of_tokens
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
    sizes = (EMBED_DIM, NUM_HEADS, FF_DIM)
    (output,) = reference(ModuleCall(TASK, sizes, tensor(X[None]), parameters))
    return output


def _attention():
    queries_and_keys = np.zeros((2 * EMBED_DIM, EMBED_DIM))
    values = np.eye(EMBED_DIM)
    return {
        **_linear("self_attn.in_proj_", np.vstack([queries_and_keys, values])),
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
    """Yield how many numbers the default block learns, and the shapes of the published batches."""
    call = reference.case(f"{TASK}/batch-of-64").call
    shapes = reference.parameters(call)
    yield Matrix("count_all", _count(shapes, ""), decimals=0)
    yield Matrix("count_self_attn", _count(shapes, "self_attn"), decimals=0)
    yield Matrix("count_ff", _count(shapes, "ff"), decimals=0)
    yield Matrix("count_norm1", _count(shapes, "norm1"), decimals=0)

    batch_of_64 = reference.published(f"{TASK}/batch-of-64")
    batch_of_128 = reference.published(f"{TASK}/batch-of-128")
    yield Matrix("shape_64", np.array(batch_of_64.shape), decimals=0)
    yield Matrix("shape_128", np.array(batch_of_128.shape), decimals=0)


def _count(shapes, part):
    """Count the numbers of the parameters whose names begin with a part of the block."""
    count = 0
    for name, shape in shapes.items():
        if name.startswith(part):
            count += int(np.prod(shape))
    return count
