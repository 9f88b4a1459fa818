"""loses: multihead_published, multihead_sizes, multihead_unchanged"""
from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def softmax_cols(data_in: NDArray) -> NDArray:
    """Column-wise softmax."""
    exponentials = np.exp(data_in - data_in.max(axis=0))
    return exponentials / exponentials.sum(axis=0)


def linear(omega: NDArray, X: NDArray, beta: NDArray) -> NDArray:
    """Apply one projection to tokens in columns."""
    return np.matmul(omega, X) + beta


def head(X: NDArray, parameters: tuple[NDArray, ...]) -> NDArray:
    """Output of one head, shape (D / 2, N)."""
    omega_v, omega_q, omega_k, beta_v, beta_q, beta_k = parameters
    query = linear(omega_q, X, beta_q)
    key = linear(omega_k, X, beta_k)
    value = linear(omega_v, X, beta_v)
    scores = np.matmul(key.transpose(), query) / np.sqrt(query.shape[0])
    return np.matmul(value, softmax_cols(scores))


def multihead_scaled_self_attention(X: NDArray, *parameters: NDArray) -> NDArray:
    """Two heads, stacked and recombined."""
    omega_c = parameters[-1]
    first_head = head(X, parameters[0:6])
    second_head = head(X, parameters[6:12])
    return np.matmul(omega_c, np.hstack([first_head, second_head]).reshape(X.shape))
