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
    Q, K, V = (rng.normal(size=(3, *size)) for size in ((5, 6), (4, 6), (4, 7)))
    yield _case("masked_attention", "three-sentences", Q, K, V, _mask(rng, 3, 5, 4))
    yield _cross(rng, "pair", 5, 6, 4, 7, 3, 8)[0]


def hidden(rng):
    yield from _masks([7, 2, 5, 1], 7)
    yield from _masks([3, 5], 5)
    yield from _both(rng, "batch", (2,), (2, 1), n_q=8, n_k=5, d_k=3, d_v=6)
    yield from _both(rng, "heads", (2, 3), (4,), n_q=4, n_k=6, d_k=5, d_v=7)
    cross, attention = _cross(rng, "few-queries", 3, 7, 5, 6, 4, 2)
    yield from (cross, attention, _scored("few-queries", *attention.call.args))
    yield from _large(rng, (4, 6), 8)
    yield _nothing_allowed(rng, (2, 3, 6))
    yield from _cross(rng, "equal-sizes", 3, 3, 3, 3, 3, 3, topic="equal sizes")
    yield _case("masked_softmax", "equal-sizes", rng.normal(size=(3, 3)), _mask(rng, 3, 3), topic="equal sizes")


def fresh(rng):
    yield from _masks([2, 9, 6], 9)
    yield from _both(rng, "drawn", (3,), (3, 5), n_q=5, n_k=4, d_k=7, d_v=6)
    cross, attention = _cross(rng, "drawn-pair", 6, 4, 3, 5, 7, 2)
    yield from (cross, attention, _scored("drawn-pair", *attention.call.args))
    yield from _large(rng, (3, 5), 6)
    yield _nothing_allowed(rng, (5, 4))


def _case(name, label, *args, topic="values"):
    return Case(f"{name}/{label}", FunctionCall(name, args), topic)


def _mask(rng, *shape):
    """In each row, at random places, from 1 key to all but 1 are allowed."""
    order = rng.permuted(np.broadcast_to(np.arange(shape[-1]), shape), axis=-1)
    return order < rng.integers(1, shape[-1], size=(*shape[:-1], 1))


def _masks(lengths, n):
    yield _case("causal_mask", f"{n}-tokens", n)
    yield _case("padding_mask", f"{len(lengths)}-of-{n}", np.array(lengths), n)


def _both(rng, label, batch, masked, n_q, n_k, d_k, d_v):
    """An attention case and its softmax case; ``masked`` are the axes of the mask but that of the keys."""
    Q, K, V = (rng.normal(size=(*batch, *size)) for size in ((n_q, d_k), (n_k, d_k), (n_k, d_v)))
    mask = _mask(rng, *masked, n_k)
    yield _case("masked_attention", label, 2 * Q, K, V, mask)
    yield _scored(label, 2 * Q, K, V, mask)


def _scored(label, Q, K, V, mask):
    return _case("masked_softmax", label, Q @ np.swapaxes(K, -1, -2) / np.sqrt(K.shape[-1]), mask)


def _cross(rng, label, n_q, n_kv, d_q, d_kv, d_k, d_v, topic="values"):
    """A cross-attention case and the attention case within."""
    X_q, X_kv = rng.normal(size=(n_q, d_q)), rng.normal(size=(n_kv, d_kv))
    W_q, W_k, W_v = (rng.normal(size=size) for size in ((d_q, d_k), (d_kv, d_k), (d_kv, d_v)))
    mask = _mask(rng, n_q, n_kv)
    within = X_q @ W_q, X_kv @ W_k, X_kv @ W_v, mask
    return (
        _case("cross_attention", label, X_q, X_kv, W_q, W_k, W_v, mask, topic=topic),
        _case("masked_attention", label, *within, topic=topic),
    )


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
    return _case("masked_softmax", "nothing-allowed", 2 * rng.normal(size=shape), mask, topic="nothing allowed")
