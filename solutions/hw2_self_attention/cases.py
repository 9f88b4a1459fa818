"""Input cases of hw2. All sizes of a hidden case differ, for mistakes hide where two of them are equal.

The cases named `equal-sizes` are the exception: programs that look at sizes to decide what to transpose go
wrong there, and a mistake that mixes up two sizes returns numbers, which tell which mistake it is.
"""

import numpy as np

from autograder.course import Case, FunctionCall, function_case, tensor
from autograder.course.attention_inputs import (
    alternating,
    exact,
    repeat_second_row,
)

PROJECT = "project_qkv"
NUMPY = "self_attention_numpy"
TORCH = "self_attention_torch"

LARGE = "large"
"""The topic of inputs whose scores leave the range of exp unless each row's maximum is subtracted."""
DOUBLE = "double"
"""The topic of float64 tensors, which students get where they make tensors of NumPy arrays."""
GRADIENTS = "gradients"
ZEROS = "zeros"
"""The topic of inputs with a key of zeros, whose scores are 0 and count all the same."""

# Exp leaves the range of float64 at about ±745, that of float32 at about ±104.
FAR_IN_FLOAT64 = 2000
FAR_IN_FLOAT32 = 300

X = np.array(
    [
        [0.2, 0.8, 0.5, 0.1],
        [0.9, 0.4, 0.7, 0.3],
        [0.5, 0.1, 0.2, 0.9],
    ]
)
# The source draws its weights without a seed, but prints the Q, K and V that they gave.
PRINTED_BY_NUMPY = (
    [
        [0.58352471, 0.69020868, 0.22134042, 1.31596799],
        [1.07000686, 1.47739322, 0.75098463, 1.61922134],
        [1.0722933, 0.82367632, 0.5395647, 0.74499289],
    ],
    [
        [0.83760721, 0.6137794, 0.4806961, 0.62550493],
        [1.01553254, 1.09163663, 0.82764348, 0.81977231],
        [0.83769352, 0.47516817, 0.8319121, 0.43856935],
    ],
    [
        [0.34359845, 0.58175548, 0.7888782, 1.02046847],
        [0.3434527, 1.43844635, 1.26034733, 1.6961633],
        [0.3202968, 1.17951542, 0.83865699, 1.09813922],
    ],
)
PRINTED_BY_TORCH = (
    [
        [1.0462, 0.9843, 0.9905, 0.4263],
        [1.3142, 1.7460, 1.3134, 1.1299],
        [0.9985, 1.5294, 0.5645, 0.8287],
    ],
    [
        [1.3015, 0.8496, 0.6376, 0.7813],
        [1.7786, 1.1751, 0.9665, 0.6145],
        [1.1877, 0.6539, 0.9527, 0.6404],
    ],
    [
        [0.4930, 0.6533, 1.1594, 1.0376],
        [1.1325, 1.0038, 1.4088, 1.2255],
        [0.9825, 0.6386, 0.5909, 0.7084],
    ],
)


def published():
    """Yield the source's example as it was printed by NumPy, and as it was printed by PyTorch."""
    by_numpy = _arrays_that_give(*PRINTED_BY_NUMPY)
    by_torch = _arrays_that_give(*PRINTED_BY_TORCH)
    yield function_case(PROJECT, "printed-by-numpy", *by_numpy)
    yield function_case(PROJECT, "printed-by-torch", *by_torch)
    yield function_case(NUMPY, "printed-by-numpy", *by_numpy)
    yield _torch_case("printed-by-torch", by_torch)


def public(rng):
    yield from _each_task(rng, "small", n=4, d_model=3, d_k=2, d_v=5)
    yield _gradients(
        rng,
        "small",
        n=5,
        d_model=6,
        d_k=3,
        d_v=2,
    )
    arrays = _drawn(rng, n=7, d_model=8, d_k=5, d_v=6)
    yield from _far_apart(*arrays)
    yield from _below(rng, n=6, d_model=7, d_k=4, d_v=3)
    yield _double_case(
        rng,
        "of-numpy",
        n=6,
        d_model=5,
        d_k=3,
        d_v=4,
    )
    # A squeeze loses the axis of a single token, or of a single feature.
    yield from _each_task(rng, "one-token", n=1, d_model=9, d_k=7, d_v=8)
    yield from _each_task(rng, "one-feature", n=8, d_model=1, d_k=6, d_v=1)
    yield from _repeated(rng, "repeated-token", n=7, d_model=4, d_k=3, d_v=6)
    yield from _zeros(rng, n=5, d_model=7, d_k=4, d_v=3)


def hidden(rng):
    yield from _each_task(rng, "few-tokens", n=3, d_model=7, d_k=5, d_v=4)
    yield from _each_task(rng, "many-tokens", n=8, d_model=4, d_k=3, d_v=6)
    yield from _large(rng, n=6, d_model=10, d_k=3, d_v=8)
    yield _gradients(
        rng,
        "few-tokens",
        n=4,
        d_model=6,
        d_k=5,
        d_v=3,
    )
    yield _gradients(
        rng,
        "many-tokens",
        n=7,
        d_model=5,
        d_k=3,
        d_v=4,
    )
    yield from _each_task(rng, "equal-sizes", n=3, d_model=3, d_k=3, d_v=3)
    yield from _below(rng, n=5, d_model=8, d_k=3, d_v=6)
    yield _double_case(
        rng,
        "of-arrays",
        n=4,
        d_model=7,
        d_k=5,
        d_v=3,
    )
    # A squeeze loses the axis of a single token, or of a single feature.
    yield from _each_task(rng, "one-token", n=1, d_model=6, d_k=5, d_v=3)
    yield from _each_task(rng, "one-feature", n=5, d_model=1, d_k=3, d_v=1)
    yield from _repeated(rng, "repeated-token", n=6, d_model=5, d_k=4, d_v=3)
    yield from _zeros(rng, n=4, d_model=6, d_k=3, d_v=5)


def fresh(rng):
    yield from _each_task(rng, "drawn", n=5, d_model=6, d_k=3, d_v=7)
    yield from _large(rng, n=7, d_model=4, d_k=6, d_v=5)
    yield _gradients(
        rng,
        "drawn",
        n=5,
        d_model=4,
        d_k=7,
        d_v=3,
    )


def _arrays_that_give(Q, K, V):
    """Return X, W_q, W_k and W_v with X @ W_q = Q, X @ W_k = K and X @ W_v = V."""
    # X inverse @ Q is such a W_q, because the rows of X are independent.
    inverse = np.linalg.pinv(X)
    W_q = inverse @ np.array(Q)
    W_k = inverse @ np.array(K)
    W_v = inverse @ np.array(V)
    rounded_q = np.round(W_q, 12)
    rounded_k = np.round(W_k, 12)
    rounded_v = np.round(W_v, 12)
    return X, rounded_q, rounded_k, rounded_v


def _drawn(rng, n, d_model, d_k, d_v):
    """Draw X, W_q, W_k and W_v, whose queries, keys and values have entries of about unit size."""
    shrink = 1 / np.sqrt(d_model)
    W_q = rng.normal(size=(d_model, d_k)) * shrink
    W_k = rng.normal(size=(d_model, d_k)) * shrink
    W_v = rng.normal(size=(d_model, d_v)) * shrink
    X = rng.normal(size=(n, d_model))
    return X, W_q, W_k, W_v


def _each_task(rng, label, **sizes):
    """Yield one case of each task, all on the same arrays."""
    arrays = _drawn(rng, **sizes)
    yield from _cases_of(label, arrays)


def _repeated(rng, label, **sizes):
    """Yield one case of each task in which a token stands twice, and a third one has the same key.

    Code that finds tokens by their scores mixes them up. Their key lies midway between those of two other
    tokens, so that its scores are never the largest of a row. All numbers are multiples of 1/128: sums of their
    products are exact, so that equal keys have equal scores everywhere.
    """
    arrays = _drawn(rng, **sizes)
    X, W_q, W_k, W_v = map(exact, arrays)
    repeat_second_row(X)
    # The third one differs in the first feature alone, which its key does not depend on.
    W_k[0] = 0
    X[3, 1:] = X[1, 1:]
    yield from _cases_of(label, (X, W_q, W_k, W_v))


def _zeros(rng, **sizes):
    """Yield inputs in which the key of a token is the zero vector: a score of 0 is no sign of a mask."""
    X, W_q, W_k, W_v = _drawn(rng, **sizes)
    # The token has its first feature alone, on which keys do not depend.
    X[1, 1:] = 0
    W_k[0] = 0
    arrays = X, W_q, W_k, W_v
    yield function_case(NUMPY, "zero-key", *arrays, topic=ZEROS)
    yield _torch_case("zero-key", arrays, ZEROS)


def _cases_of(label, arrays):
    yield function_case(PROJECT, label, *arrays)
    yield function_case(NUMPY, label, *arrays)
    yield _torch_case(label, arrays)


def _large(rng, **sizes):
    """Yield inputs with scores at which exp overflows, near each other and far apart."""
    X, W_q, W_k, W_v = _drawn(rng, **sizes)
    yield _large_case("times-30", 30 * X, W_q, W_k, W_v)
    yield from _far_apart(X, W_q, W_k, W_v)


def _far_apart(X, W_q, W_k, W_v):
    """Yield inputs whose rows of scores lie so far apart that one maximum for all underflows."""
    far_in_float64 = _stretched(X, W_q, W_k, FAR_IN_FLOAT64)
    far_in_float32 = _stretched(X, W_q, W_k, FAR_IN_FLOAT32)
    yield _large_case("far-apart", X, far_in_float64, W_k, W_v)
    yield _torch_case("far-apart", (X, far_in_float32, W_k, W_v), LARGE)


def _stretched(X, W_q, W_k, distance):
    """Return W_q times a whole number, so that the maxima of two rows of scores lie a distance apart."""
    Q = X @ W_q
    K = X @ W_k
    d_k = K.shape[1]
    scores = Q @ K.T / np.sqrt(d_k)
    maxima = scores.max(axis=1)
    largest_distance = np.ptp(maxima)
    factor = np.ceil(distance / largest_distance)
    return W_q * factor


def _below(rng, **sizes):
    """Yield inputs with rows of scores far below 0: first all of them, and then every other one.

    Exp underflows where the search for a maximum begins at 0, where the largest absolute value counts as it, and
    where scores are cut off from below.
    """
    n = sizes["n"]
    sides_by_label = {
        "below": np.full(n, -1.0),
        "below-and-above": -alternating(n),
    }
    for label, sides in sides_by_label.items():
        arrays = _drawn(rng, **sizes)
        in_float64 = _on_sides(*arrays, sides, FAR_IN_FLOAT64)
        in_float32 = _on_sides(*arrays, sides, FAR_IN_FLOAT32)
        yield _large_case(label, *in_float64)
        yield _torch_case(label, in_float32, LARGE)
    # The largest absolute value of a row is another score than the largest.
    X, W_q, W_k, W_v = _drawn(rng, **sizes)
    wide_in_float64 = W_q * FAR_IN_FLOAT64
    wide_in_float32 = W_q * FAR_IN_FLOAT32
    yield _large_case("wide-rows", X, wide_in_float64, W_k, W_v)
    yield _torch_case("wide-rows", (X, wide_in_float32, W_k, W_v), LARGE)


def _on_sides(X, W_q, W_k, W_v, sides, distance):
    """Return the arrays, changed so that the scores of a query lie at this distance from 0, on its own side.

    Those of one query are a few units apart.
    """
    X = X.copy()
    W_q = W_q.copy()
    d_k = W_k.shape[1]
    height = np.sqrt(distance / np.sqrt(d_k))
    X[:, 0] = 1
    X[:, 1] = sides
    W_q[1] = height
    W_k = W_k / height
    W_k[0] = height
    return X, W_q, W_k, W_v


def _double_case(rng, label, **sizes):
    """Draw float64 tensors."""
    arrays = _drawn(rng, **sizes)
    tensors = []
    for array in arrays:
        double_tensor = tensor(array, double=True)
        tensors.append(double_tensor)
    return function_case(TORCH, label, *tensors, topic=DOUBLE)


def _gradients(rng, label, n, d_model, d_k, d_v):
    """Return a case that also asks for the gradients of W_q, W_k and W_v."""
    X, W_q, W_k, W_v = _drawn(rng, n, d_model, d_k, d_v)
    cotangent = rng.normal(size=(n, d_v))
    arguments = (
        tensor(X),
        tensor(W_q, requires_grad=True),
        tensor(W_k, requires_grad=True),
        tensor(W_v, requires_grad=True),
    )
    call = FunctionCall(TORCH, arguments, tensor(cotangent))
    return Case(f"{TORCH}/gradients-{label}", call, GRADIENTS)


def _large_case(label, *arrays):
    return function_case(NUMPY, label, *arrays, topic=LARGE)


def _torch_case(label, arrays, topic="values"):
    tensors = tuple(map(tensor, arrays))
    return function_case(TORCH, label, *tensors, topic=topic)
