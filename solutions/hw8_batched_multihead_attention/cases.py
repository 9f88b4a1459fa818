"""Input cases of hw8, of two kinds. Where B, N, D, the numbers of heads and the head dimension all differ, a
mix-up of axes raises or returns another shape. Where some of them are equal or 1 (as many heads as tokens or
sequences, one head, heads of one feature, one token), programs that branch, squeeze or broadcast on equality
go wrong; their topics are "equal sizes" and, with a mask, "equal sizes with masks".
"""

import numpy as np

from autograder.course import Case, FunctionCall

SPLIT, MERGE = "split_heads", "merge_heads"
MULTIHEAD, GROUPED = "multihead_attention", "grouped_query_attention"
EQUAL, EQUAL_MASKS, LARGE_MASKS = (
    "equal sizes",
    "equal sizes with masks",
    "large with masks",
)
COUNTED = np.arange(24.0)
X = np.array(
    [
        [[1.0, 0.0, 2.0, 0.0], [0.0, 1.0, 0.0, 3.0], [2.0, 1.0, 1.0, 0.0]],
        [[0.0, 1.0, 0.0, 3.0], [1.0, 1.0, 2.0, 0.0], [1.0, 0.0, 2.0, 0.0]],
    ]
)
W_Q = np.array(
    [
        [1.0, 0.0, 0.0, 0.0],
        [0.0, 1.0, 0.0, 0.0],
        [0.0, 1.0, 0.0, 1.0],
        [0.0, 0.0, 1.0, 0.0],
    ]
)
W_K = np.array(
    [
        [0.0, 1.0, 0.0, 0.0],
        [1.0, 0.0, 0.0, 0.0],
        [0.0, 0.0, 1.0, 1.0],
        [0.0, 0.0, 0.0, 1.0],
    ]
)
W_V = np.array(
    [
        [1.0, 0.0, 0.0, 2.0],
        [0.0, 1.0, 0.0, 0.0],
        [0.0, 0.0, 1.0, 0.0],
        [0.0, 0.0, 1.0, 1.0],
    ]
)
W_O = np.array(
    [
        [1.0, 0.0, 1.0, 0.0],
        [0.0, 1.0, 0.0, 1.0],
        [0.0, 0.0, 1.0, 0.0],
        [1.0, 0.0, 0.0, -1.0],
    ]
)
WIDE = np.array(
    [
        [
            [1.0, 0, 0, 2, 1, 0, 0, 1],
            [0, 1, 1, 0, 0, 2, 1, 0],
            [0, 0, 2, 1, 0, 1, 3, 0],
        ],
        [
            [0.0, 2, 1, 0, 1, 1, 0, 0],
            [1, 0, 0, 1, 2, 0, 0, 1],
            [0, 1, 0, 0, 1, 0, 2, 1],
        ],
    ]
)
CAUSAL = np.tri(3, dtype=bool)


def published():
    yield Case(f"{SPLIT}/counted", FunctionCall(SPLIT, (COUNTED.reshape(2, 3, 4), 2)))
    yield Case(f"{MERGE}/counted", FunctionCall(MERGE, (COUNTED.reshape(2, 2, 3, 2),)))
    yield Case(
        f"{MULTIHEAD}/tokens", FunctionCall(MULTIHEAD, (X, W_Q, W_K, W_V, W_O, 2))
    )
    yield Case(
        f"{MULTIHEAD}/causal",
        FunctionCall(MULTIHEAD, (X, W_Q, W_K, W_V, W_O, 2, CAUSAL)),
    )
    one = np.eye(
        8
    )  # queries are the tokens themselves, keys their first four features, values the others
    yield Case(
        f"{GROUPED}/shared",
        FunctionCall(GROUPED, (WIDE, one, one[:, :4], one[:, 4:], one, 4, 2)),
    )


def public(rng):
    yield from _reshaped(rng, "small", 3, 5, 12, 4)
    yield _attention(rng, "small", 3, 5, 12, 6)
    yield _attention(rng, "padding", 1, 7, 16, 8, mask="padding")
    yield _attention(rng, "times-300", 4, 2, 15, 5, scale=300, topic="large")
    yield _attention(rng, "small", 3, 5, 12, 6, 3)
    yield _attention(rng, "padding", 1, 7, 16, 8, 4, mask="padding")
    yield _attention(rng, "times-300", 9, 6, 20, 10, 5, scale=300, topic="large")
    yield from _reshaped(rng, "equal", 6, 6, 36, 6, topic=EQUAL)
    yield _attention(rng, "equal", 9, 9, 18, 9, topic=EQUAL)
    yield _attention(
        rng, "equal-causal", 10, 10, 20, 10, mask="causal", topic=EQUAL_MASKS
    )
    yield _attention(rng, "equal", 11, 11, 22, 11, 11, topic=EQUAL)
    yield _attention(
        rng, "equal-causal", 13, 13, 26, 13, 1, mask="causal", topic=EQUAL_MASKS
    )


def hidden(rng):
    yield from _reshaped(rng, "wide", 2, 5, 12, 3)
    yield from _reshaped(rng, "many-heads", 4, 3, 10, 5)
    yield _attention(rng, "wide", 2, 5, 12, 3)
    yield _attention(rng, "many-heads", 4, 3, 10, 5)
    for mask in ("causal", "padding", "per-head"):
        yield _attention(rng, mask, 2, 5, 12, 3, mask=mask)
    yield from (
        _attention(rng, f"times-{n}", 2, 6, 12, 4, scale=n, topic="large")
        for n in (300, 1000)
    )
    yield _attention(rng, "square", 2, 3, 6, 3, mask="causal", topic=EQUAL_MASKS)
    yield _attention(rng, "three-groups", 2, 5, 24, 6, 3)
    yield _attention(rng, "two-groups", 4, 3, 30, 6, 2)
    yield _attention(rng, "one-group", 3, 5, 8, 4, 1)
    yield _attention(rng, "causal", 2, 5, 24, 6, 3, mask="causal")
    yield _attention(rng, "per-head", 3, 4, 16, 8, 4, mask="per-head")
    yield _attention(rng, "square", 2, 4, 8, 4, 2, mask="causal", topic=EQUAL_MASKS)
    equal = {
        "all-equal": (3, 3, 9, 3),
        "heads-as-tokens": (2, 4, 12, 4),
        "heads-as-sequences": (3, 4, 6, 3),
        "heads-as-features": (2, 5, 9, 3),
        "square-tokens": (2, 6, 6, 3),
        "one-head": (2, 3, 4, 1),
        "one-feature": (3, 2, 4, 4),
        "one-token": (2, 1, 6, 3),
        "one-sequence": (1, 4, 10, 5),
        "a-single-number": (1, 1, 1, 1),
    }
    for label, sizes in equal.items():
        yield from _reshaped(rng, label, *sizes, topic=EQUAL)
        yield _attention(rng, label, *sizes, topic=EQUAL)
        heads = sizes[-1]
        groups = 2 if heads == 4 else heads
        yield _attention(rng, label, *sizes, groups, topic=EQUAL)
    yield _attention(rng, "as-many-groups", 2, 4, 12, 4, 4, topic=EQUAL)
    for mask in ("causal", "padding", "per-head", "per-sequence"):
        yield _attention(
            rng, f"all-equal-{mask}", 3, 3, 9, 3, mask=mask, topic=EQUAL_MASKS
        )
        yield _attention(
            rng, f"equal-{mask}", 4, 4, 16, 4, 2, mask=mask, topic=EQUAL_MASKS
        )
    yield _attention(rng, "times-300", 2, 5, 12, 6, 3, scale=300, topic="large")
    yield from _reshaped(rng, "no-size-of-the-handout", 6, 7, 40, 5)
    yield _far_below_zero(rng, "far-below-zero", 2, 5, 12, 3)
    yield _far_below_zero(rng, "far-below-zero", 3, 4, 16, 8, 2)


def fresh(rng):
    yield from _reshaped(rng, "drawn", 2, 4, 15, 5)
    yield _attention(rng, "drawn", 2, 6, 15, 5)
    yield _attention(rng, "masked", 3, 5, 8, 4, mask="per-head")
    yield _attention(rng, "times-300", 2, 5, 12, 3, scale=300, topic="large")
    yield _attention(rng, "drawn", 2, 5, 24, 6, 3)
    yield _attention(rng, "masked", 2, 4, 30, 6, 3, mask="causal")
    yield from _reshaped(rng, "drawn-equal", 4, 4, 16, 4, topic=EQUAL)
    yield _attention(rng, "drawn-equal", 4, 4, 16, 4, topic=EQUAL)
    yield _attention(rng, "masked-equal", 4, 4, 16, 4, mask="causal", topic=EQUAL_MASKS)
    yield _attention(rng, "drawn-equal", 2, 4, 8, 4, 2, topic=EQUAL)
    yield _attention(
        rng, "masked-equal", 2, 4, 8, 4, 2, mask="per-head", topic=EQUAL_MASKS
    )
    yield _attention(rng, "times-300", 3, 4, 12, 6, 3, scale=300, topic="large")


def _reshaped(rng, label, B, N, D, H, topic="values"):
    yield Case(
        f"{SPLIT}/{label}", FunctionCall(SPLIT, (rng.normal(size=(B, N, D)), H)), topic
    )
    yield Case(
        f"{MERGE}/{label}",
        FunctionCall(MERGE, (rng.normal(size=(B, H, N, D // H)),)),
        topic,
    )


def _attention(rng, label, B, N, D, H, n_kv_heads=None, mask=None, scale=1, topic=None):
    """One call: grouped where a number of key heads is given, and of topic "masks" where a mask is."""
    task, heads = (
        (MULTIHEAD, (H,)) if n_kv_heads is None else (GROUPED, (H, n_kv_heads))
    )
    width = heads[-1] * D // H
    X = rng.normal(size=(B, N, D)) * np.sqrt(scale)
    weights = [
        rng.normal(size=(D, columns)) * np.sqrt(2 / D)
        for columns in (D, width, width, D)
    ]
    masks = () if mask is None else (_mask(rng, mask, B, H, N),)
    topic = topic or ("masks" if masks else "values")
    return Case(
        f"{task}/{label}", FunctionCall(task, (X, *weights, *heads, *masks)), topic
    )


def _far_below_zero(rng, label, B, N, D, H, n_kv_heads=None):
    """One masked call whose scores are all hundreds below 0, those of a query a few units apart."""
    task, heads = (
        (MULTIHEAD, (H,)) if n_kv_heads is None else (GROUPED, (H, n_kv_heads))
    )
    width = heads[-1] * D // H
    X = 4.0 + rng.normal(size=(B, N, D)) / 32
    W_q = rng.uniform(1, 2, size=(D, D)) / np.sqrt(D)
    W_k = -rng.uniform(1, 2, size=(D, width)) / np.sqrt(D)
    W_v = 32 * rng.normal(size=(D, width))
    W_v -= W_v.mean(axis=0)  # what all tokens share adds nothing to their values
    W_o = rng.normal(size=(D, D)) / np.sqrt(D)
    call = FunctionCall(
        task, (X, W_q, W_k, W_v, W_o, *heads, _mask(rng, "causal", B, H, N))
    )
    return Case(f"{task}/{label}", call, LARGE_MASKS)


def _mask(rng, kind, B, H, N):
    """A mask that leaves each query at least one key."""
    if kind == "causal":
        return np.tri(N, dtype=bool)
    if (
        kind == "padding"
    ):  # of another length in each sequence, as far as there are lengths
        lengths = N - 1 - np.arange(B) % (N - 1)
        return (np.arange(N) < lengths[:, None])[:, None, None]
    shapes = {"per-head": (B, H, N, N), "per-sequence": (B, 1, N, N)}
    return np.eye(N, dtype=bool) | (rng.random(shapes[kind]) < 0.5)
