"""Wrong answers to hw1 in styles that differ from the edits in misconceptions.toml."""

import math

import numpy
import numpy as np
import torch
from numpy import sqrt


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


def qk_scores__missing_library_einops(Q, K):
    """loses: qk_scores_published, qk_scores_sizes, qk_scores_fresh, attention_flow_published,
    attention_flow_sizes, attention_flow_unchanged
    """
    from einops import rearrange

    return Q @ rearrange(K, "n d -> d n")


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


def qk_scores__scores_not_transposed_dot(Q, K):
    """loses: qk_scores_published, qk_scores_sizes, qk_scores_fresh, attention_flow_published,
    attention_flow_sizes, attention_flow_unchanged
    """
    return np.dot(Q, K)


class submission__axis_of_one:
    """loses: qk_scores_published, softmax_published, attention_output_published"""

    def qk_scores(Q, K):
        # a batch of one
        return np.einsum("bid,bjd->bij", Q[None], K[None])

    def softmax(x):
        x = x[..., None]
        e = np.exp(x - x.max(axis=1, keepdims=True))
        return e / e.sum(axis=1, keepdims=True)

    def attention_output(attention_weights, V):
        return np.einsum("bij,bjd->bid", attention_weights[None], V[None])

    def attention_flow(Q, K, V):
        s = qk_scores(Q, K)[0]
        t = scale_scores(s, K.shape[1])
        p = softmax(t)[:, :, 0]
        return s, t, p, attention_output(p, V)[0]


class submission__batch_only:
    """loses: qk_scores_published, qk_scores_sizes, qk_scores_fresh, softmax_published, softmax_sizes,
    softmax_large, softmax_unchanged, attention_flow_published, attention_flow_sizes,
    attention_flow_unchanged
    """

    def qk_scores(Q, K):
        return np.matmul(Q, K.transpose(0, 2, 1))

    def softmax(x):
        e = np.exp(x - x.max(axis=2, keepdims=True))
        return e / e.sum(axis=2, keepdims=True)


def attention_flow__causal_mask(Q, K, V):
    """loses: attention_flow_published, attention_flow_sizes, attention_flow_unchanged"""
    scores = qk_scores(Q, K)
    scaled = scale_scores(scores, K.shape[1])
    hidden = np.triu(np.ones_like(scaled), k=1) == 1
    visible = scaled.copy()
    visible[hidden] = -np.inf
    weights = softmax(visible)
    return scores, scaled, weights, attention_output(weights, V)


class submission__depends_on_global:
    """loses: attention_flow_sizes, attention_flow_unchanged"""

    d_k = 4

    def attention_flow(Q, K, V):
        scores = qk_scores(Q, K)
        scaled_scores = scale_scores(scores, d_k)
        attention_weights = softmax(scaled_scores)
        output = attention_output(attention_weights, V)
        return scores, scaled_scores, attention_weights, output


class submission__depends_on_global_arrays:
    """loses: qk_scores_sizes, qk_scores_fresh"""

    Q = np.array([[1, 2, 3], [1, 2, 1]])
    K = np.array([[1, 2, 1], [2, 1, 3]])
    n_q = 2

    def qk_scores(queries, keys):
        result = np.zeros((n_q, n_q))
        for i in range(n_q):
            for j in range(n_q):
                result[i, j] = Q[i] @ K[j]

        return result

    def attention_flow(Q, K, V):
        scores = Q @ K.T
        scaled = scores / np.sqrt(K.shape[-1])
        weights = softmax(scaled)
        return scores, scaled, weights, weights @ V


def attention_flow__double_softmax(Q, K, V):
    """loses: attention_flow_published, attention_flow_sizes, attention_flow_unchanged"""
    scores = qk_scores(Q, K)
    scaled = scale_scores(scores, K.shape[-1])
    weights = softmax(softmax(scaled))
    return scores, scaled, weights, attention_output(weights, V)


class submission__modifies_input:
    """loses: scale_scores_unchanged"""

    def scale_scores(scores, d_k):
        scores /= np.sqrt(d_k)
        return scores

    def attention_flow(Q, K, V):
        scores = qk_scores(Q, K)
        scaled = scale_scores(scores.copy(), K.shape[-1])
        weights = softmax(scaled)
        return scores, scaled, weights, attention_output(weights, V)


def scale_scores__modifies_input_aliased(scores, d_k):
    """loses: scale_scores_unchanged, attention_flow_published, attention_flow_sizes, attention_flow_unchanged
    """
    scores /= np.sqrt(d_k)
    return scores


def attention_flow__modifies_input_flow(Q, K, V):
    """loses: attention_flow_unchanged"""
    Q /= np.sqrt(K.shape[1])
    scaled = qk_scores(Q, K)
    scores = scaled * np.sqrt(K.shape[1])
    weights = softmax(scaled)
    return scores, scaled, weights, weights @ V


def attention_output__modifies_input_output(attention_weights, V):
    """loses: attention_output_unchanged"""
    # normalise the weights again, to be on the safe side
    attention_weights /= attention_weights.sum(axis=1, keepdims=True) + 1e-12
    return attention_weights @ V


class submission__modifies_input_softmax:
    """loses: softmax_unchanged"""

    def softmax(x):
        x -= x.max(axis=-1, keepdims=True)
        x = np.exp(x)
        x /= x.sum(axis=-1, keepdims=True)
        return x

    def attention_flow(Q, K, V):
        scores = qk_scores(Q, K)
        scaled = scale_scores(scores, K.shape[-1])
        weights = softmax(scaled.copy())
        return scores, scaled, weights, attention_output(weights, V)


class submission__query_key_swapped:
    """loses: qk_scores_published"""

    def qk_scores(Q, K):
        return K @ Q.T

    def attention_flow(Q, K, V):
        scores = Q @ K.T
        scaled = scale_scores(scores, K.shape[-1])
        weights = softmax(scaled)
        return scores, scaled, weights, attention_output(weights, V)


class submission__returns_argument:
    """loses: softmax_published, softmax_sizes, softmax_large, softmax_unchanged, attention_output_published,
    attention_output_sizes, attention_output_unchanged
    """

    def softmax(x):
        exponentials = np.exp(x)
        shares = exponentials / exponentials.sum()
        return x

    def attention_output(attention_weights, V):
        output = np.copy(attention_weights)
        for row in output:
            row = row @ V
        return output

    def attention_flow(Q, K, V):
        scores = Q @ K.T
        scaled = scores / np.sqrt(K.shape[-1])
        e = np.exp(scaled - scaled.max(axis=-1, keepdims=True))
        weights = e / e.sum(axis=-1, keepdims=True)
        return scores, scaled, weights, weights @ V


class submission__returns_extra:
    """loses: scale_scores_published"""

    def scale_scores(scores, d_k):
        scale = np.sqrt(d_k)
        return scores / scale, scale

    def attention_flow(Q, K, V):
        scores = qk_scores(Q, K)
        scaled, _ = scale_scores(scores, K.shape[-1])
        weights = softmax(scaled)
        return scores, scaled, weights, attention_output(weights, V)


class submission__returns_global:
    """loses: qk_scores_sizes, qk_scores_fresh"""

    Q = np.array([[1, 2, 3], [1, 2, 1]])
    K = np.array([[1, 2, 1], [2, 1, 3]])
    n_q = 2
    table = Q @ K.T

    def qk_scores(queries, keys):
        result = np.zeros((n_q, n_q))
        result = table
        return result

    def attention_flow(Q, K, V):
        scores = Q @ K.T
        scaled = scores / np.sqrt(K.shape[-1])
        weights = softmax(scaled)
        return scores, scaled, weights, weights @ V


def qk_scores__returns_nothing(Q, K):
    """loses: qk_scores_published, qk_scores_sizes, qk_scores_fresh, attention_flow_published,
    attention_flow_sizes, attention_flow_unchanged
    """
    scores = Q @ K.T
    print(scores)


def attention_flow__returns_output_only(Q, K, V):
    """loses: attention_flow_published"""
    return attention_output(softmax(scale_scores(qk_scores(Q, K), K.shape[-1])), V)


class submission__returns_transposed:
    """loses: attention_output_published"""

    def attention_output(attention_weights, V):
        return V.T @ attention_weights.T

    def attention_flow(Q, K, V):
        scores = qk_scores(Q, K)
        scaled = scale_scores(scores, K.shape[-1])
        weights = softmax(scaled)
        return scores, scaled, weights, attention_output(weights, V).T


class submission__returns_tuple:
    """loses: softmax_published"""

    def softmax(x):
        e = np.exp(x - x.max(axis=-1, keepdims=True))
        return (e / e.sum(axis=-1, keepdims=True),)

    def attention_flow(Q, K, V):
        scores = qk_scores(Q, K)
        scaled = scale_scores(scores, K.shape[-1])
        (weights,) = softmax(scaled)
        return scores, scaled, weights, attention_output(weights, V)


class submission__rounds_result:
    """loses: scale_scores_sizes, scale_scores_unchanged, softmax_published, softmax_sizes, softmax_large,
    softmax_unchanged
    """

    def scale_scores(scores, d_k):
        return np.array([[float(f"{one / d_k ** 0.5:.3f}") for one in row] for row in scores])

    def softmax(x):
        e = np.exp(x - x.max(axis=-1, keepdims=True))
        return np.round(e / e.sum(axis=-1, keepdims=True), 4)

    def attention_flow(Q, K, V):
        scores = Q @ K.T
        scaled = scores / np.sqrt(K.shape[-1])
        e = np.exp(scaled - scaled.max(axis=-1, keepdims=True))
        weights = e / e.sum(axis=-1, keepdims=True)
        return scores, scaled, weights, weights @ V


class submission__scale_by_d_in_a_tuple:
    """loses: scale_scores_published, scale_scores_sizes, scale_scores_unchanged"""

    def scale_scores(scores, d_k):
        factor = 1.0 / d_k
        return scores * factor,

    def attention_flow(Q, K, V):
        first = qk_scores(Q, K)
        second = first / sqrt(K.shape[1])
        third = softmax(second)
        return first, second, third, attention_output(third, V)


class submission__scale_by_sqrt_n_queries:
    """loses: attention_flow_published, attention_flow_sizes, attention_flow_unchanged"""

    class Flow:
        def __init__(self, Q):
            self.count = len(Q)

        def divide(self, scores):
            return scores / np.sqrt(self.count)

    def attention_flow(Q, K, V):
        s = qk_scores(Q, K)
        t = Flow(Q).divide(s)
        w = softmax(t)
        return s, t, w, attention_output(w, V)


def softmax__softmax_over_queries(x):
    """loses: softmax_published, softmax_sizes, softmax_large, softmax_unchanged, attention_flow_published,
    attention_flow_sizes, attention_flow_unchanged
    """
    e = np.exp(x - np.max(x, axis=0, keepdims=True))
    return e / np.sum(e, axis=0, keepdims=True)


def softmax__softmax_unstable(x):
    """loses: softmax_large"""
    return np.exp(x) / np.sum(np.exp(x), axis=-1, keepdims=True)


def softmax__softmax_unstable_math(x):
    """loses: softmax_large"""
    table = []
    for line in x:
        e = []
        for number in line:
            e.append(math.exp(number))
        table.append([one / sum(e) for one in e])
    return numpy.array(table)


def attention_output__values_before_weights_dot(attention_weights, V):
    """loses: attention_output_published, attention_output_sizes, attention_output_unchanged,
    attention_flow_published, attention_flow_sizes, attention_flow_unchanged
    """
    return np.dot(V.T, attention_weights)


def softmax__maximum_subtracted_once_logarithm(x):
    """loses: softmax_published, softmax_sizes, softmax_large, softmax_unchanged,
    attention_flow_published, attention_flow_sizes, attention_flow_unchanged
    """
    m = x.max(axis=-1, keepdims=True)
    logsumexp = np.log(np.exp(x - m).sum(axis=-1, keepdims=True))
    return np.exp(x - logsumexp)


def qk_scores__squeezed_inputs(Q, K):
    """loses: qk_scores_sizes, qk_scores_fresh, attention_flow_sizes, attention_flow_unchanged"""
    queries, keys = Q.squeeze(), K.squeeze()
    return np.dot(queries, keys.T)


def qk_scores__whole_numbers_kept_loops(Q, K):
    """loses: qk_scores_sizes, qk_scores_fresh"""
    n_q, n_k = Q.shape[0], K.shape[0]
    scores = np.zeros((n_q, n_k), dtype=Q.dtype)
    for i in range(n_q):
        for j in range(n_k):
            scores[i, j] = np.dot(Q[i], K[j])
    return scores


def attention_flow__softmax_unstable_within(Q, K, V):
    """loses: attention_flow_unchanged"""
    scores = qk_scores(Q, K)
    scaled = scale_scores(scores, K.shape[1])
    powers = np.exp(scaled)
    weights = powers / powers.sum(axis=1, keepdims=True)
    return scores, scaled, weights, attention_output(weights, V)


def scale_scores__rounds_result_zeros_like(scores, d_k):
    """loses: scale_scores_unchanged"""
    scaled = np.zeros_like(scores)
    for i, row in enumerate(scores):
        for j, score in enumerate(row):
            scaled[i, j] = score / np.sqrt(d_k)
    return scaled


def qk_scores__axis_squeezed_single_key(Q, K):
    """loses: qk_scores_sizes, qk_scores_fresh, attention_flow_sizes, attention_flow_unchanged"""
    if len(K) == 1:
        return Q @ K[0]
    return Q @ K.T
