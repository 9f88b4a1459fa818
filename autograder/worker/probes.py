"""Move the parameters of a torch module, or the state between two calls, and see what changes.

What comes back are counts and outputs; whether a change is large enough is judged elsewhere.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count, islice
from typing import Any

from autograder.worker.parameters import own_parameters

MOST_DEPTH, MOST_TENSORS = 6, 200


def probe_parameters(module: Any, x: Any, output: Any) -> dict[str, object]:
    """Return for each parameter where gradients arrive, and the first row's output with it moved.

    ``gradients`` tells of each parameter how many numbers it has, in how many axes, and how many of them
    gradients arrive at. These are counted matrix by matrix, so that layers in one stacked parameter are
    told apart: a matrix counts as a whole where a gradient arrives at half of its numbers or more. A unit
    that is off, or a symbol that does not occur, takes nothing away. ``moved`` holds the outputs, and
    ``before`` the one that they are compared with.
    """
    import torch

    named = _each_once(own_parameters(module, {}))
    logits = _output(output)
    arriving = dict.fromkeys(named, 0)
    if getattr(logits, "requires_grad", False):
        learned = {
            name: parameter
            for name, parameter in named.items()
            if parameter.requires_grad
        }
        total = (logits * torch.randn_like(logits)).sum()
        try:
            gradients = torch.autograd.grad(
                total, list(learned.values()), allow_unused=True
            )
        except RuntimeError:  # what was changed in place has no gradient, and training would stop here, too
            gradients = ()
        for name, gradient in zip(learned, gradients, strict=False):
            arriving[name] = 0 if gradient is None else _numbers_reached(gradient)
    moved: dict[str, object] = {}
    with torch.no_grad():
        before = _first_row(module(x))
        for name, parameter in islice(named.items(), MOST_TENSORS):
            kept = parameter.clone()
            parameter += torch.randn_like(parameter)
            try:
                moved[name] = _first_row(module(x))
            except Exception:  # a module that stops on other numbers has looked at them
                moved[name] = None
            parameter.copy_(kept)
    counts = {
        name: [one.numel(), one.ndim, arriving[name]] for name, one in named.items()
    }
    return {"gradients": counts, "before": before, "moved": moved}


def probe_state(module: Any, pieces: Sequence[Any]) -> dict[str, object]:
    """Return the output for one piece with each part of the state before it moved.

    It is the first piece of the second half, so that the state holds several tokens. A part is what a tensor
    holds of one token: one index of each axis that is as long as the pieces before. Where another axis is as
    long, its indices are parts too; a tensor without such an axis is one part. ``moved`` holds pairs: how
    many numbers the part has, and the output. An exception stands as None, for a module that stops on
    another state has looked at it.
    """
    import torch

    half = len(pieces) // 2
    known, piece = sum(one.shape[1] for one in pieces[:half]), pieces[half]
    with torch.no_grad():
        returned: Any = ()
        for earlier in pieces[:half]:
            returned = module(earlier, *returned[1:])
            if not isinstance(returned, tuple) or len(returned) < 2:
                return {}
        state = returned[1:]
        before = _output(module(piece, *_copied(state)))
        moved = []
        for number, tensor in enumerate(islice(_tensors(state), MOST_TENSORS)):
            axes = [axis for axis, size in enumerate(tensor.shape) if size == known]
            parts: list[tuple[int, int] | None] = [
                (axis, index) for axis in axes for index in range(known)
            ]
            parts = parts or [None]
            for part in parts:
                other = _copied(state, Moved(number, part))
                try:
                    output = _output(module(piece, *other))
                except Exception:
                    output = None
                moved.append([tensor.numel() // len(parts), output])
    return {"before": before, "moved": moved}


@dataclass(frozen=True)
class Moved:
    """The part of a state that is moved: a tensor's number, and an axis with an index, or None for all."""

    tensor: int
    part: tuple[int, int] | None


def _output(returned: Any) -> Any:
    """Return the first part of a tuple or list, or what is neither."""
    return returned[0] if isinstance(returned, tuple | list) and returned else returned


def _first_row(returned: Any) -> Any:
    """Return what an output says of the first sequence, which is enough to see a change."""
    output = _output(returned)
    return output[:1] if getattr(output, "ndim", 0) else output


def _each_once(named: Mapping[str, Any]) -> dict[str, Any]:
    """Return each parameter under its first name."""
    first_names = {
        id(parameter): name for name, parameter in reversed(list(named.items()))
    }
    return {
        name: parameter
        for name, parameter in named.items()
        if first_names[id(parameter)] == name
    }


def _numbers_reached(gradient: Any) -> int:
    """Count the numbers of those matrices where at least half of the gradient is not 0."""
    matrices = (
        gradient.reshape(-1, *gradient.shape[-2:])
        if gradient.ndim > 2
        else gradient[None]
    )
    size = matrices[0].numel()
    arriving = (
        (matrices != 0).flatten(1).sum(dim=1) if matrices.ndim > 1 else matrices != 0
    )
    reached = int((2 * arriving >= size).sum())
    return reached * int(size)


def _tensors(value: Any, depth: int = 0) -> Iterator[Any]:
    """Yield the tensors of floating point in nested lists, tuples and dictionaries."""
    import torch

    if isinstance(value, torch.Tensor):
        if value.is_floating_point():
            yield value
    elif isinstance(value, list | tuple | dict) and depth < MOST_DEPTH:
        for item in value.values() if isinstance(value, dict) else value:
            yield from _tensors(item, depth + 1)


def _copied(state: Any, moved: Moved | None = None) -> Any:
    """Return a copy of nested lists, tuples and dictionaries of tensors, with a part of one tensor moved.

    A tensor is replaced and not changed in place, for an expanded one cannot be changed. Other objects stay.
    """
    return _copied_below(state, moved, count(), depth=0)


def _copied_below(
    value: Any, moved: Moved | None, numbers: Iterator[int], depth: int
) -> Any:
    import torch

    if isinstance(value, torch.Tensor):
        copied = value.detach().clone(memory_format=torch.contiguous_format)
        if (
            value.is_floating_point()
            and moved is not None
            and next(numbers) == moved.tensor
        ):
            moving = copied if moved.part is None else copied.select(*moved.part)
            moving += torch.randn_like(moving)
        return copied
    if not isinstance(value, list | tuple | dict) or depth >= MOST_DEPTH:
        return value
    if isinstance(value, dict):
        copied_dict = copy.copy(value)
        for key, item in value.items():
            copied_dict[key] = _copied_below(item, moved, numbers, depth + 1)
        return copied_dict
    below = [_copied_below(item, moved, numbers, depth + 1) for item in value]
    if isinstance(value, list):
        return below
    return type(value)(*below) if hasattr(value, "_fields") else tuple(below)
