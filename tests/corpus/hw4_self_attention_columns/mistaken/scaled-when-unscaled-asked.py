"""loses: matrix_published, matrix_sizes, matrix_unchanged"""
from __future__ import annotations

import numpy as np

Array = np.ndarray


def softmax(items: list[float] | Array) -> Array:
    """Weights of one query."""
    scores = np.asarray(items, dtype=np.float64)
    exponentials = np.exp(scores - scores.max())
    return exponentials / exponentials.sum()


def project(omega: Array, X: Array, beta: Array) -> Array:
    """Linear layer, tokens in columns."""
    return np.matmul(omega, X) + beta


def attend(Q: Array, K: Array, V: Array, scale: float = 1.0) -> Array:
    """Mix the values; query n is column n."""
    scores = np.matmul(np.transpose(K), Q) / scale
    weights = np.stack([softmax(column) for column in scores.T], axis=1)
    return np.matmul(V, weights)


def self_attention_per_token(
    all_x: list[Array], omega_v: Array, omega_q: Array, omega_k: Array, beta_v: Array, beta_q: Array, beta_k: Array
) -> list[Array]:
    """One token after the other."""
    keys = [project(omega_k, x, beta_k) for x in all_x]
    values = [project(omega_v, x, beta_v) for x in all_x]

    def output(x: Array) -> Array:
        query = project(omega_q, x, beta_q)
        weights = softmax([float(np.sum(key * query)) for key in keys])
        return np.sum([w * value for w, value in zip(weights, values)], axis=0)

    return [output(x) for x in all_x]


def self_attention(
    X: Array, omega_v: Array, omega_q: Array, omega_k: Array, beta_v: Array, beta_q: Array, beta_k: Array
) -> Array:
    """Matrix form."""
    Q = project(omega_q, X, beta_q)
    K = project(omega_k, X, beta_k)
    V = project(omega_v, X, beta_v)
    return attend(Q, K, V, scale=np.sqrt(K.shape[0]))


def scaled_dot_product_self_attention(
    X: Array, omega_v: Array, omega_q: Array, omega_k: Array, beta_v: Array, beta_q: Array, beta_k: Array
) -> Array:
    """Matrix form with scaling."""
    Q = project(omega_q, X, beta_q)
    K = project(omega_k, X, beta_k)
    V = project(omega_v, X, beta_v)
    return attend(Q, K, V, scale=np.sqrt(Q.shape[0]))
