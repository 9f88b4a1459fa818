"""The tasks of hw4 with the mistakes that students make, each behind a switch.

With all switches off the answers are right. Each step has a table of its mistakes; a step takes its first
mistake that is switched on, so that mistakes at different steps combine. Queries, keys and values are
(D, N), scores and weights (N, N): row m belongs to key m, column n to query n.
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


def softmax(items):
    scores = np.asarray(items, dtype=float)
    return _step({"returns-zeros": _zeros}, _normalised)(scores)


def self_attention_per_token(all_x, *parameters):
    answers = {"returns-zeros": _list_of_zeros, "hard-coded-answer": _printed_list}
    return _step(answers, _one_by_one)(all_x, parameters)


def self_attention(X, *parameters):
    answers = {"returns-zeros": _zeros, "hard-coded-answer": _printed_unscaled}
    return _step(answers, _all_at_once)(X, parameters, _unscaled)


def scaled_dot_product_self_attention(X, *parameters):
    answers = {"returns-zeros": _zeros, "hard-coded-answer": _printed_scaled}
    return _step(answers, _all_at_once)(X, parameters, _scaled)


# Answers that come from nowhere: what the stub began with, and the numbers of the handout.


class Published:
    """The sizes and the outputs of the handout's example; a class, for a mistake reads no notebook global."""

    D, N = 4, 3
    UNSCALED = (
        (0.94744244, 1.64201168, 1.61949281),
        (-0.24348429, -0.08470004, -0.06641533),
        (-0.91310441, 4.02764044, 3.96863308),
        (-0.44522983, 2.18690791, 2.15858316),
    )
    SCALED = (
        (0.97411966, 1.59622051, 1.32638014),
        (-0.23738409, -0.09516106, 0.13062402),
        (-0.72333202, 3.70194096, 3.02371664),
        (-0.34413007, 2.01339538, 1.6902419),
    )


def _zeros(X, *_):
    return np.zeros_like(X)


def _list_of_zeros(all_x, _):
    return [np.zeros_like(x) for x in all_x]


def _printed_unscaled(*_):
    return np.array(Published.UNSCALED)


def _printed_scaled(*_):
    return np.array(Published.SCALED)


def _printed_list(*_):
    return np.split(_printed_unscaled(), Published.N, axis=1)


# The matrix form


def _all_at_once(X, parameters, scale):
    V, Q, K = _projected(_step({"hard-coded-size": _cut_to_size}, _as_it_is)(X), *parameters)
    of_scores, of_weights = scale(*Q.shape)
    scores = _step(SCORES, _dot_products)(K, Q) / of_scores
    weights = _normalised(scores, _step(AXES, 0)) / of_weights
    return _step(MIXTURES, _mixture)(V, _step({"weights-transposed": weights.T}, weights))


def _as_it_is(X):
    return X


def _cut_to_size(X):
    """Compute with the published D and N: another D does not fit, further tokens are not seen."""
    tokens = np.empty((Published.D, Published.N))
    tokens[:] = X[:, : Published.N]
    return tokens


# One token at a time


def _one_by_one(all_x, parameters):
    tokens = _step({"hard-coded-size": all_x[: Published.N]}, all_x)
    values, queries, keys = zip(*(_projected(x, *parameters) for x in tokens), strict=True)
    seen = _step({"stale-query": queries[-1:] * len(queries)}, queries)
    return [_step({"per-token-flat": np.ravel}, _as_it_is)(_output(query, keys, values)) for query in seen]


def _output(query, keys, values):
    divisor, _ = _unscaled(len(query), len(keys))
    weights = _normalised(np.array([np.sum(key * query) for key in keys]) / divisor)
    return sum(weight * value for weight, value in zip(weights, values, strict=True))


# Values, queries and keys


def _projected(X, *parameters):
    order = _step({"parameters-reordered": (2, 0, 1)}, (0, 1, 2))
    (omega_v, beta_v), (omega_q, beta_q), (omega_k, beta_k) = (
        (parameters[place], parameters[3 + place]) for place in order
    )
    V = _linear(omega_v, X, _step({"no-value-bias": 0 * beta_v}, beta_v))
    Q = _linear(omega_q, X, _step({"no-query-bias": 0 * beta_q}, beta_q))
    K = _linear(omega_k, X, beta_k)
    roles = {"query-key-swapped": (K, Q), "query-for-key": (Q, Q)}
    return (_step({"values-are-inputs": X}, V), *_step(roles, (Q, K)))


def _linear(omega, X, beta):
    omega = _step({"projection-transposed": omega.T}, omega)
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
    return weights.T @ V


MIXTURES = {"scores-elementwise": _weighted_entries, "feature-attention": _mixture_of_features}


# The scale: a divisor of the scores and one of the weights


def _unscaled(D, N):
    return _step({"scaled-when-unscaled-asked": (np.sqrt(D), 1)}, (1, 1))


def _scaled(D, N):
    mistakes = {
        "no-scaling": (1, 1),
        "scale-by-d": (D, 1),
        "scale-by-sqrt-n": (np.sqrt(N), 1),
        "scale-inverted": (1 / np.sqrt(D), 1),
        "scale-after-softmax": (1, np.sqrt(D)),
        "scale-quarter": (D**0.25, 1),
        "hard-coded-scale": (np.sqrt(Published.D), 1),
    }
    return _step(mistakes, (np.sqrt(D), 1))


# Scores to weights: along an axis, or over the whole matrix where it is None

AXES = {"softmax-over-queries": 1, "softmax-global": None}


def _normalised(scores, axis=0):
    return _step(NORMALISATIONS, _shares)(scores, axis)


def _shares(scores, axis):
    powers = _powers(scores, axis)
    return powers / _total(powers, axis)


def _powers(scores, axis):
    largest = {"softmax-unstable": 0, "softmax-no-keepdims": scores.max()}
    return np.exp(scores - _step(largest, scores.max(axis=axis, keepdims=True)))


def _total(powers, axis):
    total = powers.sum(axis=axis, keepdims=True)
    return _step({"softmax-no-keepdims": total.T}, total)


def _shares_without_exp(scores, axis):
    return scores / _total(scores, axis)


def _shares_twice(scores, axis):
    return _shares(_shares(scores, axis), axis)


def _winner(scores, axis):
    return (scores == scores.max(axis=axis, keepdims=True)).astype(float)


def _sigmoid(scores, axis):
    return 1 / (1 + np.exp(-scores))


NORMALISATIONS = {
    "softmax-no-exp": _shares_without_exp,
    "double-softmax": _shares_twice,
    "hardmax": _winner,
    "sigmoid-weights": _sigmoid,
}
