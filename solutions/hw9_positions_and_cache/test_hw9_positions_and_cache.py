"""Checks of hw9: encodings of positions, one step with a cache, and attention block by block."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from autograder.course import FunctionCall
from autograder.verdict import (
    Cases,
    CheckFailed,
    Compare,
    Failure,
    FailureKind,
    SubmissionProxy,
    as_array,
    check,
)

SINES, ROPE, STEP, BLOCKS = (
    "sinusoidal_positions",
    "apply_rope",
    "attend_one_step",
    "blockwise_attention",
)
N_Q, N_K, BLOCK = 300, 240_000, 2500
MEMORY_MB = 128
"""Growth that is allowed. A block takes 6, but a correct loop may need 75: libraries keep what they free.

The score matrix takes 549 MiB, 275 in single precision, 137 in half.
"""


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
    compare(cases.other_sizes(ROPE, "base"))
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
    compare(cases.other_sizes(STEP, "empty"))


@check(task=STEP, points=1, requires=["attend_one_step_sizes"], public=True)
def test_attend_one_step_large(cases: Cases, compare: Compare) -> None:
    """attend_one_step stays right where scores are thousands above or below 0."""
    compare(cases.other_sizes(STEP, "large"))


@check(task=STEP, points=1, requires=["attend_one_step_sizes"], public=True)
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


@check(task=BLOCKS, points=1, requires=["blockwise_attention_sizes"], public=True)
def test_blockwise_attention_large(cases: Cases, compare: Compare) -> None:
    """blockwise_attention stays right where scores are thousands above or below 0."""
    compare(cases.other_sizes(BLOCKS, "large"))
    compare.unchanged(cases.stored(BLOCKS, None))


@check(task=BLOCKS, points=2, requires=["blockwise_attention_sizes"])
def test_blockwise_attention_memory(
    submission: SubmissionProxy, cases: Cases, compare: Compare
) -> None:
    """blockwise_attention never holds the whole score matrix: 549 MiB here, more than the grader gives."""
    known = cases.fresh(BLOCKS, "values")[0]
    assert isinstance(known.case.call, FunctionCall)
    drawn, *_ = known.case.call.args
    # All queries and all keys differ, so that none can be left out.
    rng = np.random.default_rng(np.frombuffer(drawn.tobytes(), np.uint32))
    Q, K, V = (
        2 * rng.normal(size=(N_Q, 3)),
        rng.normal(size=(N_K, 3)),
        rng.normal(size=(N_K, 2)),
    )
    call = FunctionCall(BLOCKS, (Q, K, V, BLOCK), memory_mb=MEMORY_MB)
    # What a library takes when it first sees a block, such as torch, is taken before the limit counts.
    one_block = FunctionCall(BLOCKS, (Q, K[:BLOCK], V[:BLOCK], BLOCK))
    _, answer = submission.calls([one_block, call])
    answer = submission.answers.restored(known, answer)
    if answer.error is not None and "Memory" in answer.error.type:
        text = f"It runs out of memory with {N_Q:,} queries, {N_K:,} keys and blocks of {BLOCK:,}: the whole "
        text += "score matrix does not fit there. It should need memory for the scores of one block at a "
        text += "time only."
        raise CheckFailed(
            Failure(FailureKind.RAISED, text, misconceptions=("whole-score-matrix",))
        )

    # A few rows are enough to judge by, and nobody knows which.
    rows = rng.permutation(N_Q)[:12]
    scores = Q[rows] @ K.T / np.sqrt(Q.shape[-1])
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    expected = weights @ V / weights.sum(axis=-1, keepdims=True)
    output = as_array(answer.value, N_Q * V.shape[-1])
    if (
        answer.error is None
        and output is not None
        and output.shape == (N_Q, V.shape[-1])
    ):
        answer = replace(answer, value=output[rows])
    case = replace(known.case, name=f"{BLOCKS}/long", call=call)
    long = replace(known, case=case, expected=expected)
    with_long_answer = compare.with_answers(
        {**submission.answers, long.case.id: answer}
    )
    with_long_answer([long])
