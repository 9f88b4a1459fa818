"""Self-attention twice: with NumPy, every step by hand, and with PyTorch, ready for training.

X holds one token per row. The same tokens ask the queries, offer the keys and carry the values: three
weight matrices make Q, K and V from X. Do not change the arguments in place.
"""

import math

import numpy as np
import torch
import torch.nn.functional as F


def project_qkv(X, W_q, W_k, W_v):
    """Return the queries, keys and values of all tokens.

    Args:
        X: NumPy array of token embeddings, shape (N, d_model), one token per row.
        W_q: query weights, shape (d_model, d_k).
        W_k: key weights, shape (d_model, d_k).
        W_v: value weights, shape (d_model, d_v).

    Returns:
        (Q, K, V), with shapes (N, d_k), (N, d_k) and (N, d_v).
    """
    # TODO 1: multiply the input by each of the three weight matrices.
    # BEGIN SOLUTION
    Q = X @ W_q
    K = X @ W_k
    V = X @ W_v
    return Q, K, V
    # END SOLUTION


def self_attention_numpy(X, W_q, W_k, W_v):
    """Return the attention weights and the output of scaled dot-product self-attention.

    Args:
        X, W_q, W_k, W_v: NumPy arrays as for `project_qkv`.

    Returns:
        (attention weights, output): shape (N, N), where row i says how much token i attends to each
        token and sums to 1; and shape (N, d_v).
    """
    # TODO 2: project X to Q, K and V.
    # TODO 3: score every query with every key; divide by the square root of d_k, the keys' dimension.
    # TODO 4: softmax each row; subtract the row's maximum first, so that no exponential overflows.
    # TODO 5: mix the values with the weights.
    # BEGIN SOLUTION
    Q, K, V = project_qkv(X, W_q, W_k, W_v)
    scale = np.sqrt(K.shape[-1])
    scores = Q @ K.T / scale
    largest = scores.max(axis=-1, keepdims=True)
    exponentials = np.exp(scores - largest)
    total = exponentials.sum(axis=-1, keepdims=True)
    attention_weights = exponentials / total
    return attention_weights, attention_weights @ V
    # END SOLUTION


def self_attention_torch(X, W_q, W_k, W_v):
    """Return the output of scaled dot-product self-attention as a tensor that gradients flow through.

    Args:
        X, W_q, W_k, W_v: torch tensors of the shapes given for `project_qkv`; the weights are trainable.

    Returns:
        output, shape (N, d_v), connected to W_q, W_k and W_v for `backward()`.
    """
    # TODO 6: repeat the steps with torch; `F.softmax` is stable as it is.
    # TODO 7: stay in torch from input to output: no `.detach()`, `.numpy()` or `torch.tensor(...)` between.
    # BEGIN SOLUTION
    Q = X @ W_q
    K = X @ W_k
    V = X @ W_v
    scale = math.sqrt(K.shape[-1])
    scores = torch.matmul(Q, K.T) / scale
    attention_weights = F.softmax(scores, dim=-1)
    return attention_weights @ V
    # END SOLUTION
