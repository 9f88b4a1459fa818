"""Give a student's torch module wanted parameters, and bring its gradients back under the wanted names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

Match = dict[str, list[Any]]
"""For each wanted name, the own parameters whose rows, one after another, are its counterpart."""


class MissingParameter(ValueError):
    """The student's module lacks a parameter that the block of the handout has."""


def load_parameters(module: Any, wanted: dict[str, Any]) -> Match:
    """Copy the wanted values into a module and return where each of them went.

    Equal names are matched first, the rest by shape within one attribute (``ff``, ``norm1`` …) in the
    order of registration, so that ``ff.0``/``ff.3`` or ``ff.up``/``ff.down`` load as well. Where no single
    parameter has the shape, several may share its rows: a query, a key and a value weight of shape (D, D),
    or those of each head, for one ``in_proj_weight`` of shape (3D, D).

    Raises:
        MissingParameter: a wanted parameter has no counterpart.
    """
    import torch

    match = _match(dict(_all_parameters(module)), wanted)
    with torch.no_grad():
        for name, owned in match.items():
            parts = [wanted[name]] if len(owned) == 1 else wanted[name].split([len(p) for p in owned])
            for parameter, rows in zip(owned, parts, strict=True):
                parameter.copy_(rows)
    return match


def joined_gradients(match: Match, gradients: dict[int, Any]) -> dict[str, Any]:
    """Return the gradient of each wanted parameter, None where a part of it has none.

    Args:
        match: as ``load_parameters`` returned it.
        gradients: by the ``id`` of each own parameter.
    """
    import torch

    found: dict[str, list[Any]] = {
        name: [gradients.get(id(p)) for p in owned] for name, owned in match.items()
    }
    return {
        name: None if any(part is None for part in parts) else torch.cat(parts)
        for name, parts in found.items()
    }


def _all_parameters(module: Any) -> Iterator[tuple[str, Any]]:
    """The registered parameters, and those of layers in a plain list, which torch itself overlooks."""
    yield from module.named_parameters()
    for attribute, value in vars(module).items():
        for number, layer in enumerate(value if isinstance(value, list | tuple) else ()):
            if hasattr(layer, "named_parameters"):
                for name, parameter in layer.named_parameters():
                    yield f"{attribute}.{number}.{name}", parameter


def _match(own: dict[str, Any], wanted: dict[str, Any]) -> Match:
    names = {name: [name] for name in wanted if name in own and own[name].shape == wanted[name].shape}
    for name in wanted:
        if name not in names:
            taken = [one for found in names.values() for one in found]
            names[name] = _counterparts(name, wanted[name].shape, own, taken)
    return {name: [own[one] for one in names[name]] for name in wanted}


def _counterparts(name: str, shape: Any, own: dict[str, Any], taken: list[str]) -> list[str]:
    attribute = name.partition(".")[0]
    free = [one for one in own if one.partition(".")[0] == attribute and one not in taken]
    fits = [one for one in free if own[one].ndim == len(shape) and own[one].shape[1:] == shape[1:]]
    whole = [one for one in fits if own[one].shape == shape][:1]
    found = whole or _sharing_rows(sorted(fits, key=_role), shape[0], own)
    if not found:
        raise MissingParameter(
            f"no parameter of shape {tuple(shape)} in `{attribute}` for `{name}`; "
            f"the block has {', '.join(own) or 'no parameters'}"
        )
    return found


def _sharing_rows(names: list[str], rows: int, own: dict[str, Any]) -> list[str]:
    """Return the first of the names that together have so many rows, or none."""
    shared: list[str] = []
    for name in names:
        shared.append(name)
        rows -= len(own[name])
        if rows <= 0:
            break
    return shared if rows == 0 else []


def _role(name: str) -> int:
    """Order by what a name within its attribute tells: query, key, value, other (such as the output)."""
    inner = name.partition(".")[2].lower()
    return min((i for i, letter in enumerate("qkv") if letter in inner), default=3)
