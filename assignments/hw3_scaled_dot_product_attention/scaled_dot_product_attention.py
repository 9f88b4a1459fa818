"""Scaled dot-product attention, the core of every transformer, in plain NumPy.

Q holds one query per row, K one key per row, V one value per row; key j and value j belong together.
Do not change the arguments in place.
"""

import numpy as np


def softmax(x):
    """Turn each row into a probability distribution, also where its entries are in the thousands.

    Args:
        x: scores, shape (n_q, n_k).

    Returns:
        array of the same shape: non-negative, each row (the last axis) sums to 1.
    """
    # TODO 1: subtract each row's maximum, so that no exponential overflows.
    # TODO 2: exponentiate, then divide by each row's sum.
    raise NotImplementedError


def scaled_dot_product_attention(Q, K, V):
    """Return the attention weights of all queries and the context vector of each.

    Args:
        Q: queries, shape (n_q, d_k).
        K: keys, shape (n_k, d_k).
        V: values, shape (n_k, d_v).

    Returns:
        (attention_weights, context_vector), with shapes (n_q, n_k) and (n_q, d_v).
    """
    # TODO 3: score every query with every key.
    # TODO 4: divide the scores by the square root of d_k, the dimension of the keys.
    # TODO 5: turn each row of scaled scores into weights with your softmax.
    # TODO 6: mix the values with the weights; return the weights first.
    raise NotImplementedError


# Theory questions: the handout has them in full. Replace None with your answers.
answers = {
    # The variance of a dot product: a number
    "dot_product_variance": None,
    # Scores that are not scaled: "a", "b", "c" or "d"
    "softmax_gradients": None,
    # How many attention weights: a number
    "weights_entries": None,
    # The shape of the context vectors: "a", "b", "c" or "d"
    "context_shape": None,
    # Why the root: two or three sentences
    "why_the_root": None,
}
