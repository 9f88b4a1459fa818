import numpy as np


def softmax(items):
    e = np.exp(np.array(items, dtype=float) - np.max(items))
    return e / e.sum()


# k.T @ q = (omega_k @ x).T @ q + beta_k.T @ q, and the second term is the same for every key of one query:
# softmax does not see it, so beta_k is never needed
def self_attention_per_token(all_x, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
    X = np.hstack(all_x)
    return [
        (omega_v @ X + beta_v) @ softmax(((omega_k @ X).T @ (omega_q @ x + beta_q))[:, 0])[:, None]
        for x in all_x
    ]


def self_attention(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
    scores = (omega_k @ X).T @ (omega_q @ X + beta_q)
    return (omega_v @ X + beta_v) @ np.apply_along_axis(softmax, 0, scores)


def scaled_dot_product_self_attention(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
    scores = (omega_k @ X).T @ (omega_q @ X + beta_q) / np.sqrt(len(X))
    return (omega_v @ X + beta_v) @ np.apply_along_axis(softmax, 0, scores)
