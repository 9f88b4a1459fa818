"""Move the parameters of a torch module, or the state between two of its calls, and see what changes.

The results are counts and outputs; whether a change is large enough is judged elsewhere.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

from autograder.worker.parameters import own_parameters, without_duplicates

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
        raised. ``names``: the further names of each parameter that has several.
    """
    import torch

    all_parameters = own_parameters(module, {})
    parameters = without_duplicates(all_parameters)
    logits = _output_of(output)
    arriving = _count_gradients(parameters, logits)
    counts = {
        name: [parameter.numel(), parameter.ndim, arriving[name]]
        for name, parameter in parameters.items()
    }

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
    names = _further_names(all_parameters, parameters)
    return {"gradients": counts, "before": before, "moved": moved, "names": names}


def _further_names(
    all_parameters: Mapping[str, Any], parameters: Mapping[str, Any]
) -> dict[str, list[str]]:
    """Return all names but the first of each parameter, for those that have several."""
    first_names = {id(parameter): name for name, parameter in parameters.items()}
    further_names: dict[str, list[str]] = {}
    for name, parameter in all_parameters.items():
        first_name = first_names[id(parameter)]
        if name != first_name:
            further_names.setdefault(first_name, []).append(name)
    return further_names


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
    from torch.utils._pytree import tree_flatten, tree_unflatten

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
        leaves, structure = tree_flatten(returned[1:])
        state = _copied(leaves)
        before = _output_of(module(piece, *tree_unflatten(state, structure)))
        moved = []
        numbers = []
        for place, leaf in enumerate(leaves):
            if _is_moved(leaf):
                numbers.append(place)
        for number in numbers[:MOST_TENSORS]:
            tensor = leaves[number]
            parts: list[tuple[int, int] | None] = []
            for axis, size in enumerate(tensor.shape):
                if size == tokens_before:
                    for index in range(tokens_before):
                        parts.append((axis, index))
            if not parts:
                parts = [None]
            for part in parts:
                state = _copied(leaves)
                moved_part = state[number]
                if part is not None:
                    moved_part = moved_part.select(*part)
                moved_part += torch.randn_like(moved_part)  # it is a view of the tensor
                try:
                    output = _output_of(
                        module(piece, *tree_unflatten(state, structure))
                    )
                except Exception:  # a module that stops on another state uses it
                    output = None
                numbers_of_part = tensor.numel() // len(parts)
                moved.append([numbers_of_part, output])
    return {"before": before, "moved": moved}


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


def _is_moved(leaf: Any) -> bool:
    """Return whether a part of a state is a tensor of floating point."""
    import torch

    return isinstance(leaf, torch.Tensor) and leaf.is_floating_point()


def _copied(leaves: Sequence[Any]) -> list[Any]:
    """Copy the tensors of a state; an expanded one could not be changed in place. Other objects stay the same."""
    import torch

    copies = []
    for leaf in leaves:
        if isinstance(leaf, torch.Tensor):
            leaf = leaf.detach().clone(memory_format=torch.contiguous_format)
        copies.append(leaf)
    return copies
