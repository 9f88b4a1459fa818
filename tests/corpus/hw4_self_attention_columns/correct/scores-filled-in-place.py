"""Every score is an array of one entry for a while: assigned to an item, added to one, given to `math.exp`."""
import math as m
from math import exp, sqrt

import numpy as np


def softmax(items):
    top = max(float(one) for one in items)
    powers = np.empty(len(items))
    for i, one in enumerate(items):
        powers[i] = exp(np.array([one - top]))
    return powers / m.fsum(powers)


def weigh(queries, keys, root):
    N = keys.shape[1]
    table = np.zeros((N, N))
    for n in range(N):
        for i in range(N):
            k, q = keys[:, [i]], queries[:, [n]]
            table[i, n] = k.T @ q
            table[i, n] *= 1 / sqrt(np.atleast_2d(root))
    return np.column_stack([softmax(table[:, n]) for n in range(N)])


def self_attention_per_token(all_x, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
    outputs = []
    for x in all_x:
        q = np.dot(omega_q, x) + beta_q
        raw = list(map(float, [(np.dot(omega_k, y) + beta_k).T @ q for y in all_x]))
        output = np.zeros(x.size)
        for weight, y in zip(softmax(raw), all_x):
            value = np.dot(omega_v, y) + beta_v
            for d in range(x.size):
                output[d] += weight * value[d]
        outputs.append(output.reshape(-1, 1))
    return outputs


def self_attention(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k, root=1):
    return (omega_v @ X + beta_v) @ weigh(omega_q @ X + beta_q, omega_k @ X + beta_k, root)


def scaled_dot_product_self_attention(X, *parameters):
    return self_attention(X, *parameters, root=X.shape[0])
