"""loses: matrix_published, matrix_sizes, matrix_unchanged, scaled_published, scaled_sizes, scaled_unchanged"""
import numpy as np

D = 4  # dimension of a token
N = 3  # number of tokens

softmax = lambda items: (lambda e: e / e.sum())(np.exp(np.array(items, dtype=float) - max(items)))


def self_attention_per_token(all_x, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
    project = lambda omega, beta: [omega @ x + beta for x in all_x]
    queries, keys, values = project(omega_q, beta_q), project(omega_k, beta_k), project(omega_v, beta_v)
    all_weights = [softmax([np.vdot(k, q) for k in keys]) for q in queries]
    return [np.einsum("m,mdo->do", weights, np.array(values)) for weights in all_weights]


def softmax_of_rows(S):
    S = np.exp(S - S.max(axis=1, keepdims=True))
    return S / S.sum(axis=1, keepdims=True)


def self_attention(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
    Q, K, V = (w @ X + b for w, b in ((omega_q, beta_q), (omega_k, beta_k), (omega_v, beta_v)))
    return V @ softmax_of_rows(K.T @ Q)


def scaled_dot_product_self_attention(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
    Q, K, V = (w @ X + b for w, b in ((omega_q, beta_q), (omega_k, beta_k), (omega_v, beta_v)))
    return V @ softmax_of_rows(K.T @ Q / np.sqrt(D))
