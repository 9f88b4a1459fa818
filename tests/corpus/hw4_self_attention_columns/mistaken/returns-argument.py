"""loses: per_token_published, per_token_sizes, per_token_unchanged, matrix_published, matrix_sizes,
matrix_unchanged, scaled_published, scaled_sizes, scaled_unchanged"""
import numpy as np


def softmax(items):
    e = np.exp(np.array(items) - np.max(items))
    return e / np.sum(e)


def self_attention(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
    X_prime = X
    V, Q, K = omega_v @ X + beta_v, omega_q @ X + beta_q, omega_k @ X + beta_k
    for n in range(X.shape[1]):
        x_prime = V @ softmax(K.T @ Q[:, n])
    return X_prime


def scaled_dot_product_self_attention(X, *p):
    return 1.0 * X


def self_attention_per_token(all_x, *parameters):
    all_x_prime = list(all_x)
    return all_x_prime
