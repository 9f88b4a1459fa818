"""loses: per_token_published"""
import numpy as np


def softmax(items):
    scores = np.array(items, dtype=float)
    scores = scores - scores.max()
    powers = np.exp(scores)
    return powers / powers.sum()


def mixed(all_x, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k, root=False):
    V = [omega_v @ x + beta_v for x in all_x]
    K = [omega_k @ x + beta_k for x in all_x]
    for x in all_x:
        q = omega_q @ x + beta_q
        dots = np.array([np.sum(k * q) for k in K]) / (np.sqrt(q.size) if root else 1)
        powers = np.exp(dots - dots.max())
        yield sum(p * v for p, v in zip(powers / powers.sum(), V))


def self_attention_per_token(all_x, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
    return [[float(n) for n in column.ravel()] for column in mixed(all_x, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k)]


def self_attention(X, *parameters):
    return np.hstack([*mixed(np.split(X, X.shape[1], axis=1), *parameters)])


def scaled_dot_product_self_attention(X, *parameters):
    return np.hstack([*mixed(np.split(X, X.shape[1], axis=1), *parameters, root=True)])
