"""Input cases of hw7, of two kinds. Where all sizes differ, a mix-up of axes raises or returns another shape.
Where they are equal (one sequence that reads itself, as many sentences as tokens, a single token), programs
that branch or transpose on equality go wrong; there the mask is asymmetric.

A hidden attention case has a softmax case of the same label on its scores, and a hidden cross-attention case
an attention case on its queries, keys and values: with them the grader tells a wrong step from a wrong use of
it. In each row of a mask something is allowed and something is not, so that an inverted one leaves no row
empty. Only the masks of the topic "nothing allowed" have rows without any allowed key.
"""

import numpy as np

from autograder.course import Case, FunctionCall

# Softmax of logarithms gives shares: of ln 1, ln 3, ln 4 the first two alone become 1/4, 3/4.
COUNTS = np.array([[1.0, 3.0, 4.0], [4.0, 1.0, 6.0]])
ALLOWED = np.array([[True, True, False], [True, False, True]])
ASKING = np.array(
    [[2.0, 0.0, 0.0, 0.0], [0.0, 2.0, 0.0, 0.0]]
)  # picks one feature; the 2 undoes the scaling
OFFERED = np.log([[1.0, 4.0, 1.0, 1.0], [3.0, 1.0, 1.0, 1.0], [4.0, 5.0, 1.0, 1.0]])
VALUES = np.array([[8.0, 10.0], [16.0, 0.0], [0.0, 20.0]])
FIRST, SECOND = (
    np.array([[1.0, 0.0, 2.0], [0.0, 2.0, 1.0]]),
    np.array([[1.0, 0.0], [0.0, 2.0], [1.0, 1.0]]),
)
W_Q = np.array([[1.0, 0.0, 0.0, 1.0], [0.0, 1.0, 0.0, 1.0], [0.0, 1.0, 1.0, 0.0]])
W_K = np.array([[1.0, 1.0, 0.0, 2.0], [0.0, 1.0, 1.0, 1.0]])
W_V = np.array([[4.0, 0.0], [0.0, 8.0]])
NOTHING = "nothing allowed"


def published():
    yield Case("causal_mask/four-tokens", FunctionCall("causal_mask", (4,)))
    yield Case(
        "padding_mask/two-sentences",
        FunctionCall("padding_mask", (np.array([3, 2]), 3)),
    )
    yield _case("masked_softmax", "shares", np.log(COUNTS), ALLOWED)
    batch = (np.stack([one, one]) for one in (ASKING, OFFERED, VALUES))
    yield _case(
        "masked_attention",
        "two-sentences",
        *batch,
        np.array([[[1, 1, 1]], [[1, 1, 0]]]) > 0,
    )
    yield _case(
        "cross_attention", "two-sequences", FIRST, SECOND, W_Q, W_K, W_V, ALLOWED
    )


def public(rng):
    yield from _masks([4, 0, 6], 6)
    yield _case(
        "masked_softmax", "small", rng.normal(size=(5, 4)) * 2, _mask(rng, 5, 4)
    )
    yield from _large(rng, (3, 6), 7)
    yield _softmax_with_empty_rows(rng, (4, 5))
    yield from _public_chains()[0]
    yield _case("masked_softmax", "square", rng.normal(size=(10, 10)) * 2, _window(10))


def hidden(rng):
    yield from _masks([7, 2, 5, 1], 7)
    yield from _masks([3, 5], 5)
    yield from _public_chains()[1]
    yield from _both(rng, "batch", (2,), (2, 1), n_q=8, n_k=5, d_k=3, d_v=6)
    yield from _both(rng, "heads", (2, 3), (4,), n_q=4, n_k=6, d_k=5, d_v=7)
    yield from _cross(rng, "few-queries", 3, 7, 5, 6, 8, 2)
    yield from _large(rng, (4, 6), 8)
    yield _softmax_with_empty_rows(rng, (2, 3, 6))
    yield from _cross(rng, "equal-sizes", 3, 3, 3, 3, 3, 3)
    yield from _cross(rng, "few-keys", 7, 4, 5, 5, 3, 6)
    yield from _both(rng, "causal", (2,), _window(5), n_q=5, n_k=5, d_k=4, d_v=7)
    yield from _both(rng, "all-equal", (3,), _window(3), n_q=3, n_k=3, d_k=3, d_v=3)
    yield from _both(rng, "padded-heads", (3, 2), (3, 1, 1), n_q=4, n_k=4, d_k=6, d_v=5)
    yield from _both(
        rng, "a-mask-for-each-head", (2, 2), (2, 4), n_q=4, n_k=4, d_k=2, d_v=3
    )
    yield from _both(rng, "one-query", (), (1,), n_q=1, n_k=4, d_k=3, d_v=2)
    yield from _masks([1], 1)
    yield from _masks([2, 0, 3], 3)
    yield from _with_empty_rows(rng)
    yield from _masks([2, 1], 4)  # no sentence is as long as the batch is wide
    yield from _large_in_a_batch(rng, (3, 5, 5))
    yield from _large_in_a_batch(rng, (2, 3, 4, 4))
    yield _softmax_with_empty_rows(rng, (2, 3, 4, 5), "nothing-allowed-in-heads")
    below_zero = -np.abs(rng.normal(size=(4, 5))) * [[0.0, 1.0, 1.0, 1.0, 1.0]]
    yield _case(
        "masked_softmax",
        "largest-is-0",
        below_zero,
        np.arange(5) < np.array([[2], [4], [3], [1]]),
    )
    yield from _both(
        rng, "all-equal-heads", (3, 3), _window(3), n_q=3, n_k=3, d_k=3, d_v=3
    )


def fresh(rng):
    yield from _masks([2, 9, 6], 9)
    yield from _both(rng, "drawn", (3,), (3, 5), n_q=5, n_k=4, d_k=7, d_v=6)
    yield from _cross(rng, "drawn-pair", 6, 4, 3, 5, 7, 2)
    yield from _large(rng, (3, 5), 6)
    yield _softmax_with_empty_rows(rng, (5, 4))
    yield from _both(rng, "drawn-causal", (4,), _window(4), n_q=4, n_k=4, d_k=4, d_v=4)
    yield from _cross(rng, "drawn-self", 4, 4, 5, 5, 3, 3)
    yield from _with_empty_rows(rng, "drawn-")
    yield from _large_in_a_batch(rng, (2, 3, 4, 4))


def _case(name, label, *args, topic="values"):
    return Case(f"{name}/{label}", FunctionCall(name, args), topic)


def _mask(rng, *shape):
    """In each row, at random places, from 2 keys to all but 1 are allowed."""
    order = rng.permuted(np.broadcast_to(np.arange(shape[-1]), shape), axis=-1)
    return order < rng.integers(2, shape[-1], size=(*shape[:-1], 1))


def _window(n):
    """A causal mask in which the last token does not see the first: rows with something forbidden."""
    return np.tri(n, dtype=bool) & ~np.tri(n, k=1 - n, dtype=bool)


def _masks(lengths, n):
    yield _case("causal_mask", f"{n}-tokens", n)
    yield _case("padding_mask", f"{len(lengths)}-of-{n}", np.array(lengths), n)


def _public_chains():
    """The public attention cases, and the steps within them, which students do not receive."""
    rng = np.random.default_rng(7)
    attention, scored = _both(
        rng, "three-sentences", (3,), (3, 5), n_q=5, n_k=4, d_k=6, d_v=7
    )
    cross, *within = _cross(rng, "pair", 5, 6, 4, 7, 3, 8)
    causal, causal_scored = _both(
        rng, "one-sequence", (), _window(8), n_q=8, n_k=8, d_k=9, d_v=10
    )
    reading_itself, *within_itself = _cross(rng, "reading-itself", 9, 9, 10, 10, 2, 12)
    no_words, no_words_scored = _both(
        rng,
        "no-words",
        (2,),
        _padding([4, 0], 4),
        n_q=3,
        n_k=4,
        d_k=5,
        d_v=2,
        topic=NOTHING,
    )
    hidden_rows = _mask(rng, 4, 3)
    hidden_rows[2] = False
    blind, *within_blind = _cross(
        rng, "a-blind-query", 4, 3, 2, 5, 6, 7, hidden_rows, topic=NOTHING
    )
    students_receive = (attention, cross, causal, reading_itself, no_words, blind)
    steps = (
        scored,
        *within,
        causal_scored,
        *within_itself,
        no_words_scored,
        *within_blind,
    )
    return students_receive, steps


def _both(rng, label, batch, mask, n_q, n_k, d_k, d_v, topic="values"):
    """An attention case and its softmax case.

    ``mask`` is the mask itself, or a tuple: the axes that a drawn one has before that of the keys.
    """
    Q, K, V = (
        rng.normal(size=(*batch, *size))
        for size in ((n_q, d_k), (n_k, d_k), (n_k, d_v))
    )
    if isinstance(mask, tuple):
        mask = _mask(rng, *mask, n_k)
    return _attention(label, 2 * Q, K, V, mask, topic)


def _cross(rng, label, n_q, n_kv, d_q, d_kv, d_k, d_v, mask=None, topic="values"):
    """A cross-attention case, the attention case within, and its softmax case."""
    X_q, X_kv = rng.normal(size=(n_q, d_q)), rng.normal(size=(n_kv, d_kv))
    if mask is None:
        mask = _mask(rng, n_q, n_kv)
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
    for label, n_q, below in (
        ("far-apart", rows[0], 0.0),
        ("forbidden-above", rows[1], 3000.0),
    ):
        mask = _mask(rng, n_q, n_k)
        scores = (
            300 * rng.normal(size=mask.shape) + 1000 * rng.permutation(n_q)[:, None]
        )
        yield _case("masked_softmax", label, scores - below * mask, mask, topic="large")
        n_k += 1


def _large_in_a_batch(rng, shape):
    """Rows thousands apart in each sentence and head; forbidden scores lie far above and far below."""
    mask = _mask(rng, *shape)
    heights = 1000.0 * rng.permutation(np.arange(np.prod(shape[:-1])) % 8).reshape(
        *shape[:-1], 1
    )
    scores = 300 * rng.normal(size=shape) + heights
    beyond = 3000 * rng.choice([-1, 1], size=shape)
    label = f"large-with-{len(shape)}-axes"
    yield _case("masked_softmax", label, scores + beyond * ~mask, mask, topic="large")


def _softmax_with_empty_rows(rng, shape, label="nothing-allowed"):
    mask = _mask(rng, *shape)
    mask[..., 1, :] = mask[..., -1, :] = False
    return _case(
        "masked_softmax", label, 2 * rng.normal(size=shape), mask, topic=NOTHING
    )


def _with_empty_rows(rng, prefix=""):
    """A sentence of no words in a batch, single queries, one key or one token, of which some see nothing."""
    no_words = _padding([2, 0, 5], 5)
    yield from _both(
        rng,
        f"{prefix}a-sentence-of-no-words",
        (3,),
        no_words,
        n_q=4,
        n_k=5,
        d_k=3,
        d_v=6,
        topic=NOTHING,
    )
    before = np.tri(4, k=-1, dtype=bool)  # the first query sees nothing
    yield from _both(
        rng,
        f"{prefix}earlier-tokens-alone",
        (2,),
        before,
        n_q=4,
        n_k=4,
        d_k=5,
        d_v=3,
        topic=NOTHING,
    )
    one_key = np.array([[True], [False], [True], [True]])
    yield from _both(
        rng, f"{prefix}one-key", (), one_key, n_q=4, n_k=1, d_k=2, d_v=3, topic=NOTHING
    )
    one_token = one_key[:3, :, None]
    yield from _both(
        rng,
        f"{prefix}one-token",
        (3,),
        one_token,
        n_q=1,
        n_k=1,
        d_k=2,
        d_v=4,
        topic=NOTHING,
    )
    yield from _cross(
        rng,
        f"{prefix}a-query-that-sees-nothing",
        5,
        5,
        4,
        6,
        2,
        3,
        np.tri(5, k=-1) > 0,
        topic=NOTHING,
    )
    yield from _cross(
        rng,
        f"{prefix}a-blind-token",
        1,
        1,
        2,
        3,
        4,
        5,
        np.zeros((1, 1), dtype=bool),
        topic=NOTHING,
    )


def _padding(lengths, n):
    return np.arange(n) < np.array(lengths)[:, None, None]
