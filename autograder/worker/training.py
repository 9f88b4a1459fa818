"""Watch which torch module a function trains, and load its trained parameters into a new module."""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from autograder.worker.composites import PLAIN
from autograder.worker.parameters import own_parameters
from autograder.worker.wire import Shape

MOST_NUMBERS = 5_000_000
"""How many numbers a trained module may hold; larger ones are not sent."""
MADE_WITH = "_autograder_made_with"
"""The attribute of a module that keeps the arguments that it was made with."""


class Training:
    """The module of one class that a function trains: the last one that it calls."""

    def __init__(self) -> None:
        self.module: Any = None

    def result(self) -> dict[str, object]:
        """Return ``arguments`` and ``state`` of the module, or ``missing``, the reason why there are none."""
        if self.module is None:
            return {"missing": "module"}
        arguments = vars(self.module).get(MADE_WITH)
        if arguments is None:
            return {"missing": "arguments"}
        state = _state_of(self.module)
        if sum(tensor.numel() for tensor in state.values()) > MOST_NUMBERS:
            return {"missing": "room"}
        copies = {}
        for name, tensor in state.items():
            copies[name] = tensor.detach().cpu().clone()
        return {"arguments": arguments, "state": copies}


@contextmanager
def watching_training(cls: Any) -> Iterator[Training]:
    """Note the module of this class that is called last, and the arguments that it was made with.

    A function may train several modules, or copies, and keep the best one: it answers with the one that it
    calls last. If only a module's ``forward`` is called directly, torch's hook does not see it, so the module
    made last stands for it.
    """
    import torch

    training = Training()
    if not (isinstance(cls, type) and issubclass(cls, torch.nn.Module)):
        yield training
        return
    has_own_constructor = "__init__" in vars(cls)
    construct = cls.__init__

    @functools.wraps(construct)
    def constructing(self: Any, *args: Any, **kwargs: Any) -> None:
        construct(self, *args, **kwargs)
        vars(self)[MADE_WITH] = _plain_arguments(construct, self, args, kwargs)
        training.module = self

    def note_call(module: Any, _: Any) -> None:
        if isinstance(module, cls):
            training.module = module

    hook = torch.nn.modules.module.register_module_forward_pre_hook(note_call)
    # type's own functions: a metaclass of the student's may refuse to set attributes.
    type.__setattr__(cls, "__init__", constructing)
    try:
        yield training
    finally:
        hook.remove()
        if has_own_constructor:
            type.__setattr__(cls, "__init__", construct)
        else:
            type.__delattr__(cls, "__init__")


def load_state(module: Any, state: Mapping[str, Any]) -> None:
    """Load the state of a trained module into another module that was made with the same arguments.

    Raises:
        ValueError: the module holds numbers of other names or shapes.
    """
    import torch

    tensors = _state_of(module)
    if _shapes_of(tensors) != _shapes_of(state):
        raise ValueError("a new model has other parameters than the trained one")
    with torch.no_grad():
        for name, tensor in tensors.items():
            tensor.copy_(state[name])


def _state_of(module: Any) -> dict[str, Any]:
    """Return parameters and buffers by name, also those of layers in plain lists."""
    return {**own_parameters(module, {}), **dict(module.named_buffers())}


def _shapes_of(tensors: Mapping[str, Any]) -> dict[str, Shape]:
    return {name: tuple(tensor.shape) for name, tensor in tensors.items()}


def _plain_arguments(
    construct: Any, self: Any, args: Any, kwargs: Any
) -> list[object] | None:
    """Return the arguments by position, or None if any of them is not a plain number or text."""
    bound = inspect.signature(construct).bind(self, *args, **kwargs)
    bound.apply_defaults()
    arguments: list[object] = []
    for value in bound.args[1:]:
        plain = value
        # An array or tensor of one number, such as `sequences.max() + 1`, is that number.
        shape = getattr(value, "shape", (0,))
        if hasattr(value, "item") and math.prod(shape) == 1:
            plain = value.item()
        if type(plain) not in PLAIN:
            return None
        arguments.append(plain)
    return arguments
