"""Input cases of hw9, of two kinds. Where all sizes differ, a mix-up of axes raises or returns another shape.
Where they are equal or 1 (one position, one pair, one cached token, blocks that divide the keys or hold them
all), programs that branch, squeeze or transpose on equality go wrong.
"""

import numpy as np

from autograder.course import Case, FunctionCall

SINES, ROPE, STEP, BLOCKS = (
    "sinusoidal_positions",
    "apply_rope",
    "attend_one_step",
    "blockwise_attention",
)
PAIRS = np.array([[1.0, 0.0, 1.0, 0.0], [1.0, 0.0, 1.0, 0.0], [1.0, 1.0, 0.0, 2.0]])
QUERY = np.array(
    [2.0, 0.0, 0.0, 0.0]
)  # its scaled scores are the first entries of the keys
KEYS = np.log([[1, 3, 1, 2], [3, 1, 2, 1], [4, 5, 1, 1], [8, 1, 1, 2], [2, 7, 1, 1]])
VALUES = np.array([[16.0, 0.0], [0.0, 32.0], [8.0, 8.0], [4.0, 16.0], [9.0, 9.0]])


def published():
    yield Case(f"{SINES}/four", FunctionCall(SINES, (4, 6)))
    yield Case(f"{ROPE}/pairs", FunctionCall(ROPE, (PAIRS, np.arange(3))))
    yield Case(
        f"{STEP}/third",
        FunctionCall(STEP, (QUERY, KEYS[2], VALUES[2], KEYS[:2], VALUES[:2])),
    )
    queries = np.stack([QUERY, np.roll(QUERY, 1)])
    yield Case(f"{BLOCKS}/five-keys", FunctionCall(BLOCKS, (queries, KEYS, VALUES, 2)))


def public(rng):
    yield from _sized(rng, "small", n=7, d_k=8, d_v=4, n_q=6, block_size=3)
    yield from _apart(rng, n_q=5, n_k=9, d_k=3, d_v=7, block_size=4)
    yield _blocks(
        rng, "blocks-of-one-size", n_q=9, n_k=12, d_k=10, d_v=11, block_size=6
    )
    yield next(_steps_apart(rng, n=10, d_k=6, d_v=9))


def hidden(rng):
    yield from _sized(rng, "wide", n=5, d_k=12, d_v=7, n_q=3, block_size=4)
    yield from _sized(rng, "long", n=11, d_k=4, d_v=5, n_q=6, block_size=3)
    yield from _apart(rng, n_q=6, n_k=8, d_k=3, d_v=5, block_size=3)
    yield from _sized(rng, "all-equal", n=4, d_k=4, d_v=4, n_q=4, block_size=2)
    yield from _sized(rng, "as-many-pairs", n=5, d_k=10, d_v=5, n_q=5, block_size=3)
    yield from _sized(rng, "one-pair", n=6, d_k=2, d_v=1, n_q=1, block_size=1)
    yield from _sized(rng, "one-token", n=1, d_k=6, d_v=3, n_q=2, block_size=4)
    yield from _sized(rng, "a-single-number", n=2, d_k=2, d_v=2, n_q=2, block_size=1)
    yield _blocks(rng, "one-block", n_q=3, n_k=6, d_k=4, d_v=5, block_size=6)
    yield _blocks(rng, "a-wide-block", n_q=4, n_k=5, d_k=3, d_v=2, block_size=9)
    yield from _steps_apart(rng, n=6, d_k=5, d_v=4)
    yield from _rising(rng, n_q=4, n_k=9, d_k=5, d_v=3, block_size=2)
    yield from _sized(rng, "square-caches", n=5, d_k=4, d_v=4, n_q=5, block_size=5)
    yield from _mixed(rng, n_q=4, n_k=10, d_k=5, d_v=3, block_size=4)


def fresh(rng):
    yield from _sized(rng, "drawn", n=9, d_k=10, d_v=4, n_q=7, block_size=5)
    yield from _apart(rng, n_q=5, n_k=7, d_k=4, d_v=3, block_size=2)
    yield from _sized(rng, "drawn-equal", n=6, d_k=6, d_v=6, n_q=6, block_size=3)
    yield from _steps_apart(rng, n=4, d_k=3, d_v=5)
    yield from _rising(rng, n_q=6, n_k=8, d_k=3, d_v=4, block_size=4)
    yield from _mixed(rng, n_q=3, n_k=8, d_k=4, d_v=5, block_size=3)


def _sized(rng, label, n, d_k, d_v, n_q, block_size):
    x, positions = rng.normal(size=(n, d_k)), rng.permutation(4 * n)[:n]
    if d_k > 2:  # of one pair alone the formula has one angle, whatever the exponent
        yield Case(f"{SINES}/{label}", FunctionCall(SINES, (n, d_k)))
    yield Case(f"{ROPE}/{label}", FunctionCall(ROPE, (x, positions)))
    yield Case(
        f"{ROPE}/{label}-base", FunctionCall(ROPE, (x, positions, 40.0 + n)), "base"
    )
    Q, K, V = (
        2 * rng.normal(size=(n_q, d_k)),
        rng.normal(size=(n, d_k)),
        rng.normal(size=(n, d_v)),
    )
    yield Case(f"{STEP}/{label}", FunctionCall(STEP, (Q[0], K[0], V[0], K[1:], V[1:])))
    yield Case(
        f"{STEP}/{label}-empty",
        FunctionCall(STEP, (Q[0], K[0], V[0], K[:0], V[:0])),
        "empty",
    )
    yield Case(f"{BLOCKS}/{label}", FunctionCall(BLOCKS, (Q, K, V, block_size)))


def _apart(rng, n_q, n_k, d_k, d_v, block_size):
    """Scores in the thousands, all below 0 for every other query; those of a query are a few units apart."""
    sides = np.where(np.arange(n_q) % 2, -40.0, 40.0)[:, None]
    Q, K = sides + rng.normal(size=(n_q, d_k)), 20 + rng.normal(size=(n_k, d_k)) / 40
    yield Case(
        f"{BLOCKS}/apart",
        FunctionCall(BLOCKS, (Q, K, rng.normal(size=(n_k, d_v)), block_size)),
        "large",
    )


def _blocks(rng, label, n_q, n_k, d_k, d_v, block_size):
    Q, K, V = (
        2 * rng.normal(size=(n_q, d_k)),
        rng.normal(size=(n_k, d_k)),
        rng.normal(size=(n_k, d_v)),
    )
    return Case(f"{BLOCKS}/{label}", FunctionCall(BLOCKS, (Q, K, V, block_size)))


def _rising(rng, n_q, n_k, d_k, d_v, block_size):
    """Every other query has scores that rise by thousands from block to block; those of the others fall."""
    height = 20.0 * (np.arange(n_k) // block_size)[:, None]
    sides = np.where(np.arange(n_q) % 2, -40.0, 40.0)[:, None]
    Q, K = (
        sides + rng.normal(size=(n_q, d_k)),
        height + rng.normal(size=(n_k, d_k)) / 40,
    )
    call = FunctionCall(BLOCKS, (Q, K, rng.normal(size=(n_k, d_v)), block_size))
    yield Case(f"{BLOCKS}/rising", call, "large")


def _mixed(rng, n_q, n_k, d_k, d_v, block_size):
    """Scores of one block lie thousands apart, in any order."""
    height = 20.0 * rng.permutation(np.arange(n_k) % block_size)[:, None]
    Q, K = 40 + rng.normal(size=(n_q, d_k)), height + rng.normal(size=(n_k, d_k)) / 40
    call = FunctionCall(BLOCKS, (Q, K, rng.normal(size=(n_k, d_v)), block_size))
    yield Case(f"{BLOCKS}/mixed", call, "large")


def _steps_apart(rng, n, d_k, d_v):
    """Scores thousands above and below 0, in which the new token or a cached one has by far the largest."""
    is_new = np.arange(n + 1) == n
    heights = {
        "new-token-above": np.where(is_new, 20.0, -20.0),
        "all-above": np.full(n + 1, 20.0),
        "all-below": np.full(n + 1, -20.0),
        "new-token-below": np.where(is_new, -20.0, 20.0),
    }
    for label, height in heights.items():
        # Tokens of one height get scores that are a few units apart, and the new one is never negligible.
        q, V = np.full(d_k, 40.0), rng.normal(size=(n + 1, d_v))
        K = height[:, None] + rng.normal(size=(n + 1, d_k)) / 40
        K[n] += 1 / (40 * np.sqrt(d_k))
        yield Case(
            f"{STEP}/{label}",
            FunctionCall(STEP, (q, K[-1], V[-1], K[:-1], V[:-1])),
            "large",
        )
    q, k = np.full(d_k, 40.0), np.full(d_k, 20.0)
    nothing = np.empty((0, d_k)), np.empty((0, d_v))
    yield Case(
        f"{STEP}/empty-and-above",
        FunctionCall(STEP, (q, k, rng.normal(size=d_v), *nothing)),
        "large",
    )
