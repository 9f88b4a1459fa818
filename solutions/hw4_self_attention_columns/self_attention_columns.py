"""Self-attention with one token per column, as in Prince, "Understanding Deep Learning", section 12.2.

A token is a column of D numbers. A weight matrix omega (D, D) and a bias beta (D, 1) turn it into its
query, key or value: omega @ x + beta. Write plain NumPy. Do not change the arguments in place.
"""

import numpy as np


def softmax(items):
    """Turn the scores of one query into weights, also where the scores are in the thousands.

    Args:
        items: scores, a list of N numbers or an array of shape (N,), perhaps whole numbers.

    Returns:
        weights, shape (N,): non-negative, their sum is 1.
    """
    # TODO 1: subtract the largest score, so that no exponential overflows.
    # TODO 2: exponentiate, then divide by the sum.
    # BEGIN SOLUTION
    scores = np.asarray(items, dtype=float)
    exponentials = np.exp(scores - scores.max())
    return exponentials / exponentials.sum()
    # END SOLUTION


def self_attention_per_token(all_x, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
    """Return the output of every token, computed one token at a time.

    Args:
        all_x: the tokens, a list of N arrays of shape (D, 1), perhaps whole numbers.
        omega_v, omega_q, omega_k: weights of values, queries and keys, each (D, D).
        beta_v, beta_q, beta_k: biases of values, queries and keys, each (D, 1).

    Returns:
        a list of N arrays of shape (D, 1), in the order of the tokens.
    """
    # TODO 3: compute the value, the query and the key of each token.
    # TODO 4: for each query, take its dot product with every key (`.item()` makes a (1, 1) array a number).
    # TODO 5: turn these N scores into weights and add up the values, each times its weight.
    # BEGIN SOLUTION
    values = [omega_v @ x + beta_v for x in all_x]
    keys = [omega_k @ x + beta_k for x in all_x]
    all_x_prime = []
    for x in all_x:
        query = omega_q @ x + beta_q
        weights = softmax([(key.T @ query).item() for key in keys])
        all_x_prime.append(sum(weight * value for weight, value in zip(weights, values, strict=True)))
    return all_x_prime
    # END SOLUTION


def self_attention(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
    """Return the outputs of all tokens in matrix form; the scores are not scaled.

    Args:
        X: the tokens, one per column, shape (D, N), perhaps whole numbers.
        omega_v, omega_q, omega_k: weights of values, queries and keys, each (D, D).
        beta_v, beta_q, beta_k: biases of values, queries and keys, each (D, 1).

    Returns:
        output, shape (D, N); column n belongs to token n.
    """
    # TODO 6: compute all queries, keys and values at once, one per column.
    # TODO 7: compute all scores in one product and apply softmax to the N scores of each query.
    # TODO 8: combine values and weights in one product, so that column n is the output of token n.
    # BEGIN SOLUTION
    V = omega_v @ X + beta_v
    Q = omega_q @ X + beta_q
    K = omega_k @ X + beta_k
    scores = K.T @ Q
    weights = np.apply_along_axis(softmax, 0, scores)
    return V @ weights
    # END SOLUTION


def scaled_dot_product_self_attention(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
    """Return the outputs of all tokens in matrix form, with scaled scores (section 12.3.2).

    Args:
        X: the tokens, one per column, shape (D, N), perhaps whole numbers.
        omega_v, omega_q, omega_k: weights of values, queries and keys, each (D, D).
        beta_v, beta_q, beta_k: biases of values, queries and keys, each (D, 1).

    Returns:
        output, shape (D, N); column n belongs to token n.
    """
    # TODO 9: as above, but divide the scores by the square root of the number of rows of the queries.
    # BEGIN SOLUTION
    V = omega_v @ X + beta_v
    Q = omega_q @ X + beta_q
    K = omega_k @ X + beta_k
    scale = np.sqrt(Q.shape[0])
    scores = K.T @ Q / scale
    weights = np.apply_along_axis(softmax, 0, scores)
    return V @ weights
    # END SOLUTION


# {{ answers }}
# BEGIN SOLUTION
answers = {}
answers["permuted_output"] = "a"
answers["word_order"] = "d"
answers["score_count"] = 7 * 7
answers["common_shift"] = 0
answers["why_positions"] = (
    "Every token has the same weights, and each output is a sum over all tokens, which has no order. "
    "A transformer adds position information to the vectors of the tokens."
)
# END SOLUTION
