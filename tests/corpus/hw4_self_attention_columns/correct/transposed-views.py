import numpy as np


def softmax(items, axis=-1):
    items = np.asarray(items, dtype=float)
    powers = np.exp(items - items.max(axis=axis, keepdims=True))
    return powers / powers.sum(axis=axis, keepdims=True)


# tokens in rows suit me better, so I turn everything round and back
def _rows(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k, scaled):
    T = X.T
    q = T @ omega_q.T + beta_q.T
    k = T @ omega_k.T + beta_k.T
    v = T @ omega_v.T + beta_v.T
    s = q @ k.T
    if scaled:
        s = s / np.sqrt(q.shape[1])
    return softmax(s) @ v


def self_attention(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
    return _rows(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k, False).T


def scaled_dot_product_self_attention(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
    return _rows(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k, True).T


def self_attention_per_token(all_x, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
    both = np.repeat(_rows(np.hstack(all_x), omega_v, omega_q, omega_k, beta_v, beta_q, beta_k, False), 2, axis=0)
    return [row[::1, None] for row in both[::2]]
