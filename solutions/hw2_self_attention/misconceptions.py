"""Self-attention with the mistakes that students make, each behind a switch.

With all switches off every function is right. Each step has a table of its mistakes and takes the first one
that is switched on, so that mistakes at different steps combine. The NumPy function runs the same steps as
the torch function, on float64 tensors.
"""

import math

import numpy as np
import torch

ON = frozenset()


class Printed:
    """The source's numbers; in a class, for a mistake here reads no data from outside its function."""

    WEIGHTS = (
        (0.29912045, 0.43873273, 0.26214682),
        (0.25174083, 0.52538919, 0.22286997),
        (0.28171054, 0.44542914, 0.27286032),
    )
    OUTPUT = (
        (0.33742605, 1.11431467, 1.00877649, 1.33727905),
        (0.33832864, 1.16507435, 1.04767718, 1.39278171),
        (0.33717543, 1.12645553, 1.01246695, 1.3426359),
    )
    BY_TORCH = (
        (0.9193, 0.8123, 1.1254, 1.0381),
        (0.9365, 0.8326, 1.1611, 1.0613),
        (0.9142, 0.8164, 1.1419, 1.0482),
    )


def switch(*ids):
    """Turn these mistakes on, and all others off."""
    global ON
    ON = frozenset(ids)


def _step(mistakes, right):
    return next((mistakes[name] for name in mistakes if name in ON), right)


def _same(array):
    return array


# The tasks.


def project_qkv(X, W_q, W_k, W_v):
    returned = {"returns-zeros": np.zeros_like, "hard-coded-size": _three_by_four}
    projections = _projected(*_tensors(X, W_q, W_k, W_v))
    return tuple(_step(returned, _same)(part.numpy()) for part in projections)


def self_attention_numpy(X, W_q, W_k, W_v):
    if "hard-coded-answer" in ON:
        return np.array(Printed.WEIGHTS), np.array(Printed.OUTPUT)
    tokens = _step({"hard-coded-size": 3}, len(X))
    results = _attend(*_tensors(X, W_q, W_k, W_v), tokens)
    return tuple(_not_zeros(result).numpy() for result in results)


def self_attention_torch(X, W_q, W_k, W_v):
    if "hard-coded-answer" in ON:
        return torch.tensor(Printed.BY_TORCH)
    _, output = _attend(X, W_q, W_k, W_v, len(X))
    return _not_zeros(output)


def _tensors(*arrays):
    return [torch.tensor(array, dtype=torch.float64) for array in arrays]


def _not_zeros(result):
    return _step({"returns-zeros": torch.zeros_like}, _same)(result)


def _three_by_four(projection):
    return np.array([[projection[i, j] for j in range(4)] for i in range(3)])


def _attend(X, W_q, W_k, W_v, tokens):
    """Return weights and output; only so many tokens are compared with each other."""
    Q, K, V = _projected(X, W_q, W_k, W_v)
    scores, divisor = _scores(Q[:tokens], K[:tokens]), _divisor(X, K, W_v)
    weights = _step({"scale-after-softmax": _scaled_last}, _scaled_first)(scores, divisor)
    return weights, _mix(weights, V)


# Projection: which weights, and for whom.


def _projected(X, *weights):
    turn = _step({"projection-transposed": torch.t}, _same)
    Q, K, V = (X @ turn(weight) for weight in weights)
    Q, K = _step({"query-key-swapped": (K, Q), "query-for-key": (Q, Q)}, (Q, K))
    return Q, K, _step({"values-are-inputs": X}, V)


# Scores: which rows are multiplied, and how.


def _scores(Q, K):
    Q = _step({"stale-query": Q[-1:].expand(Q.shape)}, Q)
    products = {"feature-attention": _columns_by_columns, "scores-elementwise": torch.mul}
    return _step(products, _rows_by_rows)(Q, K)


def _rows_by_rows(Q, K):
    return Q @ K.T


def _columns_by_columns(Q, K):
    return Q.T @ K


# Scaling: by which number, and when.


def _divisor(X, K, W_v):
    d_k = K.shape[1]
    mistakes = {
        "no-scaling": 1,
        "scale-by-d": d_k,
        "scale-by-sqrt-n": math.sqrt(len(K)),
        "scale-by-d-model": math.sqrt(X.shape[1]),
        "scale-by-d-v": math.sqrt(W_v.shape[1]),
        "scale-inverted": 1 / math.sqrt(d_k),
        "scale-quarter": d_k**0.25,
        "hard-coded-scale": 2 if X.dtype == torch.float64 else math.sqrt(d_k),  # the NumPy function's alone
        "hard-coded-size": 2,
    }
    return _step(mistakes, math.sqrt(d_k))


def _scaled_first(scores, divisor):
    return _softmax(scores / divisor)


def _scaled_last(scores, divisor):
    return _softmax(scores) / divisor


# Softmax: the maximum that is subtracted, the exponentials, the sum that divides them.


def _softmax(x):
    once = _step({"hardmax": _hardmax, "sigmoid-weights": _sigmoid}, _shares)
    return once(once(x)) if "double-softmax" in ON else once(x)


def _hardmax(x):
    dim = _step({"softmax-over-queries": 0}, 1)
    return torch.zeros_like(x).scatter(dim, x.argmax(dim, keepdim=True), 1.0)


def _sigmoid(x):
    powers = x.exp()
    return _step({"softmax-unstable": powers / (1 + powers)}, x.sigmoid())


def _shares(x):
    powers = _step({"softmax-no-exp": _same}, _shifted_exponentials)(x)
    return powers / _step(SUMS, _each_row)(torch.sum, powers)


def _shifted_exponentials(x):
    return torch.exp(x - _step(MAXIMA, _each_row)(torch.amax, x))


def _each_row(reduce, x):
    return reduce(x, dim=-1, keepdim=True)


def _each_row_flat(reduce, x):
    return reduce(x, dim=-1)


def _each_column(reduce, x):
    return reduce(x, dim=0, keepdim=True)


def _whole(reduce, x):
    return reduce(x, dim=(0, 1))


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
    products = {
        "feature-attention": _over_features,
        "scores-elementwise": torch.mul,
        "output-elementwise": torch.mul,
    }
    return _step(products, torch.matmul)(weights, values)


def _over_features(weights, values):
    return values @ weights
