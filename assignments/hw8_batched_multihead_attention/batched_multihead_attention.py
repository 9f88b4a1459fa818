"""Multi-head attention for batches (Vaswani et al. 2017, 3.2.2), also with shared keys (Ainslie et al. 2023).

B sequences of N tokens with D features each; H heads of D / H features. Tokens are rows: weights act from the
right, X @ W. Write plain NumPy. Do not change the arguments in place.
"""

import numpy as np


def split_heads(X, n_heads):
    """Divide the features of each token among the heads: head 0 gets the first D / H of them, and so on.

    Args:
        X: the tokens, shape (B, N, D).
        n_heads: H, a divisor of D.

    Returns:
        the heads, shape (B, H, N, D / H).
    """
    # TODO 1: give the features two axes, one for the heads and one within a head.
    # TODO 2: bring the heads before the tokens.
    raise NotImplementedError


def merge_heads(X):
    """Undo split_heads: put the heads of each token side by side.

    Args:
        X: the heads, shape (B, H, N, D / H).

    Returns:
        the tokens, shape (B, N, D).
    """
    # TODO 3: bring the tokens before the heads, then make one axis of the features.
    raise NotImplementedError


def attend(Q, K, V, mask=None):
    """Return what each head mixes from its values. A helper of your own: it is not graded and may go.

    Args:
        Q, K, V: queries, keys and values of all heads, each (B, H, N, D / H).
        mask: as in multihead_attention.

    Returns:
        the heads' outputs, shape (B, H, N, D / H).
    """
    # TODO 4: score each query with each key of its own head, scale, and keep what the mask allows.
    # TODO 5: turn the scores of each query into weights that sum to 1, and mix the values.
    raise NotImplementedError


def multihead_attention(X, W_q, W_k, W_v, W_o, n_heads, mask=None):
    """Attend with H heads side by side and recombine what they found.

    Args:
        X: the tokens, shape (B, N, D).
        W_q, W_k, W_v: weights of queries, keys and values of all heads, each (D, D).
        W_o: weights that recombine the merged heads, shape (D, D).
        n_heads: H, a divisor of D.
        mask: bool, of a shape that broadcasts to (B, H, N, N); True where a query (third axis) may
            attend to a key (last axis). Each query may attend to at least one key. None allows everything.

    Returns:
        output, shape (B, N, D).
    """
    # TODO 6: project the tokens and split all three into heads.
    # TODO 7: attend in each head, merge the heads, and recombine them.
    raise NotImplementedError


def grouped_query_attention(X, W_q, W_k, W_v, W_o, n_heads, n_kv_heads, mask=None):
    """Attend with H query heads, of which neighbours share the keys and values of one head.

    Args:
        X: the tokens, shape (B, N, D).
        W_q, W_o: weights as in multihead_attention, each (D, D).
        W_k, W_v: weights of keys and values, each (D, n_kv_heads * D / H).
        n_heads: H, the number of query heads.
        n_kv_heads: the number of key and value heads, a divisor of H.
        mask: as in multihead_attention.

    Returns:
        output, shape (B, N, D).
    """
    # TODO 8: split queries into n_heads, keys and values into n_kv_heads.
    # TODO 9: let query head h meet key and value head h // (n_heads / n_kv_heads).
    raise NotImplementedError


# Theory questions: the handout has them in full. Replace None with your answers.
answers = {
    # The memory that keys and values take: a number (MiB)
    "kv_cache": None,
    # Weights with shared keys: a number
    "gqa_parameters": None,
    # A mask for padding: "a", "b", "c" or "d"
    "padding_axes": None,
    # What groups do not save: "a", "b", "c" or "d"
    "what_groups_save": None,
    # Faster writing, but hardly faster training: two or three sentences
    "why_generation": None,
}
