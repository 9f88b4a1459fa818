"""Scaled dot-product attention with the mistakes that students make, each behind a switch.

With all switches off both functions are right. Each step has a table of its mistakes and takes the first one
that is switched on, so that mistakes at different steps combine.
"""

import numpy as np

ON = frozenset()

np.seterr(all="ignore")  # overflow is what some of these mistakes are about


class Printed:
    """The handout's numbers; in a class, for a mistake here reads no data from outside its function."""

    SHARES = np.array([[0.125, 0.375, 0.5], [0.4, 0.1, 0.5]])
    SHARED_VALUES = np.array([[7, 11.25], [4.8, 14]])
    SCORES_OF_THREE_QUERIES = np.array([[0.5, 0.0], [0.0, 1.0], [0.5, 0.0]])


def switch(*ids):
    """Turn these mistakes on, and all others off."""
    global ON
    ON = frozenset(ids)


def _step(mistakes, right):
    return next((mistakes[name] for name in mistakes if name in ON), right)


def _same(array):
    return array


# The tasks.


def softmax(x):
    kept_as = _step({"truncates-to-integers": x.dtype}, float)
    return _not_zeros(_softmax(x).astype(kept_as))


def scaled_dot_product_attention(Q, K, V):
    weights, context = _step({"hard-coded-answer": _from_the_handout}, _attend)(Q, K, V)
    return _not_zeros(weights), _not_zeros(context)


def _not_zeros(result):
    return _step({"returns-zeros": np.zeros_like}, _same)(result)


def _from_the_handout(Q, K, V):
    """The two printed examples, told apart by their numbers of keys."""
    weights = _softmax(Printed.SCORES_OF_THREE_QUERIES)
    return (Printed.SHARES, Printed.SHARED_VALUES) if len(K) == 3 else (weights, weights)


def _attend(Q, K, V):
    order = _step({"scale-after-softmax": _scaled_last}, _scaled_first)
    weights = order(_scores(Q, K), _divisor(K, V))
    columns = slice(_step({"hard-coded-size": 2}, None))
    return weights, _mix(weights, _step({"values-are-inputs": K}, V))[:, columns]


# Scores: which rows are multiplied, and how.


def _scores(Q, K):
    left, right = _step({"query-key-swapped": (K, Q), "query-for-key": (Q, Q)}, (Q, K))
    left = _step({"stale-query": left[-1:].repeat(len(left), axis=0)}, left)
    products = {"feature-attention": _columns_by_columns, "scores-elementwise": np.multiply}
    return _step(products, _rows_by_rows)(left, right)


def _rows_by_rows(left, right):
    return left @ right.T


def _columns_by_columns(left, right):
    return left.T @ right


# Scaling: by which number, and when.


def _divisor(K, V):
    n_k, d_k = K.shape
    mistakes = {
        "no-scaling": 1,
        "scale-by-d": d_k,
        "scale-by-sqrt-n": np.sqrt(n_k),
        "scale-by-d-v": np.sqrt(V.shape[1]),
        "scale-inverted": 1 / np.sqrt(d_k),
        "scale-quarter": d_k**0.25,
        "hard-coded-scale": 2,
        "hard-coded-size": 2,
    }
    return _step(mistakes, np.sqrt(d_k))


def _scaled_first(scores, divisor):
    return _softmax(scores / divisor)


def _scaled_last(scores, divisor):
    return _softmax(scores) / divisor


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


# Context: what the weights multiply.


def _mix(weights, values):
    weights = _step({"weights-transposed": weights.T}, weights)
    products = {
        "feature-attention": _over_features,
        "scores-elementwise": np.multiply,
        "output-elementwise": np.multiply,
    }
    return _step(products, np.matmul)(weights, values)


def _over_features(weights, values):
    return values @ weights
