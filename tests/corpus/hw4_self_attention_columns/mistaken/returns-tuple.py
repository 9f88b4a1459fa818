"""loses: matrix_published, scaled_published"""
import numpy as np


def softmax(items):
    items = np.array(items, dtype=float)
    e = np.exp(items - np.max(items))
    return e / np.sum(e)


def self_attention_per_token(all_x, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
    queries, keys, values = [], [], []
    for x in all_x:
        queries.append(omega_q @ x + beta_q)
        keys.append(omega_k @ x + beta_k)
        values.append(omega_v @ x + beta_v)

    all_x_prime = []
    for query in queries:
        scores = [(key.T @ query).item() for key in keys]
        attention = softmax(scores)
        x_prime = np.zeros(values[0].shape)
        for a, value in zip(attention, values):
            x_prime += a * value
        all_x_prime.append(x_prime)
    return all_x_prime


def self_attention(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
    V = omega_v @ X + beta_v
    Q = omega_q @ X + beta_q
    K = omega_k @ X + beta_k

    scores = K.T @ Q
    attention = np.apply_along_axis(softmax, 0, scores)
    X_prime = V @ attention
    return X_prime,


def scaled_dot_product_self_attention(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
    V = omega_v @ X + beta_v
    Q = omega_q @ X + beta_q
    K = omega_k @ X + beta_k

    D = Q.shape[0]
    scores = K.T @ Q / np.sqrt(D)
    attention = np.apply_along_axis(softmax, 0, scores)
    X_prime = V @ attention
    return X_prime,
