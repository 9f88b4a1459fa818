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
    raise NotImplementedError


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
    raise NotImplementedError


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
    raise NotImplementedError


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
    raise NotImplementedError


# Theory questions: the handout has them in full. Replace None with your answers.
answers = {
    # Tokens in another order: "a", "b", "c" or "d"
    "permuted_output": None,
    # Dog bites man: "a", "b", "c" or "d"
    "word_order": None,
    # How many scores: a number
    "score_count": None,
    # A number added to all scores: a number
    "common_shift": None,
    # What makes order matter: two or three sentences
    "why_positions": None,
}
