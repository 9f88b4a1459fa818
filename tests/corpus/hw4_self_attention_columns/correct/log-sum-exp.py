import numpy as np


def log_softmax(scores, axis):
    biggest = scores.max(axis=axis, keepdims=True)
    return scores - biggest - np.log(np.exp(scores - biggest).sum(axis=axis, keepdims=True))


def softmax(items):
    return np.exp(log_softmax(np.asarray(items, dtype=float), axis=0))


def self_attention_per_token(all_x, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
    K = np.hstack([omega_k @ x + beta_k for x in all_x])
    V = np.hstack([omega_v @ x + beta_v for x in all_x])
    return [V @ np.exp(log_softmax(K.T @ (omega_q @ x + beta_q), axis=0)) for x in all_x]


def self_attention(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k, temperature=1.0):
    Q, K, V = omega_q @ X + beta_q, omega_k @ X + beta_k, omega_v @ X + beta_v
    return V @ np.exp(log_softmax(K.T @ Q / temperature, axis=0))


def scaled_dot_product_self_attention(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
    return self_attention(
        X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k, temperature=np.sqrt(omega_q.shape[0])
    )
