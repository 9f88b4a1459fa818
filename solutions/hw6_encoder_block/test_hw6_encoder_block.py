"""Checks of hw6: the encoder block's parts, its sizes, its structure, its values and its gradients.

Several checks judge a block against itself, so that a fault in one place costs its points once: a block
without activation still normalises last, and one with the wrong default sizes still gives right values. A
tuple loses the check of shapes alone, and attributes of other names lose that of parameters alone.
"""

from __future__ import annotations

import functools
from collections import Counter
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
    Restored,
    SubmissionProxy,
    as_array,
    check,
    diagnostic_cases,
    room_for,
)
from autograder.sandbox import Answer
from autograder.worker import Array, Tensor

TASK = "SimpleEncoderBlock"
NOT_LOADED = "MissingParameter"  # the worker's error where a parameter has no counterpart in the block
MOST_NUMBERS = 10**6  # learnable ones, up to where their count is told
LEAK = 1e-3  # far above rounding, far below what another token does to an output
NEARLY_ONE = 0.1  # for the variance of a normalised token
DROPOUT = "In evaluation mode equal sequences get different outputs: dropout belongs to training alone."
LAYERS = {
    "self_attn": "is not an `nn.MultiheadAttention`",
    "ff": "is not made of two `nn.Linear`",
    "norm1": "is not an `nn.LayerNorm`",
    "norm2": "is not an `nn.LayerNorm`",
}
MOST_NAMES, LONGEST_NAME = 8, 40  # of a block's own attributes, as far as they are told


@check(task=TASK, points=1, public=True)
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
    registered, wanted = _numbers_by_part(_registered(compare, known)), _numbers_by_part(_wanted(known))
    for part, number in wanted.items():
        if registered.get(part, 0) < number:
            _fail_registered(part, wanted, submission, known)


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
        _fail_by_known_mistake(compare)
        _fail(Kind.VALUES, "A change of one token does not reach the outputs of its sequence's other tokens.")


@check(task=TASK, points=1, requires=["encoder_block_influence"])
def test_encoder_block_repeatable(cases: Cases, compare: Compare) -> None:
    """In evaluation mode, equal sequences of a batch have equal outputs."""
    first, second = _output(compare, cases.fresh(TASK, "influence")[0])
    if not _same(first, second):
        _fail(Kind.VALUES, DROPOUT, "dropout-at-eval")


@check(task=TASK, points=2)
def test_encoder_block_post_norm(submission: SubmissionProxy, cases: Cases, compare: Compare) -> None:
    """The last step is norm2: each output token is normalised, then scaled and shifted by norm2."""
    known = cases.fresh(TASK, "influence")[0]
    gain, bias = _last_norm(submission, known)
    plain = (_output(compare, known) - bias) / gain
    means, variances = plain.mean(axis=-1), plain.var(axis=-1)
    usual = variances.mean()  # an own norm may divide by n - 1, which is a fault of values
    if not (np.abs(means).max() <= LEAK and np.ptp(variances) <= LEAK and np.abs(usual - 1) <= NEARLY_ONE):
        _fail_by_known_mistake(compare)
        text = (
            "Without norm2's gain and bias, the output's tokens do not have mean 0 and variance 1: the last "
            "step should be norm2 of a residual sum."
        )
        _fail(Kind.VALUES, text)


@check(task=TASK, points=2, public=True)
def test_encoder_block_64(cases: Cases, compare: Compare) -> None:
    """A batch of shape (32, 10, 64) has the right output with 4 heads and 256 hidden units."""
    _compare(compare, cases.published(TASK)[:1])


@check(task=TASK, points=2, public=True)
def test_encoder_block_128(cases: Cases, compare: Compare) -> None:
    """A batch of shape (32, 10, 128) has the right output with 8 heads and 512 hidden units."""
    _compare(compare, cases.published(TASK)[1:])


@check(task=TASK, points=3, public=True)
def test_encoder_block_sizes(cases: Cases, compare: Compare) -> None:
    """The output is right for any batch, number of tokens, embed_dim and number of heads."""
    _compare(compare, cases.other_sizes(TASK))


@check(task=TASK, points=1, requires=["encoder_block_influence"])
def test_encoder_block_unchanged(cases: Cases, compare: Compare) -> None:
    """The block returns a new tensor and leaves its input unchanged."""
    compare.unchanged(cases.published(TASK))
    compare.unchanged(cases.fresh(TASK, "influence"))


@check(task=TASK, points=2, requires=["encoder_block_unchanged", "encoder_block_sizes"])
def test_encoder_block_gradients(cases: Cases, compare: Compare) -> None:
    """Gradients reach the input and every parameter of the block."""
    _of_the_output(compare).gradients(cases.stored(TASK, "gradients"))


def _compare(compare: Compare, cases: Sequence[KnownCase]) -> None:
    """Compare outputs, also within a tuple, and say of an unknown fault what is odd about the layers."""
    inner = _of_the_output(compare)
    try:
        inner(cases)
    except CheckFailed as failure:
        finding = failure.finding
        if finding.misconceptions == ("query-key-swapped",) and "self_attn" in _own_layers(compare):
            # a projection of one's own may hold the keys first, and is then loaded the wrong way round
            found = next(one for known in cases if (one := inner.judge(known)) is not None)
            finding = replace(found, staff=finding.staff)
        is_open = finding.kind in (Kind.VALUES, Kind.SHAPE, Kind.NOT_FINITE) and not finding.misconceptions
        remark, *labels = _remark(compare) if is_open else ("",)
        if not remark:
            raise
        text = f"{remark} ({finding.student.rstrip('.')}.)"
        raise CheckFailed(replace(finding, student=text, misconceptions=tuple(labels))) from failure


def _of_the_output(compare: Compare) -> Compare:
    """The comparison that judges an output in a tuple as if it came alone: the check of shapes minds that."""
    answers = Restored(compare.submission.answers)
    return replace(compare, submission=replace(compare.submission, answers=answers))


def _remark(compare: Compare) -> tuple[str, ...]:
    """Say that dropout is on, or which layers are not used, or are not those of the handout; and its name."""
    known = compare.cases.published(TASK)[0]
    structure = _structure(compare.submission, known)
    output = _found(structure.value, _module_call(known).input.array.shape)
    if output is not None and not _same(*output[:2]):
        return DROPOUT, "dropout-at-eval"
    gradients = structure.gradients if isinstance(structure.gradients, dict) else {}
    used = {name: () for name in _wanted(known) if gradients.get(name) is not False}
    unused = [part for part in LAYERS if gradients and part not in _numbers_by_part(used)]
    if unused:
        return (
            f"`forward` never uses {_listed(unused)}: with other parameters there the output stays as it is.",
        )
    own = "; ".join(f"`{part}` {LAYERS[part]}" for part in _own_layers(compare))
    text = (
        "The handout asks for PyTorch's own layers, and by their names the grader loads known weights, but "
        f"{own}. A layer of another kind may get these weights in another order."
    )
    return (text,) if own else ("",)


def _own_layers(compare: Compare) -> list[str]:
    """The attributes whose parameters are not those of PyTorch's layers, also where they have other names."""
    known = compare.cases.published(TASK)[0]
    own, wanted = _structure(compare.submission, known).parameters, _wanted(known)
    elsewhere = {name: shape for name, shape in own.items() if name.partition(".")[0] not in LAYERS}
    return [
        part for part in LAYERS if not _layers(wanted, part) <= (_layers(own, part) or _layers(elsewhere))
    ]


@functools.lru_cache(maxsize=1)  # several checks of one submission ask
def _structure(submission: SubmissionProxy, known: KnownCase) -> Answer:
    """What the block is made of and uses: from a run that is given a published case alone.

    The first two sequences of its input are equal.
    """
    call = _module_call(known)
    x = np.concatenate([call.input.array[:1], call.input.array[:-1]])
    call = replace(call, input=Tensor(x, requires_grad=True), cotangent=Tensor(np.ones_like(x)))
    answer = submission.call(call)
    return answer if answer.is_usable else submission.call(replace(call, parameters={}))


def _layers(
    shapes: Mapping[str, Sequence[int]], part: str = ""
) -> Counter[frozenset[tuple[str, tuple[int, ...]]]]:
    """The layers within an attribute, or all of them, each as the names and shapes of its own parameters."""
    layers: dict[str, set[tuple[str, tuple[int, ...]]]] = {}
    for name, shape in shapes.items():
        layer, _, last = name.rpartition(".")
        if part in ("", layer.partition(".")[0]):
            layers.setdefault(layer, set()).add((last, tuple(shape)))
    return Counter(map(frozenset, layers.values()))


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _answer(submission: SubmissionProxy, known: KnownCase) -> Answer:
    """The answer to a case; where the parameters do not fit, that of the block as it initialises itself."""
    answer = submission.answer(known)
    if answer.error is None or answer.error.type != NOT_LOADED:
        return answer
    return submission.call(replace(_module_call(known), parameters={}))


def _judge(compare: Compare, known: KnownCase) -> Finding | None:
    """What is wrong with an answer as it came."""
    answer = _answer(compare.submission, known)
    if not answer.is_usable:
        return compare.judge(known)
    came = compare.submission.answers.came[known.case.id]
    return known.compare(came.value if came.is_usable else answer.value, ("output",))


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
        text = "The input comes back as it was: forward has to apply the layers."
        _fail(Kind.VALUES, text, "returns-argument")
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


def _fail_registered(
    part: str, wanted: Mapping[str, int], submission: SubmissionProxy, known: KnownCase
) -> NoReturn:
    """Say why an attribute has too few numbers: a list hides them, its name differs, or some are missing."""
    registered = _numbers_by_part(_structure(submission, known).parameters)
    own, missing = registered.get(part, 0), [one for one in wanted if not registered.get(one)]
    elsewhere = sum(count for one, count in registered.items() if one not in wanted)
    if submission.answer(known).is_usable and (own or elsewhere < wanted[part]):
        text = (
            f"PyTorch overlooks layers in a plain list or dictionary, like those of `{part}`: use "
            "nn.Sequential, nn.ModuleList or nn.ModuleDict."
        )
        _fail(Kind.SHAPE, text, "layers-unregistered")
    if own:
        found = own if own <= MOST_NUMBERS else "far too many"
        text = f"`{part}` has {found} learnable numbers; expected are {wanted[part]}, weights and biases."
        _fail(Kind.SHAPE, text)
    others = [one for one in registered if one not in wanted and one.isidentifier()]
    text = (
        f"The block has no parameters under {_listed(missing)}: in __init__, assign each layer to its name "
        "in the handout, by which the grader loads known weights."
    )
    if not others:
        _fail(Kind.SHAPE, text)
    shown = _listed([one[:LONGEST_NAME] for one in others[:MOST_NAMES]])
    _fail(Kind.SHAPE, f"{text} Its other names are {shown}.", "other-attribute-names")


def _fail_by_known_mistake(compare: Compare) -> None:
    known = compare.cases.known
    diagnosis = compare.diagnose(TASK, compare.submission.answers, diagnostic_cases(known, TASK))
    if diagnosis.labels:
        _fail(Kind.VALUES, diagnosis.says, *diagnosis.labels)


def _fail(kind: Kind, text: str, *misconceptions: str) -> NoReturn:
    raise CheckFailed(Finding(kind, text, misconceptions=misconceptions))
