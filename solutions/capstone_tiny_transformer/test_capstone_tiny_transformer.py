"""Checks of the capstone: what any such model has in common, whatever it is made of."""

from __future__ import annotations

import enum
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice, pairwise
from math import prod
from typing import Any, NamedTuple, NoReturn

import numpy as np

from autograder.course import FunctionCall, Group, ModuleCall
from autograder.sandbox.report import Answer, plain
from autograder.verdict import (
    Cases,
    CheckFailed,
    Compare,
    FailureKind,
    KnownCase,
    as_array,
    check,
    fail,
)
from autograder.verdict.explanation_faults import explaining
from autograder.verdict.fixtures import Property
from autograder.verdict.known import OPEN
from autograder.verdict.modules import module_call
from autograder.verdict.next_tokens import Fault, fault_of_comparison
from autograder.verdict.training import (
    LOW_LOSS,
    Course,
    course_in_words,
    read_course,
    why_not_a_number,
    why_unchanged,
)
from autograder.worker.wire import Array, Tensor

MODEL = "TinyTransformer"
SOLVE = "solve"

# The topics of the cases.
ONE_LAYER = "one-layer"
THREE_LAYERS = "layers"
REORDERED = "reordered"
STEPS = "steps"
PIECES = "pieces"
WITH_CACHE = (STEPS, PIECES)
LEARNING = "task"

# Two logits are the same up to SAME, and visibly apart beyond VISIBLE, relative to the largest of all: rounding
# alone makes less of a difference, whatever is wrong makes more.
SAME = 1e-4
VISIBLE = 1e-6
SMALLEST_LARGEST = 1e-3
"""The least that the largest logit counts as."""

MOVED = 2
"""How many places the sequences have moved in a reordered batch."""

# Biases, gains and such: how many times d_model a layer may have, and the model outside of its layers.
MOST_PER_LAYER = 20
MOST_BESIDE = 10

# How much of a layer's matrices the logits depend on: in every layer, and in any model at all. The matrix of one
# projection, which may be left out by mistake, is 1/12 of a layer, so that 0.917 of it remain.
USED = 0.93
ANY_USED = 1 / 6

# Shares of answers to the prompts of `solve`. Nine answers of ten are asked for. Fewer are enough, because a right
# program that reaches nine of ten with most draws of the questions gets 88 % with others.
ENOUGH_TOKENS = 0.9
ENOUGH_ANSWERS = 0.85
FEW = 0.5
MOST = 0.75

# How many tokens the trained model has to get right by itself, of how many questions that `solve` never saw. It
# is less than what `solve` needs, for these are other questions; one that learned nothing gets 1 of 6.
LEARNED = 0.75
QUESTIONS = 200
MOST_SECONDS_TO_WATCH = 15
"""A training that takes longer is not repeated to watch it: that takes up to twice as long."""
BY_HEART = 0.9
"""The share of the tokens of pairs that a model knows which has learned them by heart."""
BETTER_BY_HEART = 0.1
"""By so much it knows fewer tokens of new answers."""

MUCH_LESS = 0.1
"""What depends on later tokens by less than this share of what it depends on earlier ones is nearly hidden."""
SUM_OF_FLOAT32 = 1e-4
"""How far sums of probabilities are from 1 by rounding at most."""
NEAR_ONE = 0.9
"""The gains of a norm stay within this distance of 1 in training."""

# How much of a reply is looked at, and quoted: a submission may have forged it.
MOST_DEPTH = 4
MOST_ARRAYS = 100
MOST_NUMBERS = 10_000_000
MOST_NAMED = 3
LONGEST_NAME = 60
MOST_SYMBOLS = 1000
LONGEST_VECTOR = 1000
"""A parameter of one axis is a bias or a gain up to this size; beyond, it may be a table."""

CUT_OFF = (
    "For example, do `detach()`, `no_grad`, a conversion, `requires_grad=False` or a change in place cut them off, "
    "or are they never used?"
)
REMEMBERS = (
    "A new model works once, and a second one, made alike and called without a cache, stops or has other logits: "
    "your model remembers the call before. For example, is there a list, or anything else that is filled, as a "
    "default, such as `cache=[]`, in the body of the class, or outside of it? These are made once, for all calls "
    "and models: take None as the default, and make it within the function."
)
SMALL_LAYERS: Mapping[float, str] = {
    4: "The matrices of a layer have 4 d_model²: is there no feed-forward network in each layer, "
    "or a single one for all?",
    6: "The matrices of a layer have 6 d_model², as where this network has d_model hidden units.",
    8: "The matrices of a layer have 8 d_model², as where its attention has no matrices, or where the feed-forward "
    "network has 2 d_model hidden units.",
    11: "The matrices of a layer have 11 d_model², as where one matrix of attention is missing, such as that of "
    "the output.",
}
"""What the numbers in the matrices of a layer, as multiples of d_model², suggest."""
SMALLER_PART = (
    "Is a part missing in each layer, smaller, or made once for all layers or heads?"
)
REMEMBERS_ITSELF = (
    "The same model, called twice without a cache, stops or has other logits the second time: it remembers the "
    "call before, for example in an attribute such as `self.cache`. All that a call may know of the tokens before "
    "is in its argument `cache`, which is None at the beginning of new sequences."
)
KINDS_OF_ERRORS = (
    "IndexError",
    "RuntimeError",
    "ValueError",
    "TypeError",
    "AttributeError",
    "AssertionError",
)
"""What a model raises that goes on with the tokens of another call; a time limit is no such sign."""
FROM_CALL_TO_CALL = "differs-from-call-to-call"
INDEX_IN_EMBEDDING = re.compile(
    r"`(\w+)` is \((?:\d+, )*(\d+),?\).*`\1\.max\(\)` is (\d+), `nn\.Embedding` is \((\d+), "
)
"""What the worker adds to torch's message: the array of indices, its largest number, and the table's rows."""
OF_TWO_AXES = re.compile(r"^`\w+` is \(\d+, \d+\)")
FIRST_NUMBER = re.compile(r"(\D*)(\d+)")
"""In the name of a parameter: what stands before the first number, such as ``blocks.``, and the number."""
OF_ANOTHER_ORIGIN = "The answers that `solve` returns are right, but the `TinyTransformer` that it trained"


class Row(enum.IntEnum):
    """The sequences of a batch, by what differs from the first one."""

    BASE = 0
    LATER = 1
    """All tokens of the second half."""
    FIRST = 2
    """The first token."""
    MIDDLE = 3
    """All tokens but the first and the last."""
    SWAPPED = 4
    """The first two tokens have changed places."""
    CONSTANT = 5
    """The first token everywhere."""
    AGAIN = 6
    """Nothing."""
    LAST = 7
    """The last token."""


class Sizes(NamedTuple):
    """The arguments that a case makes its model with."""

    vocab_size: int
    max_length: int
    d_model: int
    n_heads: int
    n_layers: int

    @property
    def layer(self) -> int:
        """How many numbers the matrices of one layer hold."""
        return 12 * self.d_model**2


@check(task=MODEL, points=1, public=True)
def test_model_shape(cases: Cases, compare: Compare) -> None:
    """The model returns finite logits of shape (batch, tokens, vocab_size)."""
    for known in _models(cases, ONE_LAYER, THREE_LAYERS):
        try:
            _logits(compare, known)
        except CheckFailed as failed:
            raise _with_change(compare, known, failed, test_model_shape) from None


@check(task=MODEL, points=1, public=True)
def test_model_parameters(cases: Cases, compare: Compare) -> None:
    """Each layer learns 12 d_model² numbers of its own, the embedding and the logits vocab_size · d_model."""
    for one_layer, three_layers in _one_and_three_layers(cases):
        sizes = _sizes(one_layer)
        width = sizes.d_model
        numbers = _learned_numbers(compare, one_layer)
        numbers_of_three = _learned_numbers(compare, three_layers)
        per_layer = (numbers_of_three - numbers) / 2

        # Two more layers have to bring numbers of their own, and about as many as four matrices and a network.
        if numbers_of_three == numbers:
            text = f"A model of three layers learns {numbers_of_three} numbers, as many as one of a single layer: "
            if numbers < sizes.layer:
                text += "PyTorch overlooks layers in a plain list or dictionary (use nn.ModuleList), and plain "
                text += "tensors (use nn.Parameter)."
                fail(text, "layers-unregistered")
            text += "each layer needs parameters of its own, so make each by itself."
            fail(text, "layers-shared")
        most_more = MOST_PER_LAYER * width
        text = f"With d_model = {width}, each layer learns {per_layer:.0f} numbers of its own; "
        if per_layer < sizes.layer:
            probe = _probe(compare, one_layer)
            probe_of_three = _probe(compare, three_layers)
            matrices = (probe_of_three.in_matrices - probe.in_matrices) / 2
            shared = (probe_of_three.shared - probe.shared) / 2
            _fail_small_layers(text, sizes, per_layer, matrices, shared)
        if per_layer > sizes.layer + most_more:
            text += f"12 d_model² are {sizes.layer}, and biases and norms are at most {most_more} more. For "
            text += "example, is each head as wide as d_model, in place of d_model / n_heads, or has the "
            text += "feed-forward network more than 4 d_model hidden units?"
            fail(text)

        # What is left are the embedding, the layer of logits, and perhaps a table of positions.
        beside = numbers - per_layer
        embedding = sizes.vocab_size * width
        logits = embedding + sizes.vocab_size
        positions = sizes.max_length * width
        most = embedding + logits + positions + MOST_BESIDE * width
        if not embedding <= beside <= most:
            text = f"With d_model = {width}, {sizes.vocab_size} symbols and {sizes.max_length} positions, "
            text += f"the model learns {beside:.0f} numbers outside of its layers; "
            text += f"embedding, positions and logits are {embedding} to {most}."
            fail(text)

        probe = _probe(compare, one_layer)
        if probe.arriving == 0:
            text = f"The model holds {numbers} numbers, and no gradient of the logits arrives at any of them: "
            text += f"training cannot change what they say. {CUT_OFF}"
            fail(text, "parameters-unused")


@check(
    task=MODEL,
    points=1,
    requires=["model_shape"],
    public=True,
)
def test_model_depends(cases: Cases, compare: Compare) -> None:
    """The logits come from the model's matrices: other numbers there give other logits."""
    for known in _models(cases, ONE_LAYER):
        probe = _probe(compare, known)
        if probe.used < ANY_USED * _sizes(known).layer:
            text = f"A model of one layer has {probe.in_matrices} numbers in its matrices, and the logits depend "
            text += f"on {probe.used} of them: compute the logits from these."
            fail(text, "parameters-unused")


@check(
    task=MODEL,
    points=2,
    requires=["model_depends"],
    public=True,
)
def test_model_layers(cases: Cases, compare: Compare) -> None:
    """Every layer takes part: its matrices change the logits, and gradients arrive at them."""
    for one_layer, three_layers in _one_and_three_layers(cases):
        sizes = _sizes(one_layer)
        probe = _probe(compare, one_layer)
        probe_of_three = _probe(compare, three_layers)
        # Matrices that are missing or shared lose another check; this one looks at those that there are.
        matrices_per_layer = (probe_of_three.in_matrices - probe.in_matrices) / 2
        embedding = sizes.vocab_size * sizes.d_model
        due_in_one = min(probe.in_matrices, sizes.layer + embedding)
        due_per_layer = min(matrices_per_layer, sizes.layer)
        used_per_layer = (probe_of_three.used - probe.used) / 2
        if probe.used < USED * due_in_one:
            fail(_why_unused(one_layer, probe, "a single layer"), "layers-unused")
        if used_per_layer < USED * due_per_layer:
            text = _why_unused(three_layers, probe_of_three, "three layers")
            fail(text, "layers-unused")


@check(
    task=MODEL,
    points=2,
    requires=["model_depends"],
    public=True,
)
def test_model_causal(cases: Cases, compare: Compare) -> None:
    """Logits depend on no later token, on no other sequence of the batch, and on no chance."""
    for known in _models(cases, ONE_LAYER, THREE_LAYERS):
        logits = _logits(compare, known)
        changed_again = _rows_differ(logits, Row.AGAIN)
        if changed_again.any():
            text = "Two equal sequences of a batch get different logits: is something random in `forward`, such as "
            text += "dropout that is on after `eval()`, or does the place in the batch count, as where the axes of "
            text += "sequences and tokens are exchanged?"
            fail(text)
        first_changed = _first_later_token(known)
        leaks = _leaking_tokens(known, logits)
        if len(leaks):
            text = f"The logits at token {leaks[0] + 1} change when tokens from {first_changed + 1} on change."
            with explaining("what lets tokens see later ones", CheckFailed):
                remark = _why_leaks(compare, cases)
                text = f"{text} {remark}".rstrip()
            fail(text, "mask-leaks")

    # The same model in both calls, for each begins with the same seed.
    models = _models(cases, ONE_LAYER)
    reordered_models = _models(cases, REORDERED)
    for known, reordered in zip(models, reordered_models, strict=True):
        logits = _logits(compare, known)
        reordered_logits = _logits(compare, reordered)
        moved_back = np.roll(reordered_logits, -MOVED, axis=0)
        largest = np.abs(logits).max()
        if _differs(moved_back, logits, largest).any():
            with explaining("what the model remembers", CheckFailed):
                if _remembers_calls(compare):
                    fail(REMEMBERS, FROM_CALL_TO_CALL)
            fail(
                "The logits of a sequence change with the order of the batch: do its sequences mix?"
            )


@check(
    task=MODEL,
    points=1,
    requires=["model_causal"],
    public=True,
)
def test_model_order(cases: Cases, compare: Compare) -> None:
    """The last logits depend on the first token, and on the order of the tokens before."""
    for known in _models(cases, ONE_LAYER):
        logits = _logits(compare, known)
        changed_by_first = _rows_differ(logits, Row.FIRST, VISIBLE)
        changed_by_order = _rows_differ(logits, Row.SWAPPED, VISIBLE)
        if not changed_by_first[-1]:
            fail(
                "The last logits stay as they are when the first token changes: does the last token see it?"
            )
        if not changed_by_order[-1]:
            text = "With one layer, the last logits stay as they are when two tokens before change places: "
            text += "the model has no positions, or its attention does not use them."
            fail(text, "no-positions")


@check(
    task=MODEL,
    points=3,
    requires=["model_causal"],
    public=True,
)
def test_model_cache(cases: Cases, compare: Compare) -> None:
    """Token by token, with the cache, the logits are those of the whole sequence, and come from the cache."""
    for known in _models(cases, STEPS):
        _compare_ways(compare, known, cases)


@check(
    task=MODEL,
    points=1,
    requires=["model_cache"],
    public=True,
)
def test_model_pieces(cases: Cases, compare: Compare) -> None:
    """So they are with several new tokens at a time."""
    for known in _models(cases, PIECES):
        _compare_ways(compare, known, cases)


@check(task=SOLVE, points=1, public=True)
def test_solve_shape(cases: Cases, compare: Compare) -> None:
    """solve returns one answer for each prompt, as whole numbers."""
    for known in cases.other_sizes(SOLVE, LEARNING):
        _answers(compare, known)


@check(
    task=SOLVE,
    points=4,
    requires=["solve_shape"],
    public=True,
)
def test_solve_tokens(cases: Cases, compare: Compare) -> None:
    """Nine tokens of ten are right in answers to new questions, and a TinyTransformer has learned them."""
    tasks = cases.other_sizes(SOLVE, LEARNING)
    for known in tasks:
        answers = _answers(compare, known)
        right_answers = _right_answers(known)
        share = float((answers == right_answers).mean())
        if share < ENOUGH_TOKENS:
            _fail_untrained(compare, cases, known, share)
            _fail_wrong_answers(compare, cases, known, answers)
    _compare_learned(compare, tasks)


@check(
    task=SOLVE,
    points=3,
    requires=["solve_tokens"],
    public=True,
)
def test_solve_answers(cases: Cases, compare: Compare) -> None:
    """Of the answers to new questions, nine of ten are right in every token."""
    for known in cases.other_sizes(SOLVE, LEARNING):
        answers = _answers(compare, known)
        is_right = answers == _right_answers(known)
        share = float(is_right.all(axis=1).mean())
        if share < ENOUGH_ANSWERS:
            _fail_incomplete_answers(compare, known, answers, share)


ALL_OF_MODEL = (
    test_model_shape,
    test_model_parameters,
    test_model_depends,
    test_model_layers,
    test_model_causal,
    test_model_order,
    test_model_cache,
    test_model_pieces,
)
BEFORE_CAUSALITY = (test_model_shape, test_model_depends)
BEFORE_THE_CACHE = (*BEFORE_CAUSALITY, test_model_causal)
"""The checks that these two require."""


def _usable_answer(compare: Compare, known: KnownCase) -> Answer:
    """Return the answer to a case; where the model stops, say what is known of why, and at which line."""
    try:
        return compare.usable_answer(known)
    except CheckFailed as failed:
        failure = failed.failure
        remark = ""
        labels = failure.misconceptions
        change = ""
        with explaining("what the model remembers", CheckFailed):
            if _remembers_calls(compare):
                remark = REMEMBERS
                labels = (FROM_CALL_TO_CALL,)
            elif known.case.topic in WITH_CACHE and _remembers_itself(compare):
                remark = REMEMBERS_ITSELF
                labels = (FROM_CALL_TO_CALL,)
            elif known.case.topic in WITH_CACHE and _holds_none(compare):
                remark = "The cache that `forward` returns holds None: return the pairs (K, V) that the blocks "
                remark += "return."
        if not remark and known.case.group in OPEN:
            remark = _size_of_index(compare, known)
        with explaining("the line at which a model stops"):
            is_published = known.case.group is Group.PUBLISHED
            if is_published and failure.kind is FailureKind.RAISED and not labels:
                topic = known.case.topic
                change = _one_change(compare, compare.cases, topic, test_model_shape)
        if not remark and not change:
            raise
        failure = replace(
            failure,
            student=f"{remark} {failure.student} {change}".strip(),
            cause=f"{remark} {change}".strip(),
            misconceptions=labels,
        )
        raise CheckFailed(failure) from failed


def _with_change(
    compare: Compare,
    known: KnownCase,
    failed: CheckFailed,
    own_check: Callable[[Cases, Compare], None],
) -> CheckFailed:
    """Return a failed check with the one change after which the model's checks pass, if that is not said yet."""
    failure = failed.failure
    with explaining("the line at which logits are wrong"):
        if known.case.group is Group.PUBLISHED and failure.kind is FailureKind.VALUES:
            change = _one_change(compare, compare.cases, known.case.topic, own_check)
            text = f"{failure.student} {change}".rstrip()
            return CheckFailed(replace(failure, student=text, cause=text))
    return failed


def _one_change(
    compare: Compare,
    cases: Cases,
    topic: str,
    own_check: Callable[[Cases, Compare], None],
) -> str:
    """Say with which one change of the submission's own code the model's checks pass; nothing where none is found.

    Args:
        compare: judges answers.
        cases: those of the check.
        topic: of the published case that shows the fault.
        own_check: the check that fails.
    """
    if topic == REORDERED:
        return ""  # its rows stand at other places, which what follows does not know
    published = cases.published(MODEL)
    [small, *_] = cases.published(MODEL, topic)
    public = Cases(published, public_only=True)

    def all_pass(
        checks: Sequence[Callable[[Cases, Compare], None]], answers: Sequence[Answer]
    ) -> bool:
        answers_by_id = {}
        for known, answer in zip(published, answers, strict=True):
            if not answer.is_usable:
                return False
            answers_by_id[known.case.id] = answer
        of_change = replace(
            compare.with_answers(answers_by_id), cases=public, explain=None
        )
        try:
            for one_check in checks:
                one_check(public, of_change)
        except CheckFailed:
            return False
        return True

    wanted = Property(
        topic,
        replace(module_call(small), probed=False),
        lambda answer: _shows_no_fault(small, answer),
        [known.case.call for known in published],
        lambda answers: all_pass(ALL_OF_MODEL, answers),
        lambda answers: all_pass(
            [*BEFORE_THE_CACHE, test_model_order, own_check], answers
        ),
    )
    return compare.one_change(wanted)


def _shows_no_fault(known: KnownCase, answer: Answer) -> bool:
    """Whether an answer alone shows logits that are causal and use what came before, and are the same in pieces."""
    call = module_call(known)
    rows, tokens = call.input.array.shape
    vocab_size = _sizes(known).vocab_size
    value = answer.value
    if call.pieces:
        if not isinstance(value, list) or len(value) != len(call.pieces) + 1:
            return False
        value, *returned = value
    logits = _logits_or_none(_first_part(value), (rows, tokens, vocab_size))
    if logits is None or not np.isfinite(logits).all():
        return False
    if len(_leaking_tokens(known, logits)) or _rows_differ(logits, Row.AGAIN).any():
        return False
    if not _rows_differ(logits, Row.FIRST, VISIBLE)[-1]:
        return False
    if not call.pieces:
        return True
    pieces = []
    for pair, size in zip(returned, call.pieces, strict=True):
        piece = _logits_or_none(_first_part(pair), (rows, size, vocab_size))
        if piece is None:
            return False
        pieces.append(piece)
    joined = np.concatenate(pieces, axis=1)
    return not _differs(joined, logits, float(np.abs(logits).max())).any()


def _remembers_calls(compare: Compare) -> bool:
    """Whether a new model without a cache works, and a second one, made alike, stops or has other logits."""
    known, *_ = compare.cases.published(MODEL, ONE_LAYER)
    call = replace(module_call(known), probed=False)
    answers = compare.submission.calls_once("two new models", [call, call])
    first, second = answers
    if not first.is_usable:
        return False
    if second.error is not None:
        return second.error.type in KINDS_OF_ERRORS
    rows, tokens = call.input.array.shape
    shape = (rows, tokens, _sizes(known).vocab_size)
    logits = _logits_or_none(_first_part(first.value), shape)
    other_logits = _logits_or_none(_first_part(second.value), shape)
    if logits is None or other_logits is None:
        return False
    return bool(_differs(logits, other_logits, np.abs(logits).max()).any())


def _remembers_itself(compare: Compare) -> bool:
    """Whether one model that is called without a cache works, and the same one stops or has other logits the next "
    "time."""
    known, *_ = compare.cases.published(MODEL, ONE_LAYER)
    call = replace(module_call(known), probed=False)
    rows, tokens = call.input.array.shape
    again = replace(call, pieces=(tokens,))
    answers = compare.submission.calls_once("one model twice", [call, again])
    first, twice = answers
    if not first.is_usable:
        return False
    if twice.error is not None:
        return twice.error.type in KINDS_OF_ERRORS
    if not isinstance(twice.value, list) or len(twice.value) != 2:
        return False
    shape = (rows, tokens, _sizes(known).vocab_size)
    logits = _logits_or_none(_first_part(twice.value[0]), shape)
    other_logits = _logits_or_none(_first_part(twice.value[1]), shape)
    if logits is None or other_logits is None:
        return False
    return bool(_differs(logits, other_logits, np.abs(logits).max()).any())


def _holds_none(compare: Compare) -> bool:
    """Whether the cache that comes with the logits of a whole sequence holds None in place of keys and values."""
    known, *_ = compare.cases.published(MODEL, ONE_LAYER)
    value = compare.submission.answer(known).value
    if not _is_pair(value):
        return False
    cache = value[1]
    return cache is None or (
        isinstance(cache, tuple | list) and any(part is None for part in cache)
    )


def _size_of_index(compare: Compare, known: KnownCase) -> str:
    """Say which size equals an index that `nn.Embedding` has no row for."""
    error = compare.submission.answer(known).error
    found = None
    if error is not None:
        found = INDEX_IN_EMBEDDING.search(error.message)
    if found is None:
        return ""
    name, width, number, rows = found.groups()
    # Positions of several new tokens begin with the number of tokens so far.
    index = int(number)
    begin = index - (int(width) - 1)
    if (
        index == int(rows)
        and known.case.group is Group.PUBLISHED
        and index == _sizes(known).max_length
    ):
        return (
            f"The largest number in `{name}` is {index}, but the positions of {rows} tokens are 0 to {index - 1}: "
            "does the count begin one too late?"
        )
    if not isinstance(known.case.call, ModuleCall):
        is_batch = OF_TWO_AXES.search(found.group()) is not None
        remark = _index_in_solve(known, name, index, int(rows), is_batch)
        if remark:
            return remark
    meanings: dict[int, list[str]] = {}
    for size, meaning in _meanings_of_sizes(known):
        if size in (index, begin):
            meanings.setdefault(size, []).append(meaning)
    for size, names in meanings.items():
        text = f"The largest number in `{name}` is {index}, and the table of positions or symbols has {rows} rows. "
        text += f"{size} is {', and also '.join(names)}: which axis of K counts the tokens so far?"
        return text
    return ""


def _index_in_solve(
    known: KnownCase, name: str, index: int, rows: int, is_batch: bool
) -> str:
    """Say what is wrong with an index that a table has no row for, where `solve` makes the table.

    Args:
        known: the case.
        name: of the array that holds the index.
        index: the largest number in it.
        rows: how many rows the table has.
        is_batch: whether the array has two axes, as tokens of a batch have.
    """
    sequences, prompts = _pairs_and_prompts(known)
    largest = int(sequences.max())
    length = sequences.shape[1]
    if index == rows == largest and is_batch:
        return (
            f"The largest token is {largest}, the separator. Symbols are counted from 0, so that with it there are "
            f"{largest + 1}, and the table has {rows} rows."
        )
    if rows == largest + 1 and rows <= index < length:
        return (
            f"The largest number in `{name}` is {index}, as large as positions of these sequences are, and the "
            f"table has {rows} rows, as many as there are symbols: a table of positions has `max_length` rows."
        )
    if rows == largest + 1 and length < index < len(prompts):
        return (
            f"The largest number in `{name}` is {index}, and there are {rows} symbols. It may count prompts, of "
            f"which there are {len(prompts)}: does each `argmax` run over the symbols (dim=-1)?"
        )
    return ""


def _meanings_of_sizes(known: KnownCase) -> Sequence[tuple[int, str]]:
    """Return the sizes that are easily taken for the number of tokens so far."""
    call = known.case.call
    if isinstance(call, ModuleCall):
        rows, _ = call.input.array.shape
        sizes = _sizes(known)
        features = sizes.d_model // sizes.n_heads
        return (
            (rows, "the number of sequences in the batch"),
            (sizes.d_model, "d_model"),
            (features, "d_model / n_heads"),
            (sizes.n_heads, "n_heads"),
        )
    sequences, prompts = _pairs_and_prompts(known)
    return (
        (len(prompts), "the number of prompts"),
        (len(sequences), "the number of sequences"),
    )


def _models(cases: Cases, *topics: str) -> list[KnownCase]:
    """Return the batches for models, by topic: the published one, and in grading the hidden ones."""
    models = []
    for topic in topics:
        models += cases.published(MODEL, topic)
        models += cases.stored(MODEL, topic)
    return models


def _one_and_three_layers(cases: Cases) -> Iterator[tuple[KnownCase, KnownCase]]:
    """Return pairs of the same batch for a model of one layer and for one of three."""
    return zip(_models(cases, ONE_LAYER), _models(cases, THREE_LAYERS), strict=True)


def _sizes(known: KnownCase) -> Sizes:
    return Sizes(*module_call(known).args)


# Parameters


class Probe(NamedTuple):
    """What moving the parameters of a model showed, each by itself.

    Attributes:
        arriving: how many numbers gradients arrive at.
        in_matrices: how many numbers are in matrices.
        used: how many of these also change the logits.
        still: names of the matrices that do not change the logits.
        cut_off: names of the matrices that do, but no gradient arrives at them.
        shared: how many numbers layers have in common with layers before them.
    """

    arriving: int
    in_matrices: int
    used: int
    still: Sequence[str]
    cut_off: Sequence[str]
    shared: int


def _learned_numbers(compare: Compare, known: KnownCase) -> int:
    """Count the numbers that the model learns."""
    answer = _usable_answer(compare, known)
    return sum(map(prod, answer.parameters.values()))


def _probe(compare: Compare, known: KnownCase) -> Probe:
    """Read what the worker found when it moved the parameters; none of it has to be as the worker writes it."""
    answer = _usable_answer(compare, known)
    sizes = _sizes(known)
    _, tokens = module_call(known).input.array.shape
    shape = (1, tokens, sizes.vocab_size)
    probes = _mapping(answer.probes)
    moved = _mapping(probes.get("moved"))
    logits_before = _logits_or_none(probes.get("before"), shape)

    arriving = 0
    in_matrices = 0
    used = 0
    shared = 0
    still: list[str] = []
    cut_off: list[str] = []
    names = _mapping(probes.get("names"))
    for name, value in _mapping(probes.get("gradients")).items():
        counts = _counts(value)
        if counts is None:
            continue
        size, axes, reached = counts
        arriving += reached
        shared += size * _layers_beyond_one([name, *_texts(names.get(name))])
        # Vectors are left out: a bias of the keys changes no weight, and a norm removes common summands.
        if axes < 2 and size < sizes.d_model**2:
            continue
        in_matrices += size
        logits_after = _logits_or_none(moved.get(name), shape)
        stops_the_model = name in moved and moved[name] is None
        if not stops_the_model and not _have_moved(logits_before, logits_after):
            still.append(plain(name, LONGEST_NAME))
        elif reached == 0:
            cut_off.append(plain(name, LONGEST_NAME))
        else:
            used += reached

    # What a forged reply says is quoted in a few digits at most.
    return Probe(
        min(arriving, MOST_NUMBERS),
        min(in_matrices, MOST_NUMBERS),
        min(used, MOST_NUMBERS),
        still,
        cut_off,
        min(shared, MOST_NUMBERS),
    )


def _layers_beyond_one(names: Sequence[object]) -> int:
    """Count the layers that have one parameter, without the first: names such as `blocks.1.up.weight` tell them."""
    layers: dict[str, set[str]] = {}
    for name in names:
        found = FIRST_NUMBER.match(str(name))
        if found is not None:
            prefix, number = found.groups()
            layers.setdefault(prefix, set()).add(number)
    # A list of the same layers under another name is no further layer.
    return max((len(numbers) - 1 for numbers in layers.values()), default=0)


def _fail_small_layers(
    text: str, sizes: Sizes, per_layer: float, matrices: float, shared: float
) -> NoReturn:
    """Say why a layer learns too few numbers: they are shared, overlooked by PyTorch, or a part is missing.

    Args:
        text: how many it learns.
        sizes: those of the model.
        per_layer: how many it learns.
        matrices: how many numbers its matrices hold, with those in plain lists.
        shared: how many of another layer's numbers it has.
    """
    text += f"12 d_model² are {sizes.layer}. "
    if shared > 0:
        text += f"It shares {shared:.0f} numbers with the layers before: is a part, such as the feed-forward "
        text += "network, made once and given to all layers? Make one for each."
        fail(text, "layers-shared")
    if matrices > per_layer:
        text += f"Its matrices hold {matrices:.0f}, some of which PyTorch overlooks, as they are in a plain list "
        text += "or dictionary: use nn.ModuleList or nn.ModuleDict."
        fail(text, "layers-unregistered")
    text += "Attention has 4 d_model², a feed-forward network with 4 d_model hidden units 8 d_model². "
    squares = matrices / sizes.d_model**2
    text += SMALL_LAYERS.get(squares, SMALLER_PART)
    fail(text)


def _texts(value: Any) -> list[str]:
    if not isinstance(value, list):
        return []
    texts = []
    for text in value:
        if isinstance(text, str):
            texts.append(text)
    return texts


def _mapping(value: Any) -> Mapping[Any, Any]:
    if isinstance(value, dict):
        return value
    return {}


def _counts(value: Any) -> tuple[int, int, int] | None:
    """Return a parameter's size, its axes and how many of its numbers gradients reach; None if they are forged."""
    if not isinstance(value, list) or len(value) != 3:
        return None
    size, axes, reached = value
    if not type(size) is type(axes) is type(reached) is int:
        return None
    if not 0 <= reached <= size <= MOST_NUMBERS:
        return None
    return size, axes, reached


def _why_unused(known: KnownCase, probe: Probe, layers: str) -> str:
    """Say which matrices the logits do not depend on; a student's names only from what was public."""
    counts = f"{probe.used} of the {probe.in_matrices} numbers in matrices"
    text = f"In a model of {layers}, the logits depend on {counts}"
    idle = (*probe.still, *probe.cut_off)
    if known.case.group is not Group.PUBLISHED or not idle:
        return f"{text}: is the output of every part used?"
    names = ", ".join(f"`{name}`" for name in idle[:MOST_NAMED])
    further = len(idle) - MOST_NAMED
    if further > 0:
        names += f" and {further} more"
    if probe.still:
        return f"{text}. They stay as they are when the numbers in {names} change: is what comes of these used?"
    return f"{text}. No gradient arrives at {names}. {CUT_OFF}"


# Logits


def _logits(compare: Compare, known: KnownCase) -> Array:
    """Return the finite logits of the whole batch."""
    call = module_call(known)
    value = _usable_answer(compare, known).value
    if call.pieces and isinstance(value, list):
        value = _first_part(value)
    rows, tokens = call.input.array.shape
    shape = (rows, tokens, _sizes(known).vocab_size)
    return _finite_logits(value, shape)


def _finite_logits(value: Any, shape: tuple[int, ...]) -> Array:
    """Return the logits in what one call returned, alone or as the first of a tuple."""
    logits = as_array(_first_part(value), prod(shape))
    if logits is None or logits.shape != shape:
        fault = "is not an array"
        if logits is not None:
            fault = f"has shape {logits.shape}"
        text = f"`forward` should return the logits, of shape {shape}, and the cache; what comes first {fault}."
        fail(text)
    if not np.isfinite(logits).all():
        fail(_where_not_finite(logits), "nan")
    return logits.astype(np.float64)


def _where_not_finite(logits: Array) -> str:
    """Say at which tokens logits are NaN or infinite."""
    is_wrong = ~np.isfinite(logits).all(axis=(0, 2))
    text = "The logits hold NaN or infinite numbers"
    if is_wrong.all():
        text += ", at all tokens. For example, is a mask multiplied with infinity (0 times infinity is NaN), is "
        return (
            text
            + "something divided by 0, or does the mask forbid everything to some token?"
        )
    tokens = ", ".join(
        str(token + 1) for token in np.flatnonzero(is_wrong)[:MOST_NAMED]
    )
    more = " and others" if is_wrong.sum() > MOST_NAMED else ""
    return f"{text} (at token {tokens}{more}): for example, does the mask forbid everything to some token?"


def _logits_or_none(value: Any, shape: tuple[int, ...]) -> Array | None:
    logits = as_array(value, prod(shape))
    if logits is None or logits.shape != shape:
        return None
    return logits.astype(np.float64)


def _first_part(value: Any) -> Any:
    if isinstance(value, tuple | list) and value:
        return value[0]
    return value


def _have_moved(before: Array | None, after: Array | None) -> bool:
    """Whether logits have changed; those that are no longer finite have."""
    if before is None or after is None:
        return False
    with np.errstate(all="ignore"):
        change = float(np.abs(after - before).max())
        largest = float(np.abs(before).max())
        allowed = VISIBLE * max(largest, SMALLEST_LARGEST)
        return not change <= allowed


def _rows_differ(logits: Array, row: Row, limit: float = SAME) -> Array:
    """Return for each token whether the logits of a row are other than those of the first one."""
    largest = np.abs(logits).max()
    base = logits[Row.BASE]
    other = logits[row]
    return _differs(base, other, largest, limit)


def _first_later_token(known: KnownCase) -> int:
    """Return the index of the first token that the row with other later tokens has changed."""
    tokens = module_call(known).input.array
    is_other_token = tokens[Row.BASE] != tokens[Row.LATER]
    return int(np.argmax(is_other_token))


def _leaking_tokens(known: KnownCase, logits: Array) -> Array:
    """Return the indices of tokens whose logits depend on later tokens."""
    logits_differ = _rows_differ(logits, Row.LATER)
    return np.flatnonzero(logits_differ[: _first_later_token(known)])


WHERE_TOKENS_MEET = (
    "Tokens meet wherever something is computed over their axis. For example, is the mask applied to the scores, "
    "before the softmax, with minus infinity where a token must not look? Does each softmax run over the keys "
    "(dim=-1)? Does any mean, norm, flip or reshape run over the tokens?"
)


def _why_leaks(compare: Compare, cases: Cases) -> str:
    """Say which later tokens a token depends on in a model of one layer, and whether that is so with one head."""
    known, *_ = _models(cases, ONE_LAYER)
    call = module_call(known)
    sizes = _sizes(known)
    call_with_one_head = _call_with_each_token_changed(call, sizes._replace(n_heads=1))
    calls = [_call_with_each_token_changed(call, sizes), call_with_one_head]
    answers = compare.submission.calls_once("which tokens depend on which", calls)
    influences = []
    for answer in answers:
        influences.append(_influences(answer, sizes.vocab_size))
    of_heads, of_one_head = influences
    remarks = []
    if of_heads is not None:
        remark = _leaks_in_words(of_heads)
        if remark:
            remarks.append(remark)
    change = _one_change(compare, cases, ONE_LAYER, test_model_causal)
    if change:
        remarks.append(change)
    elif (
        of_heads is not None
        and _leaks(of_heads)
        and of_one_head is not None
        and not _leaks(of_one_head)
    ):
        text = "With one head instead of several, no token depends on later ones: is it that heads are split from "
        text += "the features, or merged, by a reshape alone, which mixes tokens? Exchange the axes of heads and "
        text += "tokens."
        remarks.append(text)
    else:
        remarks.append(WHERE_TOKENS_MEET)
    return " ".join(remarks)


def _call_with_each_token_changed(call: ModuleCall, sizes: Sizes) -> ModuleCall:
    """Return the call with one sequence, and below it the same with one token changed, for each of its tokens."""
    row = call.input.array[Row.BASE]
    rows = np.tile(row, (len(row) + 1, 1))
    for place, token in enumerate(row):
        rows[place + 1, place] = (token + 1) % sizes.vocab_size
    return ModuleCall(MODEL, tuple(sizes), Tensor(rows), noise=call.noise)


def _influences(answer: Answer, vocab_size: int) -> Array | None:
    """Return how far the logits at a token (row) change with a token (column), relative to the largest."""
    if not answer.is_usable:
        return None
    logits = as_array(_first_part(answer.value), MOST_NUMBERS)
    if logits is None or logits.ndim != 3 or logits.shape[2] != vocab_size:
        return None
    if logits.shape[0] != logits.shape[1] + 1 or not np.isfinite(logits).all():
        return None
    change = np.abs(logits[1:] - logits[:1]).max(axis=-1)  # (changed token, token)
    return np.asarray(change.T / max(float(np.abs(logits).max()), SMALLEST_LARGEST))


def _leaks(influences: Array) -> bool:
    return bool((np.triu(influences, 1) > SAME).any())


def _leaks_in_words(influences: Array) -> str:
    """Say which tokens depend on which later ones; nothing where it is not all or the next one alone."""
    n_tokens = len(influences)
    depends = influences > SAME
    of_later = depends[np.triu_indices(n_tokens, 1)]
    of_earlier = (influences > VISIBLE)[np.tril_indices(n_tokens, -1)]
    of_next = depends[np.arange(n_tokens - 1), np.arange(1, n_tokens)]
    further = depends[np.triu_indices(n_tokens, 2)]
    if of_next.all() and not further.any():
        return (
            "With one layer, a token depends on the one right after it, and on none further on, as where the "
            "diagonal of the mask is one too far."
        )
    if of_later.all() and not of_earlier.any():
        return (
            "With one layer, a token depends on all tokens after it and on none before it, as where the mask is "
            "the wrong way round."
        )
    if not of_later.all() or not of_earlier.all():
        return ""
    later = float(np.median(influences[np.triu_indices(n_tokens, 1)]))
    earlier = float(np.median(influences[np.tril_indices(n_tokens, -1)]))
    if later < MUCH_LESS * earlier:
        return (
            f"With one layer, a token depends on all tokens after it, about {earlier / later:.0f} times less than "
            "on those before it: something hides them, but not fully."
        )
    return "With one layer, a token depends on all tokens after it."


def _differs(logits: Array, other: Array, largest: float, limit: float = SAME) -> Array:
    with np.errstate(all="ignore"):
        change = np.abs(logits - other).max(axis=-1)
        allowed = limit * max(largest, SMALLEST_LARGEST)
        return np.asarray(change > allowed)


# The cache


def _compare_ways(compare: Compare, known: KnownCase, cases: Cases) -> None:
    """Check that the logits of pieces are those of the whole, and that the cache holds all keys and values."""
    call = module_call(known)
    sizes = _sizes(known)
    value = _usable_answer(compare, known).value
    whole = _logits(compare, known)
    returned: list[Any] = []
    if isinstance(value, list):
        returned = value[1:]
    if len(returned) != len(call.pieces) or not all(map(_is_pair, returned)):
        text = "`forward` should return a pair: the logits, and the cache for the tokens that come next."
        fail(text, "no-cache")

    # The logits of all pieces, one after the other.
    rows = len(whole)
    pieces = []
    numbers_held = []
    for pair, size in zip(returned, call.pieces, strict=True):
        _, cache = pair
        pieces.append(_finite_logits(pair, (rows, size, sizes.vocab_size)))
        numbers_held.append(_numbers_in(cache))
    joined = np.concatenate(pieces, axis=1)
    largest = float(np.abs(whole).max())
    is_wrong = _differs(joined, whole, largest)  # (rows, tokens)
    wrong_tokens = np.flatnonzero(is_wrong.any(axis=0))

    tokens = sum(call.pieces)
    due = _numbers_due(sizes, rows, tokens)
    held = numbers_held[-1]
    if held < due:
        text = f"The cache holds {held} numbers in the end; "
        text += f"keys and values of all tokens, heads and layers are {due}: "
        grows_with_tokens = held * call.pieces[0] >= numbers_held[0] * tokens
        # A cache that is written to in place holds all tokens under each name that it has.
        first_cache, last_cache = returned[0][1], returned[-1][1]
        if _holds_the_same(first_cache, last_cache):
            grows_with_tokens = True
        if len(wrong_tokens) and not grows_with_tokens:
            text += "append those of each new token, in every layer."
            fail(text, "cache-not-appended")
        text += "the cache should hold a pair (K, V) for each layer, "
        text += "both of shape (batch, n_heads, tokens so far, d_model / n_heads)."
        fail(text, "cache-incomplete")
    if len(wrong_tokens):
        where = f"With the cache, the logits at token {wrong_tokens[0] + 1} are not those of the whole sequence"
        why = WHAT_TO_LOOK_AT
        label = ""
        with explaining("why logits differ with the cache"):
            why, label = _why_different(compare, known, joined, whole, value)
        text = f"{where}: {why}"
        with explaining("the line at which logits differ with the cache"):
            topic = known.case.topic
            own_check = test_model_cache if topic == STEPS else test_model_pieces
            text = f"{text} {_one_change(compare, cases, topic, own_check)}".rstrip()
        fail(text, *filter(None, [label]))
    _compare_moved_cache(compare, known)


def _is_pair(value: Any) -> bool:
    return isinstance(value, tuple | list) and len(value) == 2


def _numbers_due(sizes: Sizes, rows: int, tokens: int) -> int:
    """Count the numbers of all keys and values of so many rows and tokens."""
    return 2 * sizes.n_layers * rows * tokens * sizes.d_model


def _numbers_in(cache: Any) -> int:
    arrays = islice(_arrays(cache), MOST_ARRAYS)
    return sum(array.size for array in arrays)


def _holds_the_same(cache: Any, other_cache: Any) -> bool:
    """Whether two caches hold the same numbers in the same order."""
    arrays = list(islice(_arrays(cache), MOST_ARRAYS))
    other_arrays = list(islice(_arrays(other_cache), MOST_ARRAYS))
    if len(arrays) != len(other_arrays):
        return False
    return all(map(np.array_equal, arrays, other_arrays))


def _arrays(value: Any, depth: int = 0) -> Iterator[Array]:
    """Yield the arrays within lists and dictionaries."""
    if isinstance(value, np.ndarray | Tensor):
        array = as_array(value)
        if array is not None:
            yield array
            return
    if isinstance(value, tuple | list | dict) and depth < MOST_DEPTH:
        items: Iterable[Any] = value
        if isinstance(value, dict):
            items = value.values()
        for item in islice(items, MOST_ARRAYS):
            yield from _arrays(item, depth + 1)


def _compare_moved_cache(compare: Compare, known: KnownCase) -> None:
    """Check that new logits come from the numbers that the cache holds: with others there, they are others."""
    call = module_call(known)
    sizes = _sizes(known)
    rows = len(call.input.array)
    half = len(call.pieces) // 2  # the state after these was moved
    known_tokens = sum(call.pieces[:half])
    shape = (rows, call.pieces[half], sizes.vocab_size)
    probes = _mapping(compare.submission.answer(known).probes)
    logits_before = _logits_or_none(probes.get("before"), shape)
    moved = probes.get("moved")

    used = 0
    for pair in moved if isinstance(moved, list) else []:
        if not isinstance(pair, list) or len(pair) != 2:
            continue
        size, value = pair
        if type(size) is not int or size < 0:
            continue
        logits_after = _logits_or_none(value, shape)
        # A model that stops on another cache has looked at it.
        if value is None or _have_moved(logits_before, logits_after):
            used += size

    # Where one layer's are used and the others' are not, the layers are idle: that has a check of its own.
    due = _numbers_due(sizes, rows, known_tokens)
    if used < due // sizes.n_layers:
        text = f"Keys and values of {known_tokens} tokens in the cache are {due} numbers, and the next logits "
        text += f"change with {used} of them: let new tokens attend to the cached ones."
        fail(text, "cache-unused")


WHAT_TO_LOOK_AT = (
    "do positions go on after the cache, does a new token see all that the cache holds, and does each layer get "
    "its own part of the cache?"
)


def _why_different(
    compare: Compare,
    known: KnownCase,
    joined: Array,
    whole: Array,
    value: Sequence[Any],
) -> tuple[str, str]:
    """Say of logits that change with the cache what the rows of the batch, or the caches returned, prove.

    Args:
        compare: makes further calls.
        known: the case.
        joined: the logits of all pieces.
        whole: those of the whole sequences.
        value: what was returned for the whole sequences, and for each piece.

    Returns:
        the sentences, and the label of the mistake, blank where none is proved.
    """
    _, *returned = value
    largest = float(np.abs(whole).max())

    def changed_tokens(logits: Array, row: Row) -> Array:
        return _differs(logits[Row.BASE], logits[row], largest)

    def is_level(logits: Array) -> bool:
        """Whether equal tokens get equal logits, wherever they stand."""
        constant = logits[Row.CONSTANT]
        is_other = _differs(constant[1:], constant[:1], largest)
        return not is_other.any()

    is_first_wrong = _differs(joined[:, 0], whole[:, 0], largest)
    begins_well = not is_first_wrong.any()
    if begins_well and is_level(joined) and not is_level(whole):
        why = "equal tokens get equal logits at every step. New tokens go on at the position after the cache."
        return why, "positions-restart"

    # Another last token changes logits before it.
    changed_by_last = changed_tokens(joined, Row.LAST)
    changed_by_last_at_once = changed_tokens(whole, Row.LAST)
    leaks = changed_by_last[:-1].any()
    leaks_at_once = changed_by_last_at_once[:-1].any()
    if leaks and not leaks_at_once:
        why = "new tokens that come together see those after them. The mask hides these with a cache, too."
        return why, "mask-leaks"
    if not begins_well:
        if _remembers_itself(compare):
            return REMEMBERS_ITSELF, FROM_CALL_TO_CALL
        return _why_without_a_cache(compare, known), ""

    # The last token does not see those in between.
    changed_by_middle = changed_tokens(joined, Row.MIDDLE)
    changed_by_middle_at_once = changed_tokens(whole, Row.MIDDLE)
    is_blind = not changed_by_middle[-1]
    is_blind_at_once = not changed_by_middle_at_once[-1]
    if is_blind and not is_blind_at_once:
        changed_by_first = changed_tokens(joined, Row.FIRST)
        if not changed_by_first[-1]:
            why = "the last one sees nothing before itself. Are its scores made with the keys of the cache, too, "
            why += "and does the mask allow them?"
            return why, "cache-unused"
        why = "the last one sees nothing in between. Which row of the mask belongs to a new token?"
        return why, "mask-of-first-row"

    caches = _caches_of_pairs(known, [pair[1] for pair in returned])
    if caches is not None:
        why = _why_in_another_place(caches)
        if why:
            return why, ""
    for (_, cache), (_, next_cache) in pairwise(returned):
        if _old_part_has_changed(cache, next_cache):
            why = "keys or values that lie in the cache come out of the next call as other numbers. Is something "
            why += "done to them again at each call (such as rotating, projecting, a norm)? Do that to new tokens "
            why += "alone."
            return why, "cache-changed-again"
    if caches is not None and _is_pair(value[0]):
        cache_at_once = list(islice(_arrays(value[0][1]), MOST_ARRAYS))
        last_cache = caches[-1]
        shapes = [array.shape for array in cache_at_once]
        if shapes == [array.shape for array in last_cache]:
            why = _why_by_contents(known, last_cache, cache_at_once)
            if why:
                return why, ""
    return WHAT_TO_LOOK_AT, ""


def _why_without_a_cache(compare: Compare, known: KnownCase) -> str:
    """Say of the first tokens, for which there is no cache yet, on what else their logits depend."""
    call = module_call(known)
    tokens = "this token alone"
    if call.pieces[0] > 1:
        tokens = f"the first {call.pieces[0]} tokens alone"
    text = f"it comes from the first call, which has no cache yet. With {tokens}, a call gives it other logits "
    text += "than with all tokens. "
    alone = Tensor(call.input.array[: Row.BASE + 1])
    of_one_row = replace(call, input=alone, pieces=(), probed=False)
    of_batch = replace(call, pieces=(), probed=False)
    answers = compare.submission.calls_once("a sequence alone", [of_one_row, of_batch])
    logits = [as_array(_first_part(answer.value), MOST_NUMBERS) for answer in answers]
    if all(array is not None and array.ndim == 3 for array in logits):
        of_alone, in_batch = (array[Row.BASE] for array in logits if array is not None)
        if of_alone.shape == in_batch.shape:
            largest = float(np.abs(in_batch).max())
            if _differs(of_alone, in_batch, largest).any():
                text += "Also, a sequence alone gets other logits than in a batch: something is computed over all "
                return text + "its sequences, as by a `BatchNorm`."
    text += "Does anything in it depend on the tokens after it, if only a little, or on their number? Where a "
    return (
        text
        + "token must not look, a number that is not minus infinity lets a little through."
    )


def _caches_of_pairs(
    known: KnownCase, caches: Sequence[Any]
) -> list[list[Array]] | None:
    """Return the keys and values of each layer in turn, for each call; None where a cache has another form.

    Caches that were written to later have another form as well: they no longer are what was returned.
    """
    call = module_call(known)
    sizes = _sizes(known)
    rows = len(call.input.array)
    width = sizes.d_model // sizes.n_heads
    tokens = 0
    read = []
    for cache, new_tokens in zip(caches, call.pieces, strict=True):
        tokens += new_tokens
        arrays = list(islice(_arrays(cache), MOST_ARRAYS))
        if len(arrays) != 2 * sizes.n_layers:
            return None
        if any(array.shape != (rows, sizes.n_heads, tokens, width) for array in arrays):
            return None
        read.append(arrays)
    return read


def _why_in_another_place(caches: Sequence[Sequence[Array]]) -> str:
    """Say that the keys or values of one place of the cache lie at another one after the next call."""
    for cache, next_cache in pairwise(caches):
        for place, array in enumerate(next_cache):
            came_from = []
            for old_place, old_array in enumerate(cache):
                tokens = old_array.shape[2]
                for old_part in (array[:, :, :tokens], array[:, :, -tokens:]):
                    if np.allclose(old_part, old_array, atol=SAME):
                        came_from.append(old_place)
            if not came_from or place in came_from:
                continue
            old_place = came_from[0]
            names = ["the keys (the first of the pair)", "the values (the second)"]
            layer = place // 2
            old_layer = old_place // 2
            if layer == old_layer:
                return (
                    f"in layer {layer + 1}, what were {names[old_place % 2]} lies where {names[place % 2]} are "
                    "after the next call. Is the pair taken apart, or returned, in the other order?"
                )
            return (
                f"after the next call, what was the part of layer {old_layer + 1} lies in the part of "
                f"layer {layer + 1} of the cache. Each layer goes on with its own part, in the same order."
            )
    return ""


UP_TO_THE_NUMBER = ", depending on how many tokens come at once. Look at what it makes of them: scores, scale, "
UP_TO_THE_NUMBER += "mask and softmax."


def _why_by_contents(
    known: KnownCase, cache: Sequence[Array], cache_at_once: Sequence[Array]
) -> str:
    """Compare the cache after all pieces with that of the whole sequences, token by token."""
    keys, values, *_ = cache
    keys_at_once, values_at_once, *_ = cache_at_once
    n_tokens = keys.shape[2]
    in_order = list(range(n_tokens))
    # Equal tokens differ by their positions alone.
    positions = _places_in(keys[Row.CONSTANT], keys_at_once[Row.CONSTANT])
    if positions is not None and sorted(positions) != in_order:
        text = f"the tokens 1 to {n_tokens} stand at the positions {_numbered(positions)} (by the keys of layer 1, "
        text += "which are those of these positions in the whole sequence)."
        return text + _meaning_of_position(known, positions)
    places_of_keys = _places_in(keys[Row.BASE], keys_at_once[Row.BASE])
    places_of_values = _places_in(values[Row.BASE], values_at_once[Row.BASE])
    if places_of_keys is not None and places_of_values is not None:
        are_complete = sorted(places_of_keys) == sorted(places_of_values) == in_order
        if are_complete and places_of_keys != places_of_values:
            return (
                f"in layer 1 the cache holds the keys of the tokens {_numbered(places_of_keys)}, and the values of "
                f"{_numbered(places_of_values)}. Append both on the same side."
            )
    for index, (array, array_at_once) in enumerate(
        zip(cache, cache_at_once, strict=True)
    ):
        if np.allclose(array, array_at_once, atol=SAME):
            continue
        layer = index // 2 + 1
        if layer == 1:
            part = ["keys", "values"][index % 2]
            is_other = ~np.isclose(array, array_at_once, atol=SAME)
            [tokens] = np.nonzero(is_other.any(axis=(0, 1, 3)))
            return (
                f"the {part} in layer 1 of the cache are already others than those of the whole sequence, from "
                f"token {tokens[0] + 1} on. They should come from each token and its position alone: which "
                "positions do new tokens get?"
            )
        return (
            f"keys and values in layer {layer - 1} of the cache are those of the whole sequence, so positions and "
            f"appending are right there; those of layer {layer} are not. So layer {layer - 1} makes something else "
            f"of the same keys and values{UP_TO_THE_NUMBER}"
        )
    return (
        "keys and values in the cache are those of the whole sequence, so positions and appending are right. So "
        f"the last layer makes something else of the same keys and values{UP_TO_THE_NUMBER}"
    )


def _places_in(part: Array, part_at_once: Array) -> list[int] | None:
    """Return for each token the one whose numbers it has in another array, both (heads, tokens, features).

    None where a token's numbers are nowhere there, or at several places.
    """
    places = []
    for token in range(part.shape[1]):
        found = []
        for place in range(part_at_once.shape[1]):
            if np.allclose(part[:, token], part_at_once[:, place], atol=SAME):
                found.append(place)
        if len(found) != 1:
            return None
        places += found
    return places


def _numbered(places: Sequence[int]) -> str:
    """Write places counted from 1, as in "1, 2 and 3"."""
    numbers = [str(place + 1) for place in places]
    return f"{', '.join(numbers[:-1])} and {numbers[-1]}"


def _meaning_of_position(known: KnownCase, places: Sequence[int]) -> str:
    """Say which size the position of each new token is, if it is always the same."""
    first, *others = set(places[module_call(known).pieces[0] :])
    if others:
        return ""
    names = []
    for size, meaning in _meanings_of_sizes(known):
        if size == first:
            names.append(meaning)
    if not names:
        return ""
    text = f" Counted from 0, new tokens are at {first}, which is {' and '.join(names)}: is the number of tokens "
    return text + "so far read from the right axis of K?"


def _old_part_has_changed(cache: Any, next_cache: Any) -> bool:
    """Whether an array of a cache has grown along one axis, and holds other numbers where the old ones were."""
    arrays = list(islice(_arrays(cache), MOST_ARRAYS))
    next_arrays = list(islice(_arrays(next_cache), MOST_ARRAYS))
    if len(arrays) != len(next_arrays):
        return False
    for array, next_array in zip(arrays, next_arrays, strict=True):
        if array.ndim != next_array.ndim:
            return False
        sizes = np.array(array.shape)
        grown_axes = np.flatnonzero(np.array(next_array.shape) != sizes)
        if len(grown_axes) != 1:
            return False
        (axis,) = grown_axes
        if next_array.shape[axis] < sizes[axis]:
            return False
        first_part = next_array.take(range(sizes[axis]), axis)
        last_part = next_array.take(range(-sizes[axis], 0), axis)
        # In whatever order keys are appended, the old ones should be there.
        if not np.allclose(first_part, array, atol=SAME) and not np.allclose(
            last_part, array, atol=SAME
        ):
            return True
    return False


# What is learned


def _pairs_and_prompts(known: KnownCase) -> tuple[Array, Array]:
    """Return the sequences that `solve` learns from, and the prompts that it answers."""
    call = known.case.call
    assert isinstance(call, FunctionCall), "this case calls a function"
    sequences, prompts = call.args
    return sequences.array, prompts.array


def _answers(compare: Compare, known: KnownCase) -> Array:
    """Return the answers of `solve`, one row of whole numbers for each prompt."""
    value = _usable_answer(compare, known).value
    sequences, prompts = _pairs_and_prompts(known)
    n_prompts, prompt_length = prompts.shape
    length = sequences.shape[1]
    shape = (n_prompts, length - prompt_length)
    answers = as_array(value, sequences.size)
    if answers is None:
        fail("`solve` should return the answers: one tensor of whole numbers.")
    if answers.shape == (n_prompts, length):
        text = "`solve` returns the prompts with their answers; leave the prompts out."
        fail(text, "returns-prompts")
    if answers.shape != shape:
        _fail_longer_answers(known, answers)
        text = f"`solve` returns shape {answers.shape}; answers to these prompts have shape {shape}"
        text += ": the length of a sequence less that of a prompt, to which the separator belongs."
        fail(text)
    if not np.array_equal(answers, np.round(answers)):
        fail(
            "`solve` should return whole numbers, the tokens themselves and not their logits."
        )
    return answers


def _fail_longer_answers(known: KnownCase, answers: Array) -> None:
    """Fail where each answer has one token too many or too few; say which it is, if the others are right."""
    _, prompts = _pairs_and_prompts(known)
    right = _right_answers(known)
    n_prompts, due = right.shape
    if (
        answers.ndim != 2
        or len(answers) != n_prompts
        or abs(answers.shape[1] - due) != 1
    ):
        return
    n_tokens = answers.shape[1]
    rule = f"An answer has `sequences.shape[1] - prompts.shape[1]` = {due} tokens; the separator is the last token "
    rule += "of the prompt."
    text = f"`solve` returns answers of {n_tokens} tokens. {rule}"
    if n_tokens > due:
        if _mostly_equal(answers[:, 0], prompts[:, -1]):
            text += " The first token of yours is the separator: leave it out."
        elif _mostly_equal(answers[:, :-1], right):
            text += (
                f" The first {due} of yours are right, and one more comes after them."
            )
        elif _mostly_equal(answers[:, 1:], right):
            text += f" The last {due} of yours are right, and one comes before them."
    elif _mostly_equal(answers, right[:, 1:]):
        text += " Yours are right, and the first token is missing."
    elif _mostly_equal(answers, right[:, :-1]):
        text += " Yours are right, and the last token is missing."
    fail(text)


def _right_answers(known: KnownCase, questions: Array | None = None) -> Array:
    """Return the right answers to the prompts, or to other questions.

    The order of the symbols is read from the pairs.
    """
    sequences, prompts = _pairs_and_prompts(known)
    length = prompts.shape[1] - 1
    if questions is None:
        questions = prompts[:, :-1]
    known_questions = sequences[:, :length]
    known_answers = sequences[:, length + 1 :]
    symbols = int(sequences.max())
    kind = known.case.name.rpartition("/")[2]
    if kind == "sort":
        # A symbol's rank is how many others come before it in some answer.
        comes_before = np.zeros((symbols, symbols), bool)
        for place in range(length - 1):
            symbol = known_answers[:, [place]]
            later_symbols = known_answers[:, place + 1 :]
            comes_before[symbol, later_symbols] = True
        np.fill_diagonal(comes_before, False)
        rank = comes_before.sum(axis=0)
        symbol_of_rank = np.argsort(rank)
        sorted_ranks = np.sort(rank[questions], axis=1)
        return np.asarray(symbol_of_rank[sorted_ranks])

    # Each symbol has one in its place; the answer is in the same order, or reversed.
    step = -1
    if kind == "copy":
        step = 1
    answer_of_symbol = np.zeros(symbols, int)
    answer_of_symbol[known_questions[:, ::step]] = known_answers
    return np.asarray(answer_of_symbol[questions[:, ::step]])


def _fail_untrained(
    compare: Compare, cases: Cases, known: KnownCase, share: float
) -> None:
    """Fail where the model returns probabilities, or where no step of an optimizer has changed its numbers."""
    text = f"{share:.0%} of the tokens are right"
    for model in _models(cases, ONE_LAYER):
        logits = _logits(compare, model)
        sums = logits.sum(axis=-1)
        if (logits >= 0).all() and np.allclose(sums, 1, atol=SUM_OF_FLOAT32):
            why = "`forward` returns probabilities, each row of them sums to 1. `cross_entropy` makes these itself "
            why += "from logits: leave out the softmax at the end of `forward`."
            fail(f"{text}: {why}")

    trained = _mapping(compare.submission.answer(known).trained)
    state = _mapping(trained.get("state"))
    if _has_untouched_norms(state.values()):
        course = _course(compare, known)
        why = "training has not changed the norms of the model that answers, whose gains are still exactly 1"
        cause = why_unchanged(course) if course is not None else ""
        if cause:
            fail(f"{text}: {why}: {cause}", "not-learned")
        why += ". Is it the one that was trained, and does the loop call `step()` of an optimizer of all its "
        why += "parameters, after `backward()` of the loss, and no `zero_grad()` between the two?"
        fail(f"{text}: {why}", "not-learned")


def _has_untouched_norms(tensors: Iterable[object]) -> bool:
    """Whether several norms still have the gains with which they begin, exactly 1, and no step has moved one."""
    untouched = 0
    for tensor in tensors:
        if not isinstance(tensor, Tensor) or tensor.array.ndim != 1:
            continue
        distances = np.abs(tensor.array - 1)
        if not distances.any():
            untouched += 1
        elif distances.max() < NEAR_ONE:  # biases begin with 0, and stay near it
            return False
    return untouched > 1


def _fail_wrong_answers(
    compare: Compare, cases: Cases, known: KnownCase, answers: Array
) -> NoReturn:
    """Say what wrong answers have in common, and its name where that is proved."""
    _, prompts = _pairs_and_prompts(known)
    right = _right_answers(known)
    text = f"{(answers == right).mean():.0%} of the tokens are right"
    first_answers = answers[:, :1]
    separators = prompts[:, -1:]
    if _mostly_equal(answers[:, 1:], right[:, :-1]):
        why = "the answers begin one token too early, and lack the last one."
        fail(f"{text}: {why}", "answers-one-late")
    if _mostly_equal(first_answers, separators):
        why = "answers begin with the separator again. In training too, logits are for the token after."
        fail(f"{text}: {why}", "targets-not-shifted")
    if _mostly_equal(answers[:, :-1], right[:, 1:]):
        fail(f"{text}: the answers lack their first token.", "answers-one-early")
    course = _course(compare, known)
    if course is not None:
        why = why_not_a_number(course)
        if why:
            fail(f"{text}: {why}")
    for model in _models(cases, ONE_LAYER, THREE_LAYERS):
        if len(_leaking_tokens(model, _logits(compare, model))):
            why = "the model lets tokens depend on later ones, which are not there yet when it answers. "
            why += _correct_first(compare, cases, BEFORE_CAUSALITY, test_model_causal)
            fail(f"{text}: {why}")
    is_right = answers == right
    share_of_first = float(is_right[:, :1].mean())
    share_of_later = float(is_right[:, 1:].mean())
    shares = f"{share_of_first:.0%} of the first ones, and {share_of_later:.0%} of those after them"
    learned = _learned_answers(compare, known, answers)
    if learned is not None and _share_of_equal(learned.answers, right) >= ENOUGH_TOKENS:
        if share_of_first > share_of_later and _cache_is_wrong(compare, cases):
            why = f"{shares}, which are made with the cache if `solve` uses it. "
            why += _correct_first(compare, cases, BEFORE_THE_CACHE, test_model_cache)
            fail(f"{text}: {why}")
        why, *labels = _why_answered_wrongly(learned, answers, right, shares)
        if (answers == answers[0]).all():
            why = f"every question gets the same answer; {why}"
            labels = ["answers-all-equal"]
        fail(f"{text}: {why}", *labels)

    # The model itself has learned too little.
    fault = _fault_of_comparison(course, known)
    if fault is not None:
        labels = [fault.label] if fault.label else []
        fail(f"{text}: {fault.says}", *labels)
    why = _course_in_words(course, known)
    if learned is not None:
        taught_less = learned.share_of_pairs - learned.share_taught
        if learned.share_of_pairs >= BY_HEART and taught_less > BETTER_BY_HEART:
            why = f"the model knows {learned.share_of_pairs:.0%} of the tokens of pairs that it could learn from, "
            why += f"and {learned.share_taught:.0%} of those of new answers: it has learned pairs by heart."
            fail(f"{text}: {why}")
    n_pairs = len(_pairs_and_prompts(known)[0])
    if (
        course is not None
        and course.end < LOW_LOSS
        and course.different_rows < n_pairs / 2
    ):
        why += f" The batches held {course.different_rows} of the {n_pairs} pairs; use all of them."
    if (answers == answers[0]).all():
        same = "every question gets the same answer"
        if why:
            fail(f"{text}: {same}; {why}", "answers-all-equal")
        same += ". For example, does the model see the prompt, and are the gradients cleared (`zero_grad()`) "
        same += "before each `backward()`?"
        fail(f"{text}: {same}", "answers-all-equal")
    if why:
        fail(f"{text}: the model that was trained has learned too little; {why}")
    if share_of_first > ENOUGH_TOKENS and share_of_later < FEW:
        why = f"{shares}. What goes into the model after the first one? If that is all tokens so far, the model "
        why += "has learned too little: how many of your batches lower the loss, and how low is it at the end?"
        fail(f"{text}: {why}", "only-first-token")
    if share_of_first < FEW and share_of_later > MOST:
        why = f"{shares}. Is the first one the likeliest by the logits of the prompt's last token, and does the "
        why += "loss in training contain these logits?"
        fail(f"{text}: {why}")
    why = "does the loss come close to 0 in training? If it does not, are steps large enough, are there enough of "
    why += "them, and do logits and targets belong together?"
    fail(f"{text}: {why}")


def _fail_incomplete_answers(
    compare: Compare, known: KnownCase, answers: Array, share: float
) -> NoReturn:
    """Say at which places the answers are wrong of which most tokens are right."""
    right = _right_answers(known)
    text = f"{share:.0%} of the answers are right in every token. By its place in the answer, a token is right in "
    text += f"{_in_per_cent((answers == right).mean(axis=0))} % of the answers"
    learned = _learned_answers(compare, known, answers)
    if learned is not None:
        is_complete = (learned.answers == right).all(axis=1)
        if is_complete.mean() >= ENOUGH_ANSWERS:
            why, *_ = _why_answered_wrongly(learned, answers, right, "")
            fail(f"{text}; {why}")
    course = _course(compare, known)
    fault = _fault_of_comparison(course, known)
    if fault is not None:
        fail(f"{text}; {fault.says}")
    why = _course_in_words(course, known)
    if why:
        fail(f"{text}; {why}")
    fail(f"{text}. Train for longer, or in other steps.")


def _in_per_cent(shares: Array) -> str:
    """Write shares as in "98, 97 and 60"."""
    numbers = [f"{100 * share:.0f}" for share in shares]
    if len(numbers) == 1:
        return numbers[0]
    return f"{', '.join(numbers[:-1])} and {numbers[-1]}"


class Learned(NamedTuple):
    """What a trained model itself says, asked in a process that has seen none of the pairs.

    Attributes:
        answers: its answers to the prompts, one likeliest token after another, always with all tokens so far.
        share_taught: how many tokens of new answers it foretells, given the right ones before them.
        share_of_pairs: the same for pairs that it could learn from.
        of_prompts: the likeliest token at each place of the prompts with their right answers.
        after_wrong_input: for sentences about what goes into the model after the first token, the token that would
            come out then.
        n_prompt: how many tokens a prompt has.
    """

    answers: Array
    share_taught: float
    share_of_pairs: float
    of_prompts: Array
    after_wrong_input: Mapping[str, Array]
    n_prompt: int


def _learned_answers(
    compare: Compare, known: KnownCase, given_answers: Array
) -> Learned | None:
    """Ask the trained model itself; None where there is none that works in a new process.

    Args:
        compare: asks it.
        known: the case for which it was trained.
        given_answers: what `solve` returned.
    """
    with explaining("what the trained model says by itself"):
        try:
            arguments, state = _trained(compare, known)
        except CheckFailed:
            return None
        return _ask_learned(compare, known, given_answers, arguments, state)
    return None


def _ask_learned(
    compare: Compare,
    known: KnownCase,
    given_answers: Array,
    arguments: tuple[Any, ...],
    state: Mapping[str, Tensor],
) -> Learned | None:
    sequences, prompts = _pairs_and_prompts(known)
    right = _right_answers(known)
    prompt_length = prompts.shape[1]
    n_answer = right.shape[1]

    def likeliest(rows_of_calls: Sequence[Array]) -> list[Array] | None:
        calls = []
        for rows in rows_of_calls:
            calls.append(ModuleCall(MODEL, arguments, Tensor(rows), state=state))
        key = f"{known.case.id}, {[rows.tobytes() for rows in rows_of_calls]}"
        tokens = []
        for call, answer in zip(
            calls, compare.submission.calls_once(key, calls), strict=True
        ):
            found = _likeliest(call, answer.value) if answer.is_usable else None
            if found is None:
                return None
            tokens.append(found)
        return tokens

    taught_rows = np.concatenate([prompts, right[:, :-1]], axis=1)
    pairs = sequences[: len(prompts)]
    found = likeliest([taught_rows, pairs[:, :-1]])
    if found is None:
        return None
    of_prompts, of_pairs = found
    share_taught = _share_of_equal(of_prompts[:, prompt_length - 1 :], right)
    share_of_pairs = _share_of_equal(
        of_pairs[:, prompt_length - 1 :], pairs[:, prompt_length:]
    )
    answers = of_prompts[:, prompt_length - 1 :]
    after_wrong_input: dict[str, Array] = {}
    if share_taught >= ENOUGH_TOKENS:
        # Only now it may answer well by itself, too.
        rows = prompts
        for _ in range(n_answer):
            next_tokens = likeliest([rows])
            if next_tokens is None:
                return None
            rows = np.concatenate([rows, next_tokens[0][:, -1:]], axis=1)
        answers = rows[:, prompt_length:]
        for sentence, rows in _wrong_inputs(prompts, given_answers, sequences):
            next_tokens = likeliest([rows])
            if next_tokens is not None:
                after_wrong_input[sentence] = next_tokens[0][:, -1]
    return Learned(
        answers,
        share_taught,
        share_of_pairs,
        of_prompts,
        after_wrong_input,
        prompt_length,
    )


def _wrong_inputs(
    prompts: Array, answers: Array, sequences: Array
) -> Iterator[tuple[str, Array]]:
    """Yield what may go into a model in place of all tokens so far, and the sentence if its answers come of that.

    The token that comes of it is the second one of the answers; where an input ends with the same token twice, it
    is the third.
    """
    first_token = answers[:, :1].astype(np.int64)
    if (
        answers.shape[1] < 3
        or not ((first_token >= 0) & (first_token <= sequences.max())).all()
    ):
        return
    yield FIRST_ALONE, first_token
    yield FIRST_AGAIN, np.concatenate([prompts, first_token, first_token], axis=1)
    yield PROMPT_AGAIN, np.concatenate([prompts, prompts, first_token], axis=1)


def _likeliest(call: ModuleCall, value: Any) -> Array | None:
    """Return the likeliest token after each; None where there are no logits."""
    rows = call.input.array
    logits = as_array(_first_part(value), rows.size * MOST_SYMBOLS)
    if logits is None or logits.ndim != 3 or not logits.size:
        return None
    if logits.shape[:2] != rows.shape:
        return None
    return np.asarray(logits.argmax(axis=-1))


FIRST_ALONE = (
    "Its second tokens are the likeliest after the first one alone, without the prompt: give the model all tokens "
    "so far, or the newest one with the cache."
)
FIRST_AGAIN = (
    "Its third tokens are the likeliest after the prompt and twice the first token: the second one should go in "
    "where the first one goes in again."
)
PROMPT_AGAIN = (
    "Its second tokens are the likeliest after the prompt, the same prompt again and the first token: what is in "
    "the cache already goes in a second time. With a cache, give the model the newest token alone."
)


def _why_answered_wrongly(
    learned: Learned, answers: Array, right: Array, shares: str
) -> Sequence[str]:
    """Say that the model has learned enough and is asked wrongly; a label follows where one is proved."""
    share = _share_of_equal(learned.answers, right)
    why = f"the trained model itself gets {share:.0%} right, asked for one token after another, each time with all "
    why += "tokens so far and without a cache. So it has learned enough; what is wrong is how `solve` lets it "
    why += "answer. "
    is_right = answers == right
    first_is_right = is_right[:, 0].mean() > ENOUGH_TOKENS
    later_is_right = is_right[:, 1:].mean() > ENOUGH_TOKENS
    if first_is_right and not later_is_right:
        if (answers == answers[:, :1]).all():
            why += "All tokens of an answer are its first one: in each round, take the new token from the new "
            why += "logits."
            return (why,)
        for sentence, token in learned.after_wrong_input.items():
            place = 2 if sentence == FIRST_AGAIN else 1
            if _mostly_equal(answers[:, place], token) and not _mostly_equal(
                token, right[:, place]
            ):
                labels = ["only-first-token"] if sentence == FIRST_ALONE else []
                return (f"{why}{sentence}", *labels)
        if shares:
            why += f"Right are {shares}. "
        why += "Is what goes in after the first one all tokens so far, or the newest with the cache of the last "
        why += "call? And is the likeliest token taken, not one drawn?"
        return (why,)
    for place in range(learned.of_prompts.shape[1]):
        if place == learned.n_prompt - 1 or first_is_right:
            continue
        if _mostly_equal(answers[:, 0], learned.of_prompts[:, place]):
            why += f"Its first answers are the likeliest by the logits at token {place + 1} of the prompt; the "
            why += f"last token of a prompt is number {learned.n_prompt}."
            return (why,)
    if not first_is_right and later_is_right:
        why += "The first tokens of the answers are wrong, and those after them right: is the first one the "
        why += "likeliest by the logits of the prompt's last token?"
        return (why,)
    why += "Is each new token the likeliest by the last logits, and not drawn at random; is it appended to the "
    why += "tokens of its own row; and is dropout off, by `eval()`?"
    return (why,)


def _course(compare: Compare, known: KnownCase) -> Course | None:
    """Train once more and watch; None where that takes long or does not work."""
    call = known.case.call
    answer = compare.submission.answer(known)
    if not isinstance(call, FunctionCall) or answer.seconds > MOST_SECONDS_TO_WATCH:
        return None
    with explaining("how the model was trained"):
        key = f"{known.case.id}, watched"
        watched = compare.submission.call_once(key, replace(call, watched=True))
        return read_course(watched.trained)
    return None


def _fault_of_comparison(course: Course | None, known: KnownCase) -> Fault | None:
    if course is None:
        return None
    with explaining("what the loss compares"):
        sequences, prompts = _pairs_and_prompts(known)
        return fault_of_comparison(course, sequences, prompts.shape[1])
    return None


def _course_in_words(course: Course | None, known: KnownCase) -> str:
    if course is None:
        return ""
    with explaining("how the losses went"):
        sequences, _ = _pairs_and_prompts(known)
        return course_in_words(course, int(sequences.max()) + 1)
    return ""


def _cache_is_wrong(compare: Compare, cases: Cases) -> bool:
    """Whether the check of the cache fails."""
    without_reasons = replace(compare, explain=None)
    try:
        for known in _models(cases, STEPS):
            _compare_ways(without_reasons, known, cases)
    except CheckFailed:
        return True
    return False


def _correct_first(
    compare: Compare,
    cases: Cases,
    checks_before: Sequence[Callable[[Cases, Compare], None]],
    own_check: Callable[[Cases, Compare], None],
) -> str:
    """Say which check says where to look: one before that fails, without which the own one is not run."""
    failed = own_check
    for earlier_check in checks_before:
        try:
            earlier_check(cases, replace(compare, explain=None))
        except CheckFailed:
            failed = earlier_check
            break
    sentence = (failed.__doc__ or "").strip().removesuffix(".")
    return (
        f"The check “{sentence}” fails, too. Correct that first: it says where to look."
    )


def _mostly_equal(answers: Array, others: Array) -> bool:
    return _share_of_equal(answers, others) > ENOUGH_TOKENS


def _share_of_equal(answers: Array, others: Array) -> float:
    return float((answers == others).mean())


def _compare_learned(compare: Compare, tasks: Sequence[KnownCase]) -> None:
    """Check that the answers are in what a model has learned, and nowhere else.

    The numbers of each trained model go into a new one, in a process that has seen none of the pairs, and its
    logits have to answer questions that `solve` was not asked. A table of answers stays behind. With the same
    numbers in another order in each matrix the answers must be gone: they are no table in a parameter.
    """
    calls: list[ModuleCall] = []
    shuffled_calls: list[ModuleCall] = []
    right_answers: list[Array] = []
    for known in tasks:
        arguments, state = _trained(compare, known)
        rows, right = _more_questions(known)
        questions = Tensor(rows)
        shuffled_state = _shuffled(state)
        calls.append(ModuleCall(MODEL, arguments, questions, state=state))
        shuffled_calls.append(
            ModuleCall(MODEL, arguments, questions, state=shuffled_state)
        )
        right_answers.append(right)
    all_answers = compare.submission.calls([*calls, *shuffled_calls])  # all in one run
    answers = all_answers[: len(calls)]
    shuffled_answers = all_answers[len(calls) :]

    for call, answer, right in zip(calls, answers, right_answers, strict=True):
        if not answer.is_usable:
            text = "A new `TinyTransformer`, made like the one that `solve` trained, does not work with what "
            text += "this one has learned: for example, does it hold other things than parameters and buffers?"
            fail(text)
        share = _share_right(call, answer.value, right)
        if share is None:
            fail(
                f"{OF_ANOTHER_ORIGIN} does not return logits for each token of a question and its answer."
            )
        if share < LEARNED:
            text = f"{OF_ANOTHER_ORIGIN} gets {share:.0%} of the tokens right when it is asked by itself: "
            text += (
                "the answers should be its own, after training on the rows as they are."
            )
            fail(text, "not-learned")

    for call, answer, right in zip(
        shuffled_calls, shuffled_answers, right_answers, strict=True
    ):
        if not answer.is_usable:
            continue
        share = _share_right(call, answer.value, right)
        # Repeating the token before gets up to half of a sorted answer right.
        if share is not None and share >= LEARNED:
            text = f"{OF_ANOTHER_ORIGIN} gets {share:.0%} of the tokens right even with the numbers of all its "
            text += "matrices in another order: its layers should find the answers."
            fail(text, "not-learned")


def _trained(
    compare: Compare, known: KnownCase
) -> tuple[tuple[Any, ...], dict[str, Tensor]]:
    """Return the arguments of the model that `solve` trained, and the numbers that it has learned."""
    trained = _mapping(compare.submission.answer(known).trained)
    arguments = trained.get("arguments")
    state = trained.get("state")
    if trained.get("missing") == "arguments":
        fail(
            "`solve` should make its `TinyTransformer` from numbers: `TinyTransformer(vocab_size, …)`."
        )
    if trained.get("missing") == "room":
        fail(
            "The `TinyTransformer` that `solve` trains has more than 5 million numbers; make it smaller."
        )
    if not isinstance(arguments, list) or not isinstance(state, dict):
        text = "`solve` returns answers without a `TinyTransformer`: make one, train it, let it answer."
        fail(text, "not-learned")
    tensors = {}
    for name, tensor in state.items():
        if not isinstance(name, str) or not isinstance(tensor, Tensor):
            fail(
                "What the `TinyTransformer` of `solve` has learned are not arrays of numbers."
            )
        tensors[name] = Tensor(tensor.array)
    plain_arguments = []
    for argument in arguments:
        if isinstance(argument, int | float | str | None):
            plain_arguments.append(argument)
    return tuple(plain_arguments), tensors


def _more_questions(known: KnownCase) -> tuple[Array, Array]:
    """Return new questions, neither among the pairs nor the prompts, each with most of its answer; the answers."""
    sequences, prompts = _pairs_and_prompts(known)
    length = prompts.shape[1] - 1
    symbols = int(sequences.max())
    # A question is a number whose digits are its symbols.
    values_of_digits = symbols ** np.arange(length)
    old_rows = [sequences[:, :length], prompts[:, :length]]
    old_questions = np.concatenate(old_rows)
    old_numbers = old_questions @ values_of_digits
    new_numbers = np.setdiff1d(np.arange(symbols**length), old_numbers)
    rng = np.random.default_rng(int(old_numbers.sum()))
    drawn = rng.choice(new_numbers, size=QUESTIONS, replace=False)
    questions = drawn[:, None] // values_of_digits % symbols
    right = _right_answers(known, questions)
    separators = np.full((len(questions), 1), symbols)
    all_but_last = right[:, :-1]
    rows = np.concatenate([questions, separators, all_but_last], axis=1)
    return rows, right


def _share_right(call: ModuleCall, value: Any, right: Array) -> float | None:
    """Return the share of tokens that are the likeliest by these logits; None where there are no logits."""
    likeliest = _likeliest(call, value)
    if likeliest is None:
        return None
    _, answer_length = right.shape
    return _share_of_equal(likeliest[:, -answer_length:], right)


def _shuffled(state: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Return the same numbers in another order within each matrix; biases, gains and whole numbers stay."""
    rng = np.random.default_rng(0)
    shuffled = {}
    for name, tensor in state.items():
        array = tensor.array
        is_large = array.ndim > 1 or array.size > LONGEST_VECTOR
        if array.dtype.kind == "f" and is_large:
            numbers = rng.permutation(array.ravel())
            array = numbers.reshape(array.shape)
        shuffled[name] = Tensor(array)
    return shuffled
