"""Wrong answers to hw2 in styles that differ from the edits in misconceptions.toml."""

import math

import numpy as np
import torch
import torch.nn.functional as F


def self_attention_numpy__torch_on_numpy_softmax(X, W_q, W_k, W_v):
    """loses: self_attention_numpy_published, self_attention_numpy_weights, self_attention_numpy_output,
    self_attention_numpy_large, self_attention_numpy_unchanged
    """
    Q, K, V = project_qkv(X, W_q, W_k, W_v)
    s = Q @ K.T / np.sqrt(K.shape[-1])
    w = F.softmax(s, dim=-1)
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


def self_attention_torch__numpy_on_torch_maximum(X, W_q, W_k, W_v):
    """loses: self_attention_torch_published, self_attention_torch_sizes, self_attention_torch_gradients,
    self_attention_torch_large
    """
    Q, K, V = X @ W_q, X @ W_k, X @ W_v
    s = Q @ K.T / math.sqrt(K.shape[-1])
    e = torch.exp(s - torch.max(s, dim=1, keepdim=True))
    return (e / e.sum(dim=1, keepdim=True)) @ V


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
