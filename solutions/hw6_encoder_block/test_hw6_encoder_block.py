"""Checks of hw6. Several judge a block against itself, so that a fault in one place costs its points once.

A block without activation still normalises last, and one with the wrong default sizes still gives right
values. A tuple loses the check of shapes alone, attributes of other names lose that of parameters alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple, NoReturn

import numpy as np

from autograder.sandbox.report import Answer
from autograder.verdict import (
    Cases,
    CheckFailed,
    Compare,
    Failure,
    FailureKind,
    KnownCase,
    ModuleAnswers,
    check,
    fail,
)
from autograder.verdict.explanation_faults import explaining
from autograder.verdict.fixtures import Property
from autograder.verdict.for_checks.modules import (
    NOT_LOADED,
    Shapes,
    finite_output,
    layers_of,
    module_call,
    numbers_by_part,
    output_of_shape,
    part_of,
)
from autograder.worker.wire import Array, Tensor

TASK = "SimpleEncoderBlock"

# The topics of the cases.
SHAPE = "shape"
WIDTH = "width"
SPREAD = "spread"
INFLUENCE = "influence"
GRADIENTS = "gradients"
SIZES_BY_DEFAULT = "defaults"

LAYERS = {
    "self_attn": "of `nn.MultiheadAttention(embed_dim, num_heads)`",
    "ff": "of two `nn.Linear`, embed_dim to ff_dim and back",
    "norm1": "of `nn.LayerNorm(embed_dim)`",
    "norm2": "of `nn.LayerNorm(embed_dim)`",
}
"""The block's parts, and what each of them holds."""
LEAK = 1e-3
"""Far above rounding, far below what another token does to an output."""
NEARLY_ONE = 0.1
"""How far from 1 the variance of a normalised token may be."""
NEARLY_RIGHT = "nearly-right"
DROPOUT = "dropout-at-eval"
NORM_REUSED = "norm-reused"
KEEPS_STATE = "differs-from-call-to-call"
SOMETHING_KEPT = (
    "A block that was called before gives another output than a new one with the same weights. Does it keep "
    "something from one call to the next, in an attribute such as `self.cache` or in a list? Compute everything "
    "from `x` anew."
)
OTHER_SEQUENCES_OTHERWISE = (
    "Equal sequences of a batch get different outputs, and each call gives the same ones again, so no dropout is "
    "at work. Is a sequence left out, as by a loop that ends too early, or do the sequences of a batch mix?"
)
ONE_NORM = (
    "`norm1` and `norm2` are one and the same object, so that both places share one gain and bias. Make a second "
    "`nn.LayerNorm` for `norm2`."
)
NORM_EPSILON = "norm-epsilon"
EPSILON = 1e-5
OTHER_EPSILONS = (1.0, 0.1, 0.01, 0.001, 0.0001)
"""The handout's epsilon, and those that are looked for where another is used."""
ABOUT_THE_EPSILON = 0.02
"""How far an output may be from that with the handout's epsilon: 1e-6 is half a per cent away, 1e-4 four."""
SAME_EPSILON = 1e-3
"""Far above rounding, far below what one of these epsilons does in place of another."""
REGION_WRONG = "region-wrong"
FIRST_FOR_ALL = "first-item-for-all"
MOST_NAMES, LONGEST_NAME = 8, 40
"""How many of a block's own attributes are told, and how much of each."""


@check(task=TASK, points=1, public=True)
def test_encoder_block_shapes(cases: Cases, compare: Compare) -> None:
    """The output has the shape of the input: (32, 10, 64), (32, 10, 128), and a single token's."""
    block = ModuleAnswers(compare)
    has_wrong_values = False
    published = cases.published(TASK)
    single_tokens = cases.stored(TASK, SHAPE)
    for known in (*published, *single_tokens):
        failure = block.judge(known)
        if failure is None:
            continue
        if failure.kind is FailureKind.SHAPE and known.case.topic == SHAPE:
            compare.raise_if_failed({known: failure})  # a lost axis has a reason
        if failure.kind is not FailureKind.VALUES:
            raise CheckFailed(failure)
        has_wrong_values = True
    if has_wrong_values:
        _fail_where_nothing_is_computed(cases, block)


@check(task=TASK, points=2, public=True)
def test_encoder_block_parameters(cases: Cases, compare: Compare) -> None:
    """self_attn, ff, norm1 and norm2 are registered with all their parameters."""
    block = ModuleAnswers(compare)
    known, _ = cases.published(TASK)
    registered_shapes = block.registered(known)
    handout_shapes = _handout_shapes(known)
    registered = numbers_by_part(registered_shapes)
    expected = numbers_by_part(handout_shapes)
    for part in expected - registered:
        _fail_part(part, expected, block, known)


@check(task=TASK, points=1)
def test_encoder_block_defaults(cases: Cases, compare: Compare) -> None:
    """SimpleEncoderBlock() is the block with embed_dim 64, 4 heads and ff_dim 256."""
    (default,) = cases.fresh(TASK, SIZES_BY_DEFAULT)
    spelled_out, _ = _twice_and_changed(cases)
    block = ModuleAnswers(compare)
    failure = compare.judge(default)
    if failure is None:
        return

    # Faults that other sizes have as well lose other checks.
    _fail_where_nothing_is_computed(cases, block)
    error = compare.submission.answer(default).error
    if error is not None and error.type != NOT_LOADED:
        raise CheckFailed(failure)
    is_alike = block.has_loaded(default) == block.has_loaded(spelled_out)
    if is_alike:
        default_output = block.output(default)
        output = block.output(spelled_out)
        is_alike = _same(default_output, output)
    if not is_alike:
        text = "`SimpleEncoderBlock()` differs from `SimpleEncoderBlock(64, 4, 256)`: look at the defaults."
        failure = replace(
            failure.reworded(text),
            kind=FailureKind.VALUES,
            misconceptions=("wrong-defaults",),
        )
        raise CheckFailed(failure)


@check(task=TASK, points=1, public=True)
def test_encoder_block_width(cases: Cases, compare: Compare) -> None:
    """ff has ff_dim hidden units, whatever embed_dim is."""
    block = ModuleAnswers(compare)
    for known in cases.stored(TASK, WIDTH):
        registered = block.registered(known)
        failure = compare.judge(known)
        has_loaded = block.has_loaded(known)
        parts = set(map(part_of, registered))
        has_ff = "ff" in parts

        # Without `ff`, look for its layers in attributes of other names.
        places = ["ff"]
        if not has_ff:
            places = sorted(parts - set(LAYERS))
        sizes: set[int] = set()
        for name, shape in registered.items():
            if part_of(name) in places:
                sizes.update(shape)
        ff_dim = module_call(known).args[-1]
        is_there = has_ff or ("self_attn" in parts and not has_loaded)
        if is_there and sizes and ff_dim not in sizes:
            text = f"No layer in {_listed(places)} has `ff_dim` units: take their number from the constructor."
            fail(text, "wrong-ffn-width", kind=FailureKind.SHAPE)
        if failure is not None and not has_ff:
            if not has_loaded:
                raise CheckFailed(failure)
            _fail_where_nothing_is_computed(cases, block)


@check(task=TASK, points=2, public=True)
def test_encoder_block_influence(cases: Cases, compare: Compare) -> None:
    """Each token sees the tokens of its own sequence and nothing of the batch's other sequences."""
    block = ModuleAnswers(compare)
    twice, changed = _twice_and_changed(cases)
    before = block.output(twice)
    after = block.output(changed)
    # Only the last token of the first sequence has changed.
    differences = np.abs(after - before)
    of_first_sequence, of_other_sequence = differences.max(axis=-1)
    of_own_tokens = of_first_sequence[:-1]
    own_tokens_see_it = of_own_tokens.min() > LEAK
    other_sequence_sees_it = not of_other_sequence.max() <= LEAK
    if other_sequence_sees_it and not own_tokens_see_it:
        text = (
            "A change of one token shows in the outputs of the batch's other sequences, and not in all those of "
            "its own: do tokens and sequences change places, in attention or in a `reshape` around it?"
        )
        _fail_by_known_mistake(compare, text)
    if other_sequence_sees_it:
        remark = _of_sequences_that_mix(block)
        fail(remark.text, *remark.labels)
    if of_own_tokens.max() <= LEAK:
        text = (
            "A change of one token does not reach the outputs of its sequence's other tokens: is what `self_attn` "
            "returns used, or does a later line begin with `x` again?"
        )
        _fail_by_known_mistake(compare, text)
    if not own_tokens_see_it:
        text = (
            "A change of one token reaches the outputs of some of its sequence's other tokens, and not of all: are "
            "some hidden by a mask, or are scores so large that a token attends to a single one?"
        )
        _fail_by_known_mistake(compare, text)


@check(
    task=TASK,
    points=1,
    requires=["encoder_block_influence"],
    public=True,
)
def test_encoder_block_repeatable(cases: Cases, compare: Compare) -> None:
    """In evaluation mode, equal sequences of a batch have equal outputs, and so have equal calls of a block."""
    block = ModuleAnswers(compare)
    twice, _ = _twice_and_changed(cases)
    output = block.output(twice)
    _fail_where_equal_sequences_differ(block, output)
    _fail_where_something_is_kept(block, twice)


@check(task=TASK, points=2, public=True)
def test_encoder_block_post_norm(cases: Cases, compare: Compare) -> None:
    """The last step is norm2: each output token is normalised, then scaled and shifted by norm2."""
    block = ModuleAnswers(compare)
    twice, _ = _twice_and_changed(cases)
    normalised = block.output(twice)
    if block.has_loaded(twice):  # otherwise norm2 is as LayerNorm initialises it
        parameters = module_call(twice).parameters
        gain = parameters["norm2.weight"].array
        bias = parameters["norm2.bias"].array
        normalised = (normalised - bias) / gain
    means = normalised.mean(axis=-1)
    variances = normalised.var(axis=-1)
    has_mean_0 = np.abs(means).max() <= LEAK
    # A norm of one's own may divide by n - 1: that is a fault of values, and equal for all tokens.
    are_equal = np.ptp(variances) <= LEAK
    distance = np.abs(variances.mean() - 1)
    has_variance_1 = are_equal and distance <= NEARLY_ONE
    if has_mean_0 and has_variance_1:
        return
    # With a large epsilon the variance is less than 1, and differs from token to token.
    if _of_epsilon(block) is None:
        _fail_where_equal_sequences_differ(block, normalised)
        text = "Without norm2's gain and bias, the output's tokens do not have mean 0 and variance 1: "
        text += "the last step should be norm2 of a residual sum."
        _fail_by_known_mistake(compare, text)


@check(task=TASK, points=2, public=True)
def test_encoder_block_64(cases: Cases, compare: Compare) -> None:
    """A batch of shape (32, 10, 64) has the right output with 4 heads and 256 hidden units."""
    batch_of_64, _ = cases.published(TASK)
    _compare(compare, [batch_of_64])


@check(task=TASK, points=2, public=True)
def test_encoder_block_128(cases: Cases, compare: Compare) -> None:
    """A batch of shape (32, 10, 128) has the right output with 8 heads and 512 hidden units."""
    _, batch_of_128 = cases.published(TASK)
    _compare(compare, [batch_of_128])


@check(task=TASK, points=2, public=True)
def test_encoder_block_sizes(cases: Cases, compare: Compare) -> None:
    """The output is right for any batch, number of tokens, embed_dim and number of heads."""
    _compare(compare, cases.other_sizes(TASK))


@check(task=TASK, points=1, public=True)
def test_encoder_block_epsilon(cases: Cases, compare: Compare) -> None:
    """Tokens whose numbers are equal or lie close together are normalised with an epsilon of 0.00001 or less."""
    block = ModuleAnswers(compare)
    for known in cases.stored(TASK, SPREAD):
        compare.usable_answer(known)
    outputs = _outputs_of_norms(block)
    if outputs and all(output.is_right() for output in outputs):
        return
    with explaining("which epsilon the norms add", CheckFailed):
        remark = _of_epsilon(block)
        if remark is not None:
            fail(remark.text, *remark.labels)
    twice, _ = _twice_and_changed(cases)
    _fail_where_equal_sequences_differ(block, block.output(twice))
    text = "Where attention and the network return 0, the output is not that of norm1 and norm2 in a row."
    _fail_by_known_mistake(compare, text)


@check(
    task=TASK,
    points=1,
    requires=["encoder_block_influence"],
    public=True,
)
def test_encoder_block_unchanged(cases: Cases, compare: Compare) -> None:
    """The block returns a new tensor and leaves its input unchanged."""
    published = cases.published(TASK)
    compare.unchanged([*published, *_twice_and_changed(cases)])


@check(
    task=TASK,
    points=2,
    requires=["encoder_block_unchanged", "encoder_block_sizes"],
    public=True,
)
def test_encoder_block_gradients(cases: Cases, compare: Compare) -> None:
    """Gradients reach the input and every parameter of the block."""
    of_the_output = _of_the_output(compare)
    of_the_output.gradients(cases.stored(TASK, GRADIENTS))


def _twice_and_changed(cases: Cases) -> tuple[KnownCase, KnownCase]:
    """Return the case with one sequence twice, and that with the first one's last token exchanged.

    In grading they are fresh; students have the public ones alone.
    """
    # A fresh case takes the place of the public one with its label.
    by_label = {}
    for known in cases.other_sizes(TASK, INFLUENCE):
        by_label[known.case.label] = known
    return by_label["twice"], by_label["changed"]


def _handout_shapes(known: KnownCase) -> Shapes:
    """Return the shapes of the parameters that a case gives the block: the handout's."""
    parameters = module_call(known).parameters
    return {name: tensor.array.shape for name, tensor in parameters.items()}


# Values


def _of_the_output(compare: Compare) -> Compare:
    """Return the comparison that judges an output in a tuple as if it came alone.

    The check ``encoder_block_shapes`` already costs the point for a tuple.
    """
    return compare.with_answers(compare.submission.answers)


def _compare(compare: Compare, cases: Sequence[KnownCase]) -> None:
    """Compare outputs, also within a tuple, and say of an unknown fault what is odd about the layers."""
    of_the_output = _of_the_output(compare)
    try:
        of_the_output(cases)
    except CheckFailed as failed:
        failure = failed.failure
        remark = NO_REMARK
        with explaining("what is odd about the layers", CheckFailed):
            if _may_be_loaded_swapped(compare, failure):
                # The grader itself may have swapped queries and keys, so look for another cause without
                # that label. If there is none, the failure is raised with it below.
                plain_failure = _first_failure(of_the_output, cases)
                failure = replace(plain_failure, staff=failure.staff)
            is_of_values = failure.kind in (
                FailureKind.VALUES,
                FailureKind.SHAPE,
                FailureKind.NOT_FINITE,
            )
            block = ModuleAnswers(compare)
            if is_of_values and not failure.misconceptions:
                remark = _remark(block)
            if failure.misconceptions == (REGION_WRONG,):
                remark = _of_first_sequence(block) or NO_REMARK
            if failure.misconceptions == (NORM_REUSED,):
                remark = _of_one_norm(block) or NO_REMARK
            if failure.misconceptions == (NEARLY_RIGHT,):
                remark = _of_epsilon(block) or NO_REMARK
            if (
                remark.text and failure.misconceptions
            ):  # the remark is the better reason
                with_facts_only = replace(of_the_output, explain=None)
                failure = _first_failure(with_facts_only, cases)
        if not remark.text:
            raise
        if failure.cause:  # a reason, with facts in parentheses
            failure = failure.reworded(f"{remark.text} {failure.student}")
        else:
            failure = failure.explained_by(remark.text)
        failure = replace(failure, cause=remark.text, misconceptions=remark.labels)
        raise CheckFailed(failure) from failed


def _may_be_loaded_swapped(compare: Compare, failure: Failure) -> bool:
    """Whether the grader, and not the student, may have swapped queries and keys.

    A projection of one's own may hold the keys first, and is then loaded the wrong way round.
    """
    known, _ = compare.cases.published(TASK)
    registered = layers_of(compare.submission.answer(known).parameters)
    is_torch_layer = layers_of(_handout_shapes(known), "self_attn") <= registered
    return failure.misconceptions == ("query-key-swapped",) and not is_torch_layer


def _first_failure(compare: Compare, cases: Sequence[KnownCase]) -> Failure:
    for known in cases:
        failure = compare.judge(known)
        if failure is not None:
            return failure
    raise LookupError("one of these cases has failed before")


# What is odd about the layers


class Remark(NamedTuple):
    """What is odd about the layers of a block with wrong values, and the name of the mistake if it has one."""

    text: str
    labels: tuple[str, ...] = ()


NO_REMARK = Remark("")


class Evidence(NamedTuple):
    """What remarks are made from: the block, a published case, and the answer that traces what it uses."""

    block: ModuleAnswers
    known: KnownCase
    trace: Answer

    @property
    def gradients(self) -> Mapping[str, object]:
        gradients = self.trace.gradients
        if isinstance(gradients, dict):
            return gradients
        return {}


def _remark(block: ModuleAnswers) -> Remark:
    """Return the first remark that holds, the most telling first."""
    known, _ = block.compare.cases.published(TASK)
    evidence = Evidence(block, known, block.trace(known))
    for look in REMARKS:
        remark = look(evidence)
        if remark is not None:
            return remark
    return NO_REMARK


def _equal_sequences_differ(evidence: Evidence) -> Remark | None:
    shape = module_call(evidence.known).input.array.shape
    output = finite_output(evidence.trace.value, shape)
    if output is None:
        return None
    first, second, *_ = output
    if _same(first, second):
        return None
    return _of_difference(evidence.block)


def _epsilon_is_another(evidence: Evidence) -> Remark | None:
    return _of_epsilon(evidence.block)


def _parts_are_unused(evidence: Evidence) -> Remark | None:
    gradients = evidence.gradients
    if not gradients:
        return None
    used = set()
    for name in _handout_shapes(evidence.known):
        if gradients.get(name) is not False:
            used.add(part_of(name))
    unused_parts = []
    for part in LAYERS:
        if part not in used:
            unused_parts.append(part)
    unused = _listed(unused_parts)
    if not unused:
        # Single parameters of layers that are used: their names are the handout's.
        names = []
        for name, gradient in gradients.items():
            if gradient is False:
                names.append(f"`{name}`")
        unused = ", ".join(names)
    if not unused:
        return None
    return Remark(
        f"The output does not depend on {unused}: does `forward` use what is computed there?"
    )


def _further_layers_are_used(evidence: Evidence) -> Remark | None:
    """A layer under a second name is none: it has the gradient of the first, or part of its rows."""
    rows: dict[str, bytes] = {}
    for name, gradient in evidence.gradients.items():
        if isinstance(gradient, Tensor):
            rows[name] = gradient.array.tobytes()
    handout_rows = []
    for name in _handout_shapes(evidence.known):
        if name in rows:
            handout_rows.append(rows[name])

    # Names are quoted as they came with a public case: nothing hidden can be in them.
    public_names = evidence.block.submission.answer(evidence.known).parameters
    further_parts: dict[str, None] = {}
    for name, row in rows.items():
        part = part_of(name)
        if name not in public_names or part in LAYERS:
            continue
        is_renamed = any(row in handout_row for handout_row in handout_rows)
        if not is_renamed:
            further_parts[part] = None
    further = _listed(further_parts)
    if not further:
        return None
    return Remark(
        f"`forward` uses layers that the handout's block does not have: {further}."
    )


def _parts_hold_too_much(evidence: Evidence) -> Remark | None:
    """In each published case that loads, the part holds more numbers than the handout's."""
    surpluses = []
    for known in evidence.block.compare.cases.published(TASK):
        registered = evidence.block.submission.answer(known).parameters
        if registered:
            handout_shapes = _handout_shapes(known)
            expected = numbers_by_part(handout_shapes)
            surplus = numbers_by_part(registered) - expected
            surpluses.append(surplus)
    if not surpluses:
        return None
    parts = []
    for part in LAYERS:
        if all(surplus[part] for surplus in surpluses):
            parts.append(part)
    listed = _listed(parts)
    if not listed:
        return None
    return Remark(
        f"{listed} holds more weights than the handout's: is a layer too wide, or one too many?"
    )


def _layers_are_others(evidence: Evidence) -> Remark | None:
    expected = _handout_shapes(evidence.known)
    registered = evidence.trace.parameters
    registered_numbers = numbers_by_part(registered)
    for part, number in numbers_by_part(expected).items():
        if registered_numbers[part] != number:
            return None  # another size says nothing about its kind
    kinds = []
    for part, layers in LAYERS.items():
        if not layers_of(expected, part) <= layers_of(registered, part):
            kinds.append(f"`{part}` does not hold the weights and biases {layers}")
    if not kinds:
        return None
    text = f"The grader loads known weights into the handout's layers, but {'; '.join(kinds)}. Use these layers"
    return Remark(f"{text} of PyTorch, with their biases and sizes.")


REMARKS: Sequence[Callable[[Evidence], Remark | None]] = (
    _equal_sequences_differ,
    _epsilon_is_another,
    _parts_are_unused,
    _further_layers_are_used,
    _parts_hold_too_much,
    _layers_are_others,
)


def _of_one_norm(block: ModuleAnswers) -> Remark | None:
    """Say that `norm1` and `norm2` are one object: the gradients of both are then those of one gain."""
    known, _ = block.compare.cases.published(TASK)
    gradients = Evidence(block, known, block.trace(known)).gradients
    first = gradients.get("norm1.weight")
    second = gradients.get("norm2.weight")
    if not isinstance(first, Tensor) or not isinstance(second, Tensor):
        return None
    if not np.array_equal(first.array, second.array):
        return None
    return Remark(ONE_NORM, (NORM_REUSED,))


# A block against itself


def _fail_where_nothing_is_computed(cases: Cases, block: ModuleAnswers) -> None:
    """Fail a block that looks at no input, or returns it: its wrong output would still have shape and sizes."""
    known, _ = cases.published(TASK)
    x = module_call(known).input.array
    output = block.output(known)
    other_output = block.output_for(known, "all reversed", np.flip(x))
    if np.array_equal(output, x):
        text = "The block returns its input x as it was. Return what `forward` computes from it."
        fail(text, "returns-argument")
    if other_output is not None and np.array_equal(output, other_output):
        fail(
            "The output is the same whatever goes in: forward has to apply the layers to x."
        )


def _fail_where_equal_sequences_differ(block: ModuleAnswers, output: Array) -> None:
    first, second, *_ = output
    if not _same(first, second):
        remark = _of_difference(block)
        text = remark.text
        if DROPOUT in remark.labels:
            text = f"{text} {_line_of_dropout(block.compare)}".rstrip()
        fail(text, *remark.labels)


def _fail_where_something_is_kept(block: ModuleAnswers, known: KnownCase) -> None:
    """Fail a block whose output depends on earlier calls.

    It is called with an input that is new to it after two other calls, and a new block with the same input. A block
    that changes its input loses another check.
    """
    if block.answer(known).modified:
        return
    x = module_call(known).input.array
    reversed_x = np.flip(x)
    in_a_row = np.concatenate([x, reversed_x], axis=1)
    of_reversed, later_outputs = block.fresh_and_later_outputs(
        known, "reversed, and in a row", reversed_x, in_a_row
    )
    if of_reversed is not None and later_outputs:
        _, of_reversed_later = later_outputs
        if not _same(of_reversed, of_reversed_later):
            fail(SOMETHING_KEPT, KEEPS_STATE)


def _of_difference(block: ModuleAnswers) -> Remark:
    """Say of equal sequences with different outputs what may be the cause.

    Dropout is proved where no sequences mix, and a second call with the same input gives another output.
    """
    why = "is dropout still on, or do the sequences of a batch mix?"
    text = f"In evaluation mode equal sequences get different outputs: {why}"
    known, _ = block.compare.cases.published(TASK)
    with explaining("whether dropout is still on", CheckFailed):
        output = block.output(known)
        x = module_call(known).input.array.copy()
        in_a_row = np.concatenate([x, x], axis=1)
        again = block.later_outputs(known, "twice", in_a_row)
        if again and _same(again[0], again[1]):
            return Remark(OTHER_SEQUENCES_OTHERWISE)
        x[0] = np.flip(x[0])
        other_output = block.output_for(known, "first reversed", x)
        if other_output is not None:
            others_before = output[1:]
            others_after = other_output[1:]
            if _same(others_before, others_after):
                return Remark(text, (DROPOUT,))
    return Remark(text)


def _line_of_dropout(compare: Compare) -> str:
    """Say with which change of the student's own code no dropout is left; nothing where none is found."""
    known, *_ = compare.cases.stored(TASK, INFLUENCE)
    wanted = Property(
        name="no dropout in evaluation",
        small_call=module_call(known),
        fits=known.is_right,
        calls=[known.case.call],
        has_all=lambda answers: False,  # the other checks are not looked at
        has_own=lambda answers: known.is_right(answers[0]),
    )
    return compare.one_change(wanted)


def _of_sequences_that_mix(block: ModuleAnswers) -> Remark:
    """Say of a batch whose sequences influence one another which one influences which."""
    text = (
        "A change in one sequence of the batch changes the output of another sequence."
    )
    with explaining("which sequence influences which", CheckFailed):
        remark = _of_first_sequence(block)
        if remark is not None:
            return remark
        reached_by_first = _sequences_reached(block, 0)
        reached_by_second = _sequences_reached(block, 1)
        if len(reached_by_first) and len(reached_by_second):
            examples = f"the first one that of sequence {reached_by_first[0] + 1}, "
            examples += f"the second one that of sequence {reached_by_second[0] + 1}"
            return Remark(f"{text} (In a batch of 32, {examples}.)")
    return Remark(text)


def _of_first_sequence(block: ModuleAnswers) -> Remark | None:
    """Say that the first sequence's result stands for all of the batch, where that is so."""
    known, _ = block.compare.cases.published(TASK)
    number, *_ = module_call(known).input.array.shape
    reached_by_first = _sequences_reached(block, 0)
    reached_by_second = _sequences_reached(block, 1)
    if len(reached_by_first) < number - 1 or len(reached_by_second):
        return None
    text = "A change in the first sequence of the batch changes the outputs of all others, and a change in another "
    text += "one reaches its own output alone: is the first sequence's result used for all, as by an index `[0]`?"
    return Remark(text, (FIRST_FOR_ALL,))


def _sequences_reached(block: ModuleAnswers, changed: int) -> Array:
    """Return the indices of the other sequences whose outputs change with one sequence of a published batch."""
    known, _ = block.compare.cases.published(TASK)
    output = block.output(known)
    x = module_call(known).input.array.copy()
    x[changed] = np.flip(x[changed])
    other_output = block.output_for(known, f"sequence {changed} reversed", x)
    if other_output is None:
        return np.array([], dtype=int)
    differences = np.abs(other_output - output)
    change = differences.max(axis=(1, 2))
    change[changed] = 0
    return np.flatnonzero(change > LEAK)


def _same(output: Array, other: Array) -> bool:
    differences = np.abs(output - other)
    return bool(differences.max() <= LEAK)


# Epsilon


class OutputOfNorms(NamedTuple):
    """The output in a case where attention and network return 0, so that it is that of two norms in a row.

    Attributes:
        known: the case.
        output: the output, also where it is not finite; None where it has another shape.
    """

    known: KnownCase
    output: Array | None

    def distances(self, epsilon: float) -> Array:
        """Return how far each number is from that of norms with an epsilon, relative to the largest of these."""
        right_output = _two_norms(self.known, epsilon)
        if self.output is None:
            return np.full(right_output.shape, np.inf)
        largest = np.abs(right_output).max()
        distances = np.abs(self.output - right_output) / largest
        return np.where(np.isfinite(distances), distances, np.inf)

    def has_epsilon(self, epsilon: float, tolerance: float) -> bool:
        """Return whether the output is that of norms with an epsilon."""
        return bool(self.distances(epsilon).max() <= tolerance)

    def is_right(self) -> bool:
        """Return whether the output is that of norms with about the handout's epsilon."""
        return self.has_epsilon(EPSILON, ABOUT_THE_EPSILON)

    def divides_by_zero(self) -> bool:
        """Return whether the output is right but for tokens of equal numbers, where it is not finite."""
        x = module_call(self.known).input.array
        have_equal_numbers = np.ptp(x, axis=-1) == 0
        distances = self.distances(EPSILON).max(axis=-1)
        are_right = distances <= ABOUT_THE_EPSILON
        are_infinite = np.isinf(distances)
        infinite_there = are_infinite == have_equal_numbers
        right_elsewhere = are_right != have_equal_numbers
        return bool(infinite_there.all() and right_elsewhere.all())


def _two_norms(known: KnownCase, epsilon: float) -> Array:
    """Return what norm1 and norm2 in a row make of a case's input."""
    call = module_call(known)
    tokens = call.input.array.astype(np.float64)
    for norm in ("norm1", "norm2"):
        gain = call.parameters[f"{norm}.weight"].array
        bias = call.parameters[f"{norm}.bias"].array
        mean = tokens.mean(axis=-1, keepdims=True)
        centred = tokens - mean
        squares = np.square(centred)
        variance = squares.mean(axis=-1, keepdims=True)
        normalised = centred / np.sqrt(variance + epsilon)
        tokens = normalised * gain + bias
    return tokens


def _outputs_of_norms(block: ModuleAnswers) -> list[OutputOfNorms]:
    """Return the outputs in all cases that show the epsilon; none where the block has not taken its parameters."""
    outputs = []
    for known in block.compare.cases.stored(TASK, SPREAD):
        if not block.has_loaded(known):
            return []
        shape = module_call(known).input.array.shape
        output = output_of_shape(block.answer(known).value, shape)
        outputs.append(OutputOfNorms(known, output))
    return outputs


def _of_epsilon(block: ModuleAnswers) -> Remark | None:
    """Say which other epsilon the norms add, if it is one of those that are often taken."""
    outputs = _outputs_of_norms(block)
    if not outputs:
        return None
    handout = "The handout's epsilon is 0.00001, PyTorch's default."
    if all(output.divides_by_zero() for output in outputs):
        text = "Your norms divide by 0 where all numbers of a token are equal: add an epsilon below the root."
        return Remark(f"{text} {handout}", (NORM_EPSILON,))
    for epsilon in OTHER_EPSILONS:
        if all(output.has_epsilon(epsilon, SAME_EPSILON) for output in outputs):
            text = f"Your norms add an epsilon of {epsilon:g} to the variance, which makes tokens smaller "
            text += f"whose numbers lie close together. {handout}"
            return Remark(text, (NORM_EPSILON,))
    return None


# Parts with too few parameters


def _fail_part(
    part: str, expected: Counter[str], block: ModuleAnswers, known: KnownCase
) -> NoReturn:
    """Say why an attribute has too few numbers; where a further run cannot tell, that it has."""
    with explaining(f"why {part} has too few parameters", CheckFailed):
        _explain_part(part, expected, block, known)
    text = f"`{part}` has too few learnable numbers; it should have {expected[part]}."
    fail(text, kind=FailureKind.SHAPE)


def _explain_part(
    part: str, expected: Counter[str], block: ModuleAnswers, known: KnownCase
) -> NoReturn:
    # Names and numbers are quoted as they came with a public case: nothing hidden can be in them.
    answer = block.submission.answer(known)
    registered = numbers_by_part(answer.parameters or answer.unloaded)
    number = registered[part]
    missing = []
    for name in expected:
        if not registered[name]:
            missing.append(name)
    others = Counter(registered)
    for name in expected:
        del others[name]

    # The block works with all parameters, but torch does not know of these.
    in_no_other_place = others.total() < expected[part]
    if answer.is_usable and (number or in_no_other_place):
        text = f"PyTorch overlooks layers of `{part}`, as it does those in a plain list, tuple or dictionary: "
        text += "use nn.Sequential, nn.ModuleList or nn.ModuleDict."
        fail(text, "layers-unregistered", kind=FailureKind.SHAPE)
    if number:
        text = f"`{part}` has {number} learnable numbers; with weights and biases it should have {expected[part]}."
        fail(text, kind=FailureKind.SHAPE)
    text = f"The block has no parameters under {_listed(missing)}: in __init__, assign each layer to its name"
    text += " in the handout, by which the grader loads known weights."
    other_names = _listed(others)
    if other_names:
        text += f" Your block has parameters under {other_names}."
        fail(text, "other-attribute-names", kind=FailureKind.SHAPE)
    if any(name.startswith("norm") for name in missing):
        text += " A LayerNorm has them by default, "
        text += "and not with `elementwise_affine=False`."
    fail(text, kind=FailureKind.SHAPE)


def _listed(names: Iterable[str]) -> str:
    """Return names of attributes as far as they are told."""
    listed = []
    for name in names:
        if name.isidentifier():
            shown = name[:LONGEST_NAME]
            listed.append(f"`{shown}`")
    return ", ".join(listed[:MOST_NAMES])


def _fail_by_known_mistake(compare: Compare, otherwise: str, *labels: str) -> NoReturn:
    """Fail with the known mistake that gives these answers; where none does, with a text and its labels."""
    reason = compare.known_mistake(TASK)
    if reason.labels == (NORM_REUSED,):
        with explaining("whether both norms are one object", CheckFailed):
            remark = _of_one_norm(ModuleAnswers(compare))
            if remark is not None:
                fail(remark.text, *remark.labels)
    if reason.labels:
        fail(reason.says, *reason.labels)
    fail(otherwise, *labels)
