"""Load given parameters into a student's torch module, and return its gradients under the same names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

Match = dict[str, list[Any]]
"""For each wanted name, the module's own parameters whose rows, one after another, are its counterpart."""


class MissingParameter(ValueError):
    """The student's module lacks a parameter that the handout's block has."""


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

    own = dict(_all_parameters(module))
    names = {name: [name] for name in wanted if name in own and own[name].shape == wanted[name].shape}
    for name in wanted:
        if name not in names:
            taken = [one for found in names.values() for one in found]
            names[name] = _counterparts(name, wanted[name].shape, own, taken)
    match = {name: [own[one] for one in names[name]] for name in wanted}
    with torch.no_grad():
        for name, owned in match.items():
            parts = [wanted[name]] if len(owned) == 1 else wanted[name].split([len(p) for p in owned])
            for parameter, rows in zip(owned, parts, strict=True):
                parameter.copy_(rows)
    return match


def _all_parameters(module: Any) -> Iterator[tuple[str, Any]]:
    """The registered parameters, and those of layers in a plain list, which torch itself overlooks."""
    yield from module.named_parameters()
    for attribute, value in vars(module).items():
        for number, layer in enumerate(value if isinstance(value, list | tuple) else ()):
            if hasattr(layer, "named_parameters"):
                for name, parameter in layer.named_parameters():
                    yield f"{attribute}.{number}.{name}", parameter


def _counterparts(name: str, shape: Any, own: dict[str, Any], taken: list[str]) -> list[str]:
    """The first parameter of that shape, or the first ones that have so many rows together, by name."""
    attribute = name.partition(".")[0]
    free = [one for one in own if one.partition(".")[0] == attribute and one not in taken]
    fits = [one for one in free if own[one].ndim == len(shape) and own[one].shape[1:] == shape[1:]]
    whole = [one for one in fits if own[one].shape == shape][:1]
    if whole:
        return whole
    rows, shared = shape[0], []
    for one in sorted(fits, key=_role):
        shared.append(one)
        rows -= len(own[one])
        if rows <= 0:
            break
    if rows != 0 or not shared:
        raise MissingParameter(
            f"no parameter of shape {tuple(shape)} in `{attribute}` for `{name}`; "
            f"the block has {', '.join(own) or 'no parameters'}"
        )
    return shared


def _role(name: str) -> int:
    """Order by what a name within its attribute suggests: query, key, value, other (such as the output)."""
    inner = name.partition(".")[2].lower()
    return min((i for i, letter in enumerate("qkv") if letter in inner), default=3)


def joined_gradients(match: Match, gradients: dict[int, Any]) -> dict[str, Any]:
    """Return the gradient of each wanted parameter, None where a part of it has none.

    Args:
        match: as ``load_parameters`` returned it.
        gradients: by the ``id`` of each own parameter.
    """
    import torch

    joined: dict[str, Any] = {}
    for name, owned in match.items():
        parts: list[Any] = [gradients.get(id(parameter)) for parameter in owned]
        joined[name] = None if any(part is None for part in parts) else torch.cat(parts)
    return joined
