"""Wrong answers to hw1 in styles that differ from the edits in misconceptions.toml."""

import numpy as np
import torch


def softmax__softmax_over_queries_copied(x):
    """loses: softmax_published, softmax_sizes, softmax_large, softmax_unchanged,
    attention_flow_published, attention_flow_sizes, attention_flow_unchanged
    """
    e = np.exp(x - np.max(x))
    return e / e.sum(axis=0)


def softmax__softmax_over_queries_without_maximum(x):
    """loses: softmax_published, softmax_sizes, softmax_large, softmax_unchanged,
    attention_flow_published, attention_flow_sizes, attention_flow_unchanged
    """
    return np.exp(x) / np.sum(np.exp(x), axis=0)


def softmax__total_not_reset_loops(x):
    """loses: softmax_published, softmax_sizes, softmax_large, softmax_unchanged,
    attention_flow_published, attention_flow_sizes, attention_flow_unchanged
    """
    out = np.zeros_like(x)
    total = 0
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            total += np.exp(x[i, j])
        for j in range(x.shape[1]):
            out[i, j] = np.exp(x[i, j]) / total
    return out


def softmax__softmax_no_exp_shifted(x):
    """loses: softmax_published, softmax_sizes, softmax_large, softmax_unchanged,
    attention_flow_published, attention_flow_sizes, attention_flow_unchanged
    """
    z = x - x.max(axis=1, keepdims=True)
    return z / z.sum(axis=1, keepdims=True)


def softmax__softmax_over_queries_builtin_sum(x):
    """loses: softmax_published, softmax_sizes, softmax_large, softmax_unchanged,
    attention_flow_published, attention_flow_sizes, attention_flow_unchanged
    """
    e = np.exp(x - np.max(x))
    return e / sum(e)


def softmax__torch_on_numpy_dim(x):
    """loses: softmax_published, softmax_sizes, softmax_large, softmax_unchanged,
    attention_flow_published, attention_flow_sizes, attention_flow_unchanged
    """
    e = np.exp(x - np.max(x, dim=-1, keepdim=True))
    return e / np.sum(e, dim=-1, keepdim=True)


def softmax__torch_on_numpy_softmax(x):
    """loses: softmax_published, softmax_sizes, softmax_large, softmax_unchanged,
    attention_flow_published, attention_flow_sizes, attention_flow_unchanged
    """
    return x.softmax(dim=-1)


def softmax__not_imported_f(x):
    """loses: softmax_published, softmax_sizes, softmax_large, softmax_unchanged,
    attention_flow_published, attention_flow_sizes, attention_flow_unchanged
    """
    return F.softmax(x, dim=-1)


def softmax__torch_on_numpy_function(x):
    """loses: softmax_published, softmax_sizes, softmax_large, softmax_unchanged,
    attention_flow_published, attention_flow_sizes, attention_flow_unchanged
    """
    return torch.softmax(x, dim=-1)


def softmax__returns_ones_stub(x):
    """loses: softmax_published, softmax_sizes, softmax_large, softmax_unchanged,
    attention_flow_published, attention_flow_sizes, attention_flow_unchanged
    """
    return np.ones_like(x)


def softmax__axis_of_one_in_front(x):
    """loses: softmax_published, attention_flow_published"""
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return (e / e.sum(axis=1, keepdims=True))[None]


def qk_scores__torch_on_numpy_transpose(Q, K):
    """loses: qk_scores_published, qk_scores_sizes, qk_scores_fresh, attention_flow_published,
    attention_flow_sizes, attention_flow_unchanged
    """
    return Q @ K.transpose(-2, -1)


def qk_scores__torch_on_numpy_transpose_with_a_batch(Q, K):
    """loses: qk_scores_published, qk_scores_sizes, qk_scores_fresh, attention_flow_published,
    attention_flow_sizes, attention_flow_unchanged
    """
    return Q @ K.transpose(1, 2)


def qk_scores__keys_counted_as_queries_loops(Q, K):
    """loses: qk_scores_sizes, qk_scores_fresh, attention_flow_sizes, attention_flow_unchanged"""
    n = Q.shape[0]
    s = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            s[i, j] = Q[i] @ K[j]
    return s


def qk_scores__missing_library_einops(Q, K):
    """loses: qk_scores_published, qk_scores_sizes, qk_scores_fresh, attention_flow_published,
    attention_flow_sizes, attention_flow_unchanged
    """
    from einops import rearrange

    return Q @ rearrange(K, "n d -> d n")


def qk_scores__missing_library_tensorflow(Q, K):
    """loses: qk_scores_published, qk_scores_sizes, qk_scores_fresh, attention_flow_published,
    attention_flow_sizes, attention_flow_unchanged
    """
    import tensorflow as tf

    return tf.matmul(Q, K, transpose_b=True).numpy()


def qk_scores__torch_on_numpy_t(Q, K):
    """loses: qk_scores_published, qk_scores_sizes, qk_scores_fresh, attention_flow_published,
    attention_flow_sizes, attention_flow_unchanged
    """
    return Q @ K.t()


def scale_scores__torch_on_numpy_size(scores, d_k):
    """loses: scale_scores_published, scale_scores_sizes, scale_scores_unchanged,
    attention_flow_published, attention_flow_sizes, attention_flow_unchanged
    """
    return scores / np.sqrt(scores.size(-1))


def attention_output__returns_ones_like_values(attention_weights, V):
    """loses: attention_output_published, attention_output_sizes, attention_output_unchanged,
    attention_flow_published, attention_flow_sizes, attention_flow_unchanged
    """
    return np.ones_like(V)


def attention_flow__causal_mask_in_the_scores(Q, K, V):
    """loses: attention_flow_published, attention_flow_sizes, attention_flow_unchanged"""
    s = qk_scores(Q, K)
    d = scale_scores(s, Q.shape[-1])
    m = np.tril(np.ones(s.shape))
    d[m == 0] = -1e9
    w = softmax(d)
    return s, d, w, attention_output(w, V)


def qk_scores__scores_not_transposed_dot(Q, K):
    """loses: qk_scores_published, qk_scores_sizes, qk_scores_fresh, attention_flow_published,
    attention_flow_sizes, attention_flow_unchanged
    """
    return np.dot(Q, K)


def attention_output__values_before_weights_at(attention_weights, V):
    """loses: attention_output_published, attention_output_sizes, attention_output_unchanged,
    attention_flow_published, attention_flow_sizes, attention_flow_unchanged
    """
    return V @ attention_weights
