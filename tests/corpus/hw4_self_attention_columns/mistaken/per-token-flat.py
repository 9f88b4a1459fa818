"""loses: per_token_published"""
import numpy as np


def softmax(items):
    # shift first, exp() must not overflow
    shifted = np.asarray(items) - np.max(items)
    expItems = np.exp(shifted)
    return expItems / expItems.sum()


def rowSoftmax(scores):
    # one query per row
    return np.array([softmax(row) for row in scores])


def self_attention_per_token(all_x, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
    allQ = [np.dot(omega_q, x) + beta_q for x in all_x]
    allK = [np.dot(omega_k, x) + beta_k for x in all_x]
    allV = [np.dot(omega_v, x) + beta_v for x in all_x]

    result = []
    for n in range(len(all_x)):
        dots = [np.vdot(allK[m], allQ[n]) for m in range(len(all_x))]
        w = softmax(dots)
        result.append(sum(w[m] * allV[m] for m in range(len(all_x))).flatten())
    return result


def self_attention(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
    # queries, keys and values stand in the columns
    queries = np.dot(omega_q, X) + beta_q
    keys = np.dot(omega_k, X) + beta_k
    values = np.dot(omega_v, X) + beta_v
    # (N, N), row = query
    dotProducts = np.dot(queries.T, keys)
    weights = rowSoftmax(dotProducts)
    # transpose, because row n belongs to query n
    return np.dot(values, weights.T)


def scaled_dot_product_self_attention(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
    queries = np.dot(omega_q, X) + beta_q
    keys = np.dot(omega_k, X) + beta_k
    values = np.dot(omega_v, X) + beta_v
    # divide by the root of the dimension
    dotProducts = np.dot(queries.T, keys) / np.sqrt(len(queries))
    weights = rowSoftmax(dotProducts)
    return np.dot(values, weights.T)
