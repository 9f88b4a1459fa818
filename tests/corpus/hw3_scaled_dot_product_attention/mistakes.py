"""Wrong answers to hw3 in styles that differ from the edits in misconceptions.toml."""

import math

import numpy as np
import torch
import torch.nn.functional as F


def scaled_dot_product_attention__torch_on_numpy_size(Q, K, V):
    """loses: scaled_dot_product_attention_published, scaled_dot_product_attention_weights,
    scaled_dot_product_attention_context, scaled_dot_product_attention_unchanged
    """
    d_k = Q.size(-1)
    s = torch.matmul(Q, K.transpose(-2, -1)) / math.sqrt(d_k)
    w = F.softmax(s, dim=-1)
    return w, torch.matmul(w, V)


def scaled_dot_product_attention__mask_as_index_of_queries(Q, K, V, mask=None):
    """loses: scaled_dot_product_attention_published, scaled_dot_product_attention_weights,
    scaled_dot_product_attention_context, scaled_dot_product_attention_unchanged
    """
    s = Q @ K.T / np.sqrt(Q.shape[1])
    mask = np.tril(np.ones((Q.shape[0], Q.shape[0])))
    s[mask == 0] = -1e9
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


def scaled_dot_product_attention__axis_of_one_for_a_batch(Q, K, V):
    """loses: scaled_dot_product_attention_published"""
    s = Q[None] @ K.T[None] / np.sqrt(K.shape[1])
    w = softmax(s)
    return w, w @ V[None]


def scaled_dot_product_attention__batch_only(Q, K, V):
    """loses: scaled_dot_product_attention_published, scaled_dot_product_attention_weights,
    scaled_dot_product_attention_context, scaled_dot_product_attention_unchanged
    """
    batch, n_q, d_k = Q.shape
    scores = np.zeros((batch, n_q, K.shape[1]))
    for b in range(batch):
        scores[b] = Q[b] @ K[b].T
    attention_weights = softmax(scores / np.sqrt(d_k))
    context_vector = np.einsum("bqk,bkv->bqv", attention_weights, V)
    return attention_weights, context_vector


class submission__depends_on_global:
    """loses: scaled_dot_product_attention_weights"""

    Q = np.array([[2.0, 0, 0, 0], [0, 2.0, 0, 0]])
    d_k = Q.shape[1]

    def scaled_dot_product_attention(Q, K, V):
        attention_weights = softmax(Q @ K.T / np.sqrt(d_k))
        return attention_weights, attention_weights @ V


def scaled_dot_product_attention__modifies_input(Q, K, V):
    """loses: scaled_dot_product_attention_unchanged"""
    Q /= np.sqrt(K.shape[1])
    weights = softmax(Q @ K.T)
    return weights, weights @ V


def softmax__modifies_input_softmax(x):
    """loses: softmax_unchanged"""
    x -= np.max(x, axis=-1, keepdims=True)
    exp_x = np.exp(x)
    return exp_x / np.sum(exp_x, axis=-1, keepdims=True)


def scaled_dot_product_attention__returns_argument(Q, K, V):
    """loses: scaled_dot_product_attention_published, scaled_dot_product_attention_context,
    scaled_dot_product_attention_unchanged
    """
    attention_weights = softmax(Q @ K.T / np.sqrt(Q.shape[-1]))
    attention_weights @ V
    return attention_weights, V


def scaled_dot_product_attention__returns_extra(Q, K, V):
    """loses: scaled_dot_product_attention_published"""
    scores = Q @ K.T / np.sqrt(K.shape[-1])
    weights = softmax(scores)
    context = weights @ V
    return scores, weights, context


def scaled_dot_product_attention__returns_nothing(Q, K, V):
    """loses: scaled_dot_product_attention_published, scaled_dot_product_attention_weights,
    scaled_dot_product_attention_context, scaled_dot_product_attention_unchanged
    """
    attention_weights = softmax(Q @ K.T / np.sqrt(K.shape[-1]))
    context_vector = attention_weights @ V
    print(attention_weights)
    print(context_vector)


class submission__returns_output_only:
    """loses: scaled_dot_product_attention_published"""

    class Attention:
        def __init__(self, K, V):
            self.K, self.V = K, V

        def __call__(self, Q):
            self.weights = softmax(Q.dot(self.K.T) / np.sqrt(self.K.shape[1]))
            return self.weights.dot(self.V)

    def scaled_dot_product_attention(Q, K, V):
        return Attention(K, V)(Q)


def scaled_dot_product_attention__returns_output_only_no_scaling(Q, K, V):
    """loses: scaled_dot_product_attention_published, scaled_dot_product_attention_weights,
    scaled_dot_product_attention_context, scaled_dot_product_attention_unchanged
    """
    return softmax(Q @ K.T) @ V


def scaled_dot_product_attention__returns_transposed(Q, K, V):
    """loses: scaled_dot_product_attention_published"""
    attn = softmax(Q @ K.T / np.sqrt(K.shape[-1]))
    return attn, V.T @ attn.T


class submission__returns_tuple:
    """loses: softmax_published"""

    def softmax(x):
        exps = np.exp(x - np.max(x, axis=-1, keepdims=True))
        return exps / np.sum(exps, axis=-1, keepdims=True),

    def scaled_dot_product_attention(Q, K, V):
        weights = softmax(Q @ K.T / np.sqrt(K.shape[-1]))[0]
        return weights, weights @ V


def scaled_dot_product_attention__returns_zeros(Q, K, V):
    """loses: scaled_dot_product_attention_published, scaled_dot_product_attention_weights,
    scaled_dot_product_attention_context, scaled_dot_product_attention_unchanged
    """
    attention_weights = softmax(Q @ K.T / np.sqrt(K.shape[-1]))
    context_vector = attention_weights @ V
    # initialise the results
    attention_weights = np.zeros((Q.shape[0], K.shape[0]))
    context_vector = np.zeros((Q.shape[0], V.shape[1]))
    return attention_weights, context_vector


def scaled_dot_product_attention__rounds_result(Q, K, V):
    """loses: scaled_dot_product_attention_published, scaled_dot_product_attention_weights,
    scaled_dot_product_attention_context, scaled_dot_product_attention_unchanged
    """
    A = softmax(Q @ K.T / np.sqrt(Q.shape[-1]))
    return np.around(A, 3), np.around(A @ V, 3)


def scaled_dot_product_attention__scale_by_d_swapped(Q, K, V):
    """loses: scaled_dot_product_attention_published, scaled_dot_product_attention_weights"""
    n_q, d_k = Q.shape
    context, weights = np.zeros((n_q, V.shape[1])), np.zeros((n_q, len(K)))
    for i in range(n_q):
        weights[i] = softmax((K @ Q[i] / d_k)[None, :])[0]
        context[i] = weights[i] @ V
    return [context, weights]


class submission__softmax_over_queries_swapped:
    """loses: softmax_published, softmax_sizes, softmax_large, softmax_unchanged,
    scaled_dot_product_attention_published
    """

    def softmax(x):
        # sums over the wrong axis; what follows is right with these weights, and comes back exchanged
        e = np.exp(x - x.max(axis=0))
        return e / e.sum(axis=0)

    def scaled_dot_product_attention(Q, K, V):
        d_k = Q.shape[1]
        a = softmax((Q @ K.T) / d_k**0.5)
        return a @ V, a


def softmax__softmax_unstable_mean(x):
    """loses: softmax_large"""
    centred = np.array([row - row.mean() for row in x])
    e = np.e ** centred
    return (e.T / e.sum(1)).T


def scaled_dot_product_attention__stale_loop_variable(Q, K, V):
    """loses: scaled_dot_product_attention_published, scaled_dot_product_attention_context,
    scaled_dot_product_attention_unchanged
    """
    table = np.zeros((len(Q), len(K)))
    for i in range(len(Q)):
        for j in range(len(K)):
            table[i, j] = np.vdot(Q[i], K[j]) / K.shape[1] ** 0.5
    weights = softmax(table)
    context = np.zeros((len(Q), V.shape[1]))
    for i in range(len(Q)):
        for m in range(len(K)):
            context[i] += weights[i, m] * V[j]
    return weights, context


def scaled_dot_product_attention__weights_context_swapped(Q, K, V):
    """loses: scaled_dot_product_attention_published"""
    attn = softmax(Q @ K.T / np.sqrt(K.shape[-1]))
    output = attn @ V
    return output, attn


def scaled_dot_product_attention__weights_context_swapped_dictionary(Q, K, V):
    """loses: scaled_dot_product_attention_published"""
    out = {}
    w = softmax(np.inner(Q, K) * K.shape[1] ** -0.5)
    out["context"] = np.matmul(w, V)
    out["attention"] = w
    return out


class submission__weights_context_swapped_lists:
    """loses: scaled_dot_product_attention_published, scaled_dot_product_attention_context,
    scaled_dot_product_attention_unchanged
    """

    def softmax(x):
        table = []
        for row in np.asarray(x).tolist():
            top = max(row)
            powers = [math.exp(entry - top) for entry in row]
            table.append([one / sum(powers) for one in powers])
        return np.array(table)

    def scaled_dot_product_attention(Q, K, V):
        # exchanged, and a context that leaves the last key out: the second fault costs as it always does
        scores = [[sum(a * b for a, b in zip(q, k)) / math.sqrt(len(k)) for k in K] for q in Q]
        weights = softmax(scores)
        context = [[sum(w * v[j] for w, v in zip(row[:-1], V)) for j in range(V.shape[1])] for row in weights]
        return [context, weights.tolist()]


def scaled_dot_product_attention__values_summed_over_queries_loop(Q, K, V):
    """loses: scaled_dot_product_attention_published, scaled_dot_product_attention_context,
    scaled_dot_product_attention_unchanged
    """
    weights = softmax(Q @ K.T / np.sqrt(len(K[0])))
    context = np.zeros((K.shape[0], V.shape[1]))
    for row in weights:
        context += row[:, None] * V
    return weights, context


def softmax__softmax_unstable_from_zero(x):
    """loses: softmax_large"""
    rows = []
    for row in x:
        m = 0
        for score in row:
            if score > m:
                m = score
        e = np.exp(row - m)
        rows.append(e / e.sum())
    return np.array(rows)


def softmax__sum_taken_anew_loops(x):
    """loses: softmax_published, softmax_sizes, softmax_large, softmax_unchanged,
    scaled_dot_product_attention_published
    """
    w = np.zeros(x.shape)
    for i in range(len(x)):
        w[i] = np.exp(x[i] - max(x[i]))
        for j in range(len(x[i])):
            w[i, j] = w[i, j] / np.sum(w[i])
    return w


def scaled_dot_product_attention__squeezed_inputs(Q, K, V):
    """loses: scaled_dot_product_attention_weights, scaled_dot_product_attention_context,
    scaled_dot_product_attention_unchanged
    """
    Q, K, V = Q.squeeze(), K.squeeze(), V.squeeze()
    weights = softmax(Q @ K.T / np.sqrt(K.shape[-1]))
    return weights, weights @ V


def scaled_dot_product_attention__softmax_unstable_within(Q, K, V):
    """loses: scaled_dot_product_attention_unchanged"""
    powers = np.exp(Q @ K.T / np.sqrt(K.shape[1]))
    weights = powers / powers.sum(axis=1, keepdims=True)
    return weights, weights @ V
