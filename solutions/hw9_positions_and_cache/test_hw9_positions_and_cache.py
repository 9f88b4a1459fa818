"""Checks of hw9: encodings of positions, one step with a cache, and attention block by block."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from autograder.course import FunctionCall
from autograder.verdict import (
    Cases,
    Compare,
    FailureKind,
    SubmissionProxy,
    as_array,
    check,
    fail,
)
from autograder.worker.wire import Array

SINES = "sinusoidal_positions"
ROPE = "apply_rope"
STEP = "attend_one_step"
BLOCKS = "blockwise_attention"

BASE = "base"
EMPTY = "empty"
LARGE = "large"

# The sizes with which the whole score matrix does not fit.
N_Q = 600
N_K = 33_200
BLOCK_SIZE = 200
MEMORY_MB = 36
"""Growth that is allowed. A block takes 1, but a correct loop may need 22: libraries keep what they free.

The score matrix takes 152 MiB, 76 in single precision, 38 in half.
"""
ROWS_JUDGED = 12


@check(task=SINES, points=1, public=True)
def test_sinusoidal_positions_published(cases: Cases, compare: Compare) -> None:
    """sinusoidal_positions gives the handout's encodings."""
    compare(cases.published(SINES))


@check(task=SINES, points=3, public=True)
def test_sinusoidal_positions_sizes(cases: Cases, compare: Compare) -> None:
    """sinusoidal_positions encodes any number of positions in any even number of columns."""
    compare(cases.other_sizes(SINES))


@check(task=ROPE, points=1, public=True)
def test_apply_rope_published(cases: Cases, compare: Compare) -> None:
    """apply_rope turns the handout's pairs."""
    compare(cases.published(ROPE))


@check(task=ROPE, points=3, public=True)
def test_apply_rope_positions(cases: Cases, compare: Compare) -> None:
    """apply_rope turns rows by the positions that it is given, in any order and of any width."""
    compare(cases.other_sizes(ROPE))


@check(task=ROPE, points=1, public=True)
def test_apply_rope_base(cases: Cases, compare: Compare) -> None:
    """apply_rope takes another base, and leaves its arguments unchanged."""
    compare(cases.other_sizes(ROPE, BASE))
    compare.unchanged(cases.stored(ROPE, None))


@check(task=STEP, points=1, public=True)
def test_attend_one_step_published(cases: Cases, compare: Compare) -> None:
    """attend_one_step gives the handout's output and grown caches."""
    compare(cases.published(STEP))


@check(task=STEP, points=1, public=True)
def test_attend_one_step_sizes(cases: Cases, compare: Compare) -> None:
    """attend_one_step attends to the cache and to the new token, whatever the sizes."""
    compare(cases.other_sizes(STEP))


@check(task=STEP, points=1, public=True)
def test_attend_one_step_empty(cases: Cases, compare: Compare) -> None:
    """attend_one_step begins with an empty cache."""
    compare(cases.other_sizes(STEP, EMPTY))


@check(
    task=STEP,
    points=1,
    requires=["attend_one_step_sizes"],
    public=True,
)
def test_attend_one_step_large(cases: Cases, compare: Compare) -> None:
    """attend_one_step stays right where scores are thousands above or below 0."""
    compare(cases.other_sizes(STEP, LARGE))


@check(
    task=STEP,
    points=1,
    requires=["attend_one_step_sizes"],
    public=True,
)
def test_attend_one_step_unchanged(cases: Cases, compare: Compare) -> None:
    """attend_one_step leaves the caches that it was given unchanged."""
    compare.unchanged(cases.stored(STEP, None))


@check(task=BLOCKS, points=1, public=True)
def test_blockwise_attention_published(cases: Cases, compare: Compare) -> None:
    """blockwise_attention gives the handout's output, its five keys in blocks of two."""
    compare(cases.published(BLOCKS))


@check(task=BLOCKS, points=2, public=True)
def test_blockwise_attention_sizes(cases: Cases, compare: Compare) -> None:
    """blockwise_attention is attention, also where the block size does not divide the number of keys."""
    compare(cases.other_sizes(BLOCKS))


@check(
    task=BLOCKS,
    points=1,
    requires=["blockwise_attention_sizes"],
    public=True,
)
def test_blockwise_attention_large(cases: Cases, compare: Compare) -> None:
    """blockwise_attention stays right where scores are thousands above or below 0."""
    compare(cases.other_sizes(BLOCKS, LARGE))
    compare.unchanged(cases.stored(BLOCKS, None))


@check(
    task=BLOCKS,
    points=2,
    requires=["blockwise_attention_sizes"],
)
def test_blockwise_attention_memory(
    submission: SubmissionProxy, cases: Cases, compare: Compare
) -> None:
    """blockwise_attention never holds the whole score matrix: 152 MiB here, more than the grader gives."""
    known, *_ = cases.fresh(BLOCKS, "values")
    drawn_queries, *_ = known.arguments

    # All queries and all keys differ, so that none can be left out.
    seed = np.frombuffer(drawn_queries.tobytes(), np.uint32)
    rng = np.random.default_rng(seed)
    Q = 2 * rng.normal(size=(N_Q, 3))
    K = rng.normal(size=(N_K, 3))
    V = rng.normal(size=(N_K, 2))

    # What a library takes when it first sees a block, such as torch, is taken before the limit counts.
    K_of_block = K[:BLOCK_SIZE]
    V_of_block = V[:BLOCK_SIZE]
    one_block = FunctionCall(BLOCKS, (Q, K_of_block, V_of_block, BLOCK_SIZE))
    call = FunctionCall(BLOCKS, (Q, K, V, BLOCK_SIZE), memory_mb=MEMORY_MB)
    _, answer = submission.calls([one_block, call])
    answer = submission.answers.restored(known, answer)
    if answer.error is not None and "Memory" in answer.error.type:
        text = f"It runs out of memory with {N_Q:,} queries, {N_K:,} keys and "
        text += f"blocks of {BLOCK_SIZE:,}: the whole score matrix does not fit there. "
        text += "It should need memory for the scores of one block at a time only."
        fail(text, "whole-score-matrix", kind=FailureKind.RAISED)

    # A few rows are enough to judge by, and nobody knows which.
    all_rows = rng.permutation(N_Q)
    rows = all_rows[:ROWS_JUDGED]
    _, d_v = V.shape
    output = as_array(answer.value, N_Q * d_v)
    if answer.error is None and output is not None:
        if output.shape == (N_Q, d_v):
            answer = replace(answer, value=output[rows])
    expected = _attention(Q[rows], K, V)
    case = replace(known.case, name=f"{BLOCKS}/long", call=call)
    long_case = replace(known, case=case, expected=expected)
    answers = {**submission.answers, long_case.case.id: answer}
    compare_long = compare.with_answers(answers)
    compare_long([long_case])


def _attention(Q: Array, K: Array, V: Array) -> Array:
    d_k = Q.shape[-1]
    products = Q @ K.T
    scores = products / np.sqrt(d_k)
    largest = scores.max(axis=-1, keepdims=True)
    exponentials = np.exp(scores - largest)
    totals = exponentials.sum(axis=-1, keepdims=True)
    mixed = exponentials @ V
    return np.asarray(mixed / totals)
