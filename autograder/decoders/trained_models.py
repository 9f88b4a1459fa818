"""Trained decoders: the numbers that a program reports of its model, and whether the answers are in them.

The numbers of a trained model go into a new one, in a process that has seen nothing of the training. A table of
answers stays behind. With the same numbers in another order in each matrix the answers must be gone: they are no
table in a parameter.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from autograder.course.calls import ModuleCall
from autograder.decoders.logits import likeliest_tokens
from autograder.decoders.replies import as_mapping
from autograder.sandbox.report import Answer
from autograder.verdict.failure import fail
from autograder.worker.wire import Array, Tensor

NEAR_ONE = 0.9
"""The gains of a norm stay within this distance of 1 in training."""
LONGEST_VECTOR = 1000
"""A parameter of one axis is a bias or a gain up to this size; beyond, it may be a table."""


class TrainedModel(NamedTuple):
    """A model after its training: the name of its class, how it was made, and the numbers that it has learned."""

    name: str
    arguments: tuple[Any, ...]
    state: Mapping[str, Tensor]

    def call(self, tokens: Array) -> ModuleCall:
        """Return the call of a new model with the same numbers."""
        return ModuleCall(self.name, self.arguments, Tensor(tokens), state=self.state)

    def shuffled(self) -> TrainedModel:
        """Return the same numbers in another order within each matrix; biases, gains and whole numbers stay."""
        rng = np.random.default_rng(0)
        shuffled_state = {}
        for name, tensor in self.state.items():
            array = tensor.array
            is_large = array.ndim > 1 or array.size > LONGEST_VECTOR
            if array.dtype.kind == "f" and is_large:
                numbers = rng.permutation(array.ravel())
                array = numbers.reshape(array.shape)
            shuffled_state[name] = Tensor(array)
        return self._replace(state=shuffled_state)


def read_trained(function: str, name: str, trained: Any) -> TrainedModel:
    """Return the model that a function trained: its arguments, and the numbers that it has learned.

    Args:
        function: the name of the function.
        name: that of the model's class.
        trained: what the worker reports.

    Raises:
        CheckFailed: there is none, or it cannot be made again.
    """
    trained = as_mapping(trained)
    arguments = trained.get("arguments")
    state = trained.get("state")
    if trained.get("missing") == "arguments":
        text = f"`{function}` should make its `{name}` from numbers: `{name}(vocab_size, …)`."
        fail(text)
    if trained.get("missing") == "room":
        text = f"The `{name}` that `{function}` trains has more than 5 million numbers; make it smaller."
        fail(text)
    if not isinstance(arguments, list) or not isinstance(state, dict):
        text = f"`{function}` returns answers without a `{name}`: make one, train it, let it answer."
        fail(text, "not-learned")
    tensors = {}
    for key, tensor in state.items():
        if not isinstance(key, str) or not isinstance(tensor, Tensor):
            fail(
                f"What the `{name}` of `{function}` has learned are not arrays of numbers."
            )
        tensors[key] = Tensor(tensor.array)
    plain_arguments: list[Any] = []
    for argument in arguments:
        if isinstance(argument, int | float | str | None):
            plain_arguments.append(argument)
    return TrainedModel(name, tuple(plain_arguments), tensors)


def has_finite_numbers(tensors: Iterable[object]) -> bool:
    """Return whether no tensor of a trained model holds NaN or infinity."""
    arrays = [tensor.array for tensor in tensors if isinstance(tensor, Tensor)]
    return all(np.isfinite(array).all() for array in arrays)


def has_untouched_norms(tensors: Iterable[object]) -> bool:
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


def share_of_equal(answers: Array, others: Array) -> float:
    """Return the share of tokens that are equal."""
    return float((answers == others).mean())


class Transplant(NamedTuple):
    """A new model with the numbers of a trained one, which is asked questions that the training never saw.

    Attributes:
        function: the name of the function that trained the model.
        model: the model, with its numbers as they are or in another order.
        questions: each with its answer, but for the last token.
        right: the right answers.
        least: the share of tokens that a model has to get right which has learned.
    """

    function: str
    model: TrainedModel
    questions: Array
    right: Array
    least: float

    @property
    def call(self) -> ModuleCall:
        """The call of the new model with the questions."""
        return self.model.call(self.questions)

    @property
    def begin(self) -> str:
        """What a failed check begins with."""
        return (
            f"The answers that `{self.function}` returns are right, but the "
            f"`{self.model.name}` that it trained"
        )

    def check_knows(self, answer: Answer) -> None:
        """Check that a model with the numbers as they are knows the answers.

        Raises:
            CheckFailed: it does not.
        """
        if not answer.is_usable:
            text = f"A new `{self.model.name}`, made like the one that `{self.function}` trained, does not work "
            text += "with what this one has learned: for example, does it hold other things than parameters and "
            text += "buffers?"
            fail(text)
        share = _share_right(answer.value, self.questions, self.right)
        if share is None:
            fail(
                f"{self.begin} does not return logits for each token of a question and its answer."
            )
        if share < self.least:
            text = f"{self.begin} gets {share:.0%} of the tokens right when it is asked by itself: "
            text += (
                "the answers should be its own, after training on the rows as they are."
            )
            fail(text, "not-learned")

    def check_has_forgotten(self, answer: Answer) -> None:
        """Check that a model with the numbers in another order, if it works, does not know the answers.

        Raises:
            CheckFailed: it knows them.
        """
        if not answer.is_usable:
            return
        share = _share_right(answer.value, self.questions, self.right)
        # Repeating the token before gets up to half of a sorted answer right.
        if share is not None and share >= self.least:
            text = f"{self.begin} gets {share:.0%} of the tokens right even with the numbers of all its "
            text += "matrices in another order: its layers should find the answers."
            fail(text, "not-learned")


def _share_right(value: Any, tokens: Array, right: Array) -> float | None:
    """Return the share of right tokens among the likeliest ones; None where no logits were returned.

    Args:
        value: what the model returned.
        tokens: what it was given, without the last token of each answer.
        right: the answers.
    """
    likeliest = likeliest_tokens(value, tokens)
    if likeliest is None:
        return None
    n_answer = right.shape[1]
    return share_of_equal(likeliest[:, -n_answer:], right)
