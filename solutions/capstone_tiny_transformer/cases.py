"""Input cases of the capstone. They expect nothing: a model may be built and trained in many ways.

The rows of a batch are made so that properties show: which of them are equal up to where, and what differs.
What has to be learned uses symbols in a secret order, which only the pairs tell.
"""

import numpy as np

from autograder.course import Case, FunctionCall, ModuleCall
from autograder.worker.wire import Tensor

MODEL, SOLVE = "TinyTransformer", "solve"
NOISE = 0.1
MOVED = 2  # places that sequences move, so that other ones come first and last
PAIRS, PROMPTS = 2000, 200
SEED_OF_PUBLISHED = 2017


def published():
    rng = np.random.default_rng(SEED_OF_PUBLISHED)
    yield from _model(rng, vocab_size=11, tokens=7, d_model=16, n_heads=2)


def public(rng):
    yield _task(rng, "sort", symbols=7, length=5)


def hidden(rng):
    yield from _model(rng, vocab_size=9, tokens=8, d_model=12, n_heads=3)
    # A program that looks at sizes to decide what to transpose goes wrong where all of them are equal.
    yield from _model(
        rng, vocab_size=8, tokens=8, d_model=8, n_heads=1, label="equal-sizes-"
    )


def fresh(rng):
    yield _task(rng, rng.choice(["copy", "reverse", "sort"]), symbols=6, length=6)


def _model(rng, vocab_size, tokens, d_model, n_heads, label=""):
    """One batch for models of one and of three layers, at once, token by token, in pieces, and reordered."""
    row = rng.integers(vocab_size, size=tokens)
    row[:2] = rng.choice(vocab_size, size=2, replace=False)
    later, first, middle, swapped, last = (row.copy() for _ in range(5))
    later[tokens // 2 :] = (later[tokens // 2 :] + 1) % vocab_size
    first[0] = (first[0] + 1) % vocab_size
    middle[1:-1] = (middle[1:-1] + 1) % vocab_size
    swapped[:2] = row[1::-1]
    last[-1] = (last[-1] + 1) % vocab_size
    batch = np.stack(
        [row, later, first, middle, swapped, np.full(tokens, row[0]), row, last]
    )
    for n_layers, topic, pieces in (
        (1, "one-layer", ()),
        (3, "layers", ()),
        (2, "steps", (1,) * tokens),
        (2, "pieces", (3, 1, tokens - 4)),
    ):
        sizes = (vocab_size, tokens, d_model, n_heads, n_layers)
        call = ModuleCall(
            MODEL, sizes, Tensor(batch), pieces=pieces, noise=NOISE, probed=True
        )
        yield Case(f"{MODEL}/{label}{topic}", call, topic, expects=False)
    sizes = (vocab_size, tokens, d_model, n_heads, 1)
    call = ModuleCall(MODEL, sizes, Tensor(np.roll(batch, MOVED, axis=0)), noise=NOISE)
    yield Case(f"{MODEL}/{label}reordered", call, "reordered", expects=False)


def _task(rng, kind, symbols, length):
    """Pairs and prompts; no prompt is the question of a pair."""
    order = rng.permutation(symbols)
    numbers = rng.permutation(symbols**length)[: PAIRS + PROMPTS]
    questions = numbers[:, None] // symbols ** np.arange(length) % symbols
    if kind == "sort":
        answers = order[np.sort(np.argsort(order)[questions], axis=1)]
    else:
        answers = order[questions if kind == "copy" else questions[:, ::-1]]
    separators = np.full((len(questions), 1), symbols)
    rows = np.concatenate([questions, separators, answers], axis=1)
    call = FunctionCall(
        SOLVE, (Tensor(rows[:PAIRS]), Tensor(rows[PAIRS:, : length + 1])), trains=MODEL
    )
    return Case(f"{SOLVE}/{kind}", call, "task", expects=False)
