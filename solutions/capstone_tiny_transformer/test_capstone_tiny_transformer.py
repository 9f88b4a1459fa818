"""Hidden checks of the capstone: what any such model has in common, whatever it is made of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from math import prod
from typing import Any, NoReturn

import numpy as np

from autograder.course import FunctionCall, ModuleCall
from autograder.judging import (
    Cases,
    CheckFailed,
    Compare,
    Finding,
    Kind,
    KnownCase,
    as_array,
    check,
)
from autograder.worker import Array, Tensor

MODEL, SOLVE = "TinyTransformer", "solve"
SAME, VISIBLE = 1e-4, 1e-6
"""Relative to the largest logit: rounding alone makes less of a difference, whatever is wrong makes more."""
LATER, FIRST, MIDDLE, SWAPPED, CONSTANT, AGAIN, LAST = range(1, 8)
"""The rows of a batch; row 0 is what they are compared with."""
MOVED = 2
"""How many places the sequences have moved in a reordered batch."""
MOST_PER_LAYER, MOST_BESIDE = 20, 10
"""Biases, gains and such: how many times d_model a layer may have, and the model outside of its layers."""
ENOUGH_TOKENS, ENOUGH_ANSWERS, FEW = 0.9, 0.9, 0.5
MOST_DEPTH, MOST_ARRAYS = 4, 100


@check(task=MODEL, points=1, public=True)
def test_model_shape(cases: Cases, compare: Compare) -> None:
    """The model returns finite logits of shape (batch, tokens, vocab_size)."""
    for known in _models(cases, "one-layer", "layers"):
        _logits(compare, known)


@check(task=MODEL, points=2, public=True)
def test_model_parameters(cases: Cases, compare: Compare) -> None:
    """Each layer learns 12 d_model² numbers of its own, the embedding and the logits vocab_size · d_model."""
    pairs = zip(_models(cases, "one-layer"), _models(cases, "layers"), strict=True)
    for one, three in pairs:
        vocab_size, length, width, _, _ = _call(one).args
        few, many = (_learned(compare, known) for known in (one, three))
        each, least = (many - few) / 2, 12 * width**2
        if many == few:
            text = f"A model of three layers learns {many} numbers, as many as one of a single layer: "
            if few < least:
                _fail(
                    f"{text}PyTorch overlooks layers in a plain list; use nn.ModuleList.",
                    "layers-unregistered",
                )
            _fail(f"{text}each layer needs parameters of its own, so make each by itself.", "layers-shared")
        sizes = f"With d_model = {width}"
        if not least <= each <= least + MOST_PER_LAYER * width:
            text = f"{sizes}, each layer learns {each:.0f} numbers; 12 d_model² are {least}, and"
            _fail(f"{text} biases and norms are at most {MOST_PER_LAYER * width} more.")
        beside, least = few - each, vocab_size * width
        most = 2 * least + vocab_size + (length + MOST_BESIDE) * width
        if not least <= beside <= most:
            text = (
                f"{sizes}, {vocab_size} symbols and {length} positions, the model learns {beside:.0f} numbers"
            )
            _fail(f"{text} outside of its layers; embedding, positions and logits are {least} to {most}.")


@check(task=MODEL, points=3, requires=["model_shape"], public=True)
def test_model_causal(cases: Cases, compare: Compare) -> None:
    """Logits depend on no later token, on no other sequence of the batch, and on no chance."""
    for known in _models(cases, "one-layer", "layers"):
        logits = _logits(compare, known)
        tokens = _call(known).input.array
        if _apart(logits, 0, AGAIN).any():
            text = "Two equal sequences of a batch get different logits: is dropout on after `eval()`,"
            _fail(f"{text} or do the sequences of the batch mix?")
        changed = int(np.argmax(tokens[0] != tokens[LATER]))
        leaks = np.flatnonzero(_apart(logits, 0, LATER)[:changed])
        if len(leaks):
            text = f"The logits at token {leaks[0] + 1} change when tokens from {changed + 1} on change"
            _fail(f"{text}: the mask lets tokens see what comes after them.", "mask-leaks")
    # The same model in both calls, for each begins with the same seed.
    for known, reordered in zip(_models(cases, "one-layer"), _models(cases, "reordered"), strict=True):
        logits = _logits(compare, known)
        again = np.roll(_logits(compare, reordered), -MOVED, axis=0)
        if _differs(again, logits, np.abs(logits).max()).any():
            _fail("The logits of a sequence change with the order of the batch: do its sequences mix?")


@check(task=MODEL, points=2, requires=["model_causal"], public=True)
def test_model_order(cases: Cases, compare: Compare) -> None:
    """The last logits depend on the first token, and on the order of the tokens before."""
    for known in _models(cases, "one-layer"):
        logits = _logits(compare, known)
        if not _apart(logits, 0, FIRST, VISIBLE)[-1]:
            _fail(
                "The last logits stay as they are when the first token changes: does the last token see it?"
            )
        if not _apart(logits, 0, SWAPPED, VISIBLE)[-1]:
            text = "With one layer, the last logits stay as they are when two tokens before change places"
            _fail(f"{text}: the model has no positions, or does not use them.", "no-positions")


@check(task=MODEL, points=3, requires=["model_causal"], public=True)
def test_model_cache(cases: Cases, compare: Compare) -> None:
    """Token by token, with the cache, the logits are those of the whole sequence."""
    for known in _models(cases, "steps"):
        _compare_ways(compare, known)


@check(task=MODEL, points=1, requires=["model_cache"], public=True)
def test_model_pieces(cases: Cases, compare: Compare) -> None:
    """So they are with several new tokens at a time."""
    for known in _models(cases, "pieces"):
        _compare_ways(compare, known)


@check(task=SOLVE, points=1, public=True)
def test_solve_shape(cases: Cases, compare: Compare) -> None:
    """solve returns one answer for each prompt, as whole numbers."""
    for known in cases.other_sizes(SOLVE, "task"):
        _answers(compare, known)


@check(task=SOLVE, points=4, requires=["solve_shape"], public=True)
def test_solve_tokens(cases: Cases, compare: Compare) -> None:
    """Of the answers to new questions, nine tokens of ten are right."""
    for known in cases.other_sizes(SOLVE, "task"):
        answers, right = _answers(compare, known), _right_answers(known)
        share = float((answers == right).mean())
        if share < ENOUGH_TOKENS:
            _fail(*_why_wrong(known, answers, right, share))


@check(task=SOLVE, points=3, requires=["solve_tokens"], public=True)
def test_solve_answers(cases: Cases, compare: Compare) -> None:
    """Of the answers to new questions, nine of ten are right in every token."""
    for known in cases.other_sizes(SOLVE, "task"):
        share = float((_answers(compare, known) == _right_answers(known)).all(axis=1).mean())
        if share < ENOUGH_ANSWERS:
            _fail(
                f"{share:.0%} of the answers are right in every token: train for longer, or in other steps."
            )


def _models(cases: Cases, *topics: str) -> list[KnownCase]:
    """The batches for models, by topic: the published one, and in grading the hidden one."""
    own = [*cases.published(MODEL), *cases.stored(MODEL, None)]
    return [known for topic in topics for known in own if known.case.topic == topic]


def _call(known: KnownCase) -> ModuleCall:
    call = known.case.call
    assert isinstance(call, ModuleCall), "this case calls a module"
    return call


def _value(compare: Compare, known: KnownCase) -> Any:
    answer = compare.submission.answer(known)
    if not answer.is_usable and (finding := compare.judge(known)) is not None:
        raise CheckFailed(finding)
    return answer.value


def _learned(compare: Compare, known: KnownCase) -> int:
    """How many numbers the model learns."""
    _value(compare, known)
    return sum(map(prod, compare.submission.answer(known).parameters.values()))


def _logits(compare: Compare, known: KnownCase) -> Array:
    """The finite logits of the whole batch."""
    call, value = _call(known), _value(compare, known)
    if call.pieces and isinstance(value, list):
        value = value[0]
    return _finite(value, (*call.input.array.shape, call.args[0]))


def _finite(value: Any, shape: tuple[int, ...]) -> Array:
    """The logits in what one call returned, alone or as the first of a tuple."""
    first = value[0] if isinstance(value, tuple | list) and value else value
    logits = as_array(first, prod(shape))
    if logits is None or logits.shape != shape:
        came = "is not an array" if logits is None else f"has shape {logits.shape}"
        _fail(
            f"`forward` should return the logits, of shape {shape}, and the cache; what comes first {came}."
        )
    if not np.isfinite(logits).all():
        _fail(
            "The logits hold NaN or infinite numbers: does the mask forbid everything to some token?", "nan"
        )
    return logits.astype(np.float64)


def _apart(logits: Array, one: int, other: int, limit: float = SAME) -> Array:
    """For each token, whether two rows have different logits there."""
    return _differs(logits[one], logits[other], np.abs(logits).max(), limit)


def _differs(one: Array, other: Array, largest: float, limit: float = SAME) -> Array:
    with np.errstate(all="ignore"):
        return np.asarray(np.abs(one - other).max(axis=-1) > limit * max(largest, 1e-3))


def _compare_ways(compare: Compare, known: KnownCase) -> None:
    """The logits of pieces are those of the whole, and the cache holds all keys and values."""
    call, value = _call(known), _value(compare, known)
    whole = _logits(compare, known)
    returned: list[Any] = value[1:] if isinstance(value, list) else []
    if len(returned) != len(call.pieces) or not all(
        isinstance(one, tuple | list) and len(one) == 2 for one in returned
    ):
        _fail(
            "`forward` should return a pair: the logits, and the cache for the tokens that come next.",
            "no-cache",
        )
    rows, vocab_size = len(whole), call.args[0]
    pieces = [_finite(one, (rows, size, vocab_size)) for one, size in zip(returned, call.pieces, strict=True)]
    joined, largest = np.concatenate(pieces, axis=1), float(np.abs(whole).max())
    wrong = np.flatnonzero(np.any(_differs(joined, whole, largest), axis=0))
    held = [sum(array.size for array in islice(_arrays(cache), MOST_ARRAYS)) for _, cache in returned]
    due = 2 * call.args[4] * rows * sum(call.pieces) * call.args[2]
    if held[-1] < due:
        text = (
            f"The cache holds {held[-1]} numbers in the end; keys and values of all tokens, heads and layers"
        )
        grows_with_tokens = held[-1] * call.pieces[0] >= held[0] * sum(call.pieces)
        if len(wrong) and not grows_with_tokens:
            _fail(f"{text} are {due}: append those of each new token, in every layer.", "cache-not-appended")
        shape = (
            "a pair (K, V) for each layer, both of shape (batch, n_heads, tokens so far, d_model / n_heads)"
        )
        _fail(f"{text} are {due}: the cache should hold {shape}.", "cache-incomplete")
    if len(wrong):
        where = f"With the cache, the logits at token {wrong[0] + 1} are not those of the whole sequence"
        why, *label = _why_different(joined, whole, largest)
        _fail(f"{where}: {why}", *label)


def _why_different(joined: Array, whole: Array, largest: float) -> tuple[str, ...]:
    """What the rows prove: equal tokens look equal wherever they stand, or those in between are not seen."""
    steps, once = joined[CONSTANT], whole[CONSTANT]
    begins_well = not _differs(joined[:, 0], whole[:, 0], largest).any()
    is_level = not _differs(steps[1:], steps[:1], largest).any()
    if begins_well and is_level and _differs(once[1:], once[:1], largest).any():
        why = "equal tokens get equal logits at every step. New tokens go on at the position after the cache."
        return why, "positions-restart"
    leaks_at_once = _differs(whole[0], whole[LAST], largest)[:-1].any()
    if _differs(joined[0], joined[LAST], largest)[:-1].any() and not leaks_at_once:
        why = "new tokens that come together see those after them. The mask hides these with a cache, too."
        return why, "mask-leaks"
    is_blind = not _differs(joined[0], joined[MIDDLE], largest)[-1]
    if begins_well and is_blind and _differs(whole[0], whole[MIDDLE], largest)[-1]:
        why = "the last one sees nothing in between. Which row of the mask belongs to a new token?"
        return why, "mask-of-first-row"
    return ("do positions go on after the cache, and does a new token see all that the cache holds?",)


def _arrays(value: Any, depth: int = 0) -> Iterator[Array]:
    array = as_array(value) if isinstance(value, np.ndarray | Tensor) else None
    if array is not None:
        yield array
    elif isinstance(value, tuple | list | dict) and depth < MOST_DEPTH:
        for item in islice(value.values() if isinstance(value, dict) else value, MOST_ARRAYS):
            yield from _arrays(item, depth + 1)


def _given(known: KnownCase) -> tuple[Array, Array]:
    """The pairs and the prompts of what has to be learned."""
    call = known.case.call
    assert isinstance(call, FunctionCall), "this case calls a function"
    sequences, prompts = (one.array for one in call.args)
    return sequences, prompts


def _answers(compare: Compare, known: KnownCase) -> Array:
    value, (sequences, prompts) = _value(compare, known), _given(known)
    shape = len(prompts), sequences.shape[1] - prompts.shape[1]
    answers = as_array(value, sequences.size)
    if answers is None:
        _fail("`solve` should return the answers: one tensor of whole numbers.")
    if answers.shape == (shape[0], sequences.shape[1]):
        _fail("`solve` returns the prompts with their answers; leave the prompts out.", "returns-prompts")
    if answers.shape != shape:
        _fail(f"`solve` returns shape {answers.shape}; answers to these prompts have shape {shape}.")
    if not np.array_equal(answers, np.round(answers)):
        _fail("`solve` should return whole numbers, the tokens themselves and not their logits.")
    return answers


def _right_answers(known: KnownCase) -> Array:
    """The right answers to the prompts; the order of the symbols is what the pairs tell."""
    sequences, prompts = _given(known)
    length = prompts.shape[1] - 1
    questions, answers, asked = sequences[:, :length], sequences[:, length + 1 :], prompts[:, :-1]
    symbols, kind = int(sequences.max()), known.case.name.rpartition("/")[2]
    if kind == "sort":
        comes_before = np.zeros((symbols, symbols), bool)
        for place in range(length - 1):
            comes_before[answers[:, [place]], answers[:, place + 1 :]] = True
        np.fill_diagonal(comes_before, False)
        rank = comes_before.sum(axis=0)
        return np.asarray(np.argsort(rank)[np.sort(rank[asked], axis=1)])
    way = 1 if kind == "copy" else -1
    table = np.zeros(symbols, int)
    table[questions[:, ::way]] = answers
    return np.asarray(table[asked[:, ::way]])


def _why_wrong(known: KnownCase, answers: Array, right: Array, share: float) -> Sequence[str]:
    """What wrong answers have in common, and its name where that is proved."""
    prompts = _given(known)[1]
    text = f"{share:.0%} of the tokens are right"
    if (answers[:, 1:] == right[:, :-1]).mean() > ENOUGH_TOKENS:
        return f"{text}: the answers begin one token too early, and lack the last one.", "answers-one-late"
    if (answers[:, :1] == prompts[:, -1:]).mean() > ENOUGH_TOKENS:
        says = "answers begin with the separator again. In training too, logits are for the token after."
        return f"{text}: {says}", "targets-not-shifted"
    if (answers[:, :-1] == right[:, 1:]).mean() > ENOUGH_TOKENS:
        return f"{text}: the answers lack their first token.", "answers-one-early"
    if (answers == answers[0]).all():
        return (
            f"{text}: every question gets the same answer. Does the model see the prompt?",
            "answers-all-equal",
        )
    first, later = (float((answers == right)[:, part].mean()) for part in (slice(1), slice(1, None)))
    if first > ENOUGH_TOKENS and later < FEW:
        says = (
            "the first token of the answers is right, later ones are not. What goes into the model after it?"
        )
        return f"{text}: {says}", "only-first-token"
    return (f"{text}: train for longer, or in larger steps; the loss should come close to 0.",)


def _fail(text: str, *labels: str) -> NoReturn:
    raise CheckFailed(Finding(Kind.VALUES, text, misconceptions=labels, cause=text))
