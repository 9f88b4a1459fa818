"""The tasks of hw5 with the mistakes that students make, each behind a switch.

With all switches off the answers are right. Each step has a table of its mistakes; a step takes its first
mistake that is switched on, so that mistakes at different steps combine. A head's queries, keys and values
are (H_D, N), its scores and weights (N, N): row m belongs to key m, column n to query n.
"""

import numpy as np

ON = frozenset()

np.seterr(all="ignore")  # some mistakes overflow or divide by 0, and warnings would be printed


def switch(*ids):
    """Turn these mistakes on, and all others off."""
    global ON
    ON = frozenset(ids)


def _step(mistakes, right):
    return next((mistakes[name] for name in mistakes if name in ON), right)


def softmax_cols(data_in):
    return _step({"returns-zeros": np.zeros_like}, _normalised)(data_in)


def multihead_scaled_self_attention(X, *parameters):
    answers = {"returns-zeros": _zeros, "hard-coded-answer": _printed}
    return _step(answers, _attention)(X, parameters)


# Answers that come from nowhere: what the stub began with, and the numbers of the course's source.


class Published:
    """The sizes and the output of the source's example; a class, for a mistake reads no notebook global."""

    SIZE, HEAD_SIZE = (8, 6), 4
    OUTPUT = (
        (-21.207, -5.373, -20.933, -9.179, -11.319, -17.812),
        (-1.995, 7.906, -10.516, 3.452, 9.863, -7.24),
        (5.479, 1.115, 9.244, 0.453, 5.656, 7.089),
        (-7.413, -7.416, 0.363, -5.573, -6.736, -0.848),
        (-11.261, -9.937, -4.848, -8.915, -13.378, -5.761),
        (3.548, 10.036, -2.244, 1.604, 12.113, -2.557),
        (4.888, -5.814, 2.407, 3.228, -4.232, 3.71),
        (1.248, 18.894, -6.409, 3.224, 19.717, -5.629),
    )


def _zeros(X, _):
    return np.zeros_like(X)


def _printed(*_):
    return np.array(Published.OUTPUT)


# The heads, side by side and recombined


def _attention(X, parameters):
    X = _step({"hard-coded-size": _cut_to_size}, _as_it_is)(X)
    heads = _heads(parameters[:6], parameters[6:12])
    parts = np.split(X, len(heads))
    outputs = [_head(X, part, *head) for part, head in zip(parts, heads, strict=True)]
    merged = np.concatenate(outputs) if len(outputs) == 1 else _step(MERGES, _stacked)(*outputs)
    omega_c = parameters[-1]
    return (
        _step({"no-output-projection": np.eye(len(X)), "output-projection-transposed": omega_c.T}, omega_c)
        @ merged
    )


def _as_it_is(X):
    return X


def _cut_to_size(X):
    """Compute with the published D and N: another D or a smaller N does not fit."""
    tokens = np.empty(Published.SIZE)
    tokens[:] = X[:, : Published.SIZE[1]]
    return tokens


def _heads(first, second):
    one_wide_head = [np.concatenate(both) for both in zip(first, second, strict=True)]
    return _step({"heads-shared": (first, first), "ignores-heads": (one_wide_head,)}, (first, second))


def _stacked(first, second):
    return np.vstack((first, second))


def _second_on_top(first, second):
    return np.vstack((second, first))


def _mean_of_both(first, second):
    return np.vstack(((first + second) / 2,) * 2)


def _side_by_side(first, second):
    rows, columns = first.shape
    return np.hstack((first, second)).reshape(2 * rows, columns)


MERGES = {
    "heads-swapped": _second_on_top,
    "heads-averaged": _mean_of_both,
    "heads-stacked-wrong-axis": _side_by_side,
}


# One head


def _head(X, part, *parameters):
    V, Q, K = _projected(X, part, *parameters)
    of_scores, of_weights = _scale(len(X), *Q.shape)
    scores = _step(SCORES, _dot_products)(K, Q) / of_scores
    weights = _normalised(scores) / of_weights
    return _step(MIXTURES, _mixture)(V, _step({"weights-transposed": weights.T}, weights))


def _projected(X, part, *parameters):
    order = _step({"parameters-reordered": (2, 0, 1)}, (0, 1, 2))
    (omega_v, beta_v), (omega_q, beta_q), (omega_k, beta_k) = (
        (parameters[place], parameters[3 + place]) for place in order
    )
    V = _linear(omega_v, X, _step({"no-value-bias": 0 * beta_v}, beta_v))
    Q = _linear(omega_q, X, _step({"no-query-bias": 0 * beta_q}, beta_q))
    K = _linear(omega_k, X, beta_k)
    roles = {"query-key-swapped": (K, Q), "query-for-key": (Q, Q)}
    return (_step({"values-are-inputs": part}, V), *_step(roles, (Q, K)))


def _linear(omega, X, beta):
    return omega @ X + _step({"bias-broadcast": beta.ravel()}, beta)


# The scores and the mixture of values


def _dot_products(K, Q):
    return K.T @ Q


def _products_of_entries(K, Q):
    return K * Q


def _products_of_features(K, Q):
    return K @ Q.T


SCORES = {"scores-elementwise": _products_of_entries, "feature-attention": _products_of_features}


def _mixture(V, weights):
    return V @ weights


def _weighted_entries(V, weights):
    return V * weights


def _mixture_of_features(V, weights):
    return weights @ V


MIXTURES = {"scores-elementwise": _weighted_entries, "feature-attention": _mixture_of_features}


# The scale: a divisor of the scores and one of the weights


def _scale(D, H_D, N):
    mistakes = {
        "no-scaling": (1, 1),
        "scale-by-d-model": (np.sqrt(D), 1),
        "scale-by-d": (H_D, 1),
        "scale-by-sqrt-n": (np.sqrt(N), 1),
        "scale-inverted": (1 / np.sqrt(H_D), 1),
        "scale-after-softmax": (1, np.sqrt(H_D)),
        "scale-quarter": (H_D**0.25, 1),
        "hard-coded-scale": (np.sqrt(Published.HEAD_SIZE), 1),
    }
    return _step(mistakes, (np.sqrt(H_D), 1))


# Scores to weights: along an axis, or over the whole matrix where it is None


def _normalised(scores):
    axis = _step({"softmax-over-queries": 1, "softmax-global": None}, 0)
    return _step(NORMALISATIONS, _shares)(scores, axis)


def _shares(scores, axis):
    powers = _powers(scores, axis)
    return powers / _total(powers, axis)


def _powers(scores, axis):
    everywhere = scores.max()
    largest = {
        "softmax-unstable": 0,
        "softmax-global-max": everywhere,
        "softmax-no-keepdims": everywhere,
    }
    return np.exp(scores - _step(largest, scores.max(axis=axis, keepdims=True)))


def _total(powers, axis):
    total = powers.sum(axis=axis, keepdims=True)
    return _step({"softmax-no-keepdims": total.T}, total)


def _shares_without_exp(scores, axis):
    return scores / _total(scores, axis)


def _shares_twice(scores, axis):
    return _shares(_shares(scores, axis), axis)


def _winner(scores, axis):
    """1 at the largest score, the first of equal ones."""
    places = np.arange(scores.size).reshape(scores.shape) if axis is None else np.indices(scores.shape)[axis]
    return (places == scores.argmax(axis=axis, keepdims=True)).astype(float)


def _sigmoid(scores, axis):
    return 1 / (1 + np.exp(-scores))


NORMALISATIONS = {
    "softmax-no-exp": _shares_without_exp,
    "double-softmax": _shares_twice,
    "hardmax": _winner,
    "sigmoid-weights": _sigmoid,
}
