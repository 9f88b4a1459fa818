"""Input cases of the capstone. They expect nothing: a model may be built and trained in many ways.

The rows of a batch are made so that properties show: which of them are equal up to where, and what differs.
What has to be learned uses symbols in a secret order, which only the pairs tell.
"""

import numpy as np

from autograder.course import Case, FunctionCall, ModuleCall
from autograder.worker.wire import Tensor

MODEL = "TinyTransformer"
SOLVE = "solve"

ONE_LAYER = "one-layer"
THREE_LAYERS = "layers"
REORDERED = "reordered"
STEPS = "steps"
PIECES = "pieces"
LEARNING = "task"

NOISE = 0.1
MOVED = 2
"""How many places sequences move in a reordered batch, so that other ones come first and last."""
PAIRS = 2000
PROMPTS = 200
SEED_OF_PUBLISHED = 2017


def published():
    rng = np.random.default_rng(SEED_OF_PUBLISHED)
    yield from _model(rng, vocab_size=11, tokens=7, d_model=16, n_heads=2)


def public(rng):
    # Sorting alone would not do: many answers begin with the same token, even if a model never learned to begin.
    yield _task(rng, "reverse", symbols=7, length=5)


def hidden(rng):
    yield from _model(rng, vocab_size=9, tokens=8, d_model=12, n_heads=3)
    # A program that looks at sizes to decide what to transpose goes wrong where all of them are equal.
    yield from _model(
        rng, vocab_size=8, tokens=8, d_model=8, n_heads=1, prefix="equal-sizes-"
    )


def fresh(rng):
    kind = rng.choice(["copy", "reverse", "sort"])
    yield _task(rng, kind, symbols=6, length=6)


def _model(rng, vocab_size, tokens, d_model, n_heads, prefix=""):
    """Yield one batch for models of one to three layers: at once, token by token, in pieces, and reordered."""
    batch = _batch(rng, vocab_size, tokens)
    at_once = ()
    steps = (1,) * tokens
    pieces = (3, 1, tokens - 4)
    ways = [
        (ONE_LAYER, 1, at_once),
        (THREE_LAYERS, 3, at_once),
        (STEPS, 2, steps),
        (PIECES, 2, pieces),
    ]
    for topic, n_layers, sizes_of_pieces in ways:
        sizes = (vocab_size, tokens, d_model, n_heads, n_layers)
        call = ModuleCall(
            MODEL,
            sizes,
            Tensor(batch),
            pieces=sizes_of_pieces,
            noise=NOISE,
            probed=True,
        )
        yield _case(MODEL, f"{prefix}{topic}", call, topic)
    reordered = np.roll(batch, MOVED, axis=0)
    sizes = (vocab_size, tokens, d_model, n_heads, 1)
    call = ModuleCall(MODEL, sizes, Tensor(reordered), noise=NOISE)
    yield _case(MODEL, f"{prefix}{REORDERED}", call, REORDERED)


def _batch(rng, vocab_size, tokens):
    """Return the sequences that are compared; the checks name them in their ``TestedRow``."""
    row = rng.integers(vocab_size, size=tokens)
    first_token, second_token = rng.choice(vocab_size, size=2, replace=False)
    row[0] = first_token
    row[1] = second_token
    half = tokens // 2

    all_next = (row + 1) % vocab_size
    later = row.copy()
    later[half:] = all_next[half:]
    first = row.copy()
    first[0] = all_next[0]
    middle = row.copy()
    middle[1:-1] = all_next[1:-1]
    swapped = row.copy()
    swapped[0] = second_token
    swapped[1] = first_token
    constant = np.full(tokens, first_token)
    last = row.copy()
    last[-1] = all_next[-1]
    return np.stack([row, later, first, middle, swapped, constant, row, last])


def _task(rng, kind, symbols, length):
    """Return pairs to learn from, and prompts; no prompt is the question of a pair."""
    order = rng.permutation(symbols)

    # A question is a number whose digits are its symbols.
    all_numbers = rng.permutation(symbols**length)
    numbers = all_numbers[: PAIRS + PROMPTS]
    values_of_digits = symbols ** np.arange(length)
    questions = numbers[:, None] // values_of_digits % symbols

    if kind == "copy":
        answers = order[questions]
    elif kind == "reverse":
        reversed_questions = questions[:, ::-1]
        answers = order[reversed_questions]
    else:
        rank = np.argsort(order)
        ranks = rank[questions]
        sorted_ranks = np.sort(ranks, axis=1)
        answers = order[sorted_ranks]

    n_questions = len(questions)
    separators = np.full((n_questions, 1), symbols)
    rows = np.concatenate([questions, separators, answers], axis=1)
    with_separator = length + 1
    pairs = Tensor(rows[:PAIRS])
    prompts = Tensor(rows[PAIRS:, :with_separator])
    call = FunctionCall(SOLVE, (pairs, prompts), trains=MODEL)
    return _case(SOLVE, kind, call, LEARNING)


def _case(task, label, call, topic):
    return Case(f"{task}/{label}", call, topic, expects=False)
