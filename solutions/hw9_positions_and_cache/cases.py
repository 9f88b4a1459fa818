"""Input cases of hw9, of two kinds.

Where all sizes differ, a mix-up of axes raises or returns another shape. Where they are equal or 1 (one
position, one pair, one cached token, blocks that divide the keys or hold them all), programs that branch,
squeeze or transpose on equality go wrong.
"""

import numpy as np

from autograder.course import function_case
from autograder.course.attention_inputs import alternating, queries_keys_values

SINES = "sinusoidal_positions"
ROPE = "apply_rope"
STEP = "attend_one_step"
BLOCKS = "blockwise_attention"

VALUES = "values"
LARGE = "large"
BASE = "base"
EMPTY = "empty"

# Sizes that are equal or 1: n, d_k, d_v, n_q and block_size of each.
EQUAL_SIZES = {
    "all-equal": (4, 4, 4, 4, 2),
    "as-many-pairs": (5, 10, 5, 5, 3),
    "one-pair": (6, 2, 1, 1, 1),
    "one-token": (1, 6, 3, 2, 4),
    "a-single-number": (2, 2, 2, 2, 1),
}

PAIRS = np.array(
    [
        [1.0, 0.0, 1.0, 0.0],
        [1.0, 0.0, 1.0, 0.0],
        [1.0, 1.0, 0.0, 2.0],
    ]
)
# The query's scaled scores are the first entries of the keys.
QUERY = np.array([2.0, 0.0, 0.0, 0.0])
KEYS = np.log(
    [
        [1, 3, 1, 2],
        [3, 1, 2, 1],
        [4, 5, 1, 1],
        [8, 1, 1, 2],
        [2, 7, 1, 1],
    ]
)
VALUES_OF_KEYS = np.array(
    [
        [16.0, 0.0],
        [0.0, 32.0],
        [8.0, 8.0],
        [4.0, 16.0],
        [9.0, 9.0],
    ]
)


def published():
    yield function_case(SINES, "four", 4, 6)
    positions = np.arange(3)
    yield function_case(ROPE, "pairs", PAIRS, positions)
    # The third token is the new one, the two before it are cached.
    new_token = (QUERY, KEYS[2], VALUES_OF_KEYS[2])
    cache = (KEYS[:2], VALUES_OF_KEYS[:2])
    yield function_case(STEP, "third", *new_token, *cache)
    other_query = np.roll(QUERY, 1)
    queries = np.stack([QUERY, other_query])
    yield function_case(BLOCKS, "five-keys", queries, KEYS, VALUES_OF_KEYS, 2)


def public(rng):
    yield from _sized(
        rng,
        "small",
        n=7,
        d_k=8,
        d_v=4,
        n_q=6,
        block_size=3,
    )
    yield _apart(
        rng,
        n_q=5,
        n_k=9,
        d_k=3,
        d_v=7,
        block_size=4,
    )
    yield _blocks(
        rng,
        "blocks-of-one-size",
        n_q=9,
        n_k=12,
        d_k=10,
        d_v=11,
        block_size=6,
    )
    yield from _steps_apart(rng, n=10, d_k=6, d_v=9)
    # With 8 columns all powers of 10000 are whole numbers.
    yield function_case(SINES, "many-columns", 6, 14)
    # What grading takes points for shows here, too: angles that are transposed where they are square, one row that
    # is squeezed, and a maximum of one block only.
    yield function_case(SINES, "as-many-pairs", 5, 10)
    row = rng.normal(size=(1, 4))
    position = np.array([3])
    yield function_case(ROPE, "one-row", row, position)
    yield function_case(ROPE, "one-row-base", row, position, 40.0, topic=BASE)
    yield _rising(
        rng,
        n_q=5,
        n_k=8,
        d_k=3,
        d_v=6,
        block_size=3,
    )
    yield _mixed(
        rng,
        n_q=6,
        n_k=7,
        d_k=5,
        d_v=8,
        block_size=4,
    )
    yield _below(
        rng,
        n_q=5,
        n_k=11,
        d_k=4,
        d_v=6,
        block_size=3,
    )
    yield from _mostly_below(rng, n=7, d_k=5, d_v=4)
    yield _blocks(
        rng,
        "one-block",
        n_q=4,
        n_k=3,
        d_k=6,
        d_v=5,
        block_size=7,
    )
    yield _before_the_start(rng, n=6, d_k=10)
    # Two features only, so that no table of the hidden cases is a part of this one.
    yield from _long(rng, n=520, d_k=2, n_cached=33, d_v=3)
    yield from _far_below(rng, 120.0, n=10, d_v=3, block_size=4)
    # As many columns as a shorter table before: one that is kept by its columns has too few rows.
    yield function_case(SINES, "longer-table", 9, 14)


def hidden(rng):
    yield from _hidden_sizes(rng)
    yield from _hidden_scores(rng)
    yield _before_the_start(rng, n=8, d_k=6)
    yield from _long(rng, n=530, d_k=6, n_cached=35, d_v=5)
    yield from _far_below(rng, 124.0, n=9, d_v=5, block_size=2)


def _hidden_sizes(rng):
    yield from _sized(
        rng,
        "wide",
        n=5,
        d_k=12,
        d_v=7,
        n_q=3,
        block_size=4,
    )
    yield from _sized(
        rng,
        "long",
        n=11,
        d_k=4,
        d_v=5,
        n_q=6,
        block_size=3,
    )
    yield _apart(
        rng,
        n_q=6,
        n_k=8,
        d_k=3,
        d_v=5,
        block_size=3,
    )

    for label, sizes in EQUAL_SIZES.items():
        yield from _sized(rng, label, *sizes)

    # All keys in one block, and fewer keys than a block has room for.
    yield _blocks(
        rng,
        "one-block",
        n_q=3,
        n_k=6,
        d_k=4,
        d_v=5,
        block_size=6,
    )
    yield _blocks(
        rng,
        "a-wide-block",
        n_q=4,
        n_k=5,
        d_k=3,
        d_v=2,
        block_size=9,
    )


def _hidden_scores(rng):
    """Scores that are large or far apart, and caches that are square."""
    yield from _steps_apart(rng, n=6, d_k=5, d_v=4)
    yield _rising(
        rng,
        n_q=4,
        n_k=9,
        d_k=5,
        d_v=3,
        block_size=2,
    )
    yield from _sized(
        rng,
        "square-caches",
        n=5,
        d_k=4,
        d_v=4,
        n_q=5,
        block_size=5,
    )
    yield _mixed(
        rng,
        n_q=4,
        n_k=10,
        d_k=5,
        d_v=3,
        block_size=4,
    )
    yield _below(
        rng,
        n_q=4,
        n_k=12,
        d_k=3,
        d_v=5,
        block_size=5,
    )
    yield from _mostly_below(rng, n=8, d_k=4, d_v=3)


def fresh(rng):
    yield from _sized(
        rng,
        "drawn",
        n=9,
        d_k=10,
        d_v=4,
        n_q=7,
        block_size=5,
    )
    yield _apart(
        rng,
        n_q=5,
        n_k=7,
        d_k=4,
        d_v=3,
        block_size=2,
    )
    yield from _sized(
        rng,
        "drawn-equal",
        n=6,
        d_k=6,
        d_v=6,
        n_q=6,
        block_size=3,
    )
    yield from _steps_apart(rng, n=4, d_k=3, d_v=5)
    yield _rising(
        rng,
        n_q=6,
        n_k=8,
        d_k=3,
        d_v=4,
        block_size=4,
    )
    yield _mixed(
        rng,
        n_q=3,
        n_k=8,
        d_k=4,
        d_v=5,
        block_size=3,
    )


def _sized(rng, label, n, d_k, d_v, n_q, block_size):
    """Yield cases of all tasks, with n positions, keys and values, and n_q queries."""
    x = rng.normal(size=(n, d_k))
    # More numbers than positions, so that there are gaps between them.
    numbers = rng.permutation(4 * n)
    positions = numbers[:n]
    if d_k > 2:  # of one pair alone the formula has one angle, whatever the exponent
        yield function_case(SINES, label, n, d_k)
    yield function_case(ROPE, label, x, positions)
    other_base = 40.0 + n
    yield function_case(ROPE, f"{label}-base", x, positions, other_base, topic=BASE)

    Q, K, V = queries_keys_values(rng, n_q, n, d_k, d_v, spread=2)
    # The first token is the new one, the others are cached.
    new_token = (Q[0], K[0], V[0])
    cache = (K[1:], V[1:])
    empty_cache = (K[:0], V[:0])
    yield function_case(STEP, label, *new_token, *cache)
    yield function_case(STEP, f"{label}-empty", *new_token, *empty_cache, topic=EMPTY)
    yield function_case(BLOCKS, label, Q, K, V, block_size)


def _before_the_start(rng, n, d_k):
    """Return a call of apply_rope of which half the positions are negative; a table of angles has none of these."""
    x = rng.normal(size=(n, d_k))
    positions = rng.permutation(n) - n // 2
    return function_case(ROPE, "before-the-start", x, positions)


def _long(rng, n, d_k, n_cached, d_v):
    """Yield calls that a table, a window or a cache of some fixed length is too short for."""
    yield function_case(SINES, "long-text", n, d_k)
    x = rng.normal(size=(6, d_k))
    positions = np.array([n, 3, -n, 2 * n, 200, -150])
    yield function_case(ROPE, "long-text", x, positions)
    Q, K, V = queries_keys_values(rng, 1, n_cached, d_k, d_v, spread=2)
    new_token = (Q[0], K[-1], V[-1])
    yield function_case(STEP, "long-text", *new_token, K[:-1], V[:-1])


def _far_below(rng, height, n, d_v, block_size):
    """Yield scores more than 10,000 below 0, those of a query a few units apart.

    All are exact numbers, also in single precision. Exp underflows where the search for a maximum begins at some
    large negative number. The keys of public and hidden cases have heights of their own.
    """
    K = np.full((n, 4), height)
    K[:, 0] += rng.integers(8, size=n) / 4
    V = rng.normal(size=(n, d_v))
    Q = np.full((3, 4), -64.0)
    Q[:, 1] += np.arange(3)
    Q[:, 0] = -2 * np.arange(1, 4)
    new_token = (Q[0], K[-1], V[-1])
    yield function_case(STEP, "far-below", *new_token, K[:-1], V[:-1], topic=LARGE)
    yield function_case(BLOCKS, "far-below", Q, K, V, block_size, topic=LARGE)


# Blocks


def _blocks(rng, label, n_q, n_k, d_k, d_v, block_size):
    Q, K, V = queries_keys_values(rng, n_q, n_k, d_k, d_v, spread=2)
    return function_case(BLOCKS, label, Q, K, V, block_size)


def _apart(rng, n_q, n_k, d_k, d_v, block_size):
    """Scores in the thousands, all below 0 for every other query; those of a query are a few units apart.

    Exp overflows where no maximum is subtracted, and a maximum that begins at 0 makes it underflow.
    """
    Q = _queries_on_both_sides(rng, n_q, d_k)
    K = _keys_of_height(rng, 20.0, n_k, d_k)
    V = rng.normal(size=(n_k, d_v))
    return function_case(BLOCKS, "apart", Q, K, V, block_size, topic=LARGE)


def _below(rng, n_q, n_k, d_k, d_v, block_size):
    """Scores that lie thousands below 0 for all queries, those of a query a few units apart."""
    Q = rng.normal(size=(n_q, d_k)) - 40
    K = _keys_of_height(rng, 20.0, n_k, d_k)
    V = rng.normal(size=(n_k, d_v))
    return function_case(BLOCKS, "below", Q, K, V, block_size, topic=LARGE)


def _rising(rng, n_q, n_k, d_k, d_v, block_size):
    """Scores that rise by thousands from block to block for every other query, and fall for the others.

    Sum and values have to be rescaled to the new maximum, but not where it is an old one.
    """
    number_of_block = np.arange(n_k) // block_size
    heights = 20.0 * number_of_block[:, None]
    Q = _queries_on_both_sides(rng, n_q, d_k)
    K = _keys_of_height(rng, heights, n_k, d_k)
    V = rng.normal(size=(n_k, d_v))
    return function_case(BLOCKS, "rising", Q, K, V, block_size, topic=LARGE)


def _mixed(rng, n_q, n_k, d_k, d_v, block_size):
    """Scores of one block that lie thousands apart, in any order: its first or last is not the largest."""
    place_in_block = np.arange(n_k) % block_size
    places = rng.permutation(place_in_block)
    heights = 20.0 * places[:, None]
    Q = 40 + rng.normal(size=(n_q, d_k))
    K = _keys_of_height(rng, heights, n_k, d_k)
    V = rng.normal(size=(n_k, d_v))
    return function_case(BLOCKS, "mixed", Q, K, V, block_size, topic=LARGE)


def _queries_on_both_sides(rng, n_q, d_k):
    """Draw queries, every other one on the other side of 0."""
    sides = 40 * alternating(n_q)
    return sides[:, None] + rng.normal(size=(n_q, d_k))


def _keys_of_height(rng, height, n_k, d_k):
    """Draw keys whose scores with such a query depend on their height, up to a few units."""
    few_units = rng.normal(size=(n_k, d_k)) / 40
    return height + few_units


# One step


def _steps_apart(rng, n, d_k, d_v):
    """Yield scores thousands above and below 0; the new token or a cached one has by far the largest."""
    above = 20.0
    below = -20.0
    # Heights of the cached tokens and of the new one.
    heights = {
        "new-token-above": (below, above),
        "all-above": (above, above),
        "all-below": (below, below),
        "new-token-below": (above, below),
    }
    q = np.full(d_k, 40.0)
    for label, (height_of_cached, height_of_new) in heights.items():
        # Tokens of one height get scores that are a few units apart, and the new one is never negligible.
        V = rng.normal(size=(n + 1, d_v))
        height = np.full((n + 1, 1), height_of_cached)
        height[n] = height_of_new
        K = _keys_of_height(rng, height, n + 1, d_k)
        K[n] += 1 / (40 * np.sqrt(d_k))
        new_token = (q, K[n], V[n])
        cache = (K[:n], V[:n])
        yield function_case(STEP, label, *new_token, *cache, topic=LARGE)

    k_new = np.full(d_k, above)
    v_new = rng.normal(size=d_v)
    no_keys = np.empty((0, d_k))
    no_values = np.empty((0, d_v))
    arguments = (q, k_new, v_new, no_keys, no_values)
    yield function_case(STEP, "empty-and-above", *arguments, topic=LARGE)


def _mostly_below(rng, n, d_k, d_v):
    """Scores far below 0, and a few above it: the largest absolute value is another score than the largest."""
    heights = np.full((n, 1), -60.0)
    heights[[1, -2]] = 10
    K = _keys_of_height(rng, heights, n, d_k)
    Q = 40 + rng.normal(size=(n - 2, d_k))
    V = rng.normal(size=(n, d_v))
    q = np.full(d_k, 40.0)
    new_token = (q, K[0], V[0])
    cache = (K[1:], V[1:])
    yield function_case(STEP, "mostly-below", *new_token, *cache, topic=LARGE)
    yield function_case(BLOCKS, "mostly-below", Q, K, V, n // 2, topic=LARGE)
