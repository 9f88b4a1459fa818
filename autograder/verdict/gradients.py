"""Gradients of an answer: which are missing or wrong, and which arguments a call has changed in place.

Both name parameters as the student does. To find these names may cost a run, so they are asked for only where
something is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from autograder.course.calls import FunctionCall, ModuleCall, ObjectCall
from autograder.language import say
from autograder.sandbox.report import Answer
from autograder.verdict.comparison import compare_case
from autograder.verdict.failure import Failure, FailureKind
from autograder.verdict.known import KnownCase
from autograder.worker.wire import Tensor

CUTS_GRADIENTS = (
    "`.detach()`, `.data`, `.item()`, `.numpy()`, `float(…)`, `torch.no_grad()`, "
    "or a new `torch.tensor` or `nn.Parameter`"
)
CHANGES_IN_PLACE = (
    "in place, as `x -= …` or `x[...] = …` does: "
    "the caller's array must stay unchanged."
)
CHANGES_A_TENSOR_IN_PLACE = (
    "in place, as `x -= …` or `x[...] = …` does: "
    "the caller's tensor must stay unchanged."
)
CHANGES_A_LIST_IN_PLACE = (
    "in place, as `.append(…)`, `.sort()` or `items[i] = …` does: "
    "the caller's list must stay unchanged."
)
CHANGES_A_VALUE_IN_PLACE = "in place: the caller's value must stay unchanged."
AskParameters = Callable[[], Sequence[str]]
"""Returns the names of the parameters of the called function, or none where they cannot be found out."""


# Gradients


def judge_gradients(
    known: KnownCase, answer: Answer, ask_parameters: AskParameters
) -> Failure | None:
    """Return which gradients of an answer are missing or wrong, or None.

    Raises:
        LookupError: the case expects no gradients.
    """
    expected = known.expected_gradients
    if not expected:
        raise LookupError(
            f"no gradients are stored for {known.case.id}; give its call a cotangent"
        )

    # A gradient that is missing comes before one that is wrong.
    gradients = {}
    if isinstance(answer.gradients, dict):
        gradients = answer.gradients
    arriving_keys: list[str] = []
    cut_keys: list[str] = []
    for key in expected:
        gradient = gradients.get(key)
        if isinstance(gradient, np.ndarray | Tensor):
            arriving_keys.append(key)
        elif gradient is False and not cut_keys:
            missing = name_missing([key], ask_parameters())
            text = say("{missing} the output does not depend on it.", missing=missing)
            return Failure(FailureKind.GRADIENT, text)
        elif gradient is not False:
            cut_keys.append(key)
    if cut_keys:
        return _cut_off(cut_keys, arriving_keys, ask_parameters())
    for key, expected_gradient in expected.items():
        gradient_case = replace(known, expected=expected_gradient)
        if compare_case(gradient_case, gradients[key]) is not None:
            name = name_gradient(key, ask_parameters())
            return compare_case(gradient_case, gradients[key], [name])
    return None


def _cut_off(
    cut_keys: Sequence[str], arriving_keys: Sequence[str], parameters: Sequence[str]
) -> Failure:
    ending = say("from it") if len(cut_keys) == 1 else say("from them")
    text = say(
        "{missing} something on the way cuts the computation off {ending} ({examples}).",
        missing=name_missing(cut_keys, parameters),
        ending=ending,
        examples=say(CUTS_GRADIENTS),
    )
    if arriving_keys:
        text += " " + say(
            "A gradient does arrive at {arriving}: look at what comes in elsewhere.",
            arriving=list_parameters(arriving_keys, parameters),
        )
    return Failure(FailureKind.GRADIENT, text, misconceptions=("gradient-cut",))


def name_missing(keys: Sequence[str], parameters: Sequence[str]) -> str:
    """Say which gradients are missing."""
    if len(keys) == 1:
        gradient = name_gradient(keys[0], parameters)
        return say("The {gradient} is missing:", gradient=gradient)
    names = list_parameters(keys, parameters)
    return say("The gradients of {names} are missing:", names=names)


def name_gradient(key: str, parameters: Sequence[str]) -> str:
    """Name a gradient by the student's name of the parameter."""
    name = name_parameter(key, parameters)
    return say("gradient of {parameter_name}", parameter_name=name)


def list_parameters(keys: Sequence[str], parameters: Sequence[str]) -> str:
    """Name some parameters, as "`W_q`, `W_k` and `W_v`"."""
    *first_names, last_name = [name_parameter(key, parameters) for key in keys]
    if not first_names:
        return last_name
    return f"{', '.join(first_names)} {say('and')} {last_name}"


def name_parameter(key: str, parameters: Sequence[str]) -> str:
    """Return the student's name of a parameter, or its key if the name is unknown."""
    if key.isdigit() and int(key) < len(parameters):
        return f"`{parameters[int(key)]}`"
    return f"`{key}`"


# Arguments changed in place


def judge_unchanged(
    known: KnownCase, answer: Answer, ask_parameters: AskParameters
) -> Failure | None:
    """Return which arguments a call has changed, or None."""
    if not answer.modified:
        return None
    call = known.case.call
    assert isinstance(call, FunctionCall | ModuleCall | ObjectCall), known.case.id
    names = []
    if isinstance(call, ObjectCall):
        for index in answer.modified:
            names.append(call.name_of_input(index))
        arguments = ", ".join(names)
    else:
        parameters = ask_parameters()
        if isinstance(call, ModuleCall):
            parameters = parameters or ("input",)
        for index in answer.modified:
            names.append(name_parameter(str(index), parameters))
        arguments = say("its argument {names}", names=", ".join(names))
    inputs: Sequence[Any] = call.inputs
    if isinstance(call, ModuleCall):
        inputs = [call.input]
    remedy = say(_change_in_place([inputs[index] for index in answer.modified]))
    text = say(
        "`{name}` changes {arguments} {remedy}",
        name=call.name,
        arguments=arguments,
        remedy=remedy,
    )
    return Failure(FailureKind.MODIFIED, text, misconceptions=("modifies-input",))


def _change_in_place(changed: Sequence[Any]) -> str:
    """Return what is said of a function that has changed these arguments."""
    if all(isinstance(argument, list) for argument in changed):
        return CHANGES_A_LIST_IN_PLACE
    if any(isinstance(argument, Tensor) for argument in changed):
        return CHANGES_A_TENSOR_IN_PLACE
    if any(isinstance(argument, np.ndarray) for argument in changed):
        return CHANGES_IN_PLACE
    return CHANGES_A_VALUE_IN_PLACE
