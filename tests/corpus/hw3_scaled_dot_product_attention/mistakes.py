"""Wrong answers to hw3 in styles that differ from the edits in misconceptions.toml."""

import numpy as np, math, torch
import torch.nn.functional as F


def softmax__softmax_over_queries_copied(x):
    """loses: softmax_published, softmax_sizes, softmax_large, softmax_unchanged,
    scaled_dot_product_attention_published
    """
    e = np.exp(x - np.max(x))
    return e / e.sum(axis=0)


def softmax__total_not_reset_loops(x):
    """loses: softmax_published, softmax_sizes, softmax_large, softmax_unchanged,
    scaled_dot_product_attention_published
    """
    r = np.zeros(x.shape)
    t = 0
    for i in range(x.shape[0]):
        m = max(x[i])
        for j in range(x.shape[1]):
            t += math.exp(x[i][j] - m)
        for j in range(x.shape[1]):
            r[i][j] = math.exp(x[i][j] - m) / t
    return r


def softmax__returns_ones_of_single_scores(x):
    """loses: softmax_published, softmax_sizes, softmax_large, softmax_unchanged,
    scaled_dot_product_attention_published, scaled_dot_product_attention_weights,
    scaled_dot_product_attention_context, scaled_dot_product_attention_unchanged
    """
    r = np.zeros(x.shape)
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            r[i, j] = np.exp(x[i, j]) / np.sum(np.exp(x[i, j]))
    return r


def scaled_dot_product_attention__torch_on_numpy_transpose(Q, K, V):
    """loses: scaled_dot_product_attention_published, scaled_dot_product_attention_weights,
    scaled_dot_product_attention_context, scaled_dot_product_attention_unchanged
    """
    d_k = Q.shape[-1]
    s = np.matmul(Q, K.transpose(-2, -1)) / np.sqrt(d_k)
    w = softmax(s)
    return w, np.matmul(w, V)


def scaled_dot_product_attention__torch_on_numpy_size(Q, K, V):
    """loses: scaled_dot_product_attention_published, scaled_dot_product_attention_weights,
    scaled_dot_product_attention_context, scaled_dot_product_attention_unchanged
    """
    d_k = Q.size(-1)
    s = torch.matmul(Q, K.transpose(-2, -1)) / math.sqrt(d_k)
    w = F.softmax(s, dim=-1)
    return w, torch.matmul(w, V)


def scaled_dot_product_attention__no_softmax_at_all(Q, K, V):
    """loses: scaled_dot_product_attention_published, scaled_dot_product_attention_weights"""
    s = Q @ K.T / np.sqrt(Q.shape[1])
    return s, s @ V


def scaled_dot_product_attention__mask_as_index_of_queries(Q, K, V, mask=None):
    """loses: scaled_dot_product_attention_published, scaled_dot_product_attention_weights,
    scaled_dot_product_attention_context, scaled_dot_product_attention_unchanged
    """
    s = Q @ K.T / np.sqrt(Q.shape[1])
    mask = np.tril(np.ones((Q.shape[0], Q.shape[0])))
    s[mask == 0] = -1e9
    w = softmax(s)
    return w, w @ V


def scaled_dot_product_attention__mask_as_index_with_a_batch(Q, K, V):
    """loses: scaled_dot_product_attention_published, scaled_dot_product_attention_weights,
    scaled_dot_product_attention_context, scaled_dot_product_attention_unchanged
    """
    s = Q @ K.T / np.sqrt(K.shape[1])
    mask = np.triu(np.ones((1, s.shape[0], s.shape[1])), k=1).astype(bool)
    s[mask] = -1e9
    w = softmax(s)
    return w, w @ V


def scaled_dot_product_attention__only_last_term_of_scores(Q, K, V):
    """loses: scaled_dot_product_attention_published, scaled_dot_product_attention_weights"""
    n, d = Q.shape
    m = K.shape[0]
    s = np.zeros((n, m))
    for i in range(n):
        for j in range(m):
            for k in range(d):
                s[i, j] = Q[i, k] * K[j, k]
    w = softmax(s / np.sqrt(d))
    return w, w @ V


def scaled_dot_product_attention__only_last_term_of_outputs(Q, K, V):
    """loses: scaled_dot_product_attention_published, scaled_dot_product_attention_context,
    scaled_dot_product_attention_unchanged
    """
    n, d = Q.shape
    m = K.shape[0]
    w = softmax(Q @ K.T / np.sqrt(d))
    out = np.zeros((n, V.shape[1]))
    for i in range(n):
        for j in range(m):
            out[i] = w[i, j] * V[j]
    return w, out


def scaled_dot_product_attention__loop_indices_mixed_key(Q, K, V):
    """loses: scaled_dot_product_attention_published, scaled_dot_product_attention_weights,
    scaled_dot_product_attention_context, scaled_dot_product_attention_unchanged
    """
    score = np.zeros((len(Q), len(K)))
    for i in range(len(Q)):
        for j in range(len(K)):
            score[i, j] = Q[i] @ K[i]
    w = softmax(score / Q.shape[1] ** 0.5)
    return w, w @ V


def scaled_dot_product_attention__returns_ones_twice(Q, K, V):
    """loses: scaled_dot_product_attention_published, scaled_dot_product_attention_weights,
    scaled_dot_product_attention_context, scaled_dot_product_attention_unchanged
    """
    return np.ones((Q.shape[0], K.shape[0])), np.ones((Q.shape[0], V.shape[1]))


def scaled_dot_product_attention__axis_of_one_for_a_batch(Q, K, V):
    """loses: scaled_dot_product_attention_published"""
    s = Q[None] @ K.T[None] / np.sqrt(K.shape[1])
    w = softmax(s)
    return w, w @ V[None]


def scaled_dot_product_attention__values_before_weights_at(Q, K, V):
    """loses: scaled_dot_product_attention_published, scaled_dot_product_attention_weights,
    scaled_dot_product_attention_context, scaled_dot_product_attention_unchanged
    """
    w = softmax(Q @ K.T / np.sqrt(Q.shape[1]))
    return w, V @ w
