"""Input cases of hw10. All sizes of a case differ, but for one case of each task in which they are equal."""

from dataclasses import dataclass

import numpy as np

from autograder.course import function_case
from autograder.course.attention_inputs import (
    FAR,
    alternating,
    rows_on_both_sides,
    weight_matrix,
)

ENCODE = "encode_names"
LOSS = "cross_entropy"
BACKWARD = "softmax_backward"
BLOCK = "causal_block"
TRAIN = "train"
SAMPLE = "sample"

VALUES = "values"
LARGE = "large"
FILLED = "filled"
TOP = "top"

LETTERS = "abcdefghijklmnopqrstuvwxyz"
RATE = 0.5
USUAL = 2.0
"""How far apart logits usually are."""
FAR_APART = 1000.0
"""How far apart they are where exp overflows without a maximum."""


# The examples of the handout. Logarithms of odds are logits.
ODDS = np.array(
    [
        [
            [4.0, 1.0, 2.0, 1.0],
            [1.0, 1.0, 1.0, 1.0],
            [1.0, 2.0, 3.0, 2.0],
        ]
    ]
)
TARGETS = np.array([[0, 3, -1]])
WEIGHTS = np.array(
    [
        [0.5, 0.25, 0.25],
        [0.2, 0.3, 0.5],
    ]
)
GRAD_WEIGHTS = np.array(
    [
        [4.0, 0.0, 0.0],
        [1.0, 2.0, 3.0],
    ]
)
X = np.array(
    [
        [
            [1.0, 0.0],
            [0.0, 1.0],
            [1.0, 1.0],
        ]
    ]
)
W_Q = np.array(
    [
        [2.0, 0.0, 1.0, 0.0],
        [0.0, 2.0, 1.0, 2.0],
    ]
)
W_K = np.array(
    [
        [1.0, 0.0, 0.0, 2.0],
        [0.0, 1.0, 2.0, 0.0],
    ]
)
W_V = np.array(
    [
        [1.0, 2.0],
        [0.0, 1.0],
    ]
)
W_1 = np.array(
    [
        [1.0, -1.0, 0.0, 1.0, 2.0],
        [0.0, 1.0, -1.0, 1.0, -1.0],
    ]
)
W_2 = np.array(
    [
        [1.0, 0.0],
        [0.0, 1.0],
        [1.0, 1.0],
        [-1.0, 1.0],
        [1.0, -1.0],
    ]
)
ODDS_OF_DRAWS = [
    [2.0, 1.0, 1.0],
    [2.0, 1.0, 1.0],
    [1.0, 2.0, 4.0],
    [1.0, 2.0, 4.0],
]
DRAWS = np.array([0.6, 0.7, 0.1, 0.9])


@dataclass
class ModelSizes:
    """The sizes of a batch, and of a block that reads it.

    Attributes:
        batch: how many names there are.
        n: how many characters a name has at most.
        width: how many features a character has, or how many logits.
        d_k: how many features a query has.
        hidden: how many units the network has between its layers.
    """

    batch: int
    n: int
    width: int
    d_k: int
    hidden: int

    @property
    def vectors(self):
        """The shape of a batch's vectors, and of its logits."""
        return (self.batch, self.n, self.width)

    @property
    def block(self):
        """The shapes of W_q, W_k, W_v, W_1 and W_2."""
        return [
            (self.width, self.d_k),
            (self.width, self.d_k),
            (self.width, self.width),
            (self.width, self.hidden),
            (self.hidden, self.width),
        ]


def published():
    yield function_case(ENCODE, "two-names", ["ada", "bo"], ".abdo")
    logits = np.log(ODDS)
    yield function_case(LOSS, "odds", logits, TARGETS)
    yield function_case(BACKWARD, "two-rows", WEIGHTS, GRAD_WEIGHTS)
    parameters = (W_Q, W_K, W_V, W_1, W_2)
    yield function_case(BLOCK, "three-characters", X, *parameters)

    rng = np.random.default_rng(2017)
    sizes = ModelSizes(batch=7, n=3, width=2, d_k=4, hidden=6)
    yield _training(rng, "two-steps", sizes, n_ids=5, n_names=9, steps=2)

    logits = np.log(ODDS_OF_DRAWS)
    yield function_case(SAMPLE, "squares", logits, 0.5, DRAWS)


def public(rng):
    small = ModelSizes(batch=4, n=7, width=6, d_k=3, hidden=8)
    yield from _all_tasks(rng, "small", small)
    yield _far_apart_logits(rng, "far-apart", (3, 5, 9))
    far_apart = ModelSizes(batch=11, n=9, width=12, d_k=20, hidden=14)
    yield _far_apart_scores(rng, far_apart)
    yield _backward(rng, "three-axes", (3, 5, 7))

    # What grading takes points for shows here, too: a single name, and branches on equal sizes.
    yield _names(rng, "one-name", 1, "#xyz", longest=6)
    equal = ModelSizes(batch=10, n=10, width=10, d_k=10, hidden=10)
    yield from _all_tasks(rng, "all-equal", equal, steps=5)
    yield _names(rng, "square", 5, "*efgh", longest=4)
    yield _draws(rng, "square", 12, 12)
    yield _draws(rng, "square-top-3", 11, 11, top_k=3)
    yield _draws(rng, "low-top-3", 16, 14, top_k=3, lowered=1000.0)
    yield _loss(rng, "one-place", (1, 1, 11))
    yield _far_apart_logits(rng, "far-apart-equal", (8, 8, 8))
    yield from _below(rng, (3, 4, 7))
    below = ModelSizes(batch=4, n=6, width=8, d_k=5, hidden=9)
    yield _scores_below(rng, below)
    with_zeros = ModelSizes(batch=5, n=4, width=7, d_k=3, hidden=6)
    yield _zero_vector(rng, with_zeros)
    yield _name_again(rng, 4, ";mnopqr", longest=5)
    rising = ModelSizes(batch=3, n=18, width=4, d_k=5, hidden=7)
    yield _later_above(rng, rising)
    yield _hidden_weights(rng, (5, 6, 6))
    yield _draws(rng, "top-1", 9, 5, top_k=1)
    yield _draws(rng, "all-in-the-top", 13, 6, top_k=6)
    yield _cold_draws(rng, 17, 7)


def hidden(rng):
    wide = ModelSizes(batch=3, n=5, width=11, d_k=4, hidden=7)
    yield from _all_tasks(rng, "wide", wide)
    long = ModelSizes(batch=2, n=9, width=5, d_k=6, hidden=3)
    yield from _all_tasks(rng, "long", long)
    equal = ModelSizes(batch=6, n=6, width=6, d_k=6, hidden=6)
    yield from _all_tasks(rng, "equal", equal)
    yield _far_apart_logits(rng, "far-apart", (4, 3, 8))
    far_apart = ModelSizes(batch=3, n=6, width=9, d_k=4, hidden=7)
    yield _far_apart_scores(rng, far_apart)
    yield _backward(rng, "four-axes", (2, 3, 4, 5))

    yield _names(rng, "square", 7, "=abcdefgh", longest=6)
    yield _draws(rng, "square", 8, 8)
    yield _draws(rng, "square-top-3", 8, 8, top_k=3)
    # In place of -infinity, -100 hides nothing here.
    yield _draws(rng, "low-top-3", 14, 9, top_k=3, lowered=1000.0)
    yield _loss(rng, "one-place", (1, 1, 9))
    yield _far_apart_logits(rng, "far-apart-equal", (6, 6, 6))
    yield from _below(rng, (2, 5, 8))
    below = ModelSizes(batch=2, n=5, width=7, d_k=3, hidden=6)
    yield _scores_below(rng, below)
    with_zeros = ModelSizes(batch=3, n=6, width=8, d_k=5, hidden=4)
    yield _zero_vector(rng, with_zeros)
    yield _name_again(rng, 6, ":stuvwx", longest=7)
    rising = ModelSizes(batch=2, n=20, width=5, d_k=3, hidden=6)
    yield _later_above(rng, rising)
    yield _hidden_weights(rng, (4, 7, 7))
    yield _draws(rng, "top-1", 12, 7, top_k=1)
    yield _draws(rng, "all-in-the-top", 15, 8, top_k=8)
    yield _cold_draws(rng, 19, 9)


def fresh(rng):
    drawn = ModelSizes(batch=6, n=8, width=7, d_k=5, hidden=9)
    yield from _all_tasks(rng, "drawn", drawn)
    equal = ModelSizes(batch=5, n=5, width=5, d_k=5, hidden=5)
    yield from _all_tasks(rng, "drawn-equal", equal)
    yield _far_apart_logits(rng, "far-apart", (2, 4, 7))
    far_apart = ModelSizes(batch=2, n=7, width=9, d_k=3, hidden=4)
    yield _far_apart_scores(rng, far_apart)


def _all_tasks(rng, label, sizes, steps=3):
    """Yield cases of all tasks, with vectors or logits of one width."""
    batch = sizes.batch
    width = sizes.width

    # The first character of the alphabet may be any, and its letters may come in any order.
    letters = list(LETTERS)
    shuffled = rng.permutation(letters)
    size = width + 2
    alphabet = "-" + "".join(shuffled[:size])
    yield _names(rng, label, batch, alphabet, longest=sizes.n)
    yield _loss(rng, label, sizes.vectors)
    yield _loss(rng, f"{label}-filled", sizes.vectors, topic=FILLED)
    yield _backward(rng, label, (batch, width))
    yield _block(rng, label, sizes)

    n_names = 2 * batch
    if batch == sizes.n:
        n_names = batch
    n_ids = width + 5
    yield _training(rng, label, sizes, n_ids, n_names, steps)

    # Many rows, so that small differences of the sums show.
    n_rows = 40 + batch
    yield _draws(rng, label, n_rows, width)
    yield _draws(rng, f"{label}-top-3", n_rows, width, top_k=3)


def _names(rng, label, batch, alphabet, longest):
    """Draw names of letters; one of them is the longest, in no particular place."""
    lengths = rng.integers(1, longest, size=batch)
    place = rng.integers(batch)
    lengths[place] = longest

    letters = list(alphabet[1:])
    names = []
    for length in lengths:
        name = rng.choice(letters, size=length)
        names.append("".join(name))
    return function_case(ENCODE, label, names, alphabet)


def _name_again(rng, batch, alphabet, longest):
    """Names of which the last one is the first one again: each name has a row of its own."""
    case = _names(rng, "name-again", batch, alphabet, longest)
    names, _ = case.call.args
    first, *_ = names
    return function_case(ENCODE, "name-again", [*names, first], alphabet)


def _loss(rng, label, shape, height=USUAL, topic=VALUES):
    """Draw logits and targets; of the topic ``filled``, some places do not count."""
    *places, width = shape
    logits = height * rng.normal(size=shape)
    targets = rng.integers(width, size=places)
    targets[0, 0] = 0
    if topic == FILLED:
        is_filled = rng.random(places) < 0.3
        targets[is_filled] = -1
        targets[0, :2] = [0, -1]
    return function_case(LOSS, label, logits, targets, topic=topic)


def _far_apart_logits(rng, label, shape):
    return _loss(rng, label, shape, FAR_APART, LARGE)


def _below(rng, shape):
    """Yield logits thousands below 0: first of all places, and then of every other one, next to some far above.

    Exp underflows where the search for a maximum begins at 0, where the largest absolute value counts as it, and
    where logits are cut off from below.
    """
    case = _loss(rng, "below", shape, topic=LARGE)
    logits, targets = case.call.args
    yield function_case(LOSS, "below", logits - FAR, targets, topic=LARGE)

    case = _loss(rng, "below-and-above", shape, topic=LARGE)
    logits, targets = case.call.args
    on_both_sides = rows_on_both_sides(logits)
    yield function_case(LOSS, "below-and-above", on_both_sides, targets, topic=LARGE)


def _backward(rng, label, shape):
    numbers = rng.normal(size=shape)
    powers = np.exp(numbers)
    return _backward_case(rng, label, powers)


def _hidden_weights(rng, shape):
    """Return weights of a causal softmax: those of later characters are exactly 0."""
    numbers = rng.normal(size=shape)
    powers = np.exp(numbers)
    of_earlier = np.tril(powers)
    return _backward_case(rng, "hidden-weights", of_earlier)


def _backward_case(rng, label, powers):
    """Return a case whose weights are the shares of these powers in their rows."""
    sums = powers.sum(axis=-1, keepdims=True)
    weights = powers / sums
    grad_weights = 1 + rng.normal(size=powers.shape)
    return function_case(BACKWARD, label, weights, grad_weights)


def _block(rng, label, sizes):
    X = rng.normal(size=sizes.vectors)
    weights = _weights(rng, sizes.block)
    return function_case(BLOCK, label, X, *weights)


def _far_apart_scores(rng, sizes):
    """Scores thousands above or below 0, those of a query a few units apart.

    Exp overflows where no maximum is subtracted, and -100 hides nothing.
    """
    sides = alternating(sizes.n)
    return _scores_on_sides(rng, "far-apart", sizes, sides)


def _scores_below(rng, sizes):
    """Scores thousands below 0 for all queries, those of a query a few units apart."""
    return _scores_on_sides(rng, "below", sizes, -1)


def _later_above(rng, sizes):
    """Scores that rise by 1500 from character to character for every other query, and fall for the others.

    A mask that comes after the softmax, or adds too little, lets later characters push out all earlier ones; and
    where all allowed scores lie far below 0, a large negative number in place of -infinity is the largest.
    """
    case = _block(rng, "later-above", sizes)
    X, W_q, W_k, *others = case.call.args
    places = np.arange(sizes.n)
    scale = np.sqrt(sizes.d_k)
    X[..., 0] = 8 + places
    X[..., 1] = alternating(sizes.n)
    W_q[:] = 0
    W_q[1, 0] = 1500 * scale
    W_k[:] = 0
    W_k[0, 0] = 1
    arguments = (X, W_q, W_k, *others)
    return function_case(BLOCK, "later-above", *arguments, topic=LARGE)


def _zero_vector(rng, sizes):
    """Characters of which the second is the zero vector: places decide what is allowed, even where a score is 0."""
    case = _block(rng, "zero-vector", sizes)
    X, *weights = case.call.args
    X[:, 1] = 0
    return function_case(BLOCK, "zero-vector", X, *weights, topic=LARGE)


def _scores_on_sides(rng, label, sizes, sides):
    """Return a block's case in which the scores of a query lie thousands from 0, on its own side."""
    case = _block(rng, label, sizes)
    X, W_q, W_k, *others = case.call.args
    X[..., 0] = 1
    X[..., 1] = sides
    W_q[1] = 40
    W_k /= 40
    W_k[0] = 20
    arguments = (X, W_q, W_k, *others)
    return function_case(BLOCK, label, *arguments, topic=LARGE)


def _training(rng, label, sizes, n_ids, n_names, steps):
    """Draw parameters, names and batches; the table of places has a row more than names are long."""
    width = sizes.width
    shapes = [
        (n_ids, width),
        (sizes.n + 1, width),
        *sizes.block,
        (width, n_ids),
    ]
    parameters = tuple(_weights(rng, shapes))

    # Each character is the target of the one before it. Id 0 begins and ends a name.
    shape_of_names = (n_names, sizes.n)
    ids = rng.integers(1, n_ids, size=shape_of_names)
    inputs = ids.copy()
    inputs[:, 0] = 0
    targets = np.roll(ids, -1, axis=1)
    targets[:, -1] = 0
    targets[0, -1] = -1

    shape_of_batches = (steps, sizes.batch)
    batches = rng.integers(n_names, size=shape_of_batches)
    return function_case(TRAIN, label, parameters, inputs, targets, batches, RATE)


def _draws(rng, label, n_rows, width, top_k=None, lowered=0.0):
    """Draw numbers of which every other one is close to a sum of probabilities, but not for lowered logits.

    With ``top_k`` some are 0.
    """
    shape = (n_rows, width)
    logits = 2 * rng.normal(size=shape)
    draws = rng.uniform(0.01, 0.99, size=n_rows)
    temperature = rng.uniform(0.4, 0.8)
    if width % 2:
        temperature = 1 / temperature

    # The sums that the draws are compared with.
    order = np.argsort(logits, axis=-1)
    powers = np.exp(logits / temperature)
    if top_k is not None:
        hidden_ids = order[:, :-top_k]
        np.put_along_axis(powers, hidden_ids, 0, axis=-1)
    totals = powers.sum(axis=-1, keepdims=True)
    running_sums = np.cumsum(powers, axis=-1)
    sums = running_sums / totals

    # Every other draw is next to the sum at the second most likely id.
    rows = np.arange(n_rows)
    likely = order[:, -2]
    offsets = rng.choice([-1e-4, 1e-4], size=n_rows)
    close = sums[rows, likely] - offsets
    is_draw = (close >= 0) & (close < 0.999)
    is_every_other = rows % 2 == 0
    is_moved = is_every_other & is_draw
    if lowered == 0:
        draws = np.where(is_moved, close, draws)
    if top_k is not None:
        # The sum of hidden ids at the beginning is 0 and does not exceed a draw of 0.
        draws[1::8] = 0

    arguments = [logits - lowered, temperature, draws]
    if top_k is None:
        return function_case(SAMPLE, label, *arguments)
    return function_case(SAMPLE, label, *arguments, top_k, topic=TOP)


def _cold_draws(rng, n_rows, width):
    """Logits that lie close together, and a temperature as low, so that several ids are likely."""
    logits = 0.02 * rng.normal(size=(n_rows, width))
    draws = rng.uniform(0.01, 0.99, size=n_rows)
    return function_case(SAMPLE, "cold", logits, 0.02, draws)


def _weights(rng, shapes):
    """Draw a matrix of each shape; products with it are about as large as what they are made of."""
    weights = []
    for n_in, n_out in shapes:
        matrix = weight_matrix(rng, n_in, n_out)
        weights.append(matrix)
    return weights
