"""Checks of hw9: encodings of positions, one step with a cache, and attention block by block."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from autograder.course import FunctionCall
from autograder.judging import Cases, CheckFailed, Compare, Finding, Kind, Restored, SubmissionProxy, check

SINES, ROPE, STEP, BLOCKS = "sinusoidal_positions", "apply_rope", "attend_one_step", "blockwise_attention"
N_Q, N_K, BLOCK = 1000, 101_000, 3000  # a score matrix of 770 MiB, two more than [limits] gives


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
def test_blockwise_attention_memory(submission: SubmissionProxy, cases: Cases, compare: Compare) -> None:
    """blockwise_attention never holds the whole score matrix: 770 MiB here, more than the grader gives."""
    known = cases.fresh(BLOCKS, "values")[0]
    assert isinstance(known.case.call, FunctionCall)
    Q, K, V, _ = known.case.call.args
    # Keys that are there equally often change no output.
    rows, repeats = np.arange(N_Q) % len(Q), -(-N_K // len(K))
    call = FunctionCall(BLOCKS, (Q[rows], np.tile(K, (repeats, 1)), np.tile(V, (repeats, 1)), BLOCK))
    answer = submission.answers.restored(known, submission.call(call))
    if answer.error is not None and "Memory" in answer.error.type:
        text = f"It runs out of memory with {N_Q:,} queries, {N_K:,} keys and blocks of {BLOCK:,}: the whole "
        text += "score matrix does not fit there. It should need memory for the scores of one block at a "
        text += "time only."
        raise CheckFailed(Finding(Kind.RAISED, text, misconceptions=("whole-score-matrix",)))
    case = replace(known.case, name=f"{BLOCKS}/long", call=call)
    long = replace(known, case=case, expected=known.expected[rows])
    answers = Restored({**submission.answers, long.case.id: answer})
    replace(compare, submission=replace(submission, answers=answers))([long])
