"""Attention, step by step: from queries, keys and values to the output.

Q holds one query per row, K one key per row, V one value per row; key j and value j belong together.
Write plain NumPy. Do not change the arguments in place.
"""

import numpy as np


def qk_scores(Q, K):
    """Return the dot product of every query with every key.

    Args:
        Q: queries, shape (n_q, d_k), perhaps whole numbers.
        K: keys, shape (n_k, d_k), perhaps whole numbers.

    Returns:
        scores, shape (n_q, n_k); row i belongs to query i.
    """
    # TODO 1: multiply so that entry (i, j) is the dot product of query i and key j.
    raise NotImplementedError


def scale_scores(scores, d_k):
    """Return the scores divided so that their spread does not grow with the key dimension.

    Args:
        scores: shape (n_q, n_k), perhaps whole numbers.
        d_k: the dimension of the keys, a positive integer.

    Returns:
        scaled scores, shape (n_q, n_k), in a new array.
    """
    # TODO 2: divide by the square root of the key dimension.
    raise NotImplementedError


def softmax(x):
    """Turn each row into a probability distribution, also where its entries are in the thousands.

    Args:
        x: scores, shape (n_q, n_k), perhaps whole numbers.

    Returns:
        attention weights, shape (n_q, n_k): non-negative, each row sums to 1.
    """
    # TODO 3: subtract each row's maximum, so that no exponential overflows.
    # TODO 4: exponentiate, then divide by each row's sum.
    raise NotImplementedError


def attention_output(attention_weights, V):
    """Return, for each query, the sum of all values weighted by its attention weights.

    Args:
        attention_weights: shape (n_q, n_k).
        V: values, shape (n_k, d_v), perhaps whole numbers.

    Returns:
        output, shape (n_q, d_v).
    """
    # TODO 5: combine weights and values in one matrix product.
    raise NotImplementedError


def attention_flow(Q, K, V):
    """Run the four steps in a row and return the result of each.

    Args:
        Q: queries, shape (n_q, d_k), perhaps whole numbers.
        K: keys, shape (n_k, d_k), perhaps whole numbers.
        V: values, shape (n_k, d_v), perhaps whole numbers.

    Returns:
        (scores, scaled scores, attention weights, output), with shapes
        (n_q, n_k), (n_q, n_k), (n_q, n_k) and (n_q, d_v).
    """
    # TODO 6: call the functions above; take d_k from the shape of K.
    raise NotImplementedError
