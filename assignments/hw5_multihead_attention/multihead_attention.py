"""Multi-head self-attention, one token per column (Prince, "Understanding Deep Learning", section 12.3.3).

Two heads look at the same D x N tokens. Each has its own weights omega (H_D, D) and biases beta (H_D, 1),
with head dimension H_D = D / 2. Write plain NumPy. Do not change the arguments in place.
"""

import numpy as np


def softmax_cols(data_in):
    """Turn each column into weights, also where its entries are in the thousands.

    Args:
        data_in: scores, shape (rows, columns), perhaps whole numbers.

    Returns:
        weights, same shape: non-negative, each column sums to 1.
    """
    # TODO 1: subtract each column's maximum, so that no exponential overflows.
    # TODO 2: exponentiate, then divide each column by its sum.
    raise NotImplementedError


def attention_head(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
    """Return the outputs of one head. A helper of your own: it is not graded and may go.

    Args:
        X: the tokens, one per column, shape (D, N).
        omega_v, omega_q, omega_k: the head's weights of values, queries and keys, each (H_D, D).
        beta_v, beta_q, beta_k: the head's biases of values, queries and keys, each (H_D, 1).

    Returns:
        the head's output, shape (H_D, N); column n belongs to token n.
    """
    # TODO 3: compute the head's queries, keys and values, one per column.
    # TODO 4: let column n of the scores hold the dot products of query n with every key; scale them.
    # TODO 5: turn the columns into weights and combine them with the values.
    raise NotImplementedError


def multihead_scaled_self_attention(
    X,
    omega_v1,
    omega_q1,
    omega_k1,
    beta_v1,
    beta_q1,
    beta_k1,
    omega_v2,
    omega_q2,
    omega_k2,
    beta_v2,
    beta_q2,
    beta_k2,
    omega_c,
):
    """Return the recombined outputs of both heads.

    Args:
        X: the tokens, one per column, shape (D, N), perhaps whole numbers.
        omega_v1, omega_q1, omega_k1: weights of head 1, each (H_D, D).
        beta_v1, beta_q1, beta_k1: biases of head 1, each (H_D, 1).
        omega_v2, omega_q2, omega_k2: weights of head 2, each (H_D, D).
        beta_v2, beta_q2, beta_k2: biases of head 2, each (H_D, 1).
        omega_c: weights that recombine the stacked heads, shape (D, D).

    Returns:
        output, shape (D, N); column n belongs to token n.
    """
    # TODO 6: compute both heads, head 1 with the parameters ending in 1, head 2 with those ending in 2.
    # TODO 7: put head 1 on top of head 2, shape (D, N), and apply omega_c from the left.
    raise NotImplementedError
