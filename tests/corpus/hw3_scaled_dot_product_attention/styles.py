"""Right answers to hw3 in other styles."""

import math
from typing import NamedTuple

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray


class submission__attention_class:
    class Attention:
        def __init__(self, queries, keys, values):
            self.queries, self.keys, self.values = queries, keys, values
            self._weights = None

        @staticmethod
        def normalise(rows):
            powers = np.exp(rows - rows.max(axis=1, keepdims=True))
            return powers / powers.sum(axis=1, keepdims=True)

        @property
        def weights(self):
            if self._weights is None:
                root = np.sqrt(self.keys.shape[1])
                self._weights = self.normalise((self.queries / root) @ self.keys.T)
            return self._weights

        def __call__(self):
            return self.weights @ self.values

    def softmax(x):
        return Attention.normalise(x)

    def scaled_dot_product_attention(Q, K, V):
        attention = Attention(Q, K, V)
        return attention.weights, attention()


class submission__column_thinking:
    def softmax(x):
        cols = x.T
        cols = np.exp(cols - cols.max(axis=0))
        return (cols / cols.sum(axis=0)).T          # a view, not contiguous

    def scaled_dot_product_attention(Q, K, V):
        A = softmax((K @ Q.T).T / K.shape[1] ** .5)
        return np.asfortranarray(A), (V.T @ A.T).T


class submission__course_notebook:
    def softmax(x):
        """row-wise softmax"""
        shifted = x - np.max(x, axis=-1, keepdims=True)
        numerator = np.exp(shifted)
        return numerator / np.sum(numerator, axis=-1, keepdims=True)

    def scaled_dot_product_attention(Q, K, V):
        """
        Q, K, V: arrays (seq_len, d_k)
        gives attention weights (seq_len, seq_len) and context (seq_len, d_k)
        """
        d_k = Q.shape[-1]
        raw = np.dot(Q, K.T)
        scaled = raw / np.sqrt(d_k)
        attention_weights = softmax(scaled)
        context_vector = np.dot(attention_weights, V)
        return attention_weights, context_vector


class submission__einsum_any_batch:
    def softmax(x, axis=-1):
        x = x - np.expand_dims(x.max(axis=axis), axis)
        e = np.exp(x)
        return e / np.expand_dims(e.sum(axis=axis), axis)

    def scaled_dot_product_attention(Q, K, V, mask=None):
        # works for (..., n, d) too
        scores = np.einsum("...id,...jd->...ij", Q, K) / np.sqrt(K.shape[-1])
        if mask is not None:
            scores = np.where(mask, scores, -np.inf)
        attn = softmax(scores)
        return attn, np.einsum("...ij,...jd->...id", attn, V)


class submission__log_sum_exp:
    def logsumexp(x):
        top = np.amax(x, axis=-1, keepdims=True)
        return top + np.log(np.sum(np.exp(x - top), axis=-1, keepdims=True))

    def softmax(x):
        return np.exp(x - logsumexp(x))

    def scaled_dot_product_attention(Q, K, V):
        d_k = K.shape[1]
        scores = np.matmul(Q, np.transpose(K))
        attention_weights = softmax(np.divide(scores, np.sqrt(d_k)))
        context_vector = np.matmul(attention_weights, V)
        return attention_weights, context_vector


class submission__named_results:
    class Result(NamedTuple):
        weights: np.ndarray
        context: np.ndarray

    def softmax(x):
        x = np.asarray(x, dtype=np.float64)
        powers = np.exp(x - np.max(x, axis=-1, keepdims=True))
        return powers / np.sum(powers, axis=-1, keepdims=True)

    def scaled_dot_product_attention(Q, K, V):
        weights = softmax(np.matrix(Q) * np.matrix(K).T / np.sqrt(np.matrix(K).shape[1]))
        return Result(weights=weights, context=np.matrix(weights) * np.matrix(V))


class submission__plain_loops:
    def softmax(x):
        out = []
        for row in x:
            m = max(row)
            exps = [math.exp(v - m) for v in row]
            s = sum(exps)
            out.append([v / s for v in exps])
        return np.array(out)

    def scaled_dot_product_attention(Q, K, V):
        n_q, n_k = len(Q), len(K)
        d_k, d_v = len(K[0]), len(V[0])
        scores = np.zeros((n_q, n_k))
        for i in range(n_q):
            for j in range(n_k):
                for t in range(d_k):
                    scores[i][j] += Q[i][t] * K[j][t]
                scores[i][j] = scores[i][j] / math.sqrt(d_k)
        weights = softmax(scores)
        context = np.zeros((n_q, d_v))
        for i in range(n_q):
            for j in range(n_k):
                for t in range(d_v):
                    context[i][t] += weights[i][j] * V[j][t]
        return weights, context


class submission__returns_lists:
    def softmax(x):
        from math import exp
        result = []
        for row in x.tolist():
            top = max(row)
            e = [exp(v - top) for v in row]
            result.append([v / sum(e) for v in e])
        return result

    def scaled_dot_product_attention(Q, K, V):
        scale = len(K[0]) ** -0.5
        weights = softmax((Q @ K.T) * scale)
        context = [[sum(w * v for w, v in zip(row, column)) for column in V.T] for row in weights]
        return [weights, context]


class submission__row_by_row:
    def one_softmax(row):
        row = np.exp(row - row.max())
        return row / row.sum()

    def softmax(x):
        return np.apply_along_axis(one_softmax, -1, x)

    def attend(query, K, V):
        weights = one_softmax(K @ query / np.sqrt(query.size))
        return weights, weights @ V

    def scaled_dot_product_attention(Q, K, V):
        pairs = [attend(query, K, V) for query in Q]
        return np.stack([w for w, _ in pairs]), np.vstack([c for _, c in pairs])


class submission__single_precision:
    def softmax(x):
        x = np.asarray(x, dtype=np.float32)
        e = np.exp(x - x.max(1)[:, None])
        return e / e.sum(1)[:, None]

    def scaled_dot_product_attention(Q, K, V):
        Q, K, V = (np.asarray(a, dtype="float32") for a in (Q, K, V))
        A = softmax(Q.dot(K.T) / np.sqrt(np.float32(K.shape[1])))
        return A, A.dot(V)


class submission__typed_and_renamed:
    class Attended(NamedTuple):
        weights: NDArray[np.float64]
        context: NDArray[np.float64]

    def softmax(logits: NDArray) -> NDArray[np.float64]:
        stable: NDArray = logits - np.max(logits, axis=-1, keepdims=True)
        expd: NDArray = np.exp(stable)
        return expd / expd.sum(axis=-1, keepdims=True)

    def scaled_dot_product_attention(query: NDArray, key: NDArray, value: NDArray) -> Attended:
        assert query.shape[-1] == key.shape[-1], "queries and keys must have the same dimension"
        assert len(key) == len(value)
        weights = softmax(query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1]))
        return Attended(weights, weights @ value)


class submission__with_torch:
    def softmax(x):
        return F.softmax(torch.as_tensor(x, dtype=torch.float64), dim=-1).numpy()

    def scaled_dot_product_attention(Q, K, V):
        q, k, v = (torch.as_tensor(a, dtype=torch.float64) for a in (Q, K, V))
        attention_weights = softmax(q @ k.transpose(-2, -1) / np.sqrt(k.size(-1)))
        return attention_weights, torch.from_numpy(attention_weights) @ v
