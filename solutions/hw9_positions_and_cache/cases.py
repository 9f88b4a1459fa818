"""Input cases of hw9. All sizes differ, for mistakes hide where two of them are equal."""

import numpy as np

from autograder.course import Case, FunctionCall

SINES, ROPE, STEP, BLOCKS = "sinusoidal_positions", "apply_rope", "attend_one_step", "blockwise_attention"
PAIRS = np.array([[1.0, 0.0, 1.0, 0.0], [1.0, 0.0, 1.0, 0.0], [1.0, 1.0, 0.0, 2.0]])
QUERY = np.array([2.0, 0.0, 0.0, 0.0])  # its scaled scores are the first entries of the keys
KEYS = np.log([[1, 3, 1, 2], [3, 1, 2, 1], [4, 5, 1, 1], [8, 1, 1, 2], [2, 7, 1, 1]])
VALUES = np.array([[16.0, 0.0], [0.0, 32.0], [8.0, 8.0], [4.0, 16.0], [9.0, 9.0]])


def published():
    yield Case(f"{SINES}/four", FunctionCall(SINES, (4, 6)))
    yield Case(f"{ROPE}/pairs", FunctionCall(ROPE, (PAIRS, np.arange(3))))
    yield Case(f"{STEP}/third", FunctionCall(STEP, (QUERY, KEYS[2], VALUES[2], KEYS[:2], VALUES[:2])))
    queries = np.stack([QUERY, np.roll(QUERY, 1)])
    yield Case(f"{BLOCKS}/five-keys", FunctionCall(BLOCKS, (queries, KEYS, VALUES, 2)))


def public(rng):
    yield from _sized(rng, "small", n=7, d_k=8, d_v=3, n_q=5, block_size=2)
    yield from _apart(rng, n_q=4, n_k=9, d_k=6, d_v=2, block_size=4)


def hidden(rng):
    yield from _sized(rng, "wide", n=5, d_k=12, d_v=7, n_q=3, block_size=4)
    yield from _sized(rng, "long", n=11, d_k=4, d_v=5, n_q=6, block_size=3)
    yield from _apart(rng, n_q=6, n_k=8, d_k=3, d_v=5, block_size=3)


def fresh(rng):
    yield from _sized(rng, "drawn", n=9, d_k=10, d_v=4, n_q=7, block_size=5)
    yield from _apart(rng, n_q=5, n_k=7, d_k=4, d_v=3, block_size=2)


def _sized(rng, label, n, d_k, d_v, n_q, block_size):
    x, positions = rng.normal(size=(n, d_k)), rng.permutation(4 * n)[:n]
    yield Case(f"{SINES}/{label}", FunctionCall(SINES, (n, d_k)))
    yield Case(f"{ROPE}/{label}", FunctionCall(ROPE, (x, positions)))
    yield Case(f"{ROPE}/{label}-base", FunctionCall(ROPE, (x, positions, 40.0 + n)), "base")
    Q, K, V = 2 * rng.normal(size=(n_q, d_k)), rng.normal(size=(n, d_k)), rng.normal(size=(n, d_v))
    yield Case(f"{STEP}/{label}", FunctionCall(STEP, (Q[0], K[0], V[0], K[1:], V[1:])))
    yield Case(f"{STEP}/{label}-empty", FunctionCall(STEP, (Q[0], K[0], V[0], K[:0], V[:0])), "empty")
    yield Case(f"{BLOCKS}/{label}", FunctionCall(BLOCKS, (Q, K, V, block_size)))


def _apart(rng, n_q, n_k, d_k, d_v, block_size):
    """Scores in the thousands, all below 0 for every other query, and larger from block to block."""
    sides = np.where(np.arange(n_q) % 2, -40.0, 40.0)[:, None]
    Q, K = sides + rng.normal(size=(n_q, d_k)), 20 + rng.normal(size=(n_k, d_k))
    yield Case(
        f"{BLOCKS}/apart", FunctionCall(BLOCKS, (Q, K, rng.normal(size=(n_k, d_v)), block_size)), "large"
    )
