"""Positions of tokens, the key-value cache, and attention block by block.

Write plain NumPy. Do not change the arguments in place.
"""

import numpy as np


def sinusoidal_positions(n, d_model):
    """Encode the positions 0 to n - 1 (Vaswani et al. 2017, section 3.5).

    Args:
        n: how many positions.
        d_model: how many columns, an even number.

    Returns:
        encodings, shape (n, d_model): sines in the even columns, cosines in the odd ones.
    """
    # TODO 1: make an angle for each position and pair of columns: the position / 10000^(2i / d_model).
    # TODO 2: column 2i takes its sine, column 2i + 1 its cosine.
    raise NotImplementedError


def apply_rope(x, positions, base=10000.0):
    """Turn the pairs of features (2i, 2i + 1) of each row by an angle (Su et al. 2021).

    Args:
        x: queries or keys, shape (n, d), d even.
        positions: the position of each row, shape (n,): any whole numbers.
        base: pair i turns by position * base^(-2i / d), counterclockwise.

    Returns:
        the rotated rows, shape (n, d).
    """
    # TODO 3: make the angles, shape (n, d / 2).
    # TODO 4: rotate each pair: (a, b) becomes (a cos - b sin, a sin + b cos).
    raise NotImplementedError


def attend_one_step(q, k_new, v_new, cache_k, cache_v):
    """Let the newest token attend to all before it and to itself, also where scores are in the thousands.

    Args:
        q, k_new: its query and its key, each (d_k,).
        v_new: its value, shape (d_v,).
        cache_k, cache_v: keys and values before it, oldest first, (n, d_k) and (n, d_v); n may be 0.

    Returns:
        (output, cache_k, cache_v), shapes (d_v,), (n + 1, d_k) and (n + 1, d_v): new arrays.
    """
    # TODO 5: append the new key and value to the caches.
    # TODO 6: attend with the one query: scaled scores, softmax less the largest score, mixed values.
    raise NotImplementedError


def blockwise_attention(Q, K, V, block_size):
    """Attend with the scores of one block of keys at a time (Milakov & Gimelshein 2018, Dao et al. 2022).

    Args:
        Q, K, V: queries (n_q, d_k), keys (n_k, d_k) and values (n_k, d_v).
        block_size: how many keys make a block; the last block may be smaller.

    Returns:
        output, shape (n_q, d_v): that of softmax(Q Kᵀ / √d_k) V, of which only a block is ever formed.
    """
    # TODO 7: keep for each query the largest score so far, the sum of exponentials, and the mixed values.
    # TODO 8: before a block is added, rescale sum and values to the new largest score.
    raise NotImplementedError


# Theory questions: the handout has them in full. Replace None with your answers.
answers = {
    # Scores with a cache: a number
    "scores_with_cache": None,
    # The scores of one block: a number (MiB)
    "memory_of_a_block": None,
    # What rotated vectors know: "a", "b", "c" or "d"
    "only_distances": None,
    # Why rescale: two or three sentences
    "why_rescale": None,
}
