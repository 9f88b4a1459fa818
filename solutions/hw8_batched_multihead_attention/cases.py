"""Input cases of hw8, of two kinds. Sizes are B sequences, N tokens, D features and H heads.

Where B, N, D, the numbers of heads and the head dimension all differ, a mix-up of axes raises or returns
another shape. Where some of them are equal or 1 (as many heads as tokens or sequences, one head, heads of one
feature, one token), programs that branch, squeeze or broadcast on equality go wrong; their topics are "equal
sizes" and, with a mask, "equal sizes with masks".
"""

import numpy as np

from autograder.course import function_case

SPLIT = "split_heads"
MERGE = "merge_heads"
MULTIHEAD = "multihead_attention"
GROUPED = "grouped_query_attention"

VALUES = "values"
MASKS = "masks"
LARGE = "large"
LARGE_MASKS = "large with masks"
EQUAL = "equal sizes"
EQUAL_MASKS = "equal sizes with masks"

# Sizes on whose equality programs branch, squeeze or broadcast: B, N, D and H of each.
EQUAL_SIZES = {
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

COUNTED = np.arange(24.0)
X = np.array(
    [
        [
            [1.0, 0.0, 2.0, 0.0],
            [0.0, 1.0, 0.0, 3.0],
            [2.0, 1.0, 1.0, 0.0],
        ],
        [
            [0.0, 1.0, 0.0, 3.0],
            [1.0, 1.0, 2.0, 0.0],
            [1.0, 0.0, 2.0, 0.0],
        ],
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


def published():
    tokens = COUNTED.reshape(2, 3, 4)
    heads = COUNTED.reshape(2, 2, 3, 2)
    yield function_case(SPLIT, "counted", tokens, 2)
    yield function_case(MERGE, "counted", heads)
    yield function_case(MULTIHEAD, "tokens", X, W_Q, W_K, W_V, W_O, 2)
    causal = np.tri(3, dtype=bool)
    yield function_case(MULTIHEAD, "causal", X, W_Q, W_K, W_V, W_O, 2, causal)
    # Queries are the tokens themselves, keys their first four features, values the others.
    identity = np.eye(8)
    first_half = identity[:, :4]
    second_half = identity[:, 4:]
    yield function_case(
        GROUPED, "shared", WIDE, identity, first_half, second_half, identity, 4, 2
    )


def public(rng):
    yield from _reshaped(rng, "small", B=3, N=5, D=12, H=4)
    yield _multihead(rng, "small", B=3, N=5, D=12, H=6)
    yield _multihead(rng, "padding", B=1, N=7, D=16, H=8, mask="padding")
    yield _multihead(rng, "times-300", B=4, N=2, D=15, H=5, scale=300)
    yield _grouped(rng, "small", B=3, N=5, D=12, H=6, n_kv_heads=3)
    yield _grouped(
        rng,
        "padding",
        B=1,
        N=7,
        D=16,
        H=8,
        n_kv_heads=4,
        mask="padding",
    )
    yield _grouped(
        rng,
        "times-300",
        B=9,
        N=6,
        D=20,
        H=10,
        n_kv_heads=5,
        scale=300,
    )

    # As many heads as sequences and tokens.
    yield from _reshaped(rng, "equal", B=6, N=6, D=36, H=6, topic=EQUAL)
    yield _multihead(rng, "equal", B=9, N=9, D=18, H=9, topic=EQUAL)
    yield _multihead(
        rng,
        "equal-causal",
        B=10,
        N=10,
        D=20,
        H=10,
        mask="causal",
        topic=EQUAL_MASKS,
    )
    yield _grouped(
        rng,
        "equal",
        B=11,
        N=11,
        D=22,
        H=11,
        n_kv_heads=11,
        topic=EQUAL,
    )
    yield _grouped(
        rng,
        "equal-causal",
        B=13,
        N=13,
        D=26,
        H=13,
        n_kv_heads=1,
        mask="causal",
        topic=EQUAL_MASKS,
    )

    # A mask for each head, and one for each sequence; then a single head, and a single token.
    yield _multihead(rng, "per-head", B=3, N=5, D=12, H=4, mask="per-head")
    yield _grouped(rng, "per-head", B=3, N=5, D=18, H=6, n_kv_heads=2, mask="per-head")
    for mask in ("padding", "per-head", "per-sequence"):
        yield _multihead(
            rng, f"equal-{mask}", B=4, N=4, D=12, H=4, mask=mask, topic=EQUAL_MASKS
        )
        yield _grouped(
            rng,
            f"equal-{mask}",
            B=4,
            N=4,
            D=16,
            H=4,
            n_kv_heads=2,
            mask=mask,
            topic=EQUAL_MASKS,
        )
    yield from _each_task(rng, "one-head", B=3, N=2, D=5, H=1)
    yield from _each_task(rng, "square-tokens", B=3, N=8, D=8, H=2)
    yield _far_below_zero(rng, MULTIHEAD, B=3, N=4, D=10, heads=(2,))
    yield _far_below_zero(rng, GROUPED, B=2, N=5, D=16, heads=(8, 2))
    yield _forbidden_above(rng, MULTIHEAD, B=2, N=6, D=8, heads=(4,))
    yield _forbidden_above(rng, GROUPED, B=3, N=5, D=8, heads=(4, 2))
    yield _thousands_below_zero(rng, MULTIHEAD, B=2, N=5, heads=(3,))
    yield _thousands_below_zero(rng, GROUPED, B=3, N=5, heads=(6, 3))
    yield _as_many_groups(rng, B=2, N=5, D=12, H=3)


def hidden(rng):
    yield from _hidden_values(rng)
    yield from _hidden_groups(rng)
    yield from _hidden_equal_sizes(rng)
    yield from _hidden_scores(rng)
    yield _forbidden_above(rng, MULTIHEAD, B=3, N=5, D=12, heads=(3,))
    yield _forbidden_above(rng, GROUPED, B=2, N=6, D=12, heads=(6, 3))
    yield _thousands_below_zero(rng, MULTIHEAD, B=3, N=5, heads=(2,))
    yield _thousands_below_zero(rng, GROUPED, B=5, N=6, heads=(4, 2))
    yield _as_many_groups(rng, B=3, N=4, D=10, H=2)


def _hidden_values(rng):
    yield from _reshaped(rng, "wide", B=2, N=5, D=12, H=3)
    yield from _reshaped(rng, "many-heads", B=4, N=3, D=10, H=5)
    yield _multihead(rng, "wide", B=2, N=5, D=12, H=3)
    yield _multihead(rng, "many-heads", B=4, N=3, D=10, H=5)
    yield _multihead(rng, "causal", B=2, N=5, D=12, H=3, mask="causal")
    yield _multihead(rng, "padding", B=2, N=5, D=12, H=3, mask="padding")
    yield _multihead(rng, "per-head", B=2, N=5, D=12, H=3, mask="per-head")
    # Exp overflows unless the largest score is subtracted.
    yield _multihead(rng, "times-300", B=2, N=6, D=12, H=4, scale=300)
    yield _multihead(rng, "times-1000", B=2, N=6, D=12, H=4, scale=1000)
    yield _multihead(
        rng,
        "square",
        B=2,
        N=3,
        D=6,
        H=3,
        mask="causal",
        topic=EQUAL_MASKS,
    )


def _hidden_groups(rng):
    """Groups of two, of three and of four query heads."""
    yield _grouped(rng, "three-groups", B=2, N=5, D=24, H=6, n_kv_heads=3)
    yield _grouped(rng, "two-groups", B=4, N=3, D=30, H=6, n_kv_heads=2)
    yield _grouped(rng, "one-group", B=3, N=5, D=8, H=4, n_kv_heads=1)
    yield _grouped(
        rng,
        "causal",
        B=2,
        N=5,
        D=24,
        H=6,
        n_kv_heads=3,
        mask="causal",
    )
    yield _grouped(
        rng,
        "per-head",
        B=3,
        N=4,
        D=16,
        H=8,
        n_kv_heads=4,
        mask="per-head",
    )
    yield _grouped(
        rng,
        "square",
        B=2,
        N=4,
        D=8,
        H=4,
        n_kv_heads=2,
        mask="causal",
        topic=EQUAL_MASKS,
    )


def _hidden_equal_sizes(rng):
    for label, sizes in EQUAL_SIZES.items():
        yield from _each_task(rng, label, *sizes)
    yield _grouped(
        rng,
        "as-many-groups",
        B=2,
        N=4,
        D=12,
        H=4,
        n_kv_heads=4,
        topic=EQUAL,
    )

    # A mask for all, for each sequence or for each head, where their axes have one size.
    for mask in ("causal", "padding", "per-head", "per-sequence"):
        yield _multihead(
            rng,
            f"all-equal-{mask}",
            B=3,
            N=3,
            D=9,
            H=3,
            mask=mask,
            topic=EQUAL_MASKS,
        )
        yield _grouped(
            rng,
            f"equal-{mask}",
            B=4,
            N=4,
            D=16,
            H=4,
            n_kv_heads=2,
            mask=mask,
            topic=EQUAL_MASKS,
        )


def _hidden_scores(rng):
    # Grouped attention may have a softmax of its own.
    yield _grouped(
        rng,
        "times-300",
        B=2,
        N=5,
        D=12,
        H=6,
        n_kv_heads=3,
        scale=300,
    )
    yield from _reshaped(rng, "no-size-of-the-handout", B=6, N=7, D=40, H=5)
    yield _far_below_zero(rng, MULTIHEAD, B=2, N=5, D=12, heads=(3,))
    yield _far_below_zero(rng, GROUPED, B=3, N=4, D=16, heads=(8, 2))


def fresh(rng):
    yield from _reshaped(rng, "drawn", B=2, N=4, D=15, H=5)
    yield _multihead(rng, "drawn", B=2, N=6, D=15, H=5)
    yield _multihead(rng, "masked", B=3, N=5, D=8, H=4, mask="per-head")
    yield _multihead(rng, "times-300", B=2, N=5, D=12, H=3, scale=300)
    yield _grouped(rng, "drawn", B=2, N=5, D=24, H=6, n_kv_heads=3)
    yield _grouped(
        rng,
        "masked",
        B=2,
        N=4,
        D=30,
        H=6,
        n_kv_heads=3,
        mask="causal",
    )
    yield from _reshaped(rng, "drawn-equal", B=4, N=4, D=16, H=4, topic=EQUAL)
    yield _multihead(rng, "drawn-equal", B=4, N=4, D=16, H=4, topic=EQUAL)
    yield _multihead(
        rng,
        "masked-equal",
        B=4,
        N=4,
        D=16,
        H=4,
        mask="causal",
        topic=EQUAL_MASKS,
    )
    yield _grouped(
        rng,
        "drawn-equal",
        B=2,
        N=4,
        D=8,
        H=4,
        n_kv_heads=2,
        topic=EQUAL,
    )
    yield _grouped(
        rng,
        "masked-equal",
        B=2,
        N=4,
        D=8,
        H=4,
        n_kv_heads=2,
        mask="per-head",
        topic=EQUAL_MASKS,
    )
    yield _grouped(
        rng,
        "times-300",
        B=3,
        N=4,
        D=12,
        H=6,
        n_kv_heads=3,
        scale=300,
    )


def _each_task(rng, label, B, N, D, H):
    """Yield one case of each task, all of the same sizes."""
    yield from _reshaped(rng, label, B, N, D, H, topic=EQUAL)
    yield _multihead(rng, label, B, N, D, H, topic=EQUAL)
    n_kv_heads = H
    if H == 4:
        n_kv_heads = 2
    yield _grouped(rng, label, B, N, D, H, n_kv_heads, topic=EQUAL)


def _reshaped(rng, label, B, N, D, H, topic=VALUES):
    tokens = rng.normal(size=(B, N, D))
    head_dimension = D // H
    heads = rng.normal(size=(B, H, N, head_dimension))
    yield function_case(SPLIT, label, tokens, H, topic=topic)
    yield function_case(MERGE, label, heads, topic=topic)


def _multihead(rng, label, B, N, D, H, mask=None, scale=1, topic=None):
    return _attention(rng, MULTIHEAD, label, B, N, D, (H,), mask, scale, topic)


def _grouped(rng, label, B, N, D, H, n_kv_heads, mask=None, scale=1, topic=None):
    heads = (H, n_kv_heads)
    return _attention(rng, GROUPED, label, B, N, D, heads, mask, scale, topic)


def _attention(rng, task, label, B, N, D, heads, mask, scale, topic):
    """Return one call of an attention function.

    Args:
        rng: draws the arrays.
        task: the function.
        label: the case's label.
        B, N, D: sequences, tokens and features.
        heads: the number of query heads; of grouped attention also that of key and value heads.
        mask: the kind of mask, see ``_mask``; None for a call without one.
        scale: what all scores are multiplied by.
        topic: None is "large" with another scale, "masks" with a mask, and else "values".
    """
    shape_q, shape_k, shape_v, shape_o = _weight_shapes(D, *heads)
    X = np.sqrt(scale) * rng.normal(size=(B, N, D))
    spread = np.sqrt(2 / D)
    W_q = spread * rng.normal(size=shape_q)
    W_k = spread * rng.normal(size=shape_k)
    W_v = spread * rng.normal(size=shape_v)
    W_o = spread * rng.normal(size=shape_o)
    arguments = [X, W_q, W_k, W_v, W_o, *heads]
    usual_topic = VALUES
    if mask is not None:
        H, *_ = heads
        arguments.append(_mask(rng, mask, B, H, N))
        usual_topic = MASKS
    if scale != 1:
        usual_topic = LARGE
    return function_case(task, label, *arguments, topic=topic or usual_topic)


def _as_many_groups(rng, B, N, D, H):
    """Return a masked call with as many key heads as query heads: the mask counts there, too."""
    label = "as-many-groups-causal"
    return _grouped(rng, label, B, N, D, H, n_kv_heads=H, mask="causal")


def _far_below_zero(rng, task, B, N, D, heads):
    """Return a masked call whose scores are all hundreds below 0, those of a query a few units apart.

    Where 0 takes part in the maximum, as with a mask that is multiplied, exp underflows.
    """
    shape_q, shape_k, shape_v, shape_o = _weight_shapes(D, *heads)
    X = 4.0 + rng.normal(size=(B, N, D)) / 32
    W_q = rng.uniform(1, 2, size=shape_q) / np.sqrt(D)
    W_k = -rng.uniform(1, 2, size=shape_k) / np.sqrt(D)
    W_v = 32 * rng.normal(size=shape_v)
    W_v -= W_v.mean(axis=0)  # what all tokens share adds nothing to their values
    W_o = rng.normal(size=shape_o) / np.sqrt(D)
    mask = np.tri(N, dtype=bool)
    arguments = (X, W_q, W_k, W_v, W_o, *heads, mask)
    return function_case(task, "far-below-zero", *arguments, topic=LARGE_MASKS)


def _thousands_below_zero(rng, task, B, N, heads):
    """Return a causal call whose scores lie more than 10,000 below 0, those of a query a few units apart.

    A large negative number in place of -infinity is then the largest. All scores are exact numbers, also in
    single precision; a head has four features.
    """
    D = 4 * heads[0]
    shape_q, shape_k, shape_v, shape_o = _weight_shapes(D, *heads)
    X = rng.integers(-2, 3, size=(B, N, D)).astype(float)
    X[..., 0] = 1
    W_q = rng.integers(-1, 2, size=shape_q) / 4
    W_k = rng.integers(-1, 2, size=shape_k) / 2
    # The first feature of each head makes the height, and in the keys a few units.
    W_q[:, ::4] = 0
    W_q[0, ::4] = -128
    W_k[:, ::4] /= 32
    W_k[0, ::4] = 160
    W_v = rng.normal(size=shape_v)
    W_o = rng.normal(size=shape_o)
    mask = np.tri(N, dtype=bool)
    arguments = (X, W_q, W_k, W_v, W_o, *heads, mask)
    return function_case(task, "thousands-below-zero", *arguments, topic=LARGE_MASKS)


def _forbidden_above(rng, task, B, N, D, heads):
    """Return a call in which the scores of padding lie hundreds above those of the words.

    Where they take part in the maximum, the exponentials of all allowed scores are 0.
    """
    shape_q, shape_k, shape_v, shape_o = _weight_shapes(D, *heads)
    X = 4.0 + rng.normal(size=(B, N, D)) / 8
    X[:, -2:] *= 4  # the padding
    # Scores of words with words are about 300, those of words with padding 1200, whatever the sizes.
    head_dimension = D / heads[0]
    spread = np.sqrt(8) / (D * head_dimension**0.25)
    W_q = spread * rng.uniform(1, 2, size=shape_q)
    W_k = spread * rng.uniform(1, 2, size=shape_k)
    W_v = rng.normal(size=shape_v)
    W_v -= W_v.mean(axis=0)  # what all tokens share adds nothing to their values
    W_o = rng.normal(size=shape_o)
    mask = np.ones((B, heads[0], N, N), dtype=bool)
    mask[..., -2:] = False
    arguments = (X, W_q, W_k, W_v, W_o, *heads, mask)
    return function_case(task, "forbidden-above", *arguments, topic=LARGE_MASKS)


def _weight_shapes(D, H, n_kv_heads=None):
    """Return the shapes of W_q, W_k, W_v and W_o; shared key and value heads make fewer columns."""
    square = (D, D)
    if n_kv_heads is None:
        return square, square, square, square
    head_dimension = D // H
    narrow = (D, n_kv_heads * head_dimension)
    return square, narrow, narrow, square


def _mask(rng, kind, B, H, N):
    """Return a mask that leaves each query at least one key."""
    if kind == "causal":
        return np.tri(N, dtype=bool)
    if kind == "padding":
        # Each sequence has another length, as far as there are lengths.
        missing_words = 1 + np.arange(B) % (N - 1)
        lengths = N - missing_words
        words = np.arange(N) < lengths[:, None]
        return words[:, None, None]
    shapes = {"per-head": (B, H, N, N), "per-sequence": (B, 1, N, N)}
    drawn = rng.random(shapes[kind]) < 0.5
    itself = np.eye(N, dtype=bool)
    return itself | drawn
