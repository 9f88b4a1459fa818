"""Hidden checks of the capstone: what any such model has in common, whatever it is made of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from math import prod
from typing import Any, NamedTuple, NoReturn

import numpy as np

from autograder.course import FunctionCall, Group, ModuleCall
from autograder.sandbox.report import plain
from autograder.verdict import (
    Cases,
    CheckFailed,
    Compare,
    Failure,
    FailureKind,
    KnownCase,
    as_array,
    check,
)
from autograder.worker.wire import Array, Tensor

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
MOST_NUMBERS = 10_000_000
MOST_NAMED = 3
USED, ANY_USED = 0.9, 1 / 6
"""How much of a layer's 12 d_model² numbers the logits depend on: in every layer, and in any model at all.

The matrix of one projection is 1/12 of a layer. A gated network has a few numbers less than 8 d_model².
"""
LEARNED, QUESTIONS = 0.75, 200
"""How many tokens the trained model has to get right by itself, of how many questions that `solve` never saw.

Other questions than those of `solve`, so less than what it needs; one that learned nothing gets 1 of 6.
"""


@check(task=MODEL, points=1, public=True)
def test_model_shape(cases: Cases, compare: Compare) -> None:
    """The model returns finite logits of shape (batch, tokens, vocab_size)."""
    for known in _models(cases, "one-layer", "layers"):
        _logits(compare, known)


@check(task=MODEL, points=1, public=True)
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
            _fail(
                f"{text}each layer needs parameters of its own, so make each by itself.",
                "layers-shared",
            )
        sizes = f"With d_model = {width}"
        if not least <= each <= least + MOST_PER_LAYER * width:
            text = f"{sizes}, each layer learns {each:.0f} numbers; 12 d_model² are {least}, and"
            _fail(f"{text} biases and norms are at most {MOST_PER_LAYER * width} more.")
        beside, least = few - each, vocab_size * width
        most = 2 * least + vocab_size + (length + MOST_BESIDE) * width
        if not least <= beside <= most:
            text = f"{sizes}, {vocab_size} symbols and {length} positions, the model learns {beside:.0f} numbers"
            _fail(
                f"{text} outside of its layers; embedding, positions and logits are {least} to {most}."
            )
        if not _probe(compare, one).arriving:
            text = f"The model holds {few} numbers, and no gradient of the logits arrives at any of them"
            _fail(
                f"{text}: training cannot change what they say. {CUT_OFF}",
                "parameters-unused",
            )


@check(task=MODEL, points=1, requires=["model_shape"], public=True)
def test_model_depends(cases: Cases, compare: Compare) -> None:
    """The logits come from the model's matrices: other numbers there give other logits."""
    for known in _models(cases, "one-layer"):
        probe = _probe(compare, known)
        width = _call(known).args[2]
        if probe.used < ANY_USED * 12 * width**2:
            text = f"A model of one layer has {probe.in_matrices} numbers in its matrices, and the logits depend"
            _fail(
                f"{text} on {probe.used} of them: compute the logits from these.",
                "parameters-unused",
            )


@check(task=MODEL, points=2, requires=["model_depends"], public=True)
def test_model_layers(cases: Cases, compare: Compare) -> None:
    """Every layer takes part: its matrices change the logits, and gradients arrive at them."""
    pairs = zip(_models(cases, "one-layer"), _models(cases, "layers"), strict=True)
    for known, deep in pairs:
        vocab_size, _, width, _, _ = _call(known).args
        one, three = _probe(compare, known), _probe(compare, deep)
        # Matrices that are missing or shared lose another check; this one looks at those that there are.
        least = 12 * width**2
        due_in_one = min(one.in_matrices, least + vocab_size * width)
        due_in_each = min((three.in_matrices - one.in_matrices) / 2, least)
        if one.used < USED * due_in_one:
            _fail(_why_unused(known, one, "a single layer"), "layers-unused")
        if (three.used - one.used) / 2 < USED * due_in_each:
            _fail(_why_unused(deep, three, "three layers"), "layers-unused")


@check(task=MODEL, points=2, requires=["model_depends"], public=True)
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
            _fail(
                f"{text}: the mask lets tokens see what comes after them.", "mask-leaks"
            )
    # The same model in both calls, for each begins with the same seed.
    for known, reordered in zip(
        _models(cases, "one-layer"), _models(cases, "reordered"), strict=True
    ):
        logits = _logits(compare, known)
        again = np.roll(_logits(compare, reordered), -MOVED, axis=0)
        if _differs(again, logits, np.abs(logits).max()).any():
            _fail(
                "The logits of a sequence change with the order of the batch: do its sequences mix?"
            )


@check(task=MODEL, points=1, requires=["model_causal"], public=True)
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
            _fail(
                f"{text}: the model has no positions, or does not use them.",
                "no-positions",
            )


@check(task=MODEL, points=3, requires=["model_causal"], public=True)
def test_model_cache(cases: Cases, compare: Compare) -> None:
    """Token by token, with the cache, the logits are those of the whole sequence, and come from the cache."""
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
    """Nine tokens of ten are right in answers to new questions, and a TinyTransformer has learned them."""
    tasks = cases.other_sizes(SOLVE, "task")
    for known in tasks:
        answers, right = _answers(compare, known), _right_answers(known)
        share = float((answers == right).mean())
        if share < ENOUGH_TOKENS:
            _fail(*_why_wrong(known, answers, right, share))
    _compare_learned(compare, tasks)


@check(task=SOLVE, points=3, requires=["solve_tokens"], public=True)
def test_solve_answers(cases: Cases, compare: Compare) -> None:
    """Of the answers to new questions, nine of ten are right in every token."""
    for known in cases.other_sizes(SOLVE, "task"):
        share = float(
            (_answers(compare, known) == _right_answers(known)).all(axis=1).mean()
        )
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


CUT_OFF = (
    "Do `detach()`, `no_grad` or a conversion cut them off, or are they never used?"
)


class Probe(NamedTuple):
    """What moving the parameters of a model showed, each by itself.

    ``arriving`` counts the numbers at which gradients arrive, ``used`` those of matrices that also change the
    logits; ``still`` and ``cut_off`` are the matrices where one or the other fails.
    """

    arriving: int
    in_matrices: int
    used: int
    still: Sequence[str]
    cut_off: Sequence[str]


def _probe(compare: Compare, known: KnownCase) -> Probe:
    """Read what the worker found when it moved the parameters, of which nothing has to be as it should."""
    _value(compare, known)
    answer = compare.submission.answer(known)
    width, (_, tokens) = _call(known).args[2], _call(known).input.array.shape
    shape = (1, tokens, _call(known).args[0])
    found = answer.probes if isinstance(answer.probes, dict) else {}
    gradients, moved = _mapping(found.get("gradients")), _mapping(found.get("moved"))
    before = _logits_or_none(found.get("before"), shape)
    arriving, in_matrices, used, still, cut_off = 0, 0, 0, list[str](), list[str]()
    for name, counts in gradients.items():
        if not (
            isinstance(counts, list)
            and len(counts) == 3
            and all(type(one) is int for one in counts)
        ):
            continue
        size, axes, reached = counts
        if not 0 <= reached <= size <= MOST_NUMBERS:
            continue
        arriving += reached
        # Vectors are left out: a bias of the keys changes no weight, and a norm removes common summands.
        if axes < 2 and size < width**2:
            continue
        in_matrices += size
        after = _logits_or_none(moved.get(name), shape)
        stops = name in moved and moved[name] is None
        if not stops and (before is None or after is None or not _moves(after, before)):
            still.append(plain(name, 60))
        elif reached == 0:
            cut_off.append(plain(name, 60))
        else:
            used += reached
    # What a forged reply says is quoted in a few digits at most.
    arriving, in_matrices, used = (
        min(number, MOST_NUMBERS) for number in (arriving, in_matrices, used)
    )
    return Probe(arriving, in_matrices, used, still, cut_off)


def _mapping(value: Any) -> Mapping[Any, Any]:
    return value if isinstance(value, dict) else {}


def _logits_or_none(value: Any, shape: tuple[int, ...]) -> Array | None:
    logits = as_array(value, prod(shape))
    return (
        logits.astype(np.float64)
        if logits is not None and logits.shape == shape
        else None
    )


def _moves(after: Array, before: Array) -> bool:
    """Whether logits have changed; those that are no longer finite have."""
    with np.errstate(all="ignore"):
        change = float(np.abs(after - before).max())
        return not change <= VISIBLE * max(float(np.abs(before).max()), 1e-3)


def _why_unused(known: KnownCase, probe: Probe, layers: str) -> str:
    """Which matrices the logits do not depend on; a student's names only from what was public."""
    idle = (*probe.still, *probe.cut_off)
    counts = f"{probe.used} of the {probe.in_matrices} numbers in matrices"
    text = f"In a model of {layers}, the logits depend on {counts}"
    if known.case.group is not Group.PUBLISHED or not idle:
        return f"{text}: is the output of every part used?"
    named = ", ".join(f"`{name}`" for name in idle[:MOST_NAMED])
    if len(idle) > MOST_NAMED:
        named += f" and {len(idle) - MOST_NAMED} more"
    if probe.still:
        return f"{text}. They stay as they are when the numbers in {named} change: is what comes of these used?"
    return f"{text}. No gradient arrives at {named}. {CUT_OFF}"


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
            "The logits hold NaN or infinite numbers: does the mask forbid everything to some token?",
            "nan",
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
    pieces = [
        _finite(one, (rows, size, vocab_size))
        for one, size in zip(returned, call.pieces, strict=True)
    ]
    joined, largest = np.concatenate(pieces, axis=1), float(np.abs(whole).max())
    wrong = np.flatnonzero(np.any(_differs(joined, whole, largest), axis=0))
    held = [
        sum(array.size for array in islice(_arrays(cache), MOST_ARRAYS))
        for _, cache in returned
    ]
    due = 2 * call.args[4] * rows * sum(call.pieces) * call.args[2]
    if held[-1] < due:
        text = f"The cache holds {held[-1]} numbers in the end; keys and values of all tokens, heads and layers"
        grows_with_tokens = held[-1] * call.pieces[0] >= held[0] * sum(call.pieces)
        if len(wrong) and not grows_with_tokens:
            _fail(
                f"{text} are {due}: append those of each new token, in every layer.",
                "cache-not-appended",
            )
        shape = "a pair (K, V) for each layer, both of shape (batch, n_heads, tokens so far, d_model / n_heads)"
        _fail(f"{text} are {due}: the cache should hold {shape}.", "cache-incomplete")
    if len(wrong):
        where = f"With the cache, the logits at token {wrong[0] + 1} are not those of the whole sequence"
        why, *label = _why_different(joined, whole, largest)
        _fail(f"{where}: {why}", *label)
    _compare_moved_cache(compare, known)


def _compare_moved_cache(compare: Compare, known: KnownCase) -> None:
    """New logits come from the numbers that the cache holds: with others there, they are others."""
    call, answer = _call(known), compare.submission.answer(known)
    rows, vocab_size = len(call.input.array), call.args[0]
    half = len(call.pieces) // 2  # the state after these was moved
    known_tokens = sum(call.pieces[:half])
    shape = (rows, call.pieces[half], vocab_size)
    found = answer.probes if isinstance(answer.probes, dict) else {}
    before, moved = _logits_or_none(found.get("before"), shape), found.get("moved")
    due = 2 * call.args[4] * rows * known_tokens * call.args[2]
    used = 0
    for pair in moved if isinstance(moved, list) else []:
        if not (
            isinstance(pair, list)
            and len(pair) == 2
            and type(pair[0]) is int
            and pair[0] >= 0
        ):
            continue
        size, after = pair[0], _logits_or_none(pair[1], shape)
        # A model that stops on another cache has looked at it.
        if pair[1] is None or (
            before is not None and after is not None and _moves(after, before)
        ):
            used += size
    # Where one layer's are used and the others' are not, the layers are idle: that has a check of its own.
    if used < due // call.args[4]:
        text = f"Keys and values of {known_tokens} tokens in the cache are {due} numbers, and the next logits"
        _fail(
            f"{text} change with {used} of them: let new tokens attend to the cached ones.",
            "cache-unused",
        )


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
    return (
        "do positions go on after the cache, and does a new token see all that the cache holds?",
    )


def _arrays(value: Any, depth: int = 0) -> Iterator[Array]:
    array = as_array(value) if isinstance(value, np.ndarray | Tensor) else None
    if array is not None:
        yield array
    elif isinstance(value, tuple | list | dict) and depth < MOST_DEPTH:
        for item in islice(
            value.values() if isinstance(value, dict) else value, MOST_ARRAYS
        ):
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
        _fail(
            "`solve` returns the prompts with their answers; leave the prompts out.",
            "returns-prompts",
        )
    if answers.shape != shape:
        _fail(
            f"`solve` returns shape {answers.shape}; answers to these prompts have shape {shape}."
        )
    if not np.array_equal(answers, np.round(answers)):
        _fail(
            "`solve` should return whole numbers, the tokens themselves and not their logits."
        )
    return answers


def _compare_learned(compare: Compare, tasks: Sequence[KnownCase]) -> None:
    """The answers are in what a model has learned, and nowhere else.

    The numbers of each trained model go into a new one, in a process that has seen none of the pairs, and its
    logits have to answer questions that `solve` was not asked. A table of answers stays behind. With the same
    numbers in another order in each matrix the answers must be gone: they are no table in a parameter.
    """
    calls, shuffled_calls, right_answers = [], [], []
    for known in tasks:
        arguments, state = _trained(compare, known)
        rows, right = _more_questions(known)
        calls.append(ModuleCall(MODEL, arguments, Tensor(rows), state=state))
        shuffled_calls.append(
            ModuleCall(MODEL, arguments, Tensor(rows), state=_shuffled(state))
        )
        right_answers.append(right)
    answers = compare.submission.calls([*calls, *shuffled_calls])  # all in one run
    for call, answer, right in zip(
        calls, answers[: len(calls)], right_answers, strict=True
    ):
        if not answer.is_usable:
            text = "A new `TinyTransformer`, made like the one that `solve` trained, does not work with what"
            _fail(
                f"{text} this one has learned: does it hold other things than parameters and buffers?"
            )
        share = _share_right(call, answer.value, right)
        if share is None:
            _fail(
                f"{OF_ANOTHER_ORIGIN} does not return logits for each token of a question and its answer."
            )
        if share < LEARNED:
            text = f"{OF_ANOTHER_ORIGIN} gets {share:.0%} of the tokens right when it is asked by itself"
            _fail(
                f"{text}: the answers should be its own, after training on the rows as they are.",
                "not-learned",
            )
    for call, answer, right in zip(
        shuffled_calls, answers[len(calls) :], right_answers, strict=True
    ):
        share = _share_right(call, answer.value, right) if answer.is_usable else None
        # Repeating the token before gets up to half of a sorted answer right.
        if share is not None and share >= LEARNED:
            text = f"{OF_ANOTHER_ORIGIN} gets {share:.0%} of the tokens right even with the numbers of all its"
            _fail(
                f"{text} matrices in another order: its layers should find the answers.",
                "not-learned",
            )


OF_ANOTHER_ORIGIN = "The answers that `solve` returns are right, but the `TinyTransformer` that it trained"
MOST_SYMBOLS = 1000


def _share_right(call: ModuleCall, value: Any, right: Array) -> float | None:
    """How many tokens of the answers are the likeliest by these logits; None where there are no logits."""
    first = value[0] if isinstance(value, tuple | list) and value else value
    logits = as_array(first, call.input.array.size * MOST_SYMBOLS)
    if (
        logits is None
        or logits.ndim != 3
        or logits.shape[:2] != call.input.array.shape
        or not logits.size
    ):
        return None
    return float((logits[:, -right.shape[1] :].argmax(axis=-1) == right).mean())


def _shuffled(state: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The same numbers in another order within each matrix; biases, gains and whole numbers stay."""
    rng = np.random.default_rng(0)
    shuffled = {}
    for name, tensor in state.items():
        array = tensor.array
        if array.dtype.kind == "f" and (array.ndim > 1 or array.size > LONGEST_VECTOR):
            array = rng.permutation(array.ravel()).reshape(array.shape)
        shuffled[name] = Tensor(array)
    return shuffled


LONGEST_VECTOR = 1000


def _trained(
    compare: Compare, known: KnownCase
) -> tuple[tuple[Any, ...], dict[str, Tensor]]:
    """How the model was made that `solve` trained, and the numbers that it has learned."""
    trained = compare.submission.answer(known).trained
    found = trained if isinstance(trained, dict) else {}
    arguments, state = found.get("arguments"), found.get("state")
    if found.get("missing") == "arguments":
        _fail(
            "`solve` should make its `TinyTransformer` from numbers: `TinyTransformer(vocab_size, …)`."
        )
    if found.get("missing") == "room":
        _fail(
            "The `TinyTransformer` that `solve` trains has more than 5 million numbers; make it smaller."
        )
    if not (isinstance(arguments, list) and isinstance(state, dict)):
        _fail(
            "`solve` returns answers without a `TinyTransformer`: make one, train it, let it answer.",
            "not-learned",
        )
    if not all(
        isinstance(name, str) and isinstance(one, Tensor) for name, one in state.items()
    ):
        _fail(
            "What the `TinyTransformer` of `solve` has learned are not arrays of numbers."
        )
    numbers = [one for one in arguments if isinstance(one, int | float | str | None)]
    return tuple(numbers), {name: Tensor(one.array) for name, one in state.items()}


def _more_questions(known: KnownCase) -> tuple[Array, Array]:
    """New questions, neither among the pairs nor the prompts, each with most of its answer; the answers."""
    sequences, prompts = _given(known)
    length, symbols = prompts.shape[1] - 1, int(sequences.max())
    places = symbols ** np.arange(length)
    met = np.concatenate([sequences[:, :length], prompts[:, :length]]) @ places
    free = np.setdiff1d(np.arange(symbols**length), met)
    rng = np.random.default_rng(int(met.sum()))
    questions = (
        rng.choice(free, size=QUESTIONS, replace=False)[:, None] // places % symbols
    )
    right = _right_answers(known, questions)
    separators = np.full((len(questions), 1), symbols)
    return np.concatenate([questions, separators, right[:, :-1]], axis=1), right


def _right_answers(known: KnownCase, asked: Array | None = None) -> Array:
    """The right answers to the prompts, or to other questions; the order of the symbols is in the pairs."""
    sequences, prompts = _given(known)
    length = prompts.shape[1] - 1
    questions, answers = sequences[:, :length], sequences[:, length + 1 :]
    asked = prompts[:, :-1] if asked is None else asked
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


def _why_wrong(
    known: KnownCase, answers: Array, right: Array, share: float
) -> Sequence[str]:
    """What wrong answers have in common, and its name where that is proved."""
    prompts = _given(known)[1]
    text = f"{share:.0%} of the tokens are right"
    if (answers[:, 1:] == right[:, :-1]).mean() > ENOUGH_TOKENS:
        return (
            f"{text}: the answers begin one token too early, and lack the last one.",
            "answers-one-late",
        )
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
    first, later = (
        float((answers == right)[:, part].mean()) for part in (slice(1), slice(1, None))
    )
    if first > ENOUGH_TOKENS and later < FEW:
        says = "the first token of the answers is right, later ones are not. What goes into the model after it?"
        return f"{text}: {says}", "only-first-token"
    return (
        f"{text}: train for longer, or in larger steps; the loss should come close to 0.",
    )


def _fail(text: str, *labels: str) -> NoReturn:
    raise CheckFailed(
        Failure(FailureKind.VALUES, text, misconceptions=labels, cause=text)
    )
