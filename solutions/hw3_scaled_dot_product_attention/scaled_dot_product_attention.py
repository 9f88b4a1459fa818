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
    # BEGIN SOLUTION
    largest = x.max(axis=-1, keepdims=True)
    exponentials = np.exp(x - largest)
    total = exponentials.sum(axis=-1, keepdims=True)
    return exponentials / total
    # END SOLUTION


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
    # BEGIN SOLUTION
    scale = np.sqrt(K.shape[-1])
    scores = Q @ K.T / scale
    attention_weights = softmax(scores)
    return attention_weights, attention_weights @ V
    # END SOLUTION


# {{ answers }}
# BEGIN SOLUTION
answers = {}
answers["dot_product_variance"] = 64
answers["softmax_gradients"] = "c"
answers["weights_entries"] = 3 * 5
answers["context_shape"] = "b"
answers["why_the_root"] = (
    "The standard deviation of a dot product grows like the root of d_k, and the division brings it back to "
    "1. Divided by d_k the scores get ever closer to 0, and the weights become nearly equal."
)
# END SOLUTION
