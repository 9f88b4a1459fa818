"""Wrong answers to hw2 in styles that differ from the edits in misconceptions.toml."""

import math

import numpy as np
import torch
import torch.nn.functional as F


def self_attention_numpy__torch_on_numpy_transpose(X, W_q, W_k, W_v):
    """loses: self_attention_numpy_published, self_attention_numpy_weights, self_attention_numpy_output,
    self_attention_numpy_large, self_attention_numpy_unchanged
    """
    Q, K, V = project_qkv(X, W_q, W_k, W_v)
    s = Q @ K.transpose(-2, -1) / np.sqrt(K.shape[-1])
    e = np.exp(s)
    w = e / e.sum(axis=-1, keepdims=True)
    return w, w @ V


def self_attention_numpy__softmax_over_queries_copied(X, W_q, W_k, W_v):
    """loses: self_attention_numpy_published, self_attention_numpy_weights, self_attention_numpy_large"""
    Q, K, V = project_qkv(X, W_q, W_k, W_v)
    s = Q @ K.T / np.sqrt(K.shape[-1])
    e = np.exp(s - np.max(s))
    w = e / e.sum(axis=0)
    return w, w @ V


def self_attention_numpy__torch_on_numpy_softmax(X, W_q, W_k, W_v):
    """loses: self_attention_numpy_published, self_attention_numpy_weights, self_attention_numpy_output,
    self_attention_numpy_large, self_attention_numpy_unchanged
    """
    Q, K, V = project_qkv(X, W_q, W_k, W_v)
    s = Q @ K.T / np.sqrt(K.shape[-1])
    w = F.softmax(s, dim=-1)
    return w, w @ V


def self_attention_numpy__no_softmax_at_all(X, W_q, W_k, W_v):
    """loses: self_attention_numpy_published, self_attention_numpy_weights, self_attention_numpy_large"""
    Q, K, V = project_qkv(X, W_q, W_k, W_v)
    s = Q @ K.T / np.sqrt(K.shape[-1])
    w = s
    return w, w @ V


def self_attention_numpy__mask_as_index_with_a_batch(X, W_q, W_k, W_v):
    """loses: self_attention_numpy_published, self_attention_numpy_weights, self_attention_numpy_output,
    self_attention_numpy_large, self_attention_numpy_unchanged
    """
    Q, K, V = project_qkv(X, W_q, W_k, W_v)
    s = Q @ K.T / np.sqrt(K.shape[-1])
    s[np.triu(np.ones((1, len(X), len(X))), k=1) == 1] = -np.inf
    w = np.exp(s) / np.sum(np.exp(s), axis=1, keepdims=True)
    return w, w @ V


def self_attention_numpy__returns_ones_stub(X, W_q, W_k, W_v):
    """loses: self_attention_numpy_published, self_attention_numpy_weights, self_attention_numpy_output,
    self_attention_numpy_large, self_attention_numpy_unchanged
    """
    return np.ones((len(X), len(X))), np.ones((len(X), W_v.shape[1]))


def self_attention_torch__numpy_on_torch_maximum(X, W_q, W_k, W_v):
    """loses: self_attention_torch_published, self_attention_torch_sizes, self_attention_torch_gradients,
    self_attention_torch_large
    """
    Q, K, V = X @ W_q, X @ W_k, X @ W_v
    s = Q @ K.T / math.sqrt(K.shape[-1])
    e = torch.exp(s - torch.max(s, dim=1, keepdim=True))
    return (e / e.sum(dim=1, keepdim=True)) @ V


def self_attention_torch__no_softmax_at_all(X, W_q, W_k, W_v):
    """loses: self_attention_torch_published, self_attention_torch_sizes, self_attention_torch_gradients,
    self_attention_torch_large
    """
    Q, K, V = X @ W_q, X @ W_k, X @ W_v
    w = Q @ K.T / math.sqrt(K.shape[-1])
    return w @ V


def project_qkv__torch_on_numpy_matmul(X, W_q, W_k, W_v):
    """loses: project_qkv_published, project_qkv_sizes, self_attention_numpy_published,
    self_attention_numpy_weights, self_attention_numpy_output, self_attention_numpy_large,
    self_attention_numpy_unchanged
    """
    return torch.matmul(X, W_q), torch.matmul(X, W_k), torch.matmul(X, W_v)


class submission__batch_only:
    """loses: self_attention_numpy_published, self_attention_numpy_weights, self_attention_numpy_output,
    self_attention_numpy_large, self_attention_numpy_unchanged, self_attention_torch_published,
    self_attention_torch_sizes, self_attention_torch_gradients, self_attention_torch_large
    """

    def self_attention_numpy(X, W_q, W_k, W_v):
        B, N, d_model = X.shape
        Q, K, V = X @ W_q, X @ W_k, X @ W_v
        s = Q @ K.transpose(0, 2, 1) / np.sqrt(K.shape[2])
        e = np.exp(s - s.max(axis=2, keepdims=True))
        A = e / e.sum(axis=2, keepdims=True)
        return A, A @ V

    def self_attention_torch(X, W_q, W_k, W_v):
        Q = torch.einsum("bnd,dk->bnk", X, W_q)
        K = torch.einsum("bnd,dk->bnk", X, W_k)
        V = torch.einsum("bnd,dv->bnv", X, W_v)
        return torch.softmax(Q @ K.permute(0, 2, 1) / K.shape[-1] ** 0.5, dim=2) @ V


class submission__causal_mask:
    """loses: self_attention_numpy_published, self_attention_numpy_weights, self_attention_numpy_large,
    self_attention_torch_published, self_attention_torch_sizes, self_attention_torch_gradients,
    self_attention_torch_large
    """

    def self_attention_numpy(X, W_q, W_k, W_v):
        Q, K, V = project_qkv(X, W_q, W_k, W_v)
        N = len(X)
        A = np.zeros((N, N))
        for i in range(N):
            row = K[: i + 1] @ Q[i] / K.shape[1] ** 0.5
            row = np.exp(row - row.max())
            A[i, : i + 1] = row / row.sum()
        return A, A @ V

    def self_attention_torch(X, W_q, W_k, W_v):
        Q, K, V = X @ W_q, X @ W_k, X @ W_v
        out = torch.nn.functional.scaled_dot_product_attention(Q[None], K[None], V[None], is_causal=True)
        return out[0]


class submission__depends_on_global:
    """loses: self_attention_numpy_weights, self_attention_numpy_large, self_attention_torch_sizes,
    self_attention_torch_gradients, self_attention_torch_large
    """

    X = np.array([[0.2, 0.8, 0.5, 0.1], [0.9, 0.4, 0.7, 0.3], [0.5, 0.1, 0.2, 0.9]])
    d_k = X.shape[1]

    def self_attention_numpy(X, W_q, W_k, W_v):
        Q, K, V = project_qkv(X, W_q, W_k, W_v)
        scores = np.dot(Q, K.T) / np.sqrt(d_k)
        exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
        weights = exps / exps.sum(axis=-1, keepdims=True)
        return weights, np.dot(weights, V)

    def self_attention_torch(X, W_q, W_k, W_v):
        Q, K, V = X @ W_q, X @ W_k, X @ W_v
        scores = (Q @ K.T) / torch.sqrt(torch.tensor(d_k, dtype=torch.float32))
        return F.softmax(scores, dim=-1) @ V


class submission__elementwise_projection:
    """loses: project_qkv_published, project_qkv_sizes, self_attention_numpy_published,
    self_attention_numpy_weights, self_attention_numpy_output, self_attention_numpy_large,
    self_attention_numpy_unchanged, self_attention_torch_published, self_attention_torch_sizes,
    self_attention_torch_gradients, self_attention_torch_large
    """

    def project_qkv(X, W_q, W_k, W_v):
        return np.multiply(X, W_q), np.multiply(X, W_k), np.multiply(X, W_v)

    def self_attention_torch(X, W_q, W_k, W_v):
        Q, K, V = (X * W for W in (W_q, W_k, W_v))
        return torch.softmax(Q @ K.T / K.shape[1] ** 0.5, dim=1) @ V


def self_attention_numpy__feature_attention_keys_first(X, W_q, W_k, W_v):
    """loses: self_attention_numpy_published, self_attention_numpy_weights, self_attention_numpy_output,
    self_attention_numpy_large, self_attention_numpy_unchanged
    """
    Q, K, V = project_qkv(X, W_q, W_k, W_v)
    d = K.shape[1]
    s = K.T @ Q / np.sqrt(d)
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    A = e / e.sum(axis=-1, keepdims=True)
    return A, V @ A


def self_attention_torch__gradient_cut(X, W_q, W_k, W_v):
    """loses: self_attention_torch_gradients"""
    Q, K, V = project_qkv(X, W_q, W_k, W_v)
    scores = Q @ K.T / K.shape[1] ** 0.5
    attention = F.softmax(scores.detach(), dim=1)  # detach, or printing it shows grad_fn
    return attention @ V


def self_attention_torch__gradient_cut_numpy(X, W_q, W_k, W_v):
    """loses: self_attention_torch_gradients"""
    arrays = [tensor.detach().numpy() for tensor in (X, W_q, W_k, W_v)]
    _, output = self_attention_numpy(*arrays)
    return torch.tensor(output, dtype=torch.float32, requires_grad=True)


def self_attention_numpy__hardmax(X, W_q, W_k, W_v):
    """loses: self_attention_numpy_published, self_attention_numpy_weights, self_attention_numpy_large"""
    Q, K, V = project_qkv(X, W_q, W_k, W_v)
    scores = Q @ K.T / np.sqrt(K.shape[1])
    best = scores.argmax(axis=1)
    weights = np.eye(len(K))[best]
    return weights, weights @ V


def self_attention_numpy__modifies_input(X, W_q, W_k, W_v):
    """loses: self_attention_numpy_unchanged"""
    W_q /= np.sqrt(W_k.shape[1])  # scale once here instead of scaling all scores
    Q, K, V = project_qkv(X, W_q, W_k, W_v)
    scores = Q @ K.T
    scores -= scores.max(axis=1, keepdims=True)
    weights = np.exp(scores)
    weights /= weights.sum(axis=1, keepdims=True)
    return weights, weights @ V


def self_attention_numpy__no_scaling_swapped(X, W_q, W_k, W_v):
    """loses: self_attention_numpy_published, self_attention_numpy_weights, self_attention_numpy_large"""
    Q, K, V = project_qkv(X, W_q, W_k, W_v)
    A = Q @ K.T
    A -= A.max(axis=1)[:, None]
    np.exp(A, out=A)
    A /= A.sum(axis=1)[:, None]
    return A @ V, A


class submission__projection_transposed:
    """loses: project_qkv_published, project_qkv_sizes, self_attention_torch_published,
    self_attention_torch_sizes, self_attention_torch_gradients, self_attention_torch_large
    """

    def project_qkv(X, W_q, W_k, W_v):
        # like nn.Linear, which stores its weight as (out, in)
        return X @ W_q.T, X @ W_k.T, X @ W_v.T

    def self_attention_numpy(X, W_q, W_k, W_v):
        Q, K, V = X @ W_q, X @ W_k, X @ W_v
        S = Q @ K.T / np.sqrt(K.shape[1])
        E = np.exp(S - S.max(axis=1, keepdims=True))
        A = E / E.sum(axis=1, keepdims=True)
        return A, A @ V

    def self_attention_torch(X, W_q, W_k, W_v):
        Q, K, V = F.linear(X, W_q), F.linear(X, W_k), F.linear(X, W_v)
        return F.softmax(Q @ K.T / K.shape[1] ** 0.5, dim=1) @ V


def project_qkv__query_for_key(X, W_q, W_k, W_v):
    """loses: project_qkv_published, project_qkv_sizes, self_attention_numpy_published,
    self_attention_numpy_weights, self_attention_numpy_large
    """
    Q = X @ W_q
    K = X @ W_q
    V = X @ W_v
    return Q, K, V


class submission__query_key_swapped:
    """loses: self_attention_numpy_published, self_attention_numpy_weights, self_attention_numpy_large,
    self_attention_torch_published, self_attention_torch_sizes, self_attention_torch_gradients,
    self_attention_torch_large
    """

    def self_attention_numpy(X, W_q, W_k, W_v):
        Q, K, V = project_qkv(X, W_q, W_k, W_v)
        scores = K @ Q.T / np.sqrt(Q.shape[-1])
        exps = np.exp(scores - scores.max(-1, keepdims=True))
        attn = exps / exps.sum(-1, keepdims=True)
        return attn, attn @ V

    def self_attention_torch(X, W_q, W_k, W_v):
        Q, K, V = project_qkv(X, W_q, W_k, W_v)
        attn = torch.softmax(K @ Q.T / Q.shape[-1] ** 0.5, dim=-1)
        return attn @ V


class submission__returns_argument:
    """loses: project_qkv_published, project_qkv_sizes, self_attention_torch_published,
    self_attention_torch_sizes, self_attention_torch_gradients, self_attention_torch_large
    """

    def project_qkv(X, W_q, W_k, W_v):
        Q = X @ W_q
        K = X @ W_k
        V = X @ W_v
        return W_q, W_k, W_v

    def self_attention_numpy(X, W_q, W_k, W_v):
        Q, K, V = X @ W_q, X @ W_k, X @ W_v
        s = Q @ K.T / np.sqrt(K.shape[1])
        e = np.exp(s - s.max(axis=1)[:, None])
        A = e / e.sum(axis=1)[:, None]
        return A, A @ V

    def self_attention_torch(X, W_q, W_k, W_v):
        Q, K, V = X @ W_q, X @ W_k, X @ W_v
        out = torch.softmax(Q @ K.T / K.shape[1] ** 0.5, dim=1) @ V
        return X


def self_attention_torch__returns_extra(X, W_q, W_k, W_v):
    """loses: self_attention_torch_published"""
    Q, K, V = project_qkv(X, W_q, W_k, W_v)
    A = F.softmax(Q @ K.T / K.shape[1] ** 0.5, dim=1)
    return A, A @ V


class submission__returns_global:
    """loses: project_qkv_published, project_qkv_sizes, self_attention_torch_published,
    self_attention_torch_sizes, self_attention_torch_gradients, self_attention_torch_large
    """

    X = np.array([[0.2, 0.8, 0.5, 0.1], [0.9, 0.4, 0.7, 0.3], [0.5, 0.1, 0.2, 0.9]])
    output = torch.rand(3, 4)
    Q, K, V = X @ np.eye(4), X @ np.eye(4), X @ np.eye(4)
    everything = (Q, K, V)

    def project_qkv(X, W_q, W_k, W_v):
        return everything

    def self_attention_numpy(X, W_q, W_k, W_v):
        Q, K, V = X @ W_q, X @ W_k, X @ W_v
        s = Q @ K.T / np.sqrt(K.shape[1])
        e = np.exp(s - s.max(axis=1)[:, None])
        A = e / e.sum(axis=1)[:, None]
        return A, A @ V

    def self_attention_torch(X, W_q, W_k, W_v):
        return output


def self_attention_numpy__returns_nothing(X, W_q, W_k, W_v):
    """loses: self_attention_numpy_published, self_attention_numpy_weights, self_attention_numpy_output,
    self_attention_numpy_large, self_attention_numpy_unchanged
    """
    Q, K, V = project_qkv(X, W_q, W_k, W_v)
    scores = Q @ K.T / np.sqrt(K.shape[1])
    scores = np.exp(scores - scores.max(axis=1, keepdims=True))
    attention_weights = scores / scores.sum(axis=1, keepdims=True)
    output = attention_weights @ V
    print("weights", attention_weights)
    print("output", output)


class submission__returns_transposed:
    """loses: self_attention_numpy_published, self_attention_torch_published"""

    def self_attention_numpy(X, W_q, W_k, W_v):
        Q, K, V = project_qkv(X, W_q, W_k, W_v)
        S = Q @ K.T / np.sqrt(K.shape[1])
        S = np.exp(S - S.max(axis=1, keepdims=True))
        A = S / S.sum(axis=1, keepdims=True)
        return A, (A @ V).T

    def self_attention_torch(X, W_q, W_k, W_v):
        Q, K, V = project_qkv(X, W_q, W_k, W_v)
        A = torch.softmax(Q @ K.T / K.shape[1] ** 0.5, dim=1)
        return V.T @ A.T


def self_attention_torch__returns_tuple(X, W_q, W_k, W_v):
    """loses: self_attention_torch_published"""
    Q, K, V = project_qkv(X, W_q, W_k, W_v)
    a = torch.softmax(Q @ K.T / K.shape[1] ** 0.5, dim=1)
    return a @ V,


class submission__returns_zeros:
    """loses: self_attention_numpy_published, self_attention_numpy_weights, self_attention_numpy_output,
    self_attention_numpy_large, self_attention_numpy_unchanged, self_attention_torch_published,
    self_attention_torch_sizes, self_attention_torch_gradients, self_attention_torch_large
    """

    def self_attention_numpy(X, W_q, W_k, W_v):
        Q, K, V = project_qkv(X, W_q, W_k, W_v)
        # TODO: fill these in
        weights = np.zeros((X.shape[0], X.shape[0]))
        output = np.zeros((X.shape[0], W_v.shape[1]))
        return weights, output

    def self_attention_torch(X, W_q, W_k, W_v):
        Q, K, V = project_qkv(X, W_q, W_k, W_v)
        output = torch.softmax(Q @ K.T / K.shape[1] ** 0.5, dim=1) @ V
        output = torch.zeros(X.shape[0], W_v.shape[1])
        return output


class submission__rounds_result:
    """loses: project_qkv_published, project_qkv_sizes, self_attention_numpy_published,
    self_attention_numpy_weights, self_attention_numpy_output, self_attention_numpy_large,
    self_attention_numpy_unchanged
    """

    def project_qkv(X, W_q, W_k, W_v):
        return tuple(np.round(X @ W, 2) for W in (W_q, W_k, W_v))

    def self_attention_numpy(X, W_q, W_k, W_v):
        Q, K, V = X @ W_q, X @ W_k, X @ W_v
        s = Q @ K.T / np.sqrt(K.shape[1])
        e = np.exp(s - s.max(axis=1)[:, None])
        A = (e / e.sum(axis=1)[:, None]).round(3)
        return A, np.round(A @ V, 3)


class submission__scale_by_d_model_numpy:
    """loses: self_attention_numpy_weights, self_attention_numpy_large"""

    def rows_to_weights(s):
        s = s - np.max(s, axis=1, keepdims=True)
        return np.exp(s) / np.sum(np.exp(s), axis=1, keepdims=True)

    def self_attention_numpy(X, W_q, W_k, W_v):
        n, d = X.shape
        Q, K, V = project_qkv(X, W_q, W_k, W_v)
        a = rows_to_weights(Q.dot(K.T) / d ** 0.5)
        return a, a.dot(V)


class submission__sigmoid_weights:
    """loses: self_attention_numpy_published, self_attention_numpy_weights, self_attention_numpy_large,
    self_attention_torch_published, self_attention_torch_sizes, self_attention_torch_gradients,
    self_attention_torch_large
    """

    def sigmoid(z):
        return 0.5 * (1 + np.tanh(z / 2))

    def self_attention_numpy(X, W_q, W_k, W_v):
        Q, K, V = project_qkv(X, W_q, W_k, W_v)
        gate = sigmoid(Q @ K.T / np.sqrt(K.shape[1]))
        return gate, gate @ V

    def self_attention_torch(X, W_q, W_k, W_v):
        Q, K, V = project_qkv(X, W_q, W_k, W_v)
        gate = torch.sigmoid(Q @ K.T / K.shape[1] ** 0.5)
        return gate @ V


class submission__softmax_global_max:
    """loses: self_attention_numpy_large, self_attention_torch_large"""

    def self_attention_numpy(X, W_q, W_k, W_v):
        Q, K, V = project_qkv(X, W_q, W_k, W_v)
        scores = np.matmul(Q, np.transpose(K)) / np.sqrt(K.shape[1])
        scores = scores - np.max(scores)  # so that exp does not overflow
        weights = np.exp(scores) / np.sum(np.exp(scores), axis=1, keepdims=True)
        return weights, np.matmul(weights, V)

    def self_attention_torch(X, W_q, W_k, W_v):
        Q, K, V = torch.matmul(X, W_q), torch.matmul(X, W_k), torch.matmul(X, W_v)
        scores = torch.matmul(Q, K.t()) / K.shape[1] ** 0.5
        scores = scores - torch.max(scores)
        weights = torch.exp(scores) / torch.sum(torch.exp(scores), dim=1, keepdim=True)
        return torch.matmul(weights, V)


class submission__softmax_no_exp:
    """loses: self_attention_numpy_published, self_attention_numpy_weights, self_attention_numpy_large"""

    def normalize(scores):
        return scores / scores.sum(axis=-1, keepdims=True)

    def self_attention_numpy(X, W_q, W_k, W_v):
        Q, K, V = project_qkv(X, W_q, W_k, W_v)
        attention = normalize(Q @ K.T / np.sqrt(K.shape[-1]))
        return attention, attention @ V


class submission__softmax_no_keepdims:
    """loses: self_attention_numpy_published, self_attention_numpy_weights, self_attention_numpy_large"""

    def softmax(x):
        ex = np.exp(x - x.max(axis=-1, keepdims=True))
        return ex / ex.sum(axis=-1)

    def self_attention_numpy(X, W_q, W_k, W_v):
        Q, K, V = project_qkv(X, W_q, W_k, W_v)
        w = softmax(Q @ K.T / np.sqrt(W_k.shape[-1]))
        return w, w @ V


class submission__softmax_unstable:
    """loses: self_attention_numpy_large"""

    def softmax(scores):
        return np.exp(scores) / np.sum(np.exp(scores), axis=-1, keepdims=True)

    def self_attention_numpy(X, W_q, W_k, W_v):
        d_k = W_k.shape[1]
        Q, K, V = project_qkv(X, W_q, W_k, W_v)
        scores = np.dot(Q, K.T)
        scores /= np.sqrt(d_k)
        weights = softmax(scores)
        output = np.dot(weights, V)
        return weights, output


class submission__softmax_unstable_minimum:
    """loses: self_attention_numpy_large, self_attention_torch_large"""

    def self_attention_numpy(X, W_q, W_k, W_v):
        Q, K, V = project_qkv(X, W_q, W_k, W_v)
        s = Q @ K.T / np.sqrt(K.shape[1])
        e = np.exp(s - s.min(axis=1, keepdims=True))
        A = e / e.sum(axis=1, keepdims=True)
        return A, A @ V

    def self_attention_torch(X, W_q, W_k, W_v):
        Q, K, V = X @ W_q, X @ W_k, X @ W_v
        s = torch.einsum("id,jd->ij", Q, K) / W_k.shape[1] ** 0.5
        powers = (s - s.mean(1, keepdim=True)).exp()
        return powers / powers.sum(1, keepdim=True) @ V


def self_attention_torch__softmax_unstable_torch(X, W_q, W_k, W_v):
    """loses: self_attention_torch_large"""
    Q, K, V = project_qkv(X, W_q, W_k, W_v)
    s = torch.exp(Q @ K.T / K.shape[1] ** 0.5)
    s = s / s.sum(dim=1, keepdim=True)
    return s @ V


class submission__stale_loop_variable:
    """loses: self_attention_numpy_published, self_attention_numpy_output, self_attention_numpy_large,
    self_attention_numpy_unchanged, self_attention_torch_published, self_attention_torch_sizes,
    self_attention_torch_gradients, self_attention_torch_large
    """

    def self_attention_numpy(X, W_q, W_k, W_v):
        Q, K, V = project_qkv(X, W_q, W_k, W_v)
        s = Q @ K.T / np.sqrt(K.shape[1])
        e = np.exp(s - s.max(axis=1)[:, None])
        A = e / e.sum(axis=1)[:, None]
        for v in V:
            pass
        out = np.zeros((len(X), len(v)))
        for i in range(len(X)):
            for j in range(len(X)):
                out[i] = out[i] + A[i][j] * v
        return A, out

    def self_attention_torch(X, W_q, W_k, W_v):
        Q, K, V = X @ W_q, X @ W_k, X @ W_v
        for q, k, v in zip(Q, K, V):
            length = k.shape[0]
        rows = []
        for weights in torch.softmax(Q @ K.T / length**0.5, dim=-1):
            rows.append(sum(weight * v for weight in weights))
        return torch.stack(rows)


class submission__values_are_inputs:
    """loses: self_attention_numpy_published, self_attention_numpy_output, self_attention_numpy_large,
    self_attention_numpy_unchanged, self_attention_torch_published, self_attention_torch_sizes,
    self_attention_torch_gradients, self_attention_torch_large
    """

    def self_attention_numpy(X, W_q, W_k, W_v):
        Q, K, _ = project_qkv(X, W_q, W_k, W_v)
        S = Q @ K.T / np.sqrt(K.shape[1])
        S = S - S.max(axis=1, keepdims=True)
        A = np.exp(S) / np.exp(S).sum(axis=1, keepdims=True)
        return A, A @ X

    def self_attention_torch(X, W_q, W_k, W_v):
        Q, K, _ = project_qkv(X, W_q, W_k, W_v)
        return torch.softmax(Q @ K.T / K.shape[1] ** 0.5, dim=1) @ X


class submission__weights_context_swapped:
    """loses: self_attention_numpy_published"""

    def softmax(x, axis=-1):
        e = np.exp(x - x.max(axis=axis, keepdims=True))
        return e / e.sum(axis=axis, keepdims=True)

    def self_attention_numpy(X, W_q, W_k, W_v):
        Q, K, V = project_qkv(X, W_q, W_k, W_v)
        attention = softmax(Q @ K.T / np.sqrt(K.shape[-1]))
        context = attention @ V
        return context, attention


def project_qkv__keys_are_values_copied(X, W_q, W_k, W_v):
    """loses: project_qkv_published, project_qkv_sizes, self_attention_numpy_published,
    self_attention_numpy_output, self_attention_numpy_large, self_attention_numpy_unchanged
    """
    Q, K, V = [np.einsum("nd,dk->nk", X, W) for W in (W_q, W_k, W_k)]
    return Q, K, V


def self_attention_numpy__root_of_scores_power(X, W_q, W_k, W_v):
    """loses: self_attention_numpy_published, self_attention_numpy_weights, self_attention_numpy_output,
    self_attention_numpy_large, self_attention_numpy_unchanged
    """
    Q, K, V = X @ W_q, X @ W_k, X @ W_v
    scores = (Q @ K.T / K.shape[1]) ** 0.5
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights = weights / weights.sum(axis=1, keepdims=True)
    return weights, weights @ V


def self_attention_numpy__root_cut_power(X, W_q, W_k, W_v):
    """loses: self_attention_numpy_weights, self_attention_numpy_large"""
    Q, K, V = X @ W_q, X @ W_k, X @ W_v
    scores = Q @ K.T / int(K.shape[1] ** 0.5)
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights = weights / weights.sum(axis=1, keepdims=True)
    return weights, weights @ V


def self_attention_torch__softmax_in_float32(X, W_q, W_k, W_v):
    """loses: self_attention_torch_large"""
    Q = torch.matmul(X, W_q)
    K = torch.matmul(X, W_k)
    V = torch.matmul(X, W_v)
    scores = torch.matmul(Q, K.transpose(-2, -1)) / math.sqrt(K.size(-1))
    attn = F.softmax(scores, dim=-1, dtype=torch.float32)
    return torch.matmul(attn, V)


def self_attention_torch__axis_squeezed_batch(X, W_q, W_k, W_v):
    """loses: self_attention_torch_sizes, self_attention_torch_gradients, self_attention_torch_large"""
    q, k, v = (X[None] @ W for W in (W_q, W_k, W_v))
    return F.scaled_dot_product_attention(q, k, v).squeeze()


def self_attention_numpy__axis_squeezed_result(X, W_q, W_k, W_v):
    """loses: self_attention_numpy_weights, self_attention_numpy_output, self_attention_numpy_large,
    self_attention_numpy_unchanged
    """
    scores = (X @ W_q) @ (X @ W_k).T / np.sqrt(W_k.shape[1])
    scores = scores - scores.max(axis=1, keepdims=True)
    weights = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    return weights.squeeze(), weights.dot(X @ W_v).squeeze()


def self_attention_numpy__equal_scores_merged_dictionary(X, W_q, W_k, W_v):
    """loses: self_attention_numpy_weights, self_attention_numpy_large"""
    Q, K, V = project_qkv(X, W_q, W_k, W_v)
    weights = np.zeros((len(X), len(X)))
    for i, q in enumerate(Q):
        scores = [sum(q * k) / math.sqrt(len(k)) for k in K]
        largest = max(scores)
        powers = {score: math.exp(score - largest) for score in scores}
        total = sum(powers.values())
        for j, score in enumerate(scores):
            weights[i, j] = powers[score] / total
    return weights, weights @ V
