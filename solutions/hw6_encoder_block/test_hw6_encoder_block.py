"""Checks of hw6: the encoder block's parts, its sizes, its structure, its values and its gradients.

Several checks judge a block against itself, so that a fault in one place costs its points once: a block
without activation still normalises last, and one with the wrong default sizes still gives right values.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import prod
from typing import Any, NoReturn

import numpy as np

from autograder.course import ModuleCall
from autograder.judging import (
    MOST_PARTS,
    Cases,
    CheckFailed,
    Compare,
    Finding,
    Kind,
    KnownCase,
    SubmissionProxy,
    as_array,
    check,
    room_for,
)
from autograder.sandbox import Answer
from autograder.worker import Array, Tensor

TASK = "SimpleEncoderBlock"
NOT_LOADED = "MissingParameter"  # the worker's error where a parameter has no counterpart in the block
MOST_NUMBERS = 10**6  # learnable ones, up to where their count is told
LEAK = 1e-3  # far above rounding, far below what another token does to an output


@check(task=TASK, points=1)
def test_encoder_block_shapes(cases: Cases, compare: Compare) -> None:
    """The output has the shape of the input: (32, 10, 64), (32, 10, 128), and a single token's."""
    known = (*cases.published(TASK), *cases.stored(TASK, "shape"))
    findings = [finding for one in known if (finding := _judge(compare, one)) is not None]
    for finding in findings:
        if finding.kind is not Kind.VALUES:
            raise CheckFailed(finding)
    if findings:
        _fail_where_nothing_is_computed(cases, compare)


@check(task=TASK, points=2, public=True)
def test_encoder_block_parameters(submission: SubmissionProxy, cases: Cases, compare: Compare) -> None:
    """self_attn, ff, norm1 and norm2 are registered with all their parameters."""
    known = cases.published(TASK)[0]
    registered = _numbers_by_part(_registered(compare, known))
    for part, wanted in _numbers_by_part(_wanted(known)).items():
        if registered.get(part, 0) < wanted:
            _fail_registered(part, registered.get(part, 0), wanted, submission.answer(known))


@check(task=TASK, points=1)
def test_encoder_block_defaults(submission: SubmissionProxy, cases: Cases, compare: Compare) -> None:
    """SimpleEncoderBlock() is the block with embed_dim 64, 4 heads and ff_dim 256."""
    (default,) = cases.fresh(TASK, "defaults")
    spelled_out = cases.fresh(TASK, "influence")[0]
    finding = compare.judge(default)
    if finding is None:
        return
    _fail_where_nothing_is_computed(cases, compare)
    error = submission.answer(default).error
    if error is not None and error.type != NOT_LOADED:
        raise CheckFailed(finding)
    loads = [submission.answer(known).is_usable for known in (default, spelled_out)]
    if loads[0] != loads[1] or not _same(*(_output(compare, k) for k in (default, spelled_out))):
        text = "`SimpleEncoderBlock()` differs from `SimpleEncoderBlock(64, 4, 256)`: look at the defaults."
        _fail(Kind.VALUES, text, "wrong-defaults")


@check(task=TASK, points=1, public=True)
def test_encoder_block_width(submission: SubmissionProxy, cases: Cases, compare: Compare) -> None:
    """ff has ff_dim hidden units, whatever embed_dim is."""
    for known in cases.stored(TASK, "width"):
        own = _numbers_by_part(_registered(compare, known)).get("ff", 0)
        if own and own != _numbers_by_part(_wanted(known))["ff"]:
            text = "`ff` does not have `ff_dim` hidden units: take both of its sizes from the constructor."
            _fail(Kind.SHAPE, text, "wrong-ffn-width")
        finding = compare.judge(known)
        if finding is not None and not own and not submission.answer(known).is_usable:
            raise CheckFailed(finding)
        if finding is not None and not own:
            _fail_where_nothing_is_computed(cases, compare)


@check(task=TASK, points=2)
def test_encoder_block_influence(cases: Cases, compare: Compare) -> None:
    """Each token sees the tokens of its own sequence and nothing of the batch's other sequences."""
    before, after = (_output(compare, known) for known in cases.fresh(TASK, "influence"))
    change = np.abs(after - before).max(axis=-1)
    others_see, leaks = change[0, :-1].min() > LEAK, not change[1].max() <= LEAK
    if leaks and not others_see:
        text = (
            "Tokens attend to the other sequences of the batch: nn.MultiheadAttention needs batch_first=True."
        )
        _fail(Kind.VALUES, text, "batch-first-missing")
    if leaks:
        _fail(Kind.VALUES, "A change in one sequence of the batch changes the output of another sequence.")
    if not others_see:
        _fail(Kind.VALUES, "A change of one token does not reach the outputs of its sequence's other tokens.")


@check(task=TASK, points=1, requires=["encoder_block_influence"])
def test_encoder_block_repeatable(cases: Cases, compare: Compare) -> None:
    """In evaluation mode, equal sequences of a batch have equal outputs."""
    first, second = _output(compare, cases.fresh(TASK, "influence")[0])
    if not _same(first, second):
        text = "In evaluation mode equal sequences get different outputs: dropout belongs to training alone."
        _fail(Kind.VALUES, text, "dropout-at-eval")


@check(task=TASK, points=2)
def test_encoder_block_post_norm(submission: SubmissionProxy, cases: Cases, compare: Compare) -> None:
    """The last step is norm2: each output token is normalised, then scaled and shifted by norm2."""
    known = cases.fresh(TASK, "influence")[0]
    gain, bias = _last_norm(submission, known)
    plain = (_output(compare, known) - bias) / gain
    means, variances = plain.mean(axis=-1), plain.var(axis=-1)
    if not (np.abs(means).max() <= LEAK and np.abs(variances - 1).max() <= LEAK):
        text = "The output is not what norm2 leaves behind: the block ends with norm2 of a residual sum."
        _fail(Kind.VALUES, text)


@check(task=TASK, points=2, public=True)
def test_encoder_block_64(cases: Cases, compare: Compare) -> None:
    """A batch of shape (32, 10, 64) has the right output with 4 heads and 256 hidden units."""
    compare(cases.published(TASK)[:1])


@check(task=TASK, points=2, public=True)
def test_encoder_block_128(cases: Cases, compare: Compare) -> None:
    """A batch of shape (32, 10, 128) has the right output with 8 heads and 512 hidden units."""
    compare(cases.published(TASK)[1:])


@check(task=TASK, points=3, public=True)
def test_encoder_block_sizes(cases: Cases, compare: Compare) -> None:
    """The output is right for any batch, number of tokens, embed_dim and number of heads."""
    compare(cases.other_sizes(TASK))


@check(task=TASK, points=1, requires=["encoder_block_influence"])
def test_encoder_block_unchanged(cases: Cases, compare: Compare) -> None:
    """The block returns a new tensor and leaves its input unchanged."""
    compare.unchanged(cases.published(TASK))
    compare.unchanged(cases.fresh(TASK, "influence"))


@check(task=TASK, points=2, requires=["encoder_block_unchanged", "encoder_block_sizes"])
def test_encoder_block_gradients(cases: Cases, compare: Compare) -> None:
    """Gradients reach the input and every parameter of the block."""
    compare.gradients(cases.stored(TASK, "gradients"))


def _answer(submission: SubmissionProxy, known: KnownCase) -> Answer:
    """The answer to a case; where the parameters do not fit, that of the block as it initialises itself."""
    answer = submission.answer(known)
    if answer.error is None or answer.error.type != NOT_LOADED:
        return answer
    return submission.call(replace(_module_call(known), parameters={}))


def _judge(compare: Compare, known: KnownCase) -> Finding | None:
    answer = _answer(compare.submission, known)
    if not answer.is_usable:
        return compare.judge(known)
    return known.compare(answer.value, ("output",))


def _output(compare: Compare, known: KnownCase) -> Array:
    """The block's finite output, also in a tuple: only the checks of shape and values mind that."""
    array = _found(_answer(compare.submission, known).value, _module_call(known).input.array.shape)
    if array is not None:
        return array
    raise CheckFailed(_judge(compare, known) or Finding(Kind.SHAPE, "There is no output."))


def _found(value: Any, shape: tuple[int, ...]) -> Array | None:
    for part in value[:MOST_PARTS] if isinstance(value, tuple | list) else (value,):
        array = as_array(part, room_for(np.broadcast_to(0.0, shape)))
        if array is not None and array.shape == shape and np.isfinite(array).all():
            return array.astype(np.float64)
    return None


def _fail_where_nothing_is_computed(cases: Cases, compare: Compare) -> None:
    """A wrong output still has a shape and sizes, but not one that looks at no input, or is the input."""
    known = cases.published(TASK)[0]
    own = _output(compare, known)
    if np.array_equal(own, _module_call(known).input.array):
        _fail(Kind.VALUES, "The input comes back as it was: forward has to apply the layers.")
    other = _output_for_another_input(compare.submission, known)
    if other is not None and np.array_equal(own, other):
        _fail(Kind.VALUES, "The output is the same whatever goes in: forward has to apply the layers to x.")


@functools.lru_cache(maxsize=1)  # several checks of one submission ask, and each further call is a run
def _output_for_another_input(submission: SubmissionProxy, known: KnownCase) -> Array | None:
    call = _module_call(known)
    parameters = call.parameters if submission.answer(known).is_usable else {}
    flipped = replace(call, input=Tensor(np.flip(call.input.array)), parameters=parameters)
    return _found(submission.call(flipped).value, call.input.array.shape)


def _last_norm(submission: SubmissionProxy, known: KnownCase) -> tuple[Array | float, Array | float]:
    """The gain and bias of norm2: those of the case, or LayerNorm's initial ones if they did not fit."""
    if not submission.answer(known).is_usable:
        return 1.0, 0.0
    parameters = _module_call(known).parameters
    return parameters["norm2.weight"].array, parameters["norm2.bias"].array


def _same(one: Array, other: Array) -> bool:
    return bool(np.abs(one - other).max() <= LEAK)


def _registered(compare: Compare, known: KnownCase) -> Mapping[str, Sequence[int]]:
    """The shapes of the parameters that torch knows of, by name."""
    answer = _answer(compare.submission, known)
    finding = None if answer.is_usable else compare.judge(known)
    if finding is not None:
        raise CheckFailed(finding)
    return answer.parameters


def _wanted(known: KnownCase) -> Mapping[str, Sequence[int]]:
    return {name: tensor.array.shape for name, tensor in _module_call(known).parameters.items()}


def _numbers_by_part(shapes: Mapping[str, Sequence[int]]) -> dict[str, int]:
    """How many numbers the parameters of each attribute hold together, however they are divided."""
    counts: dict[str, int] = {}
    for name, shape in shapes.items():
        part = name.partition(".")[0]
        counts[part] = counts.get(part, 0) + prod(shape)
    return counts


def _module_call(known: KnownCase) -> ModuleCall:
    call = known.case.call
    assert isinstance(call, ModuleCall), "each case of this homework calls a module"
    return call


def _fail_registered(part: str, own: int, wanted: int, answer: Answer) -> NoReturn:
    if own == 0 and answer.is_usable:
        text = f"PyTorch overlooks layers in a plain list like `{part}`: use nn.Sequential or nn.ModuleList."
        _fail(Kind.SHAPE, text, "layers-unregistered")
    if own == 0:
        _fail(Kind.SHAPE, f"The block has no attribute `{part}` with parameters: assign it in __init__.")
    found = own if own <= MOST_NUMBERS else "far too many"
    text = f"`{part}` has {found} learnable numbers; expected are {wanted}, weights and biases together."
    _fail(Kind.SHAPE, text)


def _fail(kind: Kind, text: str, *misconceptions: str) -> NoReturn:
    raise CheckFailed(Finding(kind, text, misconceptions=misconceptions))
