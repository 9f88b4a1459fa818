"""Checks of hw10: ids, a loss and two gradients, a causal block, descent, and sampling."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from autograder.course import FunctionCall
from autograder.verdict import (
    Cases,
    Compare,
    KnownCase,
    SubmissionProxy,
    as_array,
    check,
)
from autograder.worker.wire import Array

ENCODE = "encode_names"
LOSS = "cross_entropy"
BACKWARD = "softmax_backward"
BLOCK = "causal_block"
TRAIN = "train"
SAMPLE = "sample"

FILLED = "filled"
LARGE = "large"
TOP = "top"


@check(task=ENCODE, points=1, public=True)
def test_encode_names_published(cases: Cases, compare: Compare) -> None:
    """encode_names gives the ids of the handout's two names."""
    compare(cases.published(ENCODE))


@check(task=ENCODE, points=2, public=True)
def test_encode_names_sizes(cases: Cases, compare: Compare) -> None:
    """encode_names encodes any number of names, of any length and alphabet."""
    compare(cases.other_sizes(ENCODE))
    compare.unchanged(cases.stored(ENCODE))


@check(task=LOSS, points=1, public=True)
def test_cross_entropy_published(cases: Cases, compare: Compare) -> None:
    """cross_entropy gives the handout's loss and gradient."""
    compare(cases.published(LOSS))


@check(task=LOSS, points=1, public=True)
def test_cross_entropy_sizes(cases: Cases, compare: Compare) -> None:
    """cross_entropy averages over all places, whatever the sizes."""
    compare(cases.other_sizes(LOSS))


@check(task=LOSS, points=1, requires=["cross_entropy_sizes"], public=True)
def test_cross_entropy_filled(cases: Cases, compare: Compare) -> None:
    """cross_entropy leaves out the places whose target is -1, in loss and gradient."""
    compare(cases.other_sizes(LOSS, FILLED))


@check(task=LOSS, points=1, requires=["cross_entropy_sizes"], public=True)
def test_cross_entropy_large(cases: Cases, compare: Compare) -> None:
    """cross_entropy stays right where logits are in the thousands, and leaves its arguments unchanged."""
    compare(cases.other_sizes(LOSS, LARGE))
    compare.unchanged(cases.stored(LOSS, None))


@check(task=BACKWARD, points=1, public=True)
def test_softmax_backward_published(cases: Cases, compare: Compare) -> None:
    """softmax_backward gives the handout's gradient."""
    compare(cases.published(BACKWARD))


@check(task=BACKWARD, points=1, public=True)
def test_softmax_backward_sizes(cases: Cases, compare: Compare) -> None:
    """softmax_backward is the gradient of a softmax, whatever the sizes and leading axes."""
    compare(cases.other_sizes(BACKWARD))


@check(task=BACKWARD, points=1, requires=["softmax_backward_sizes"], public=True)
def test_softmax_backward_unchanged(cases: Cases, compare: Compare) -> None:
    """softmax_backward leaves weights and gradient unchanged."""
    compare.unchanged(cases.stored(BACKWARD, None))


@check(task=BLOCK, points=1, public=True)
def test_causal_block_published(cases: Cases, compare: Compare) -> None:
    """causal_block gives the numbers of the handout's three characters."""
    compare(cases.published(BLOCK))


@check(task=BLOCK, points=1, public=True)
def test_causal_block_sizes(cases: Cases, compare: Compare) -> None:
    """causal_block attends, adds and passes on, whatever the sizes."""
    compare(cases.other_sizes(BLOCK))


@check(task=BLOCK, points=1, requires=["causal_block_sizes"], public=True)
def test_causal_block_large(cases: Cases, compare: Compare) -> None:
    """causal_block stays right where scores are in the thousands, and where they are 0."""
    compare(cases.other_sizes(BLOCK, LARGE))


@check(task=BLOCK, points=1, requires=["causal_block_sizes"], public=True)
def test_causal_block_unchanged(cases: Cases, compare: Compare) -> None:
    """causal_block leaves vectors and weights unchanged."""
    compare.unchanged(cases.stored(BLOCK, None))


@check(task=TRAIN, points=1, public=True)
def test_train_published(
    submission: SubmissionProxy, cases: Cases, compare: Compare
) -> None:
    """train gives the parameters after the two steps of the handout, by your own gradients."""
    known_cases = cases.published(TRAIN)
    judged = _by_own_gradients(submission, cases, known_cases)
    compare(judged or known_cases)


@check(task=TRAIN, points=1, public=True)
def test_train_sizes(
    submission: SubmissionProxy, cases: Cases, compare: Compare
) -> None:
    """train descends by your own gradients, batch for batch, wherever these come back."""
    known_cases = cases.other_sizes(TRAIN)
    judged = _by_own_gradients(submission, cases, known_cases)
    if not judged:
        # Own gradients may come back for the handout's sizes alone.
        published = cases.published(TRAIN)
        judged = _by_own_gradients(submission, cases, published)
    compare(judged or known_cases)


@check(task=TRAIN, points=1, requires=["train_sizes"], public=True)
def test_train_unchanged(cases: Cases, compare: Compare) -> None:
    """train returns new parameters and leaves the old ones unchanged."""
    compare.unchanged(cases.stored(TRAIN, None))


@check(task=SAMPLE, points=1, public=True)
def test_sample_published(cases: Cases, compare: Compare) -> None:
    """sample chooses the ids of the handout's four rows."""
    compare(cases.published(SAMPLE))


@check(task=SAMPLE, points=1, public=True)
def test_sample_sizes(cases: Cases, compare: Compare) -> None:
    """sample chooses by the draws, at any temperature."""
    compare(cases.other_sizes(SAMPLE))


@check(task=SAMPLE, points=1, requires=["sample_sizes"], public=True)
def test_sample_top(cases: Cases, compare: Compare) -> None:
    """sample chooses among the largest logits only, if asked to, and leaves its arguments unchanged."""
    compare(cases.other_sizes(SAMPLE, TOP))
    compare.unchanged(cases.stored(SAMPLE, None))


def _by_own_gradients(
    submission: SubmissionProxy, cases: Cases, known_cases: Sequence[KnownCase]
) -> Sequence[KnownCase]:
    """Return the cases with the parameters that descent by the submission's own gradients leads to.

    A wrong loss, block or backward pass has lost a check of its own, so neither the wrong gradients that it
    leads to nor its exceptions cost anything here: a case without gradients is left out. Wrong is also one
    that changes its arguments, for the gradients are made of them. Where all three are right, the cases stay
    as they are.
    """
    parts: list[KnownCase] = []
    for task in (LOSS, BACKWARD, BLOCK):
        parts += cases.stored(task, None)
    are_right = True
    for part in parts:
        answer = submission.answer(part)
        if answer.modified or not part.is_right(answer):
            are_right = False
    if are_right:
        return known_cases
    wrong = _wrong(submission, known_cases)
    descended = _own_descents(submission, cases, wrong)
    judged = []
    for known in known_cases:
        if known in descended:
            parameters = tuple(descended[known])
            by_own_gradients = replace(known, expected=parameters)
            judged.append(by_own_gradients)
        elif known not in wrong:
            judged.append(known)
    return judged


def _wrong(
    submission: SubmissionProxy, known_cases: Sequence[KnownCase]
) -> list[KnownCase]:
    wrong = []
    for known in known_cases:
        answer = submission.answer(known)
        if not known.is_right(answer):
            wrong.append(known)
    return wrong


def _own_descents(
    submission: SubmissionProxy, cases: Cases, wrong: Sequence[KnownCase]
) -> Mapping[KnownCase, Sequence[Array]]:
    """Descend by the submission's own gradients, a run for each step.

    The steps of all checks are made together, because a run costs as much as hundreds of calls. Where a case
    brings the process down, it must not cost the others their gradients: then these cases descend alone.
    """
    if not wrong:
        return {}
    all_cases = [*cases.published(TRAIN), *cases.other_sizes(TRAIN)]
    all_wrong = _wrong(submission, all_cases)
    descended = _descend(submission, all_wrong, "together")
    if descended is None:
        names = " ".join(known.case.id for known in wrong)
        descended = _descend(submission, wrong, names)
    return descended or {}


def _descend(
    submission: SubmissionProxy, known_cases: Sequence[KnownCase], key: str
) -> dict[KnownCase, Sequence[Array]] | None:
    """Descend in some cases at once; a case is left out where one of its gradients does not come back.

    Returns:
        The parameters after the last step, or None where no gradient of a step came back.
    """
    moved: dict[KnownCase, Sequence[Array]] = {}
    steps = 0
    for known in known_cases:
        parameters, _, _, batches, _ = known.arguments
        moved[known] = parameters
        steps = max(steps, len(batches))

    for step in range(steps):
        moving = []
        calls: list[FunctionCall] = []
        for known, parameters in moved.items():
            _, inputs, targets, batches, _ = known.arguments
            if step < len(batches):
                batch = batches[step]
                arguments = (parameters, inputs[batch], targets[batch])
                moving.append(known)
                calls.append(FunctionCall("gradients", arguments))
        if not calls:
            break
        name = f"gradients, {key}, step {step}"
        answers = submission.calls_once(name, calls)
        if not any(answer.is_usable for answer in answers):
            return None
        for known, answer in zip(moving, answers, strict=True):
            gradients = _arrays(answer.value, moved[known])
            if gradients is None:
                del moved[known]
                continue
            *_, rate = known.arguments
            moved[known] = _lower(moved[known], gradients, rate)
    return moved


def _lower(
    parameters: Sequence[Array], gradients: Sequence[Array], rate: float
) -> tuple[Array, ...]:
    """Make one step of descent."""
    lower = []
    for parameter, gradient in zip(parameters, gradients, strict=True):
        step = rate * gradient
        lower.append(parameter - step)
    return tuple(lower)


def _arrays(value: Any, like: Sequence[Array]) -> list[Array] | None:
    """Return a tuple or list as finite arrays of the shapes of others, or None where it is anything else."""
    if not isinstance(value, tuple | list):
        return None
    if len(value) != len(like):
        return None
    arrays = []
    for part, other in zip(value, like, strict=True):
        array = as_array(part, other.size)
        if array is None or array.shape != other.shape:
            return None
        if not np.isfinite(array).all():
            return None
        arrays.append(array)
    return arrays
