"""Input cases of hw7, of two kinds.

Where all sizes differ, a mix-up of axes raises or returns another shape. Where they are equal (one sequence
that reads itself, as many sentences as tokens, a single token), programs that branch or transpose on equality
go wrong; there the mask is asymmetric.

An attention case has a softmax case of the same label on its scores, and a cross-attention case an attention
case on its queries, keys and values: with them the grader tells a wrong step from a wrong use of
it. In each row of a mask something is allowed and something is not, so that an inverted one leaves no row
empty. Only the masks of the topic "nothing allowed" have rows without any allowed key.
"""

from typing import NamedTuple

import numpy as np

from autograder.course import function_case
from autograder.course.attention_inputs import (
    FAR,
    AttentionSizes,
    queries_keys_values,
    rows_far_apart,
    rows_on_both_sides,
    weight_matrix,
)

CAUSAL = "causal_mask"
PADDING = "padding_mask"
SOFTMAX = "masked_softmax"
ATTENTION = "masked_attention"
CROSS = "cross_attention"

VALUES = "values"
LARGE = "large"
NOTHING = "nothing allowed"

BEYOND = 12000.0
"""How far forbidden scores lie from allowed ones: -10000, which some models add, does not hide them."""

# Softmax of logarithms gives shares: of ln 1, ln 3, ln 4 the first two alone become 1/4, 3/4.
COUNTS = np.array(
    [
        [1.0, 3.0, 4.0],
        [4.0, 1.0, 6.0],
    ]
)
ALLOWED = np.array(
    [
        [True, True, False],
        [True, False, True],
    ]
)

# Two sentences of the same tokens, the second one shorter by a word. A query picks one feature of the keys; the 2
# undoes the scaling.
SENTENCE_Q = np.array(
    [
        [2.0, 0.0, 0.0, 0.0],
        [0.0, 2.0, 0.0, 0.0],
    ]
)
SENTENCE_K = np.log(
    [
        [1.0, 4.0, 1.0, 1.0],
        [3.0, 1.0, 1.0, 1.0],
        [4.0, 5.0, 1.0, 1.0],
    ]
)
SENTENCE_V = np.array(
    [
        [8.0, 10.0],
        [16.0, 0.0],
        [0.0, 20.0],
    ]
)
WORDS = np.array(
    [
        [[True, True, True]],
        [[True, True, False]],
    ]
)

# A sequence of two tokens that reads one of three.
READING = np.array(
    [
        [1.0, 0.0, 2.0],
        [0.0, 2.0, 1.0],
    ]
)
READ = np.array(
    [
        [1.0, 0.0],
        [0.0, 2.0],
        [1.0, 1.0],
    ]
)
W_Q = np.array(
    [
        [1.0, 0.0, 0.0, 1.0],
        [0.0, 1.0, 0.0, 1.0],
        [0.0, 1.0, 1.0, 0.0],
    ]
)
W_K = np.array(
    [
        [1.0, 1.0, 0.0, 2.0],
        [0.0, 1.0, 1.0, 1.0],
    ]
)
W_V = np.array(
    [
        [4.0, 0.0],
        [0.0, 8.0],
    ]
)


class CrossSizes(NamedTuple):
    """The sizes of cross-attention.

    Attributes:
        n_q: the number of tokens that read.
        n_kv: the number of tokens that are read.
        d_q: the features of a token that reads.
        d_kv: the features of a token that is read.
        d_k: the features of a query and of a key.
        d_v: the features of a value.
    """

    n_q: int
    n_kv: int
    d_q: int
    d_kv: int
    d_k: int
    d_v: int


def published():
    yield function_case(CAUSAL, "four-tokens", 4)
    lengths = np.array([3, 2])
    yield function_case(PADDING, "two-sentences", lengths, 3)
    logarithms = np.log(COUNTS)
    yield function_case(SOFTMAX, "shares", logarithms, ALLOWED)
    Q = np.stack([SENTENCE_Q, SENTENCE_Q])
    K = np.stack([SENTENCE_K, SENTENCE_K])
    V = np.stack([SENTENCE_V, SENTENCE_V])
    yield function_case(ATTENTION, "two-sentences", Q, K, V, WORDS)
    sequences = (READING, READ)
    parameters = (W_Q, W_K, W_V)
    yield function_case(CROSS, "two-sequences", *sequences, *parameters, ALLOWED)


def public(rng):
    yield from _masks([4, 0, 6], 6)
    scores = 2 * rng.normal(size=(5, 4))
    mask = _mask(rng, 5, 4)
    yield _softmax("small", scores, mask)
    yield _far_apart(rng, n_q=3, n_k=7)
    yield _forbidden_above(rng, n_q=6, n_k=8)
    yield _empty_rows(rng, (4, 5))
    for outermost, *_ in _public_chains():
        yield outermost
    square_scores = 2 * rng.normal(size=(10, 10))
    window = _window(10)
    yield _softmax("square", square_scores, window)

    # With the steps within them, a student's machine excuses a later step as grading does.
    for _, *steps in _public_chains():
        yield from steps

    # One maximum for all rows of a sentence, and an empty row told by its largest score of 0.
    yield _large_in_a_batch(rng, (2, 4, 4))
    yield _largest_is_zero(rng)

    # No sentence fills its row, a single word is one, and one mask is for all sentences and heads.
    yield from _masks([3, 1], 5)
    yield from _masks([1], 1)
    two_heads = AttentionSizes(n_q=4, n_k=6, d_k=3, d_v=5)
    yield from _attention_chain(
        rng, "two-heads", two_heads, batch=(3, 2), mask_axes=(4,)
    )
    yield from _below(rng, n_q=4, n_k=7)

    # The mask of each sentence stands for all its heads and queries.
    padded_sentences = AttentionSizes(n_q=4, n_k=5, d_k=3, d_v=6)
    yield from _attention_chain(
        rng, "padded-sentences", padded_sentences, batch=(2, 3), mask_axes=(2, 1, 1)
    )
    yield from _long_texts(70, [260, 40, 300], 300)

    # One mask is for all sentences: it has no axis of theirs.
    two_sentences = AttentionSizes(n_q=6, n_k=6, d_k=3, d_v=4)
    window = _window(6)
    yield from _attention_chain(rng, "one-mask", two_sentences, batch=(2,), mask=window)


def hidden(rng):
    yield from _masks([7, 2, 5, 1], 7)
    yield from _masks([3, 5], 5)

    # All sizes differ. There is a mask for each sentence, then one for all sentences and heads.
    sentences = AttentionSizes(n_q=8, n_k=5, d_k=3, d_v=6)
    yield from _attention_chain(rng, "batch", sentences, batch=(2,), mask_axes=(2, 1))
    heads = AttentionSizes(n_q=4, n_k=6, d_k=5, d_v=7)
    yield from _attention_chain(rng, "heads", heads, batch=(2, 3), mask_axes=(4,))
    few_queries = CrossSizes(n_q=3, n_kv=7, d_q=5, d_kv=6, d_k=8, d_v=2)
    yield from _cross_chain(rng, "few-queries", few_queries)
    yield _far_apart(rng, n_q=4, n_k=8)
    yield _forbidden_above(rng, n_q=6, n_k=9)
    yield _empty_rows(rng, (2, 3, 6))
    equal_sizes = CrossSizes(n_q=3, n_kv=3, d_q=3, d_kv=3, d_k=3, d_v=3)
    yield from _cross_chain(rng, "equal-sizes", equal_sizes)
    few_keys = CrossSizes(n_q=7, n_kv=4, d_q=5, d_kv=5, d_k=3, d_v=6)
    yield from _cross_chain(rng, "few-keys", few_keys)

    # Masks and scores are square: a mask that is transposed raises nothing.
    causal = AttentionSizes(n_q=5, n_k=5, d_k=4, d_v=7)
    window = _window(5)
    yield from _attention_chain(rng, "causal", causal, batch=(2,), mask=window)
    all_equal = AttentionSizes(n_q=3, n_k=3, d_k=3, d_v=3)
    window = _window(3)
    yield from _attention_chain(rng, "all-equal", all_equal, batch=(3,), mask=window)

    # The mask's axes of length 1 stand for all heads and queries, and its first axis may be the heads.
    padded_heads = AttentionSizes(n_q=4, n_k=4, d_k=6, d_v=5)
    yield from _attention_chain(
        rng, "padded-heads", padded_heads, batch=(3, 2), mask_axes=(3, 1, 1)
    )
    mask_for_each_head = AttentionSizes(n_q=4, n_k=4, d_k=2, d_v=3)
    yield from _attention_chain(
        rng,
        "a-mask-for-each-head",
        mask_for_each_head,
        batch=(2, 2),
        mask_axes=(2, 4),
    )

    # A squeeze loses the axis of a single query, and lengths do not tell how wide the batch is.
    one_query = AttentionSizes(n_q=1, n_k=4, d_k=3, d_v=2)
    yield from _attention_chain(rng, "one-query", one_query, mask_axes=(1,))
    yield from _masks([1], 1)
    yield from _masks([2, 0, 3], 3)
    yield from _chains_with_empty_rows(rng)
    yield from _masks([2, 1], 4)

    # One maximum, or one sum, for all sentences or heads.
    yield _large_in_a_batch(rng, (3, 5, 5))
    yield _large_in_a_batch(rng, (2, 3, 4, 4))
    yield _empty_rows(rng, (2, 3, 4, 5), "nothing-allowed-in-heads")
    yield _largest_is_zero(rng)

    # Four axes of one size tell which of them were exchanged.
    all_equal_heads = AttentionSizes(n_q=3, n_k=3, d_k=3, d_v=3)
    window = _window(3)
    yield from _attention_chain(
        rng, "all-equal-heads", all_equal_heads, batch=(3, 3), mask=window
    )
    yield from _below(rng, n_q=5, n_k=6)
    yield from _long_texts(75, [3, 270, 150, 280], 280)


def fresh(rng):
    yield from _masks([2, 9, 6], 9)
    drawn = AttentionSizes(n_q=5, n_k=4, d_k=7, d_v=6)
    yield from _attention_chain(rng, "drawn", drawn, batch=(3,), mask_axes=(3, 5))
    drawn_pair = CrossSizes(n_q=6, n_kv=4, d_q=3, d_kv=5, d_k=7, d_v=2)
    yield from _cross_chain(rng, "drawn-pair", drawn_pair)
    yield _far_apart(rng, n_q=3, n_k=6)
    yield _forbidden_above(rng, n_q=5, n_k=7)
    yield _empty_rows(rng, (5, 4))
    drawn_causal = AttentionSizes(n_q=4, n_k=4, d_k=4, d_v=4)
    window = _window(4)
    yield from _attention_chain(
        rng, "drawn-causal", drawn_causal, batch=(4,), mask=window
    )
    drawn_self = CrossSizes(n_q=4, n_kv=4, d_q=5, d_kv=5, d_k=3, d_v=3)
    yield from _cross_chain(rng, "drawn-self", drawn_self)
    yield from _chains_with_empty_rows(rng, "drawn-")
    yield _large_in_a_batch(rng, (2, 3, 4, 4))


# Masks


def _masks(lengths, n):
    """Yield a case of each mask function, for so many tokens."""
    yield function_case(CAUSAL, f"{n}-tokens", n)
    yield _padding_case(lengths, n)


def _long_texts(n_causal, lengths, n):
    """Yield masks that are larger than those of a fixed size, and lengths that do not fit into a byte."""
    yield function_case(CAUSAL, f"{n_causal}-tokens", n_causal)
    yield _padding_case(lengths, n)


def _padding_case(lengths, n):
    label = f"{len(lengths)}-of-{n}"
    return function_case(PADDING, label, np.array(lengths), n)


def _mask(rng, *shape):
    """Draw a mask that allows from 2 keys to all but 1 of each row, at random places."""
    n_k = shape[-1]
    places = np.broadcast_to(np.arange(n_k), shape)
    shuffled_places = rng.permuted(places, axis=-1)
    *rows, _ = shape
    how_many = rng.integers(2, n_k, size=(*rows, 1))
    return shuffled_places < how_many


def _window(n):
    """Return a causal mask in which the last token does not see the first: each row has something forbidden."""
    causal = np.tri(n, dtype=bool)
    causal[-1, 0] = False
    return causal


def _earlier_tokens(n):
    """Return a mask that allows only what comes before a token: the first one sees nothing."""
    return np.tri(n, k=-1, dtype=bool)


def _words(lengths, n):
    """Return the padding mask of sentences of these lengths."""
    places = np.arange(n)
    one_for_each_sentence = np.array(lengths)[:, None, None]
    return places < one_for_each_sentence


# Softmax


def _softmax(label, scores, mask, topic=VALUES):
    return function_case(SOFTMAX, label, scores, mask, topic=topic)


def _far_apart(rng, n_q, n_k):
    """Rows thousands apart: one maximum for all of them makes exp underflow."""
    mask = _mask(rng, n_q, n_k)
    scores = _large_scores(rng, n_q, n_k)
    return _softmax("far-apart", scores, mask, LARGE)


def _forbidden_above(rng, n_q, n_k):
    """Forbidden scores far above the allowed ones: a maximum over all keys makes exp underflow."""
    mask = _mask(rng, n_q, n_k)
    scores = _large_scores(rng, n_q, n_k)
    lowered_where_allowed = scores - BEYOND * mask
    return _softmax("forbidden-above", lowered_where_allowed, mask, LARGE)


def _below(rng, n_q, n_k):
    """Rows that lie thousands below 0, first all of them, and then every other one, next to rows far above.

    Exp underflows where the search for a maximum begins at 0, where the largest absolute value counts as it, and
    where scores are cut off from below.
    """
    mask = _mask(rng, n_q, n_k)
    scores = rng.normal(size=(n_q, n_k))
    # In a row that allows everything, no forbidden score that counts as 0 is the largest.
    mask[0] = True
    yield _softmax("below", scores - FAR, mask, LARGE)
    on_both_sides = rows_on_both_sides(scores)
    yield _softmax("below-and-above", on_both_sides, mask, LARGE)
    # The largest absolute value is another score than the largest.
    yield _softmax("wide-rows", scores * 2000, mask, LARGE)


def _large_scores(rng, n_q, n_k):
    scores = 300 * rng.normal(size=(n_q, n_k))
    return rows_far_apart(rng, scores)


def _large_in_a_batch(rng, shape):
    """Rows thousands apart in each sentence and head, with forbidden scores far above and far below."""
    mask = _mask(rng, *shape)
    *axes_of_rows, _ = shape
    n_rows = np.prod(axes_of_rows)
    steps = rng.permutation(np.arange(n_rows) % 8)
    heights = 1000.0 * steps.reshape(*axes_of_rows, 1)
    scores = 300 * rng.normal(size=shape) + heights
    signs = rng.choice([-1, 1], size=shape)
    is_forbidden = ~mask
    scores += BEYOND * signs * is_forbidden
    label = f"large-with-{len(shape)}-axes"
    return _softmax(label, scores, mask, LARGE)


def _largest_is_zero(rng):
    """The largest score is 0, which is not the sign of a row in which nothing is allowed."""
    numbers = rng.normal(size=(4, 5))
    scores = -np.abs(numbers)
    scores[:, 0] *= 0.0
    how_many = np.array([[2], [4], [3], [1]])
    mask = np.arange(5) < how_many
    return _softmax("largest-is-0", scores, mask)


def _empty_rows(rng, shape, label="nothing-allowed"):
    """Of the queries, the second and the last may look at nothing."""
    mask = _mask(rng, *shape)
    mask[..., 1, :] = False
    mask[..., -1, :] = False
    scores = 2 * rng.normal(size=shape)
    return _softmax(label, scores, mask, NOTHING)


# Chains: a case, and those of the steps within it


def _attention_chain(
    rng, label, sizes, batch=(), mask=None, mask_axes=(), topic=VALUES
):
    """Return an attention case, and the softmax case on its scores.

    Args:
        rng: draws the arrays.
        label: the label of both cases.
        sizes: the ``AttentionSizes``.
        batch: the sizes of the leading axes: none, sentences, or sentences and heads.
        mask: the mask; None to draw one.
        mask_axes: the axes of a drawn mask before that of the keys.
        topic: the topic of both cases.
    """
    Q, K, V = queries_keys_values(rng, *sizes, batch=batch, spread=2)
    if mask is None:
        mask = _mask(rng, *mask_axes, sizes.n_k)
    return _attention_and_softmax(label, Q, K, V, mask, topic)


def _cross_chain(rng, label, sizes, mask=None, topic=VALUES):
    """Return a cross-attention case, the attention case within, and its softmax case.

    Args:
        rng: draws the arrays.
        label: the label of all three.
        sizes: the ``CrossSizes``.
        mask: the mask; None to draw one.
        topic: the topic of all three.
    """
    n_q, n_kv, d_q, d_kv, d_k, d_v = sizes
    X_q = rng.normal(size=(n_q, d_q))
    X_kv = rng.normal(size=(n_kv, d_kv))
    if mask is None:
        mask = _mask(rng, n_q, n_kv)
    W_q = weight_matrix(rng, d_q, d_k)
    W_k = weight_matrix(rng, d_kv, d_k)
    W_v = weight_matrix(rng, d_kv, d_v)
    arguments = (X_q, X_kv, W_q, W_k, W_v, mask)
    cross = function_case(CROSS, label, *arguments, topic=topic)
    Q = X_q @ W_q
    K = X_kv @ W_k
    V = X_kv @ W_v
    attention, softmax = _attention_and_softmax(label, Q, K, V, mask, topic)
    return cross, attention, softmax


def _attention_and_softmax(label, Q, K, V, mask, topic):
    d_k = K.shape[-1]
    keys_as_columns = np.swapaxes(K, -1, -2)
    scores = Q @ keys_as_columns / np.sqrt(d_k)
    attention = function_case(ATTENTION, label, Q, K, V, mask, topic=topic)
    softmax = _softmax(label, scores, mask, topic)
    return attention, softmax


def _public_chains():
    """Yield chains that students receive with all steps."""
    rng = np.random.default_rng(7)
    three_sentences = AttentionSizes(n_q=5, n_k=4, d_k=6, d_v=7)
    yield _attention_chain(
        rng, "three-sentences", three_sentences, batch=(3,), mask_axes=(3, 5)
    )
    pair = CrossSizes(n_q=5, n_kv=6, d_q=4, d_kv=7, d_k=3, d_v=8)
    yield _cross_chain(rng, "pair", pair)
    one_sequence = AttentionSizes(n_q=8, n_k=8, d_k=9, d_v=10)
    window = _window(8)
    yield _attention_chain(rng, "one-sequence", one_sequence, mask=window)
    reading_itself = CrossSizes(n_q=9, n_kv=9, d_q=10, d_kv=10, d_k=2, d_v=12)
    yield _cross_chain(rng, "reading-itself", reading_itself)
    no_words = AttentionSizes(n_q=3, n_k=4, d_k=5, d_v=2)
    four_and_none = _words([4, 0], 4)
    yield _attention_chain(
        rng, "no-words", no_words, batch=(2,), mask=four_and_none, topic=NOTHING
    )
    third_is_blind = _mask(rng, 4, 3)
    third_is_blind[2] = False
    blind_query = CrossSizes(n_q=4, n_kv=3, d_q=2, d_kv=5, d_k=6, d_v=7)
    yield _cross_chain(
        rng, "a-blind-query", blind_query, mask=third_is_blind, topic=NOTHING
    )


def _chains_with_empty_rows(rng, prefix=""):
    """Yield the cases of chains in which some queries see nothing."""
    sentence_of_no_words = AttentionSizes(n_q=4, n_k=5, d_k=3, d_v=6)
    second_is_empty = _words([2, 0, 5], 5)
    yield from _attention_chain(
        rng,
        f"{prefix}a-sentence-of-no-words",
        sentence_of_no_words,
        batch=(3,),
        mask=second_is_empty,
        topic=NOTHING,
    )
    first_is_blind = _earlier_tokens(4)
    earlier_tokens_alone = AttentionSizes(n_q=4, n_k=4, d_k=5, d_v=3)
    yield from _attention_chain(
        rng,
        f"{prefix}earlier-tokens-alone",
        earlier_tokens_alone,
        batch=(2,),
        mask=first_is_blind,
        topic=NOTHING,
    )

    # Axes of length 1: of the keys, and then of the queries too.
    second_is_blind = np.array([[True], [False], [True], [True]])
    one_key = AttentionSizes(n_q=4, n_k=1, d_k=2, d_v=3)
    yield from _attention_chain(
        rng, f"{prefix}one-key", one_key, mask=second_is_blind, topic=NOTHING
    )
    one_token = AttentionSizes(n_q=1, n_k=1, d_k=2, d_v=4)
    second_sentence_is_blind = np.array([[[True]], [[False]], [[True]]])
    yield from _attention_chain(
        rng,
        f"{prefix}one-token",
        one_token,
        batch=(3,),
        mask=second_sentence_is_blind,
        topic=NOTHING,
    )

    query_that_sees_nothing = CrossSizes(n_q=5, n_kv=5, d_q=4, d_kv=6, d_k=2, d_v=3)
    first_is_blind = _earlier_tokens(5)
    yield from _cross_chain(
        rng,
        f"{prefix}a-query-that-sees-nothing",
        query_that_sees_nothing,
        mask=first_is_blind,
        topic=NOTHING,
    )
    blind_token = CrossSizes(n_q=1, n_kv=1, d_q=2, d_kv=3, d_k=4, d_v=5)
    blind = np.array([[False]])
    yield from _cross_chain(
        rng, f"{prefix}a-blind-token", blind_token, mask=blind, topic=NOTHING
    )
