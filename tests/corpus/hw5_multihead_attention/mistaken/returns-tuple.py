"""loses: multihead_published"""
import numpy as np

def softmax_cols(data_in):
    # keepdims so that the shapes fit
    biggest = data_in.max(axis=0, keepdims=True)
    powers = np.exp(data_in - biggest)
    return powers / powers.sum(axis=0, keepdims=True)

def oneHead(X, omegaV, omegaQ, omegaK, betaV, betaQ, betaK):
    values = np.dot(omegaV, X) + betaV
    queries = np.dot(omegaQ, X) + betaQ
    keys = np.dot(omegaK, X) + betaK
    # one query per row here, so transpose for softmax_cols and back
    dotProducts = np.dot(queries.T, keys) / np.sqrt(len(queries))
    weights = softmax_cols(dotProducts.T).T
    return np.dot(values, weights.T)

def multihead_scaled_self_attention(X, omega_v1, omega_q1, omega_k1, beta_v1, beta_q1, beta_k1, omega_v2, omega_q2, omega_k2, beta_v2, beta_q2, beta_k2, omega_c):
    first = oneHead(X, omega_v1, omega_q1, omega_k1, beta_v1, beta_q1, beta_k1)
    second = oneHead(X, omega_v2, omega_q2, omega_k2, beta_v2, beta_q2, beta_k2)
    stacked = np.concatenate([first, second], axis=0)
    X_prime = np.dot(omega_c, stacked),
    return X_prime
