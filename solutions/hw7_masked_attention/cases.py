"""Input cases of hw7. All sizes of a hidden case differ, for mistakes hide where two of them are equal.

A hidden attention case has a softmax case of the same label on its scores, and a hidden cross-attention case
an attention case on its queries, keys and values: with them the grader tells a wrong step from a wrong use of
it. In each row of a drawn mask something is allowed and something is not.

The topic "equal sizes" belongs to no check: there a mistake that mixes up two sizes returns numbers instead
of raising, and its numbers tell which mistake it is.
"""

import numpy as np

from autograder.course import Case, FunctionCall

# Softmax of logarithms gives shares: of ln 1, ln 3, ln 4 the first two alone become 1/4, 3/4.
COUNTS = np.array([[1.0, 3.0, 4.0], [4.0, 1.0, 6.0]])
ALLOWED = np.array([[True, True, False], [True, False, True]])
ASKING = np.array([[2.0, 0.0, 0.0, 0.0], [0.0, 2.0, 0.0, 0.0]])  # picks one feature; the 2 undoes the scaling
OFFERED = np.log([[1.0, 4.0, 1.0, 1.0], [3.0, 1.0, 1.0, 1.0], [4.0, 5.0, 1.0, 1.0]])
VALUES = np.array([[8.0, 10.0], [16.0, 0.0], [0.0, 20.0]])
FIRST, SECOND = np.array([[1.0, 0.0, 2.0], [0.0, 2.0, 1.0]]), np.array([[1.0, 0.0], [0.0, 2.0], [1.0, 1.0]])
W_Q = np.array([[1.0, 0.0, 0.0, 1.0], [0.0, 1.0, 0.0, 1.0], [0.0, 1.0, 1.0, 0.0]])
W_K = np.array([[1.0, 1.0, 0.0, 2.0], [0.0, 1.0, 1.0, 1.0]])
W_V = np.array([[4.0, 0.0], [0.0, 8.0]])


def published():
    yield Case("causal_mask/four-tokens", FunctionCall("causal_mask", (4,)))
    yield Case("padding_mask/two-sentences", FunctionCall("padding_mask", (np.array([3, 2]), 3)))
    yield _case("masked_softmax", "shares", np.log(COUNTS), ALLOWED)
    batch = (np.stack([one, one]) for one in (ASKING, OFFERED, VALUES))
    yield _case("masked_attention", "two-sentences", *batch, np.array([[[1, 1, 1]], [[1, 1, 0]]]) > 0)
    yield _case("cross_attention", "two-sequences", FIRST, SECOND, W_Q, W_K, W_V, ALLOWED)


def public(rng):
    yield from _masks([4, 0, 6], 6)
    yield _case("masked_softmax", "small", rng.normal(size=(5, 4)) * 2, _mask(rng, 5, 4))
    yield from _large(rng, (3, 6), 7)
    yield _nothing_allowed(rng, (4, 5))
    yield from _public_chains()[0]


def hidden(rng):
    yield from _masks([7, 2, 5, 1], 7)
    yield from _masks([3, 5], 5)
    yield from _public_chains()[1]
    yield from _both(rng, "batch", (2,), (2, 1), n_q=8, n_k=5, d_k=3, d_v=6)
    yield from _both(rng, "heads", (2, 3), (4,), n_q=4, n_k=6, d_k=5, d_v=7)
    yield from _cross(rng, "few-queries", 3, 7, 5, 6, 8, 2)
    yield from _large(rng, (4, 6), 8)
    yield _nothing_allowed(rng, (2, 3, 6))
    yield from _cross(rng, "equal-sizes", 3, 3, 3, 3, 3, 3, topic="equal sizes")


def fresh(rng):
    yield from _masks([2, 9, 6], 9)
    yield from _both(rng, "drawn", (3,), (3, 5), n_q=5, n_k=4, d_k=7, d_v=6)
    yield from _cross(rng, "drawn-pair", 6, 4, 3, 5, 7, 2)
    yield from _large(rng, (3, 5), 6)
    yield _nothing_allowed(rng, (5, 4))


def _case(name, label, *args, topic="values"):
    return Case(f"{name}/{label}", FunctionCall(name, args), topic)


def _mask(rng, *shape):
    """In each row, at random places, from 2 keys to all but 1 are allowed."""
    order = rng.permuted(np.broadcast_to(np.arange(shape[-1]), shape), axis=-1)
    return order < rng.integers(2, shape[-1], size=(*shape[:-1], 1))


def _masks(lengths, n):
    yield _case("causal_mask", f"{n}-tokens", n)
    yield _case("padding_mask", f"{len(lengths)}-of-{n}", np.array(lengths), n)


def _public_chains():
    """The public attention cases, and the steps within them, which students do not receive."""
    rng = np.random.default_rng(7)
    attention, scored = _both(rng, "three-sentences", (3,), (3, 5), n_q=5, n_k=4, d_k=6, d_v=7)
    cross, *within = _cross(rng, "pair", 5, 6, 4, 7, 3, 8)
    return (attention, cross), (scored, *within)


def _both(rng, label, batch, masked, n_q, n_k, d_k, d_v):
    """An attention case and its softmax case; ``masked`` are the axes of the mask but that of the keys."""
    Q, K, V = (rng.normal(size=(*batch, *size)) for size in ((n_q, d_k), (n_k, d_k), (n_k, d_v)))
    return _attention(label, 2 * Q, K, V, _mask(rng, *masked, n_k))


def _cross(rng, label, n_q, n_kv, d_q, d_kv, d_k, d_v, topic="values"):
    """A cross-attention case, the attention case within, and its softmax case."""
    X_q, X_kv, mask = rng.normal(size=(n_q, d_q)), rng.normal(size=(n_kv, d_kv)), _mask(rng, n_q, n_kv)
    sizes = (d_q, d_k), (d_kv, d_k), (d_kv, d_v)
    W_q, W_k, W_v = (rng.normal(size=size) / np.sqrt(size[0]) for size in sizes)
    yield _case("cross_attention", label, X_q, X_kv, W_q, W_k, W_v, mask, topic=topic)
    yield from _attention(label, X_q @ W_q, X_kv @ W_k, X_kv @ W_v, mask, topic)


def _attention(label, Q, K, V, mask, topic="values"):
    yield _case("masked_attention", label, Q, K, V, mask, topic=topic)
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(K.shape[-1])
    yield _case("masked_softmax", label, scores, mask, topic=topic)


def _large(rng, rows, n_k):
    """Rows thousands apart; then forbidden scores far above the allowed ones, whose maximum is no help."""
    for label, n_q, below in (("far-apart", rows[0], 0.0), ("forbidden-above", rows[1], 3000.0)):
        mask = _mask(rng, n_q, n_k)
        scores = 300 * rng.normal(size=mask.shape) + 1000 * rng.permutation(n_q)[:, None]
        yield _case("masked_softmax", label, scores - below * mask, mask, topic="large")
        n_k += 1


def _nothing_allowed(rng, shape):
    mask = _mask(rng, *shape)
    mask[..., 1, :] = mask[..., -1, :] = False
    return _case(
        "masked_softmax", "nothing-allowed", 2 * rng.normal(size=shape), mask, topic="nothing allowed"
    )
