"""loses: softmax_large"""
from math import exp, sqrt

import numpy as np


def softmax(items):
    powers = [exp(item) for item in items]
    total = 0.0
    for power in powers:
        total += power
    return np.array([power / total for power in powers])


def attend(value, query, key, root=1.0):
    out = []
    for n in range(query.shape[1]):
        weights = softmax([float(np.sum(key[:, m] * query[:, n])) / root for m in range(key.shape[1])])
        column = np.zeros(value.shape[0])
        for m, weight in enumerate(weights):
            column = column + weight * value[:, m]
        out.append(column)
    return np.column_stack(out)


def self_attention(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
    return attend(omega_v @ X + beta_v, omega_q @ X + beta_q, omega_k @ X + beta_k)


def scaled_dot_product_self_attention(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
    query = omega_q @ X + beta_q
    return attend(omega_v @ X + beta_v, query, omega_k @ X + beta_k, sqrt(query.shape[0]))


def self_attention_per_token(all_x, *parameters):
    together = self_attention(np.hstack(all_x), *parameters)
    return [together[:, n : n + 1] for n in range(len(all_x))]
