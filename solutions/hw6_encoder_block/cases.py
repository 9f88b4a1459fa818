"""Input cases of hw6.

All sizes of a hidden case differ, for mistakes hide where two of them are equal. The exception is the case
`as-many-tokens`: programs that look at sizes to decide what to transpose go wrong there. LayerNorm's gain and
bias are drawn too: at their initial 1 and 0 a block that uses one norm twice looks right. Except in the topic
"width", ff_dim is four times embed_dim, so that a block with that fixed ratio loses the width alone. One
hidden case has the default sizes, so that a block which works for those alone can be told from a broken one.
"""

from dataclasses import replace

import numpy as np

from autograder.course import Case, ModuleCall, tensor

TASK = "SimpleEncoderBlock"

# Sizes are embed_dim, num_heads and ff_dim, as in the constructor.
DEFAULTS = (64, 4, 256)
THREE_HEADS = (12, 3, 48)

SHAPE = "shape"
WIDTH = "width"
SPREAD = "spread"
INFLUENCE = "influence"
GRADIENTS = "gradients"
SIZES_BY_DEFAULT = "defaults"

SEED_OF_PUBLISHED = 2017

SMALL = 0.03
"""A spread at which an epsilon of 1e-5 makes a token half a per cent smaller, 1e-4 five, and 1e-3 a third."""


def published():
    rng = np.random.default_rng(SEED_OF_PUBLISHED)
    yield _case(rng, "batch-of-64", DEFAULTS, batch=32, tokens=10)
    yield _case(
        rng,
        "batch-of-128",
        (128, 8, 512),
        batch=32,
        tokens=10,
    )


def public(rng):
    yield _case(
        rng,
        "small",
        (10, 5, 40),
        batch=3,
        tokens=4,
    )
    yield _case(
        rng,
        "narrow",
        (12, 3, 20),
        batch=5,
        tokens=2,
        topic=WIDTH,
    )
    yield _gradients(rng, (6, 2, 24), batch=4, tokens=3)
    yield from _twice_and_changed(rng, tokens=6)
    # A squeeze loses the axis of a single token, and what is left broadcasts to another shape.
    yield _shape_case(rng, "sequences-of-one-token", (8, 2, 32), batch=3)
    yield _zeros_case(rng, (14, 2, 56), batch=6, tokens=5)
    yield _spread_case(rng, (40, 5, 160), batch=2, tokens=7)
    yield _square_case(rng, (16, 4, 64), sequences=6)


def hidden(rng):
    yield _case(rng, "three-heads", THREE_HEADS, batch=2, tokens=5)
    yield _case(
        rng,
        "six-heads",
        (18, 6, 72),
        batch=4,
        tokens=7,
    )
    yield _case(
        rng,
        "wide",
        (20, 2, 70),
        batch=3,
        tokens=4,
        topic=WIDTH,
    )
    # A squeeze loses an axis of length 1.
    yield _shape_case(rng, "one-token", THREE_HEADS, batch=1)
    yield _gradients(rng, THREE_HEADS, batch=2, tokens=5)
    yield _case(rng, "default-sizes", DEFAULTS, batch=2, tokens=3)
    yield _case(
        rng,
        "as-many-tokens",
        (6, 3, 24),
        batch=2,
        tokens=6,
    )
    # The same with several sequences: what a squeeze returns then broadcasts to another shape.
    yield _shape_case(rng, "single-tokens", THREE_HEADS, batch=4)
    yield _zeros_case(rng, (15, 3, 60), batch=4, tokens=6)
    yield _spread_case(rng, (36, 4, 144), batch=3, tokens=5)
    yield _square_case(rng, (15, 5, 60), sequences=4)


def fresh(rng):
    yield _case(
        rng,
        "drawn",
        (14, 7, 56),
        batch=3,
        tokens=4,
    )
    twice, changed = _twice_and_changed(rng, tokens=5)
    yield twice
    yield changed
    # The same block, made without arguments.
    without_arguments = replace(twice.call, args=())
    yield Case(f"{TASK}/defaults", without_arguments, SIZES_BY_DEFAULT)


def _twice_and_changed(rng, tokens):
    """Return a case with one sequence twice, and the same with the first one's last token exchanged.

    Equal sequences need equal outputs, and the token may reach the outputs of its own sequence alone.
    """
    embed_dim, _, ff_dim = DEFAULTS
    sequence = rng.normal(size=(tokens, embed_dim))
    other_token = rng.normal(size=embed_dim)
    parameters = _parameters(rng, embed_dim, ff_dim)

    twice = np.stack([sequence, sequence])
    changed = twice.copy()
    changed[0, -1] = other_token
    twice_call = ModuleCall(TASK, DEFAULTS, tensor(twice), parameters)
    changed_call = ModuleCall(TASK, DEFAULTS, tensor(changed), parameters)
    twice_case = Case(f"{TASK}/twice", twice_call, INFLUENCE)
    changed_case = Case(f"{TASK}/changed", changed_call, INFLUENCE)
    return twice_case, changed_case


def _case(rng, label, sizes, batch, tokens, topic="values"):
    """Draw a batch and all parameters of a block of these sizes."""
    embed_dim, _, ff_dim = sizes
    x = rng.normal(size=(batch, tokens, embed_dim))
    parameters = _parameters(rng, embed_dim, ff_dim)
    name = f"{TASK}/{label}"
    call = ModuleCall(TASK, sizes, tensor(x), parameters)
    return Case(name, call, topic)


def _square_case(rng, sizes, sequences):
    """Draw as many sequences as each has tokens, and a network whose hidden units are far above 6.

    Programs that look at sizes to tell sequences from tokens go wrong, and so do activations with a limit.
    """
    case = _case(rng, "as-many-sequences", sizes, batch=sequences, tokens=sequences)
    parameters = dict(case.call.parameters)
    up = parameters["ff.0.weight"].array
    down = parameters["ff.2.weight"].array
    parameters["ff.0.weight"] = tensor(16 * up)
    parameters["ff.2.weight"] = tensor(down / 16)
    call = replace(case.call, parameters=parameters)
    return replace(case, call=call)


def _shape_case(rng, label, sizes, batch):
    """Draw sequences of a single token each."""
    return _case(rng, label, sizes, batch, tokens=1, topic=SHAPE)


def _zeros_case(rng, sizes, batch, tokens):
    """Draw a batch in which a token of each sequence but the last is 0: no padding, but a token as others."""
    embed_dim, _, ff_dim = sizes
    x = rng.normal(size=(batch, tokens, embed_dim))
    for sequence in range(batch - 1):
        place = sequence % tokens
        x[sequence, place] = 0.0
    parameters = _parameters(rng, embed_dim, ff_dim)
    call = ModuleCall(TASK, sizes, tensor(x), parameters)
    return Case(f"{TASK}/tokens-of-zeros", call)


def _spread_case(rng, sizes, batch, tokens):
    """Draw tokens whose numbers lie close together, and in each sequence one of equal numbers.

    Attention and the feed-forward network return 0, so that the block is one norm after the other. The first
    one's gain and bias are small, so that epsilon counts in the second as well. The check judges the output by
    itself, for an epsilon of 1e-6 is no fault.
    """
    embed_dim, _, ff_dim = sizes
    drawn = rng.normal(size=(batch, tokens, embed_dim))
    x = 0.5 + SMALL * drawn
    x[:, 1] = 0.5
    parameters = _parameters(rng, embed_dim, ff_dim)
    for layer in ("self_attn.out_proj.", "ff.2."):
        weight = parameters[f"{layer}weight"].array
        bias = parameters[f"{layer}bias"].array
        zero_weight = np.zeros_like(weight)
        zero_bias = np.zeros_like(bias)
        zeros = _layer(layer, zero_weight, zero_bias)
        parameters.update(zeros)
    gain = parameters["norm1.weight"].array
    bias = parameters["norm1.bias"].array
    parameters["norm1.weight"] = tensor(SMALL * gain)
    # Biases have half the spread of gains and tokens.
    parameters["norm1.bias"] = tensor(2 * SMALL * bias)
    call = ModuleCall(TASK, sizes, tensor(x), parameters)
    return Case(f"{TASK}/small-spread", call, SPREAD, expects=False)


def _gradients(rng, sizes, batch, tokens):
    """Return a case that also asks for the gradients of the input and of all parameters."""
    embed_dim, _, ff_dim = sizes
    x = rng.normal(size=(batch, tokens, embed_dim))
    cotangent = rng.normal(size=(batch, tokens, embed_dim))
    parameters = _parameters(rng, embed_dim, ff_dim)
    call = ModuleCall(
        TASK,
        sizes,
        tensor(x, requires_grad=True),
        parameters,
        cotangent=tensor(cotangent),
    )
    return Case(f"{TASK}/gradients", call, GRADIENTS)


def _parameters(rng, embed_dim, ff_dim):
    """Draw all parameters in torch's order: inputs of unit size stay of unit size, and no bias is 0."""
    rows_of_q_k_v = 3 * embed_dim
    return {
        **_linear(rng, "self_attn.in_proj_", rows_of_q_k_v, embed_dim),
        **_linear(rng, "self_attn.out_proj.", embed_dim, embed_dim),
        **_linear(rng, "ff.0.", ff_dim, embed_dim),
        **_linear(rng, "ff.2.", embed_dim, ff_dim),
        **_norm(rng, "norm1.", embed_dim),
        **_norm(rng, "norm2.", embed_dim),
    }


def _linear(rng, prefix, rows, columns):
    entries = rng.normal(size=(rows, columns))
    weight = entries / np.sqrt(columns)
    bias = rng.normal(size=rows) / 2
    return _layer(prefix, weight, bias)


def _norm(rng, prefix, size):
    gain = rng.uniform(0.5, 1.5, size=size)
    bias = rng.normal(size=size) / 2
    return _layer(prefix, gain, bias)


def _layer(prefix, weight, bias):
    return {
        f"{prefix}weight": tensor(weight),
        f"{prefix}bias": tensor(bias),
    }
