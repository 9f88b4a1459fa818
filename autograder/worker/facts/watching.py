"""Watch a function train a torch module: its steps, its losses, and what it compares the outputs with.

This is for reasons alone. It slows the training down, and a submission may forge all of it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

MOST_NOTED = 20_000
"""So many losses, and so many learning rates, are kept."""
MOST_ROWS = 100_000
"""So many different rows that modules were trained on are counted."""
LARGEST_TENSOR = 200_000
"""The batch of a comparison is kept if none of its tensors has more numbers."""
COMPARISONS = ("cross_entropy", "nll_loss")
"""Names of torch's functions that compare outputs with whole numbers, the outermost first."""
GRADIENTS = ("backward", "grad")
"""Names of the functions of ``torch.autograd`` that compute gradients."""
MOST_OPTIMIZERS = 20
Note = Callable[[Sequence[Any], Mapping[str, Any]], None]
"""Notes the arguments of a call, those by position and those by name."""


class Watched:
    """What is noted while a function trains modules of a class."""

    def __init__(self, cls: type) -> None:
        self.cls = cls
        self.losses: list[float] = []
        self.rates: list[float] = []
        self.sizes_of_batches: list[int] = []
        self.backwards = 0
        self.uncleared = 0
        """How often gradients of the step before were still there when those of the next were added."""
        self.idle_steps = 0
        """How many steps were taken without any gradient."""
        self.steps = 0
        self.trained: dict[int, Any] = {}
        """The modules whose outputs a loss was computed with, by their ids."""
        self.comparison: dict[str, Any] = {}
        """The tensors of the last comparison of a batch that is not empty."""
        self._modules_of_losses: list[int] = []
        self._modules_of_steps: list[int] = []
        self._rows: set[bytes] = set()
        self._optimizers: dict[int, Any] = {}
        self._module: Any = None
        self._tokens: Any = None
        self._output: Any = None

    def note_output(self, module: Any, arguments: Any, returned: Any) -> None:
        """Note a call of a module of the class, with what it was given and what it returned."""
        if not isinstance(module, self.cls) or not arguments:
            return
        output = returned
        if isinstance(returned, tuple | list) and returned:
            output = returned[0]
        self._module = module
        self._tokens = arguments[0]
        self._output = output

    def note_comparison(
        self, arguments: Sequence[Any], options: Mapping[str, Any]
    ) -> None:
        """Note the first two arguments of a loss, with the call of the module before it."""
        given = dict(zip(("input", "target"), arguments, strict=False))
        compared = given.get("input", options.get("input"))
        targets = given.get("target", options.get("target"))
        if compared is None or targets is None or self._output is None:
            return
        tensors = {
            "tokens": self._tokens,
            "output": self._output,
            "input": compared,
            "target": targets,
        }
        self.trained[id(self._module)] = self._module
        if tensors["tokens"] is not None and len(tensors["tokens"]):
            self._keep(tensors, options)

    def _keep(self, tensors: Mapping[str, Any], options: Mapping[str, Any]) -> None:
        copies = {}
        for name, tensor in tensors.items():
            if not hasattr(tensor, "detach") or tensor.numel() > LARGEST_TENSOR:
                return
            copies[name] = tensor.detach().cpu().clone()
        ignored = options.get("ignore_index", -100)
        if type(ignored) is int:
            self.comparison = {**copies, "ignored": ignored}

    def note_gradients(
        self, arguments: Sequence[Any], options: Mapping[str, Any]
    ) -> None:
        """Note a loss whose gradients are computed, before they are."""
        loss: Any = next(iter(arguments), None)
        if hasattr(self._tokens, "ndim") and self._tokens.ndim:
            self._note_rows(self._tokens.detach().cpu())
        self.backwards += 1
        is_number = hasattr(loss, "numel") and loss.numel() == 1
        if is_number and len(self.losses) < MOST_NOTED:
            self.losses.append(float(loss.detach()))
            self._modules_of_losses.append(id(self._module))
        for parameter in self._parameters_of_module():
            if parameter.grad is not None and bool(parameter.grad.any()):
                self.uncleared += 1
                break

    def _note_rows(self, tokens: Any) -> None:
        if len(self.sizes_of_batches) < MOST_NOTED:
            self.sizes_of_batches.append(int(tokens.shape[0]))
        if len(self._rows) < MOST_ROWS:
            self._rows.update(row.tobytes() for row in tokens.numpy())

    def note_step(self, optimizer: Any) -> None:
        """Note a step of an optimizer, before it is taken."""
        self.steps += 1
        if id(optimizer) not in self._optimizers:
            if len(self._optimizers) < MOST_OPTIMIZERS:
                self._optimizers[id(optimizer)] = optimizer
        has_gradient = False
        for group in optimizer.param_groups:
            for parameter in group["params"]:
                if parameter.grad is not None and bool(parameter.grad.any()):
                    has_gradient = True
                    break
        if not has_gradient:
            self.idle_steps += 1
        rate = optimizer.param_groups[0].get("lr")
        if len(self.rates) < MOST_NOTED and isinstance(rate, int | float):
            self.rates.append(float(rate))
            self._modules_of_steps.append(id(self._module))

    def _parameters_of_module(self) -> list[Any]:
        if self._module is None:
            return []
        return list(self._module.parameters())

    def result(self, module: Any) -> dict[str, object]:
        """Return what was noted, as plain data.

        Args:
            module: the module that answers in the end; None if there is none.
        """
        stepped = set()
        for optimizer in self._optimizers.values():
            for group in optimizer.param_groups:
                stepped |= {id(parameter) for parameter in group["params"]}
        in_optimizer = 0
        in_module = 0
        if module is not None:
            for parameter in module.parameters():
                in_module += parameter.numel()
                if id(parameter) in stepped:
                    in_optimizer += parameter.numel()
        return {
            "steps": self.steps,
            "idle_steps": self.idle_steps,
            "backwards": self.backwards,
            "uncleared": self.uncleared,
            "models": len(self.trained),
            "losses": _as_tensor(_of(module, self.losses, self._modules_of_losses)),
            "rates": _as_tensor(_of(module, self.rates, self._modules_of_steps)),
            "sizes_of_batches": _as_tensor(self.sizes_of_batches),
            "different_rows": len(self._rows),
            "in_optimizer": in_optimizer,
            "in_module": in_module,
            "comparison": self.comparison,
        }


def _of(module: Any, numbers: list[float], modules: list[int]) -> list[float]:
    """Return the numbers that belong to a module, or all where none does."""
    of_module = []
    for number, other in zip(numbers, modules, strict=True):
        if other == id(module):
            of_module.append(number)
    return of_module or numbers


def _as_tensor(numbers: list[Any]) -> Any:
    import torch

    return torch.tensor(numbers, dtype=torch.float64)


@contextmanager
def watching_steps(cls: Any, namespace: dict[str, Any]) -> Iterator[Watched | None]:
    """Note outputs, losses and steps within the context; None where the class is no torch module.

    Args:
        cls: the class of the modules that are watched.
        namespace: the submission's top-level names, among which torch's functions of losses may be.
    """
    import torch
    from torch.optim.optimizer import register_optimizer_step_pre_hook

    if not (isinstance(cls, type) and issubclass(cls, torch.nn.Module)):
        yield None
        return
    watched = Watched(cls)

    with ExitStack() as stack:
        output_hook = torch.nn.modules.module.register_module_forward_hook(
            watched.note_output
        )
        stack.callback(output_hook.remove)
        step_hook = register_optimizer_step_pre_hook(
            lambda optimizer, arguments, options: watched.note_step(optimizer)
        )
        stack.callback(step_hook.remove)
        functional = vars(torch.nn.functional)
        autograd = vars(
            torch.autograd
        )  # `backward` of a tensor calls the function there
        for names, noted_functions, note in (
            (functional, COMPARISONS, watched.note_comparison),
            (autograd, GRADIENTS, watched.note_gradients),
        ):
            for name in noted_functions:
                function = names[name]
                noting = _noting(function, note)
                stack.enter_context(_replaced(names, function, noting))
                stack.enter_context(_replaced(namespace, function, noting))
        yield watched


def _noting(function: Callable[..., Any], note: Note) -> Callable[..., Any]:
    """Return a function whose arguments are noted."""

    @functools.wraps(function)
    def noting(*args: Any, **options: Any) -> Any:
        note(args, options)
        return function(*args, **options)

    return noting


@contextmanager
def _replaced(names: dict[str, Any], old: Any, new: Any) -> Iterator[None]:
    """Bind another object to the names of one within the context."""
    replaced = [name for name, value in names.items() if value is old]
    names.update(dict.fromkeys(replaced, new))
    try:
        yield
    finally:
        names.update(dict.fromkeys(replaced, old))
