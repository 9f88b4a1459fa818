"""loses: per_token_published, per_token_sizes, per_token_unchanged"""
import math

import numpy as np

rng = np.random.RandomState(3)
xs = [rng.normal(size=(4, 1)) for _ in range(3)]
rng = np.random.RandomState(0)
Wq, Wk, Wv, bq, bk, bv = (rng.normal(size=(4, width)) for width in (4, 4, 4, 1, 1, 1))


def softmax(items):
    top = max(items)
    e = [math.exp(i - top) for i in items]
    return np.array([i / sum(e) for i in e])


# Here the values come without their bias, and every query is compared with queries.
all_x_prime = []
for x_n in xs:
    q_n = Wq @ x_n + bq
    scores = [float(((Wq @ x_m + bq).T @ q_n)[0, 0]) for x_m in xs]
    all_x_prime.append(sum(a * (Wv @ x_m) for a, x_m in zip(softmax(scores), xs)))


def self_attention(X, Wv, Wq, Wk, bv, bq, bk):
    return (Wv @ X + bv) @ np.apply_along_axis(softmax, 0, (Wk @ X + bk).T @ (Wq @ X + bq))


def scaled_dot_product_self_attention(X, Wv, Wq, Wk, bv, bq, bk):
    scores = (Wk @ X + bk).T @ (Wq @ X + bq) / math.sqrt(len(X))
    return (Wv @ X + bv) @ np.apply_along_axis(softmax, 0, scores)
