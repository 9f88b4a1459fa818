import numpy as np


def softmax(items):
    items = np.asarray(items).astype(np.float32)
    items = items - items.max()
    return np.exp(items) / np.exp(items).sum()


def _single(*arrays):
    return [np.asarray(a, dtype=np.float32) for a in arrays]


def self_attention_per_token(all_x, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
    wv, wq, wk, bv, bq, bk = _single(omega_v, omega_q, omega_k, beta_v, beta_q, beta_k)
    xs = _single(*all_x)
    ks, vs = [wk @ x + bk for x in xs], [wv @ x + bv for x in xs]
    outputs = []
    for x in xs:
        q = wq @ x + bq
        a = softmax(np.concatenate([(k * q).sum(keepdims=True).ravel() for k in ks]))
        outputs.append(sum(a_m * v for a_m, v in zip(a, vs)))
    return outputs


def self_attention(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
    X, wv, wq, wk, bv, bq, bk = _single(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k)
    scores = (wk @ X + bk).T @ (wq @ X + bq)
    return (wv @ X + bv) @ np.apply_along_axis(softmax, 0, scores)


def scaled_dot_product_self_attention(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
    X, wv, wq, wk, bv, bq, bk = _single(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k)
    scores = (wk @ X + bk).T @ (wq @ X + bq) / np.float32(np.sqrt(X.shape[0]))
    return (wv @ X + bv) @ np.apply_along_axis(softmax, 0, scores)
