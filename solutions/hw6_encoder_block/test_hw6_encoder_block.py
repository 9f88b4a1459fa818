"""Checks of hw6. Several judge a block against itself, so that a fault in one place costs its points once.

A block without activation still normalises last, and one with the wrong default sizes still gives right
values. A tuple loses the check of shapes alone, attributes of other names lose that of parameters alone.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from math import prod
from typing import Any, NoReturn

import numpy as np

from autograder.course import ModuleCall
from autograder.sandbox.report import Answer
from autograder.verdict import (
    MOST_PARTS,
    Cases,
    CheckFailed,
    Compare,
    Failure,
    FailureKind,
    KnownCase,
    Restored,
    SubmissionProxy,
    as_array,
    check,
    compare_case,
)
from autograder.verdict.arrays import room_for
from autograder.verdict.explanation_faults import explaining
from autograder.worker.wire import Array, Tensor

TASK = "SimpleEncoderBlock"
NOT_LOADED = "MissingParameter"  # the worker's error where a parameter has no counterpart in the block
MOST_NUMBERS = (
    10**6
)  # learnable ones, beside the handout's layers, up to where these are looked at
LEAK = 1e-3  # far above rounding, far below what another token does to an output
NEARLY_ONE = 0.1  # for the variance of a normalised token
LAYERS = {
    "self_attn": "of `nn.MultiheadAttention(embed_dim, num_heads)`",
    "ff": "of two `nn.Linear`, embed_dim to ff_dim and back",
    "norm1": "of `nn.LayerNorm(embed_dim)`",
    "norm2": "of `nn.LayerNorm(embed_dim)`",
}
MOST_NAMES, LONGEST_NAME = 8, 40  # of a block's own attributes, as far as they are told


@check(task=TASK, points=1, public=True)
def test_encoder_block_shapes(cases: Cases, compare: Compare) -> None:
    """The output has the shape of the input: (32, 10, 64), (32, 10, 128), and a single token's."""
    known = (*cases.published(TASK), *cases.stored(TASK, "shape"))
    findings = [
        finding for one in known if (finding := _judge(compare, one)) is not None
    ]
    for finding in (one for one in findings if one.kind is not FailureKind.VALUES):
        raise CheckFailed(finding)
    if findings:
        _fail_where_nothing_is_computed(cases, compare)


@check(task=TASK, points=2, public=True)
def test_encoder_block_parameters(
    submission: SubmissionProxy, cases: Cases, compare: Compare
) -> None:
    """self_attn, ff, norm1 and norm2 are registered with all their parameters."""
    known = cases.published(TASK)[0]
    registered, wanted = (
        _numbers_by_part(_registered(compare, known)),
        _numbers_by_part(_wanted(known)),
    )
    for part in wanted - registered:
        _fail_part(part, wanted, submission, known)


@check(task=TASK, points=1)
def test_encoder_block_defaults(
    submission: SubmissionProxy, cases: Cases, compare: Compare
) -> None:
    """SimpleEncoderBlock() is the block with embed_dim 64, 4 heads and ff_dim 256."""
    (default,) = cases.fresh(TASK, "defaults")
    spelled_out = cases.other_sizes(TASK, "influence")[-2]
    finding = compare.judge(default)
    if finding is None:
        return
    _fail_where_nothing_is_computed(cases, compare)
    error = submission.answer(default).error
    if error is not None and error.type != NOT_LOADED:
        raise CheckFailed(finding)
    loads = [submission.answer(known).is_usable for known in (default, spelled_out)]
    if loads[0] != loads[1] or not _same(
        *(_output(compare, k) for k in (default, spelled_out))
    ):
        why = "`SimpleEncoderBlock()` differs from `SimpleEncoderBlock(64, 4, 256)`: look at the defaults."
        raise CheckFailed(
            replace(
                finding,
                kind=FailureKind.VALUES,
                student=why,
                misconceptions=("wrong-defaults",),
            )
        )


@check(task=TASK, points=1, public=True)
def test_encoder_block_width(
    submission: SubmissionProxy, cases: Cases, compare: Compare
) -> None:
    """ff has ff_dim hidden units, whatever embed_dim is."""
    for known in cases.stored(TASK, "width"):
        registered, finding = _registered(compare, known), compare.judge(known)
        parts, loads = (
            {_part(name) for name in registered},
            submission.answer(known).is_usable,
        )
        place = ["ff"] if "ff" in parts else sorted(parts - set(LAYERS))
        sizes = {
            size
            for name, shape in registered.items()
            if _part(name) in place
            for size in shape
        }
        is_there = "ff" in parts or ("self_attn" in parts and not loads)
        if is_there and sizes and _module_call(known).args[-1] not in sizes:
            text = f"No layer in {_listed(place)} has `ff_dim` units: take their number from the constructor."
            _fail(FailureKind.SHAPE, text, "wrong-ffn-width")
        if finding is not None and "ff" not in parts:
            if not loads:
                raise CheckFailed(finding)
            _fail_where_nothing_is_computed(cases, compare)


@check(task=TASK, points=2, public=True)
def test_encoder_block_influence(cases: Cases, compare: Compare) -> None:
    """Each token sees the tokens of its own sequence and nothing of the batch's other sequences."""
    pair = cases.other_sizes(TASK, "influence")[
        -2:
    ]  # fresh in grading; students have the public pair alone
    before, after = (_output(compare, known) for known in pair)
    change = np.abs(after - before).max(axis=-1)
    others_see, leaks = change[0, :-1].min() > LEAK, not change[1].max() <= LEAK
    if leaks and not others_see:
        text = "Your tokens attend to the other sequences of the batch instead of their own."
        _fail_by_known_mistake(compare, text, "batch-first-missing")
    if leaks:
        _fail(
            FailureKind.VALUES,
            "A change in one sequence of the batch changes the output of another sequence.",
        )
    if not others_see:
        text = "A change of one token does not reach the outputs of its sequence's other tokens."
        _fail_by_known_mistake(compare, text)


@check(task=TASK, points=1, requires=["encoder_block_influence"], public=True)
def test_encoder_block_repeatable(cases: Cases, compare: Compare) -> None:
    """In evaluation mode, equal sequences of a batch have equal outputs."""
    _fail_where_equal_sequences_differ(
        compare, _output(compare, cases.other_sizes(TASK, "influence")[-2])
    )


@check(task=TASK, points=2, public=True)
def test_encoder_block_post_norm(
    submission: SubmissionProxy, cases: Cases, compare: Compare
) -> None:
    """The last step is norm2: each output token is normalised, then scaled and shifted by norm2."""
    known = cases.other_sizes(TASK, "influence")[-2]
    plain = _output(compare, known)
    if submission.answer(
        known
    ).is_usable:  # otherwise norm2 is as LayerNorm initialises it
        norm2 = _module_call(known).parameters
        plain = (plain - norm2["norm2.bias"].array) / norm2["norm2.weight"].array
    means, variances = plain.mean(axis=-1), plain.var(axis=-1)
    usual = (
        variances.mean()
    )  # an own norm may divide by n - 1, which is a fault of values
    if not (
        np.abs(means).max() <= LEAK
        and np.ptp(variances) <= LEAK
        and np.abs(usual - 1) <= NEARLY_ONE
    ):
        _fail_where_equal_sequences_differ(compare, plain)
        text = "Without norm2's gain and bias, the output's tokens do not have mean 0 and variance 1:"
        _fail_by_known_mistake(
            compare, f"{text} the last step should be norm2 of a residual sum."
        )


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


@check(task=TASK, points=1, requires=["encoder_block_influence"], public=True)
def test_encoder_block_unchanged(cases: Cases, compare: Compare) -> None:
    """The block returns a new tensor and leaves its input unchanged."""
    compare.unchanged(
        [*cases.published(TASK), *cases.other_sizes(TASK, "influence")[-2:]]
    )


@check(
    task=TASK,
    points=2,
    requires=["encoder_block_unchanged", "encoder_block_sizes"],
    public=True,
)
def test_encoder_block_gradients(cases: Cases, compare: Compare) -> None:
    """Gradients reach the input and every parameter of the block."""
    _of_the_output(compare).gradients(cases.stored(TASK, "gradients"))


def _compare(compare: Compare, cases: Sequence[KnownCase]) -> None:
    """Compare outputs, also within a tuple, and say of an unknown fault what is odd about the layers."""
    inner, first = _of_the_output(compare), compare.cases.published(TASK)[0]
    try:
        inner(cases)
    except CheckFailed as failure:
        finding, remark, labels = failure.failure, "", list[str]()
        with explaining("what is odd about the layers", CheckFailed):
            own = _layers(compare.submission.answer(first).parameters)
            is_theirs = _layers(_wanted(first), "self_attn") <= own
            if finding.misconceptions == ("query-key-swapped",) and not is_theirs:
                # a projection of one's own may hold the keys first, and is then loaded the wrong way round
                found = next(
                    one for known in cases if (one := inner.judge(known)) is not None
                )
                finding = replace(found, staff=finding.staff)
            is_of_values = finding.kind in (
                FailureKind.VALUES,
                FailureKind.SHAPE,
                FailureKind.NOT_FINITE,
            )
            if is_of_values and not finding.misconceptions:
                remark, *labels = _remark(compare)
        if not remark:
            raise
        told = replace(
            finding, student=f"{remark} ({finding.student.rstrip('.')}.)", cause=remark
        )
        raise CheckFailed(replace(told, misconceptions=tuple(labels))) from failure


def _of_the_output(compare: Compare) -> Compare:
    """The comparison that judges an output in a tuple as if it came alone: the check of shapes minds that."""
    answers = Restored(compare.submission.answers)
    return replace(compare, submission=replace(compare.submission, answers=answers))


def _remark(compare: Compare) -> tuple[str, ...]:
    """Say that dropout is on, or which layers are unused, too many or of another kind; and its name."""
    known, *_ = published = compare.cases.published(TASK)
    structure, wanted = _structure(compare.submission, known), _wanted(known)
    output = _found(structure.value, _module_call(known).input.array.shape)
    if output is not None and not _same(*output[:2]):
        return _told_of_difference(compare)
    gradients = structure.gradients if isinstance(structure.gradients, dict) else {}
    used = {_part(name) for name in wanted if gradients.get(name) is not False}
    unused = _listed(part for part in LAYERS if gradients and part not in used)
    if unused:
        return (
            f"The output does not depend on {unused}: does `forward` use what is computed there?",
        )
    rows = {
        name: one.array.tobytes()
        for name, one in gradients.items()
        if isinstance(one, Tensor)
    }
    theirs = [rows[name] for name in wanted if name in rows]
    # Names are quoted as they came with a public case: nothing hidden can be in them.
    named = compare.submission.answer(known).parameters
    others = [name for name in rows if name in named and _part(name) not in LAYERS]
    # a layer under a second name has the gradient of the first, or part of its rows
    beside = _listed(
        {
            _part(name): ()
            for name in others
            if not any(rows[name] in one for one in theirs)
        }
    )
    if beside:
        return (
            f"`forward` uses layers that the handout's block does not have: {beside}.",
        )
    loaded = [
        (has, _wanted(one))
        for one in published
        if (has := compare.submission.answer(one).parameters)
    ]
    beyond = [_numbers_by_part(has) - _numbers_by_part(due) for has, due in loaded]
    if more := _listed(
        part for part in LAYERS if beyond and all(one[part] for one in beyond)
    ):
        return (
            f"{more} holds more weights than the handout's: is a layer too wide, or one too many?",
        )
    if any(
        _numbers_by_part(structure.parameters)[part] != n
        for part, n in _numbers_by_part(wanted).items()
    ):
        return ("",)  # another size says nothing about its kind
    other = [
        part
        for part in LAYERS
        if not _layers(wanted, part) <= _layers(structure.parameters, part)
    ]
    kinds = "; ".join(
        f"`{part}` does not hold the weights and biases {LAYERS[part]}"
        for part in other
    )
    text = f"The grader loads known weights into the handout's layers, but {kinds}. Use these layers of "
    return (f"{text}PyTorch, with their biases and sizes." if other else "",)


@functools.lru_cache(maxsize=1)  # several checks of one submission ask
def _structure(submission: SubmissionProxy, known: KnownCase) -> Answer:
    """What the block is made of and uses: from runs of its own, which are given a published case alone.

    The first two sequences of its input are equal. Layers in attributes that the handout has not are given
    ones, so that gradients tell whether they are used as well.
    """
    call = _module_call(known)
    x = np.concatenate([call.input.array[:1], call.input.array[:-1]])
    call = replace(
        call, input=Tensor(x, requires_grad=True), cotangent=Tensor(np.ones_like(x))
    )
    answer = submission.call(call)
    if not answer.is_usable:
        return submission.call(replace(call, parameters={}))
    shapes = {
        name: shape
        for name, shape in answer.parameters.items()
        if _part(name) not in LAYERS
    }
    has_all = set(LAYERS) <= set(map(_part, answer.parameters))
    if not (shapes and has_all and sum(map(prod, shapes.values())) <= MOST_NUMBERS):
        return answer
    ones = {name: Tensor(np.ones(shape, np.float32)) for name, shape in shapes.items()}
    again = submission.call(replace(call, parameters={**call.parameters, **ones}))
    return again if again.is_usable else answer


def _layers(
    shapes: Mapping[str, Sequence[int]], part: str = ""
) -> Counter[frozenset[Any]]:
    """The layers within an attribute, or all of them, each as the names and shapes of its own parameters."""
    layers: dict[str, set[Any]] = {}
    for name, shape in shapes.items():
        layer, _, last = name.rpartition(".")
        if part in ("", _part(layer)):
            layers.setdefault(layer, set()).add((last, tuple(shape)))
    return Counter(map(frozenset, layers.values()))


def _part(name: str) -> str:
    """The block's attribute that a parameter belongs to."""
    return name.partition(".")[0]


def _listed(names: Iterable[str]) -> str:
    """Names of attributes, as far as they are told."""
    return ", ".join(
        [f"`{name[:LONGEST_NAME]}`" for name in names if name.isidentifier()][
            :MOST_NAMES
        ]
    )


def _answer(submission: SubmissionProxy, known: KnownCase) -> Answer:
    """The answer to a case; where the parameters do not fit, that of the block as it initialises itself."""
    answer = submission.answer(known)
    if answer.error is None or answer.error.type != NOT_LOADED:
        return answer
    return submission.call(replace(_module_call(known), parameters={}))


def _judge(compare: Compare, known: KnownCase) -> Failure | None:
    """What is wrong with an answer as it came."""
    answer = _answer(compare.submission, known)
    if not answer.is_usable:
        return compare.judge(known)
    came = compare.submission.answers.came[known.case.id]
    return compare_case(
        known, came.value if came.is_usable else answer.value, ("output",)
    )


def _output(compare: Compare, known: KnownCase) -> Array:
    """The block's finite output, also in a tuple: only the checks of shape and values mind that."""
    array = _found(
        _answer(compare.submission, known).value, _module_call(known).input.array.shape
    )
    if array is not None:
        return array
    raise CheckFailed(
        _judge(compare, known) or Failure(FailureKind.SHAPE, "There is no output.")
    )


def _found(value: Any, shape: tuple[int, ...]) -> Array | None:
    """The array of that shape, also in a tuple: the first of several, for none is known to be right."""
    for part in value[:MOST_PARTS] if isinstance(value, tuple | list) else (value,):
        array = as_array(part, room_for(np.broadcast_to(0.0, shape)))
        if array is not None and array.shape == shape and np.isfinite(array).all():
            return array.astype(np.float64)
    return None


def _fail_where_nothing_is_computed(cases: Cases, compare: Compare) -> None:
    """A wrong output still has a shape and sizes, but not one that looks at no input, or is the input."""
    known = cases.published(TASK)[0]
    own, other = (
        _output(compare, known),
        _output_for_another_input(compare.submission, known),
    )
    if np.array_equal(own, _module_call(known).input.array):
        text = "The block returns its input x as it was. Return what `forward` computes from it."
        _fail(FailureKind.VALUES, text, "returns-argument")
    if other is not None and np.array_equal(own, other):
        _fail(
            FailureKind.VALUES,
            "The output is the same whatever goes in: forward has to apply the layers to x.",
        )


@functools.lru_cache(
    maxsize=1
)  # several checks of one submission ask, and each further call is a run
def _output_for_another_input(
    submission: SubmissionProxy, known: KnownCase, sequences: int | None = None
) -> Array | None:
    call = _module_call(known)
    x = call.input.array.copy()
    x[:sequences] = np.flip(x[:sequences])  # the first sequences, or all of them
    parameters = call.parameters if submission.answer(known).is_usable else {}
    return _found(
        submission.call(replace(call, input=Tensor(x), parameters=parameters)).value,
        x.shape,
    )


def _fail_where_equal_sequences_differ(compare: Compare, output: Array) -> None:
    if not _same(*output[:2]):
        _fail(FailureKind.VALUES, *_told_of_difference(compare))


def _told_of_difference(compare: Compare) -> tuple[str, ...]:
    """What to say of equal sequences with different outputs, and its name where no sequences mix."""
    why = "is dropout still on, or do the sequences of a batch mix?"
    text = f"In evaluation mode equal sequences get different outputs: {why}"
    known = compare.cases.published(TASK)[0]
    with explaining("whether dropout is still on", CheckFailed):
        own = _output(compare, known)
        other = _output_for_another_input(compare.submission, known, sequences=1)
        if other is not None and _same(own[1:], other[1:]):
            return text, "dropout-at-eval"
    return (text,)


def _same(one: Array, other: Array) -> bool:
    return bool(np.abs(one - other).max() <= LEAK)


def _registered(compare: Compare, known: KnownCase) -> Mapping[str, Sequence[int]]:
    """The shapes of the parameters that torch knows of, by name."""
    answer = _answer(compare.submission, known)
    if not answer.is_usable and (finding := compare.judge(known)) is not None:
        raise CheckFailed(finding)
    return answer.parameters


def _wanted(known: KnownCase) -> Mapping[str, Sequence[int]]:
    return {
        name: tensor.array.shape
        for name, tensor in _module_call(known).parameters.items()
    }


def _numbers_by_part(shapes: Mapping[str, Sequence[int]]) -> Counter[str]:
    """How many numbers the parameters of each attribute hold together, however they are divided."""
    counts: Counter[str] = Counter()
    for name, shape in shapes.items():
        counts[_part(name)] += prod(shape)
    return counts


def _module_call(known: KnownCase) -> ModuleCall:
    call = known.case.call
    assert isinstance(call, ModuleCall), "each case of this homework calls a module"
    return call


def _fail_part(
    part: str, wanted: Counter[str], submission: SubmissionProxy, known: KnownCase
) -> NoReturn:
    """Say why an attribute has too few numbers; where a further run cannot tell, that it has."""
    with explaining(f"why {part} has too few parameters", CheckFailed):
        _explain_part(part, wanted, submission, known)
    _fail(
        FailureKind.SHAPE,
        f"`{part}` has too few learnable numbers; it should have {wanted[part]}.",
    )


def _explain_part(
    part: str, wanted: Counter[str], submission: SubmissionProxy, known: KnownCase
) -> NoReturn:
    # Names and numbers are quoted as they came with a public case: nothing hidden can be in them.
    answer = submission.answer(known)
    registered = _numbers_by_part(answer.parameters or answer.unloaded)
    own, missing = registered[part], [one for one in wanted if not registered[one]]
    others = Counter(
        {one: number for one, number in registered.items() if one not in wanted}
    )
    if answer.is_usable and (own or others.total() < wanted[part]):
        text = f"PyTorch overlooks layers of `{part}`, as it does those in a plain list, tuple or dictionary:"
        _fail(
            FailureKind.SHAPE,
            f"{text} use nn.Sequential, nn.ModuleList or nn.ModuleDict.",
            "layers-unregistered",
        )
    if own:
        text = f"`{part}` has {own} learnable numbers; with weights and biases it should have {wanted[part]}."
        _fail(FailureKind.SHAPE, text)
    text = f"The block has no parameters under {_listed(missing)}: in __init__, assign each layer to its name"
    text += " in the handout, by which the grader loads known weights."
    if names := _listed(others):
        _fail(
            FailureKind.SHAPE,
            f"{text} Your block has parameters under {names}.",
            "other-attribute-names",
        )
    _fail(FailureKind.SHAPE, text)


def _fail_by_known_mistake(compare: Compare, otherwise: str, *labels: str) -> NoReturn:
    reason = compare.known_mistake(TASK)
    if reason.labels:
        _fail(FailureKind.VALUES, reason.says, *reason.labels)
    _fail(FailureKind.VALUES, otherwise, *labels)


def _fail(kind: FailureKind, text: str, *misconceptions: str) -> NoReturn:
    raise CheckFailed(Failure(kind, text, misconceptions=misconceptions, cause=text))
