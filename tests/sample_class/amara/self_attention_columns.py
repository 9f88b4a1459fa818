import numpy as np


def softmax(items):
    items = np.array(items, dtype=float)
    e = np.exp(items - items.max())
    return e / e.sum()


def self_attention_per_token(all_x, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
    values = [omega_v @ x + beta_v for x in all_x]
    keys = [omega_k @ x + beta_k for x in all_x]
    out = []
    for x in all_x:
        q = omega_q @ x + beta_q
        a = softmax([(k.T @ q).item() for k in keys])
        out.append(sum(w * v for w, v in zip(a, values)))
    return out


def _columns(scores):
    return np.stack([softmax(column) for column in scores.T], axis=1)


def self_attention(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
    V, Q, K = omega_v @ X + beta_v, omega_q @ X + beta_q, omega_k @ X + beta_k
    return V @ _columns(K.T @ Q)


def scaled_dot_product_self_attention(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
    V, Q, K = omega_v @ X + beta_v, omega_q @ X + beta_q, omega_k @ X + beta_k
    return V @ _columns(K.T @ Q / np.sqrt(Q.shape[0]))
