"""Right answers to hw2 in other styles."""

import math
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F
from numpy import einsum
from numpy.typing import NDArray
from torch import nn


class submission__double_by_hand:
    def project_qkv(X, W_q, W_k, W_v):
        W = np.concatenate([W_q, W_k, W_v], axis=1)
        d = W_q.shape[1]
        return tuple(np.split(X @ W, [d, 2 * d], axis=1))

    def self_attention_numpy(X, W_q, W_k, W_v):
        Q, K, V = project_qkv(X, W_q, W_k, W_v)
        # the scale goes into the query
        Q = Q / np.sqrt(Q.shape[1])
        S = np.inner(Q, K)
        E = np.exp(S - np.max(S, axis=1)[:, np.newaxis])
        A = np.apply_along_axis(lambda row: row / row.sum(), 1, E)
        return A, A @ V

    def self_attention_torch(X, W_q, W_k, W_v):
        X, W_q, W_k, W_v = X.double(), W_q.double(), W_k.double(), W_v.double()
        S = (X @ W_q) @ (X @ W_k).T / W_k.shape[1] ** 0.5
        E = torch.exp(S - S.amax(dim=1, keepdim=True))
        return E / E.sum(dim=1, keepdim=True) @ (X @ W_v)


class submission__einsum:
    def project_qkv(X, W_q, W_k, W_v):
        return tuple(einsum("nm,md->nd", X, W) for W in [W_q, W_k, W_v])

    def self_attention_numpy(X, W_q, W_k, W_v):
        q, k, v = project_qkv(X, W_q, W_k, W_v)
        s = einsum("id,jd->ij", q, k) * k.shape[1] ** -0.5
        s = s - s.max(1)[:, None]
        p = np.exp(s)
        p = einsum("ij,i->ij", p, 1 / p.sum(1))
        return p, einsum("ij,jd->id", p, v)

    def self_attention_torch(X, W_q, W_k, W_v):
        q = torch.einsum("nm,md->nd", X, W_q)
        k = torch.einsum("nm,md->nd", X, W_k)
        v = torch.einsum("nm,md->nd", X, W_v)
        p = (torch.einsum("id,jd->ij", q, k) * k.shape[1] ** -0.5).softmax(1)
        return torch.einsum("ij,jd->id", p, v)


class submission__helper_class:
    @dataclass
    class SelfAttention:
        Wq: object
        Wk: object
        Wv: object

        @property
        def key_dim(self):
            return self.Wk.shape[-1]

        def project(self, X):
            return X @ self.Wq, X @ self.Wk, X @ self.Wv

        def scores(self, X):
            Q, K, _ = self.project(X)
            return Q @ K.T / float(np.sqrt(self.key_dim))

    def project_qkv(X, W_q, W_k, W_v):
        return SelfAttention(W_q, W_k, W_v).project(X)

    def self_attention_numpy(X, W_q, W_k, W_v):
        layer = SelfAttention(W_q, W_k, W_v)
        s = layer.scores(X)
        s -= s.max(axis=1).reshape(-1, 1)
        weights = np.exp(s) / np.exp(s).sum(axis=1).reshape(-1, 1)
        return weights, weights @ layer.project(X)[2]

    def self_attention_torch(X, W_q, W_k, W_v):
        layer = SelfAttention(W_q, W_k, W_v)
        return nn.Softmax(dim=-1)(layer.scores(X)) @ layer.project(X)[2]


class submission__log_sum_exp:
    def project_qkv(X, W_q, W_k, W_v):
        Q, K, V = X @ W_q, X @ W_k, X @ W_v
        return Q, K, V

    def log_softmax(S):
        m = S.max(axis=-1, keepdims=True)
        return S - (m + np.log(np.exp(S - m).sum(axis=-1, keepdims=True)))

    def self_attention_numpy(X, W_q, W_k, W_v):
        Q, K, V = project_qkv(X, W_q, W_k, W_v)
        A = np.exp(log_softmax(Q.dot(K.T) / np.sqrt(np.shape(K)[1])))
        return A, A.dot(V)

    def self_attention_torch(X, W_q, W_k, W_v):
        Q, K, V = X @ W_q, X @ W_k, X @ W_v
        S = Q @ K.t() / K.shape[1] ** 0.5
        A = torch.exp(S - torch.logsumexp(S, dim=1, keepdim=True))
        return A @ V


class submission__python_loops:
    def dot(a, b):
        total = 0.0
        for x, y in zip(a, b):
            total += x * y
        return total

    def multiply(A, B):
        rows, cols = len(A), len(B[0])
        result = [[0.0] * cols for _ in range(rows)]
        for i in range(rows):
            for j in range(cols):
                result[i][j] = dot(A[i], [B[r][j] for r in range(len(B))])
        return result

    def softmax_row(row):
        biggest = max(row)
        exps = [math.exp(s - biggest) for s in row]
        total = sum(exps)
        return [e / total for e in exps]

    def project_qkv(X, W_q, W_k, W_v):
        return np.array(multiply(X, W_q)), np.array(multiply(X, W_k)), np.array(multiply(X, W_v))

    def self_attention_numpy(X, W_q, W_k, W_v):
        Q, K, V = project_qkv(X, W_q, W_k, W_v)
        weights = []
        for q in Q:
            row = []
            for k in K:
                row.append(dot(q, k) / math.sqrt(len(k)))
            weights.append(softmax_row(row))
        return np.array(weights), np.array(multiply(weights, V))

    def self_attention_torch(X, W_q, W_k, W_v):
        outputs = []
        keys, values = X @ W_k, X @ W_v
        for token in X:
            query = token @ W_q
            scores = torch.stack([torch.dot(query, key) for key in keys]) / math.sqrt(keys.shape[1])
            attention = torch.softmax(scores, dim=0)
            context = torch.zeros(values.shape[1])
            for weight, value in zip(attention, values):
                context = context + weight * value
            outputs.append(context)
        return torch.stack(outputs)


class submission__single_precision:
    f32 = np.float32

    def project_qkv(X, W_q, W_k, W_v):
        X = X.astype(f32)
        return [X @ W_q.astype(f32), X @ W_k.astype(f32), X @ W_v.astype(f32)]

    def self_attention_numpy(X, W_q, W_k, W_v):
        Q, K, V = project_qkv(X, W_q, W_k, W_v)
        scores = Q @ K.T / f32(np.sqrt(K.shape[1]))
        scores = np.exp(scores - np.amax(scores, axis=1, keepdims=True))
        scores = scores / np.sum(scores, axis=1, keepdims=True)
        return [scores, scores @ V]

    def self_attention_torch(X, W_q, W_k, W_v):
        Q, K, V = [F.linear(X, W.T) for W in (W_q, W_k, W_v)]
        return F.softmax(Q @ K.T / K.size(1) ** 0.5, dim=1) @ V


class submission__torch_everywhere:
    def to_tensor(a):
        return torch.from_numpy(np.ascontiguousarray(a))

    def project_qkv(X, W_q, W_k, W_v):
        X, W_q, W_k, W_v = map(to_tensor, (X, W_q, W_k, W_v))
        return (X @ W_q).numpy(), (X @ W_k).numpy(), (X @ W_v).numpy()

    def attend(X, W_q, W_k, W_v):
        q, k, v = X.matmul(W_q), X.matmul(W_k), X.matmul(W_v)
        a = torch.softmax(q.matmul(k.transpose(0, 1)).div(k.shape[-1] ** 0.5), -1)
        return a, a.matmul(v)

    def self_attention_numpy(X, W_q, W_k, W_v):
        a, out = attend(*map(to_tensor, (X, W_q, W_k, W_v)))
        return a.numpy(), out.numpy()

    def self_attention_torch(X, W_q, W_k, W_v):
        return attend(X, W_q, W_k, W_v)[1]


class submission__transposed_views:
    def project_qkv(X, W_q, W_k, W_v):
        # work with one token per column, hand back views with one token per row
        Xt = X.T
        return (W_q.T @ Xt).T, (W_k.T @ Xt).T, (W_v.T @ Xt).T

    def self_attention_numpy(X, W_q, W_k, W_v):
        Q, K, V = project_qkv(X, W_q, W_k, W_v)
        S = (K @ Q.T) / np.sqrt(K.shape[1])          # column j belongs to query j
        A = np.exp(S - S.max(axis=0))
        A = A / A.sum(axis=0)
        return A.T, (V.T @ A).T

    def self_attention_torch(X, W_q, W_k, W_v):
        heads = [(X @ W).view(1, 1, X.shape[0], -1) for W in (W_q, W_k, W_v)]
        return F.scaled_dot_product_attention(*heads)[0, 0]


class submission__typed_and_renamed:
    FloatArray = NDArray[np.float64]

    def project_qkv(
        embeddings: FloatArray, query_w: FloatArray, key_w: FloatArray, value_w: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Project the embeddings three times."""
        queries, keys, values = (embeddings @ w for w in (query_w, key_w, value_w))
        return queries, keys, values

    def _row_softmax(logits: FloatArray, axis: int = -1) -> FloatArray:
        shifted = logits - logits.max(axis=axis, keepdims=True)
        np.exp(shifted, out=shifted)
        shifted /= shifted.sum(axis=axis, keepdims=True)
        return shifted

    def self_attention_numpy(
        embeddings: FloatArray, query_w: FloatArray, key_w: FloatArray, value_w: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        queries, keys, values = project_qkv(embeddings, query_w, key_w, value_w)
        probabilities = _row_softmax(queries @ keys.swapaxes(-1, -2) / math.sqrt(queries.shape[-1]))
        return probabilities, probabilities @ values

    def self_attention_torch(
        embeddings: torch.Tensor, query_w: torch.Tensor, key_w: torch.Tensor, value_w: torch.Tensor
    ) -> torch.Tensor:
        queries, keys, values = embeddings @ query_w, embeddings @ key_w, embeddings @ value_w
        logits = queries.mm(keys.mT).mul(1 / math.sqrt(keys.shape[-1]))
        return torch.nn.functional.softmax(logits, dim=-1).mm(values)
