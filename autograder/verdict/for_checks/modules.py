"""Answers of a torch module, for checks that look at its parameters, or compare it with itself.

A case gives a module its parameters by the reference solution's names, such as ``self_attn.out_proj.weight``.
The first word of a name is the *part* that the parameter belongs to: an attribute of the module.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any, TypeAlias

import numpy as np

from autograder.course.calls import ModuleCall
from autograder.sandbox.report import Answer
from autograder.verdict.arrays import MOST_PARTS, as_array, room_for
from autograder.verdict.comparison import compare_case
from autograder.verdict.failure import CheckFailed, Failure, FailureKind
from autograder.verdict.fixtures import Compare, SubmissionProxy
from autograder.verdict.known import KnownCase
from autograder.worker.composites import SEQUENCES
from autograder.worker.wire import Array, Shape, Tensor

NOT_LOADED = "MissingParameter"
"""The worker's error where a given parameter has no counterpart in the module."""
MOST_FURTHER_NUMBERS = 10**6
"""How many numbers in parts of their own a module may have for these to be looked at."""
Shapes: TypeAlias = Mapping[str, Sequence[int]]
"""Shapes of parameters, by name."""
Parameter: TypeAlias = tuple[str, Shape]
"""A parameter's name within its layer, and its shape."""
Layer: TypeAlias = frozenset[Parameter]
"""One layer's own parameters."""


def module_call(known: KnownCase) -> ModuleCall:
    """Return the call of a case that calls a module."""
    call = known.case.call
    assert isinstance(call, ModuleCall), f"{known.case.id} calls a module"
    return call


def part_of(name: str) -> str:
    """Return the part of the module that a parameter belongs to."""
    part, _, _ = name.partition(".")
    return part


def numbers_by_part(shapes: Shapes) -> Counter[str]:
    """Count the numbers that the parameters of each part hold together, however they are divided."""
    numbers: Counter[str] = Counter()
    for name, shape in shapes.items():
        part = part_of(name)
        numbers[part] += prod(shape)
    return numbers


def layers_of(shapes: Shapes, part: str | None = None) -> Counter[Layer]:
    """Count the equal layers within a part, or within the whole module."""
    parameters_of_layer: dict[str, set[Parameter]] = {}
    for name, shape in shapes.items():
        layer, _, name_in_layer = name.rpartition(".")
        if part is None or part_of(layer) == part:
            parameters = parameters_of_layer.setdefault(layer, set())
            parameter = (name_in_layer, tuple(shape))
            parameters.add(parameter)
    layers = map(frozenset, parameters_of_layer.values())
    return Counter(layers)


def finite_output(value: Any, shape: Shape) -> Array | None:
    """Return the finite array of this shape in a returned value, on its own or in a tuple.

    Of several it is the first, because none is known to be right.
    """
    for array in _arrays_of_shape(value, shape):
        is_finite = np.isfinite(array)
        if is_finite.all():
            return array
    return None


def output_of_shape(value: Any, shape: tuple[int, ...]) -> Array | None:
    """Return the first array of this shape in a returned value, whether or not it is finite."""
    return next(_arrays_of_shape(value, shape), None)


def _arrays_of_shape(value: Any, shape: tuple[int, ...]) -> Iterator[Array]:
    """Yield the arrays of this shape in a returned value, on its own or in a tuple."""
    values = [value]
    if isinstance(value, SEQUENCES):
        values = list(value[:MOST_PARTS])
    room = room_for(np.broadcast_to(0.0, shape))
    for part in values:
        array = as_array(part, room)
        if array is not None and array.shape == shape:
            yield array.astype(np.float64)


@dataclass(frozen=True, repr=False)
class ModuleAnswers:
    """A submission's answers to cases that call its module, whose output has the shape of its input."""

    compare: Compare

    @property
    def submission(self) -> SubmissionProxy:
        return self.compare.submission

    def has_loaded(self, known: KnownCase) -> bool:
        """Return whether the module took the parameters of a case and returned something."""
        return self.submission.answer(known).is_usable

    def answer(self, known: KnownCase) -> Answer:
        """Return the answer to a case.

        Where the parameters do not fit, it is that of the module as it initialises itself.
        """
        answer = self.submission.answer(known)
        if answer.error is None or answer.error.type != NOT_LOADED:
            return answer
        return self._call_once("initialised", known, parameters={})

    def registered(self, known: KnownCase) -> Shapes:
        """Return the shapes of the parameters that torch knows of.

        Raises:
            CheckFailed: the module cannot be made, or does not run.
        """
        answer = self.answer(known)
        if not answer.is_usable:
            answer = self.compare.usable_answer(known)
        return answer.parameters

    def judge(self, known: KnownCase) -> Failure | None:
        """Return the failure of an answer in the form in which it was returned, or None."""
        answer = self.answer(known)
        if not answer.is_usable:
            return self.compare.judge(known)
        case = known.case
        as_returned = self.submission.answers.as_returned[case.id]
        if as_returned.is_usable:  # otherwise the parameters did not fit
            answer = as_returned
        task = self.compare.homework.task(case.task)
        return compare_case(known, answer.value, task.returns)

    def output(self, known: KnownCase) -> Array:
        """Return the finite output; it may be in a tuple, which only the check of its shape refuses.

        Raises:
            CheckFailed: there is none.
        """
        shape = module_call(known).input.array.shape
        output = finite_output(self.answer(known).value, shape)
        if output is None:
            failure = self.judge(known)
            if failure is None:
                failure = Failure(FailureKind.SHAPE, "There is no output.")
            raise CheckFailed(failure)
        return output

    def output_for(self, known: KnownCase, name: str, x: Array) -> Array | None:
        """Return the module's output for another input in the place of a case's, None where there is none.

        Args:
            known: the case.
            name: names the other input among those that checks give instead of this one.
            x: the other input, of the same shape.
        """
        changes: dict[str, Any] = {}
        changes["input"] = Tensor(x)
        if not self.has_loaded(known):
            changes["parameters"] = {}
        answer = self._call_once(name, known, **changes)
        return finite_output(answer.value, x.shape)

    def later_outputs(self, known: KnownCase, name: str, x: Array) -> list[Array]:
        """Return the outputs of later calls of one module, which has been called before with all that they get.

        Args:
            known: the case whose parameters the module gets.
            name: names the inputs among those that checks give instead of the case's.
            x: the inputs of the later calls, one after the other along the axis of tokens.

        Returns:
            The output of each call; none where a call raises, or its output is not finite, or in a tuple.
        """
        call = self._call_in_pieces(known, x)
        answer = self.submission.call_once(f"{known.case.id}, {name}", call)
        return _outputs_of_pieces(call, answer)

    def fresh_and_later_outputs(
        self, known: KnownCase, name: str, x: Array, later_x: Array
    ) -> tuple[Array | None, list[Array]]:
        """Return the output of a new module, and those of later calls of another one, all of one run.

        Args:
            known: the case whose parameters the modules get.
            name: names the inputs among those that checks give instead of the case's.
            x: the input of the new module, before which nothing is called.
            later_x: the inputs of the later calls, see ``later_outputs``.

        Returns:
            The output of the new module, None where there is none; those of the later calls.
        """
        later_call = self._call_in_pieces(known, later_x)
        fresh_call = replace(later_call, input=Tensor(x), pieces=())
        fresh_answer, later_answer = self.submission.calls_once(
            f"{known.case.id}, {name}", [fresh_call, later_call]
        )
        output = finite_output(fresh_answer.value, x.shape)
        return output, _outputs_of_pieces(later_call, later_answer)

    def _call_in_pieces(self, known: KnownCase, x: Array) -> ModuleCall:
        """Return the call of a case's module with all of an input, and then with its pieces in turn."""
        call = module_call(known)
        _, tokens, _ = call.input.array.shape
        number, rest = divmod(x.shape[1], tokens)
        if rest:
            raise ValueError("each call gets as many tokens as the case has")
        changes: dict[str, Any] = {"input": Tensor(x), "pieces": (tokens,) * number}
        if not self.has_loaded(known):
            changes["parameters"] = {}
        return replace(call, **changes)

    def trace(self, known: KnownCase) -> Answer:
        """Return an answer whose gradients tell which parameters the output depends on.

        It is made in a run that gets only this case, with the first sequence of its input twice. Parts
        that the case does not give hold ones, so that gradients tell whether they are used as well.
        """
        call = module_call(known)
        given_parts = set(map(part_of, call.parameters))
        sequences = call.input.array
        x = np.concatenate([sequences[:1], sequences[:-1]])
        ones = np.ones_like(x)
        changes: dict[str, Any] = {
            "input": Tensor(x, requires_grad=True),
            "cotangent": Tensor(ones),
        }
        answer = self._call_once("trace", known, **changes)
        if not answer.is_usable:
            return self._call_once(
                "trace, initialised", known, **changes, parameters={}
            )

        further_shapes = {}
        parts = set()
        for name, shape in answer.parameters.items():
            part = part_of(name)
            parts.add(part)
            if part not in given_parts:
                further_shapes[name] = shape
        further_numbers = sum(map(prod, further_shapes.values()))
        if not further_shapes or further_numbers > MOST_FURTHER_NUMBERS:
            return answer
        if not given_parts <= parts:
            return answer

        parameters = dict(call.parameters)
        for name, shape in further_shapes.items():
            values = np.ones(shape, np.float32)
            parameters[name] = Tensor(values)
        changes["parameters"] = parameters
        with_ones = self._call_once("trace, with ones", known, **changes)
        if with_ones.is_usable:
            return with_ones
        return answer

    def _call_once(self, name: str, known: KnownCase, **changes: Any) -> Answer:
        call = module_call(known)
        changed_call = replace(call, **changes)
        name_of_call = f"{known.case.id}, {name}"
        return self.submission.call_once(name_of_call, changed_call)


def _outputs_of_pieces(call: ModuleCall, answer: Answer) -> list[Array]:
    """Return the output for each piece of an input; none where one is missing, not finite, or in a tuple."""
    batch, _, width = call.input.array.shape
    value = answer.value
    if not isinstance(value, SEQUENCES) or len(value) != len(call.pieces) + 1:
        return []
    outputs = []
    for tokens, part in zip(call.pieces, value[1:], strict=True):
        output = finite_output(part, (batch, tokens, width))
        if output is None:
            return []
        outputs.append(output)
    return outputs
