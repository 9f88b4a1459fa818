"""Masked attention in plain NumPy: which keys a query may see, and what becomes of its weights.

A mask is boolean and broadcasts to the scores: True where a query may look at a key. Do not change the
arguments in place.
"""

import numpy as np


def causal_mask(n):
    """Let every token see itself and the tokens before it.

    Args:
        n: how many tokens there are.

    Returns:
        boolean array, shape (n, n): row i belongs to query i, column j to key j, True where allowed.
    """
    # TODO 1: compare the positions of queries and keys.
    # BEGIN SOLUTION
    position = np.arange(n)
    return position[:, None] >= position
    # END SOLUTION


def padding_mask(lengths, n):
    """Let every query of a sentence see the words of that sentence, and not what fills it up.

    Args:
        lengths: how many words each sentence has, whole numbers from 0 to n, shape (batch,).
        n: how many tokens each sentence has with its padding, which comes last.

    Returns:
        boolean array, shape (batch, 1, n): True where the key is a word. The 1 stands for all queries.
    """
    # TODO 2: compare the position of each key with the length of its sentence.
    # BEGIN SOLUTION
    position = np.arange(n)
    return position < np.asarray(lengths)[:, None, None]
    # END SOLUTION


def masked_softmax(scores, mask):
    """Share out each row (the last axis) among its allowed keys, also where scores are in the thousands.

    Args:
        scores: shape (..., n_q, n_k).
        mask: boolean, broadcasts to the shape of the scores; True where allowed.

    Returns:
        array of the scores' shape: 0 where not allowed; each row sums to 1, or is all 0 if nothing is allowed.
    """
    # TODO 3: subtract from each row the largest score that is allowed.
    # TODO 4: give shares to allowed keys alone.
    # TODO 5: return zeros, and no NaN, for a row in which nothing is allowed.
    # BEGIN SOLUTION
    visible = np.where(mask, scores, -np.inf)
    largest = visible.max(axis=-1, keepdims=True)
    largest = np.where(largest == -np.inf, 0, largest)
    exponentials = np.exp(visible - largest)
    total = exponentials.sum(axis=-1, keepdims=True)
    return exponentials / np.where(total == 0, 1, total)
    # END SOLUTION


def masked_attention(Q, K, V, mask):
    """Scaled dot-product attention in which the mask says who may look where.

    Args:
        Q: queries, shape (..., n_q, d_k); the dots stand for any leading axes, or none.
        K: keys, shape (..., n_k, d_k).
        V: values, shape (..., n_k, d_v).
        mask: boolean, broadcasts to (..., n_q, n_k); True where allowed.

    Returns:
        (weights, output), with shapes (..., n_q, n_k) and (..., n_q, d_v); both are 0 for a query that may
        look at nothing.
    """
    # TODO 6: score every query with every key, for any leading axes, and scale.
    # TODO 7: weigh with your masked_softmax and mix the values; return the weights first.
    # BEGIN SOLUTION
    scale = np.sqrt(K.shape[-1])
    scores = Q @ np.swapaxes(K, -1, -2) / scale
    weights = masked_softmax(scores, mask)
    return weights, weights @ V
    # END SOLUTION


def cross_attention(X_q, X_kv, W_q, W_k, W_v, mask):
    """Let the tokens of one sequence read another one.

    Args:
        X_q: the tokens that ask, shape (n_q, d_q).
        X_kv: the tokens that are read, shape (n_kv, d_kv).
        W_q: makes queries, shape (d_q, d_k).
        W_k: makes keys, shape (d_kv, d_k).
        W_v: makes values, shape (d_kv, d_v).
        mask: boolean, shape (n_q, n_kv), True where allowed.

    Returns:
        output, shape (n_q, d_v); 0 for a token that may read nothing.
    """
    # TODO 8: make queries, keys and values, each from its own sequence, and attend.
    # BEGIN SOLUTION
    Q, K, V = X_q @ W_q, X_kv @ W_k, X_kv @ W_v
    _, output = masked_attention(Q, K, V, mask)
    return output
    # END SOLUTION


# {{ answers }}
# BEGIN SOLUTION
answers = {}
answers["allowed_pairs"] = 6 * 7 // 2
answers["mask_after"] = "c"
answers["both_masks"] = "d"
answers["padding_first"] = 2
answers["all_at_once"] = (
    "Row i of the weights needs the words up to i alone, so one pass predicts the next word at every place. "
    "Without the mask each place would see the word it has to predict and copy it, which works in training "
    "only, for nobody knows that word when text is written."
)
# END SOLUTION
