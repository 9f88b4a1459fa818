"""The four steps with the mistakes that students make, each behind a switch.

With all switches off every function is right. Each step has a table of its mistakes and takes the first one
that is switched on, so that mistakes at different steps combine, also in attention_flow.
"""

import numpy as np

ON = frozenset()

np.seterr(all="ignore")  # overflow is what some of these mistakes are about


def switch(*ids):
    """Turn these mistakes on, and all others off."""
    global ON
    ON = frozenset(ids)


def _step(mistakes, right):
    return next((mistakes[name] for name in mistakes if name in ON), right)


def _same(array):
    return array


# The tasks.


def qk_scores(Q, K):
    returned = {"returns-zeros": np.zeros_like, "hard-coded-answer": _printed, "hard-coded-size": _two_by_two}
    return _step(returned, _same)(_scores(Q, K))


def scale_scores(scores, d_k):
    return _not_zeros(scores / _divisor(d_k, n_k=scores.shape[-1]))


def softmax(x):
    return _not_zeros(_softmax(x))


def attention_output(attention_weights, V):
    counted = {"hard-coded-size": 3}
    first = slice(_step(counted, None))
    return _not_zeros(_mix(attention_weights[:, first], V[first]))


def attention_flow(Q, K, V):
    scores = _scores(Q, K)
    order = _step({"scale-after-softmax": _scaled_last}, _scaled_first)
    scaled, weights, mixed = order(scores, _divisor(K.shape[1], n_k=K.shape[0], d_v=V.shape[1]))
    values = _step({"values-are-inputs": K}, V)
    scores = _step({"scores-overwritten": scaled}, scores)
    return scores, scaled, weights, _not_zeros(_mix(mixed, values))


def _not_zeros(result):
    return _step({"returns-zeros": np.zeros_like}, _same)(result)


def _printed(scores):
    return np.array(((8, 13), (6, 7)))


def _two_by_two(scores):
    return scores[:2, :2]


# Scores: which rows are multiplied, how, and what happens to the products.


def _scores(Q, K):
    left, right = _step({"query-key-swapped": (K, Q), "query-for-key": (Q, Q)}, (Q, K))
    left = _step({"stale-query": left[-1:].repeat(len(left), axis=0)}, left)
    products = {"feature-attention": _columns_by_columns, "scores-elementwise": np.multiply}
    scores = _step(products, _rows_by_rows)(left, right)
    return scores / _step({"scaled-when-unscaled-asked": np.sqrt(Q.shape[1])}, 1)


def _rows_by_rows(left, right):
    return left @ right.T


def _columns_by_columns(left, right):
    return left.T @ right


# Scaling: by which number, and when.


def _divisor(d_k, n_k, d_v=None):
    mistakes = {
        "no-scaling": 1,
        "scale-by-d": d_k,
        "scale-by-sqrt-n": np.sqrt(n_k),
        "scale-by-d-v": np.sqrt(d_k if d_v is None else d_v),
        "scale-inverted": 1 / np.sqrt(d_k),
        "scale-quarter": d_k**0.25,
        "hard-coded-size": 2,
    }
    return _step(mistakes, np.sqrt(d_k))


def _scaled_first(scores, divisor):
    weights = _softmax(scores / divisor)
    return scores / divisor, weights, weights


def _scaled_last(scores, divisor):
    weights = _softmax(scores)
    return weights / divisor, weights, weights / divisor


# Softmax: the maximum that is subtracted, the exponentials, the sum that divides them.


def _softmax(x):
    once = _step({"hardmax": _hardmax, "sigmoid-weights": _sigmoid}, _shares)
    return once(once(x)) if "double-softmax" in ON else once(x)


def _hardmax(x):
    axis = _step({"softmax-over-queries": 0}, 1)
    weights = np.zeros(x.shape)
    np.put_along_axis(weights, x.argmax(axis=axis, keepdims=True), 1.0, axis=axis)
    return weights


def _sigmoid(x):
    powers = np.exp(x)
    return _step({"softmax-unstable": powers / (1 + powers)}, 1 / (1 + np.exp(-x)))


def _shares(x):
    powers = _step({"softmax-no-exp": _same}, _shifted_exponentials)(x)
    return powers / _step(SUMS, _each_row)(np.sum, powers)


def _shifted_exponentials(x):
    return np.exp(x - _step(MAXIMA, _each_row)(np.max, x))


def _each_row(reduce, x):
    return reduce(x, axis=-1, keepdims=True)


def _each_row_flat(reduce, x):
    return reduce(x, axis=-1)


def _each_column(reduce, x):
    return reduce(x, axis=0, keepdims=True)


def _whole(reduce, x):
    return reduce(x)


def _none(reduce, x):
    return 0


BOTH = {"softmax-over-queries": _each_column, "softmax-global": _whole}
MAXIMA = {
    "softmax-unstable": _none,
    "softmax-global-max": _whole,
    "softmax-max-over-queries": _each_column,
    "softmax-max-no-keepdims": _each_row_flat,
    **BOTH,
}
SUMS = {
    "softmax-sum-over-queries": _each_column,
    "softmax-sum-global": _whole,
    "softmax-no-keepdims": _each_row_flat,
    **BOTH,
}


# Output: what the weights multiply.


def _mix(weights, values):
    weights = _step({"weights-transposed": weights.T}, weights)
    products = {"output-elementwise": np.multiply, "feature-attention": _over_features}
    return _step(products, np.matmul)(weights, values)


def _over_features(weights, values):
    return values @ weights.T
