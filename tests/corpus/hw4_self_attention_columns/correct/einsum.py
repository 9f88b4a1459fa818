import numpy as np


def softmax(items):
    z = np.exp(np.subtract(items, np.max(items)))
    return np.divide(z, np.sum(z))


def _outputs(tokens, weights, biases, divisor):
    """tokens (D, N); weights and biases in the order value, query, key."""
    v, q, k = (np.einsum("ed,dn->en", w, tokens) + b for w, b in zip(weights, biases))
    scores = np.einsum("dm,dn->mn", k, q) / divisor
    attention = np.empty_like(scores)
    for n in range(scores.shape[1]):
        attention[:, n] = softmax(scores[:, n])
    return np.einsum("dm,mn->dn", v, attention)


def self_attention(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
    return _outputs(X, (omega_v, omega_q, omega_k), (beta_v, beta_q, beta_k), 1)


def scaled_dot_product_self_attention(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
    return _outputs(X, (omega_v, omega_q, omega_k), (beta_v, beta_q, beta_k), len(X) ** 0.5)


def self_attention_per_token(all_x, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
    out = []
    for x in all_x:
        q = np.einsum("ed,dn->en", omega_q, x) + beta_q
        scores = [np.einsum("dn,dn->", omega_k @ y + beta_k, q) for y in all_x]
        a = softmax(scores)
        out.append(np.einsum("m,mdn->dn", a, np.stack([omega_v @ y + beta_v for y in all_x])))
    return out
