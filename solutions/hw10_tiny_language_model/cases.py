"""Input cases of hw10. All sizes of a case differ, but for one case of each task in which they are equal."""

import numpy as np

from autograder.course import Case, FunctionCall

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


def published():
    yield _case(ENCODE, "two-names", ["ada", "bo"], ".abdo")

    odds = np.array(
        [[[4.0, 1.0, 2.0, 1.0], [1.0, 1.0, 1.0, 1.0], [1.0, 2.0, 3.0, 2.0]]]
    )
    yield _case(LOSS, "odds", np.log(odds), np.array([[0, 3, -1]]))

    weights = np.array([[0.5, 0.25, 0.25], [0.2, 0.3, 0.5]])
    grad_weights = np.array([[4.0, 0.0, 0.0], [1.0, 2.0, 3.0]])
    yield _case(BACKWARD, "two-rows", weights, grad_weights)

    X = np.array([[[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]])
    W_q = np.array([[2.0, 0.0, 1.0, 0.0], [0.0, 2.0, 1.0, 2.0]])
    W_k = np.array([[1.0, 0.0, 0.0, 2.0], [0.0, 1.0, 2.0, 0.0]])
    W_v = np.array([[1.0, 2.0], [0.0, 1.0]])
    W_1 = np.array([[1.0, -1.0, 0.0, 1.0, 2.0], [0.0, 1.0, -1.0, 1.0, -1.0]])
    W_2 = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [-1.0, 1.0], [1.0, -1.0]])
    yield _case(BLOCK, "three-characters", X, W_q, W_k, W_v, W_1, W_2)

    rng = np.random.default_rng(2017)
    yield _training(
        rng,
        "two-steps",
        n_ids=5,
        n_names=9,
        n_places=3,
        d=2,
        d_k=4,
        hidden=6,
        steps=2,
        batch=7,
    )

    logits = np.log(
        np.array([[2.0, 1.0, 1.0], [2.0, 1.0, 1.0], [1.0, 2.0, 4.0], [1.0, 2.0, 4.0]])
    )
    draws = np.array([0.6, 0.7, 0.1, 0.9])
    yield _case(SAMPLE, "squares", logits, 0.5, draws)


def public(rng):
    yield from _sized(rng, "small", batch=4, n=7, width=6, d_k=3, hidden=8)
    yield _loss(rng, "far-apart", batch=3, n=5, width=9, height=1000.0, topic=LARGE)
    yield _large_block(rng, batch=11, n=9, width=12, d_k=20, hidden=14)
    yield _backward(rng, "three-axes", (3, 5, 7))
    # What grading takes points for shows here, too: a single name, and branches on equal sizes.
    yield _names(rng, "one-name", 1, "#xyz", longest=6)
    yield from _sized(
        rng, "all-equal", batch=10, n=10, width=10, d_k=10, hidden=10, steps=5
    )
    yield _names(rng, "square", 5, "*efgh", longest=4)
    yield _draws(rng, "square", 12, width=12)
    yield _draws(rng, "square-top-3", 11, width=11, top_k=3)
    yield _draws(rng, "low-top-3", 16, width=14, top_k=3, lowered=1000.0)
    yield _loss(rng, "one-place", batch=1, n=1, width=11, height=2.0)
    yield _loss(
        rng, "far-apart-equal", batch=8, n=8, width=8, height=1000.0, topic=LARGE
    )


def hidden(rng):
    yield from _sized(rng, "wide", batch=3, n=5, width=11, d_k=4, hidden=7)
    yield from _sized(rng, "long", batch=2, n=9, width=5, d_k=6, hidden=3)
    yield from _sized(rng, "equal", batch=6, n=6, width=6, d_k=6, hidden=6)
    yield _loss(rng, "far-apart", batch=4, n=3, width=8, height=1000.0, topic=LARGE)
    yield _large_block(rng, batch=3, n=6, width=9, d_k=4, hidden=7)
    yield _backward(rng, "four-axes", (2, 3, 4, 5))
    yield _names(rng, "square", 7, "=abcdefgh", longest=6)
    yield _draws(rng, "square", 8, width=8)
    yield _draws(rng, "square-top-3", 8, width=8, top_k=3)
    # In place of -infinity, -100 hides nothing here.
    yield _draws(rng, "low-top-3", 14, width=9, top_k=3, lowered=1000.0)
    yield _loss(rng, "one-place", batch=1, n=1, width=9, height=2.0)
    yield _loss(
        rng, "far-apart-equal", batch=6, n=6, width=6, height=1000.0, topic=LARGE
    )


def fresh(rng):
    yield from _sized(rng, "drawn", batch=6, n=8, width=7, d_k=5, hidden=9)
    yield from _sized(rng, "drawn-equal", batch=5, n=5, width=5, d_k=5, hidden=5)
    yield _loss(rng, "far-apart", batch=2, n=4, width=7, height=1000.0, topic=LARGE)
    yield _large_block(rng, batch=2, n=7, width=9, d_k=3, hidden=4)


def _sized(rng, label, batch, n, width, d_k, hidden, steps=3):
    """Yield cases of all tasks, with vectors or logits of some width."""
    # The first character of the alphabet may be any, and its letters may come in any order.
    letters = "".join(rng.permutation(list(LETTERS)))
    yield _names(rng, label, batch, "-" + letters[: width + 2], longest=n)
    yield _loss(rng, label, batch, n, width, height=2.0)
    yield _loss(rng, f"{label}-filled", batch, n, width, height=2.0, topic=FILLED)
    yield _backward(rng, label, (batch, width))
    yield _block(rng, label, batch, n, width, d_k, hidden)
    yield _training(
        rng,
        label,
        n_ids=width + 5,
        n_names=batch if batch == n else 2 * batch,
        n_places=n,
        d=width,
        d_k=d_k,
        hidden=hidden,
        steps=steps,
        batch=batch,
    )
    # Many rows, so that small differences of the sums show.
    yield _draws(rng, label, 40 + batch, width)
    yield _draws(rng, f"{label}-top-3", 40 + batch, width, top_k=3)


def _block(rng, label, batch, n, width, d_k, hidden):
    X = rng.normal(size=(batch, n, width))
    shapes = [
        (width, d_k),
        (width, d_k),
        (width, width),
        (width, hidden),
        (hidden, width),
    ]
    block = [_weights(rng, shape) for shape in shapes]
    return _case(BLOCK, label, X, *block)


def _large_block(rng, batch, n, width, d_k, hidden):
    """Scores thousands above or below 0, those of a query a few units apart.

    Exp overflows where no maximum is subtracted, and -100 hides nothing.
    """
    case = _block(rng, "far-apart", batch, n, width, d_k, hidden)
    X, W_q, W_k, *others = case.call.args
    X[..., 0] = 1
    is_odd = np.arange(n) % 2
    X[..., 1] = np.where(is_odd, -1, 1)
    W_q[1] = 40
    W_k /= 40
    W_k[0] = 20
    return _case(BLOCK, "far-apart", X, W_q, W_k, *others, topic=LARGE)


def _draws(rng, label, n_rows, width, top_k=None, lowered=0.0):
    """Draw numbers of which every other one is close to a sum of probabilities, but not for lowered logits.

    With ``top_k`` some are 0.
    """
    logits = 2 * rng.normal(size=(n_rows, width))
    draws = rng.uniform(0.01, 0.99, size=n_rows)
    below_1 = rng.uniform(0.4, 0.8)
    if width % 2:
        temperature = 1 / below_1
    else:
        temperature = below_1

    order = np.argsort(logits, axis=-1)
    powers = np.exp(logits / temperature)
    if top_k is not None:
        np.put_along_axis(powers, order[:, :-top_k], 0, axis=-1)
    sums = np.cumsum(powers, axis=-1) / powers.sum(axis=-1, keepdims=True)
    likely = order[:, -2]
    close = sums[np.arange(n_rows), likely] - rng.choice([-1e-4, 1e-4], size=n_rows)
    is_even = (np.arange(n_rows) % 2 == 0) & (lowered == 0)
    draws = np.where(is_even & (close < 0.999), close, draws)
    if top_k is not None:
        # The sum of hidden ids at the beginning is 0 and does not exceed a draw of 0.
        draws[1::8] = 0

    logits = logits - lowered
    if top_k is None:
        return _case(SAMPLE, label, logits, temperature, draws)
    return _case(SAMPLE, label, logits, temperature, draws, top_k, topic=TOP)


def _names(rng, label, batch, alphabet, longest):
    """Draw names of letters; one of them is the longest, in no particular place."""
    lengths = rng.integers(1, longest, size=batch)
    lengths[rng.integers(batch)] = longest
    names = []
    for length in lengths:
        letters = rng.choice(list(alphabet[1:]), size=length)
        names.append("".join(letters))
    return _case(ENCODE, label, names, alphabet)


def _loss(rng, label, batch, n, width, height, topic=VALUES):
    """Draw logits; of the topic ``filled``, some places do not count."""
    logits = height * rng.normal(size=(batch, n, width))
    targets = rng.integers(width, size=(batch, n))
    targets[0, 0] = 0
    if topic == FILLED:
        targets[rng.random((batch, n)) < 0.3] = -1
        targets[0, :2] = [0, -1]
    return _case(LOSS, label, logits, targets, topic=topic)


def _backward(rng, label, shape):
    powers = np.exp(rng.normal(size=shape))
    weights = powers / powers.sum(axis=-1, keepdims=True)
    grad_weights = rng.normal(size=shape) + 1
    return _case(BACKWARD, label, weights, grad_weights)


def _training(rng, label, n_ids, n_names, n_places, d, d_k, hidden, steps, batch):
    """Draw parameters, names and batches; the table of places has a row more than names are long."""
    shapes = [
        (n_ids, d),
        (n_places + 1, d),
        (d, d_k),
        (d, d_k),
        (d, d),
        (d, hidden),
        (hidden, d),
        (d, n_ids),
    ]
    parameters = tuple(_weights(rng, shape) for shape in shapes)
    ids = rng.integers(1, n_ids, size=(n_names, n_places))
    inputs = ids.copy()
    inputs[:, 0] = 0
    targets = np.roll(ids, -1, axis=1)
    targets[:, -1] = 0
    targets[0, -1] = -1
    batches = rng.integers(n_names, size=(steps, batch))
    return _case(TRAIN, label, parameters, inputs, targets, batches, 0.5)


def _weights(rng, shape):
    return rng.normal(size=shape) / np.sqrt(shape[0])


def _case(task, label, *arguments, topic=VALUES):
    call = FunctionCall(task, arguments)
    return Case(f"{task}/{label}", call, topic)
