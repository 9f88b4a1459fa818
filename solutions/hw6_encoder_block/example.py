"""The worked example of hw6: three tokens, and parameters that make each step plain.

With query and key weights of 0 all scores are 0, so that each token weights all tokens equally and attention
returns the mean of the tokens. With identity matrices the feed-forward network returns max(0, y).
"""

import numpy as np

from autograder.authoring import Matrix, whole_numbers
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
    yield whole_numbers("x", X, "x, tokens", TOKENS)
    mean_of_tokens = X.mean(axis=0)
    attended = np.tile(mean_of_tokens, (3, 1))
    yield whole_numbers("attended", attended, "MultiHead(x, x, x)", TOKENS)
    y = _output(reference, feed_forward=0.0)
    z = _output(reference, feed_forward=1.0)
    yield Matrix("y", y, "y", TOKENS)
    yield Matrix("z", z, "z, output", TOKENS)
    sums = X[0] + mean_of_tokens
    yield whole_numbers("sums", sums)
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
    batch_of_one = tensor(X[None])
    call = ModuleCall(TASK, sizes, batch_of_one, parameters)
    (output,) = reference(call)
    return output


def _attention():
    queries_and_keys = np.zeros((2 * EMBED_DIM, EMBED_DIM))
    identity = np.eye(EMBED_DIM)
    projections = np.vstack([queries_and_keys, identity])
    return {
        **_without_bias("self_attn.in_proj_", projections),
        **_without_bias("self_attn.out_proj.", identity),
    }


def _feed_forward(share):
    up = np.eye(FF_DIM)
    down = share * np.eye(EMBED_DIM)
    return {
        **_without_bias("ff.0.", up),
        **_without_bias("ff.2.", down),
    }


def _norm(prefix):
    gain = np.ones(EMBED_DIM)
    return _without_bias(prefix, gain)


def _without_bias(prefix, weight):
    bias = np.zeros(len(weight))
    return {
        f"{prefix}weight": tensor(weight),
        f"{prefix}bias": tensor(bias),
    }


def _sizes(reference):
    """Yield how many numbers the default block learns, and the shapes of the published batches."""
    call = reference.case(f"{TASK}/batch-of-64").call
    shapes = reference.parameters(call)
    yield whole_numbers("count_all", _count(shapes, ""))
    yield whole_numbers("count_self_attn", _count(shapes, "self_attn"))
    yield whole_numbers("count_ff", _count(shapes, "ff"))
    yield whole_numbers("count_norm1", _count(shapes, "norm1"))

    batch_of_64 = reference.published(f"{TASK}/batch-of-64")
    batch_of_128 = reference.published(f"{TASK}/batch-of-128")
    yield whole_numbers("shape_64", np.array(batch_of_64.shape))
    yield whole_numbers("shape_128", np.array(batch_of_128.shape))


def _count(shapes, part):
    """Count the numbers of the parameters whose names begin with a part of the block."""
    count = 0
    for name, shape in shapes.items():
        if name.startswith(part):
            count += int(np.prod(shape))
    return count
