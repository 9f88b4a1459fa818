import numpy as np
from math import sqrt


def softmax(items):
    """Works on vectors and, column by column, on matrices."""
    items = np.array(items, dtype=float)
    items -= items.max(axis=0)
    np.exp(items, out=items)
    items /= items.sum(axis=0)
    return items


# The weights of a query sum to 1, so each output holds beta_v exactly once.
def self_attention(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
    scores = (omega_k @ X + beta_k).T @ (omega_q @ X + beta_q)
    return omega_v @ (X @ softmax(scores)) + beta_v


def scaled_dot_product_self_attention(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
    scores = (omega_k @ X + beta_k).T @ (omega_q @ X + beta_q)
    return omega_v @ (X @ softmax(scores / sqrt(omega_k.shape[0]))) + beta_v


def self_attention_per_token(all_x, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
    whole = self_attention(np.hstack(all_x), omega_v, omega_q, omega_k, beta_v, beta_q, beta_k)
    return np.hsplit(whole, len(all_x))
