"""Move the parameters of a torch module, or the state between two of its calls, and see what changes.

The results are counts and outputs; whether a change is large enough is judged elsewhere.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count, islice
from typing import Any

from autograder.worker.parameters import own_parameters, without_duplicates

MOST_DEPTH = 6
"""How deep tensors may be nested in a state."""
MOST_TENSORS = 200
"""How many parameters, or tensors of a state, are moved."""


def probe_parameters(module: Any, x: Any, output: Any) -> dict[str, object]:
    """Return for each parameter where gradients arrive, and the first row's output with it moved.

    Args:
        module: the student's module.
        x: its input.
        output: what it returned for this input, with its graph of gradients.

    Returns:
        ``gradients``: for each parameter, how many numbers it has, in how many axes, and how many of them
        gradients arrive at. These are counted matrix by matrix, so that layers in one stacked parameter are
        distinguished: a matrix counts as a whole if a gradient arrives at half of its numbers or more. So a unit
        that is off, or a symbol that does not occur, takes nothing away. ``before``: the output with the
        parameters as they are. ``moved``: for each parameter, the output with it moved, None if the module
        raised.
    """
    import torch

    parameters = without_duplicates(own_parameters(module, {}))
    logits = _output_of(output)
    arriving = _count_gradients(parameters, logits)
    counts = {}
    for name, parameter in parameters.items():
        counts[name] = [parameter.numel(), parameter.ndim, arriving[name]]

    moved: dict[str, object] = {}
    with torch.no_grad():
        before = _first_row(module(x))
        for name, parameter in islice(parameters.items(), MOST_TENSORS):
            value = parameter.clone()
            parameter += torch.randn_like(parameter)
            try:
                moved[name] = _first_row(module(x))
            except Exception:  # a module that stops on other numbers uses them
                moved[name] = None
            parameter.copy_(value)
    return {"gradients": counts, "before": before, "moved": moved}


def _count_gradients(parameters: Mapping[str, Any], logits: Any) -> dict[str, int]:
    """Count how many numbers of each parameter gradients of a random loss arrive at."""
    import torch

    arriving = dict.fromkeys(parameters, 0)
    if not getattr(logits, "requires_grad", False):
        return arriving
    learned = {}
    for name, parameter in parameters.items():
        if parameter.requires_grad:
            learned[name] = parameter
    weights = torch.randn_like(logits)
    loss = (logits * weights).sum()
    try:
        gradients = torch.autograd.grad(loss, list(learned.values()), allow_unused=True)
    except RuntimeError:
        # Something was changed in place, so there are no gradients; training would stop here, too.
        return arriving
    for name, gradient in zip(learned, gradients, strict=True):
        if gradient is not None:
            arriving[name] = _count_reached(gradient)
    return arriving


def _count_reached(gradient: Any) -> int:
    """Count the numbers of all matrices in which at least half of the gradient is not 0."""
    if gradient.ndim > 2:
        matrices = gradient.reshape(-1, *gradient.shape[-2:])
    else:
        matrices = gradient[None]
    size = int(matrices[0].numel())
    is_reached = matrices != 0
    if matrices.ndim > 1:
        reached_numbers = is_reached.flatten(1).sum(dim=1)
    else:
        reached_numbers = is_reached
    is_half_reached = 2 * reached_numbers >= size
    reached_matrices = int(is_half_reached.sum())
    return reached_matrices * size


def probe_state(module: Any, pieces: Sequence[Any]) -> dict[str, object]:
    """Return the output for one piece with each part of the state before it moved.

    The piece is the first of the second half, so that the state holds several tokens. A part is what a tensor
    holds of one token: one index of each axis that is as long as the pieces before. If another axis happens to
    be as long, its indices are parts too; a tensor without such an axis is one part.

    Args:
        module: the student's module, called with a piece and the state that the call before returned.
        pieces: the input, cut along its axis of tokens.

    Returns:
        ``before``: the output for the piece. ``moved``: for each part, how many numbers it has, and the output
        with it moved, None if the module raised. Empty if the module returns no state.
    """
    import torch

    half = len(pieces) // 2
    pieces_before = pieces[:half]
    piece = pieces[half]
    tokens_before = sum(earlier.shape[1] for earlier in pieces_before)
    with torch.no_grad():
        returned: Any = ()
        for earlier in pieces_before:
            returned = module(earlier, *returned[1:])
            if not isinstance(returned, tuple) or len(returned) < 2:
                return {}
        state = returned[1:]
        copied_state = _copied(state)
        before = _output_of(module(piece, *copied_state))
        moved = []
        for number, tensor in enumerate(islice(_tensors(state), MOST_TENSORS)):
            parts: list[tuple[int, int] | None] = []
            for axis, size in enumerate(tensor.shape):
                if size == tokens_before:
                    for index in range(tokens_before):
                        parts.append((axis, index))
            if not parts:
                parts = [None]
            for part in parts:
                state_with_part_moved = _copied(state, Move(number, part))
                try:
                    output = _output_of(module(piece, *state_with_part_moved))
                except Exception:  # a module that stops on another state uses it
                    output = None
                numbers_of_part = tensor.numel() // len(parts)
                moved.append([numbers_of_part, output])
    return {"before": before, "moved": moved}


@dataclass(frozen=True)
class Move:
    """The part of a state to move: a tensor's number, and an axis with an index in it, or None for all."""

    tensor: int
    part: tuple[int, int] | None


def _output_of(returned: Any) -> Any:
    """Return the first item of a returned tuple or list; any other value is the output."""
    if isinstance(returned, tuple | list) and returned:
        return returned[0]
    return returned


def _first_row(returned: Any) -> Any:
    """Return the output for the first sequence, which is enough to see a change."""
    output = _output_of(returned)
    if getattr(output, "ndim", 0):
        return output[:1]
    return output


def _tensors(value: Any, depth: int = 0) -> Iterator[Any]:
    """Yield the tensors of floating point in nested lists, tuples and dictionaries."""
    import torch

    if isinstance(value, torch.Tensor):
        if value.is_floating_point():
            yield value
    elif isinstance(value, list | tuple | dict) and depth < MOST_DEPTH:
        items: Iterable[Any] = value
        if isinstance(value, dict):
            items = value.values()
        for item in items:
            yield from _tensors(item, depth + 1)


def _copied(state: Any, move: Move | None = None) -> Any:
    """Copy nested lists, tuples and dictionaries of tensors, and move a part of one tensor.

    Each tensor is replaced and not changed in place, because an expanded one cannot be changed. Other objects
    stay the same.
    """
    numbers = count()
    return _copied_below(state, move, numbers, depth=0)


def _copied_below(
    value: Any, move: Move | None, numbers: Iterator[int], depth: int
) -> Any:
    """Copy one level; ``numbers`` counts the tensors in the order of ``_tensors``."""
    import torch

    if isinstance(value, torch.Tensor):
        tensor = value.detach().clone(memory_format=torch.contiguous_format)
        if move is not None and value.is_floating_point():
            number = next(numbers)
            if number == move.tensor:
                part = tensor
                if move.part is not None:
                    part = tensor.select(*move.part)
                part += torch.randn_like(part)  # it is a view of the tensor
        return tensor
    if not isinstance(value, list | tuple | dict) or depth >= MOST_DEPTH:
        return value
    if isinstance(value, dict):
        copied_dict = copy.copy(value)
        for key, item in value.items():
            copied_dict[key] = _copied_below(item, move, numbers, depth + 1)
        return copied_dict
    items = [_copied_below(item, move, numbers, depth + 1) for item in value]
    if isinstance(value, list):
        return items
    if hasattr(value, "_fields"):  # a named tuple
        return type(value)(*items)
    return tuple(items)
