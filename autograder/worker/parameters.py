"""Load given parameters into a student's torch module, and return its gradients under the same names."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

MOST_SHAPES = 8
Named = dict[str, Any]
Match = dict[str, list[Any]]
"""For each wanted name, the module's own parameters whose rows, one after another, are its counterpart."""

_ROLE = re.compile(
    r"(?:.*_)?(?:w|to|fc|lin|linear|proj|dense|weights?)?([qkv])(?!ernel)|.*(q)uer|.*(k)ey|.*(v)al"
)


class MissingParameter(ValueError):
    """The student's module lacks a parameter that the handout's block has.

    ``registered`` are the shapes of the parameters that torch knows of, by name.
    """

    registered: Mapping[str, tuple[int, ...]] = {}


def load_parameters(module: Any, wanted: Named, x: Any = None) -> Match:
    """Copy the wanted values into a module and return where each of them went.

    Each attribute (``ff``, ``norm1`` …) is matched by itself: equal names first, the rest by shape in the
    order of registration, so that ``ff.0``/``ff.3`` or ``ff.up``/``ff.down`` load as well. Where no single
    parameter has the shape, several may share its rows: a query, a key and a value weight of shape (D, D),
    or those of each head, for one ``in_proj_weight`` of shape (3D, D). An attribute without parameters may
    have them under another name (``_elsewhere``). Two attributes that are one layer get the first's values.
    ``x`` is an input, for lazy layers and for layers whose order in use decides.

    Raises:
        MissingParameter: a wanted parameter has no counterpart.
    """
    import torch

    if x is not None and any(map(torch.nn.parameter.is_lazy, module.parameters())):
        _run(module, x)
    values, own = _by_attribute(wanted), own_parameters(module, wanted)
    pools = dict.fromkeys(values, Named()) | _by_attribute(own)
    pools |= _elsewhere(module, values, {part: pools[part] for part in values}, x)
    found = {part: _match_attribute(values[part], pools[part], own) for part in values}
    match = {name: found[name.partition(".")[0]][name] for name in wanted}
    with torch.no_grad():
        for name, owned in reversed(match.items()):
            parts = (
                [wanted[name]]
                if len(owned) == 1
                else wanted[name].split([len(p) for p in owned])
            )
            for parameter, rows in zip(owned, parts, strict=True):
                parameter.copy_(rows.reshape(parameter.shape))
    return match


def own_parameters(module: Any, wanted: Mapping[str, Any]) -> Named:
    """Return a module's parameters by all of their names.

    Besides the registered names there are those of layers in plain lists and dictionaries, which torch
    overlooks, and of wanted attributes that torch does not know by this name, such as properties.
    """
    import torch

    found: Named = dict(module.named_parameters(remove_duplicate=False))
    layers: list[tuple[str, Any]] = [
        (one, getattr(module, one, None)) for one in _by_attribute(wanted)
    ]
    for prefix, layer in module.named_modules():
        for attribute, value in vars(layer).items():
            if attribute.startswith("_") or not isinstance(value, list | tuple | dict):
                continue
            for key, item in (
                value.items() if isinstance(value, dict) else enumerate(value)
            ):
                layers.append((f"{prefix}.{attribute}.{key}".lstrip("."), item))
    for name, layer in layers:
        if isinstance(layer, torch.nn.Module):
            found |= dict(layer.named_parameters(name, remove_duplicate=False))
    return found


def registered_shapes(
    module: Any, wanted: Mapping[str, Any]
) -> dict[str, tuple[int, ...]]:
    """Return the shapes of the parameters that torch knows of, by all names, each once for an attribute."""
    known = {id(parameter) for parameter in module.parameters()}
    return {
        name: tuple(parameter.shape)
        for names in _by_attribute(own_parameters(module, wanted)).values()
        for name, parameter in _distinct(names).items()
        if id(parameter) in known
    }


def _by_attribute(named: Mapping[str, Any]) -> dict[str, Named]:
    attributes: dict[str, Named] = {}
    for name, value in named.items():
        attributes.setdefault(name.partition(".")[0], {})[name] = value
    return attributes


def _distinct(named: Named) -> Named:
    """Each parameter once, by its first name."""
    first = {id(parameter): name for name, parameter in reversed(named.items())}
    return {
        name: parameter
        for name, parameter in named.items()
        if first[id(parameter)] == name
    }


def _elsewhere(
    module: Any, values: dict[str, Named], pools: dict[str, Named], x: Any
) -> dict[str, Named]:
    """Return what stands for the wanted attributes that have no parameters, where that is beyond doubt.

    A layer with a name of its own belongs to a missing attribute where the shapes of its parameters occur
    there, and in no other one that is missing. Where they occur in several attributes of equal shapes, such
    as two norms, these get the layers in the order in which the module uses them. Together the layers must
    hold as many numbers as are wanted.
    """
    known = {id(parameter) for pool in pools.values() for parameter in pool.values()}
    missing = {part: _shapes(values[part]) for part, pool in pools.items() if not pool}
    layers: dict[tuple[str, ...], list[tuple[Any, Named]]] = {}
    for prefix, layer in module.named_modules() if missing else ():
        direct = {
            name: p
            for name, p in layer.named_parameters(prefix, recurse=False)
            if id(p) not in known
        }
        fits = tuple(
            part
            for part, shapes in missing.items()
            if direct and _shapes(direct) <= shapes
        )
        layers.setdefault(fits, []).append((layer, direct))
    found: dict[str, Named] = {}
    for fits, owned in layers.items():
        if len(fits) == 1:
            found[fits[0]] = {
                name: p for _, direct in owned for name, p in direct.items()
            }
        elif x is not None and all(missing[part] == missing[fits[0]] for part in fits):
            used = _run(module, x, [layer for layer, _ in owned])
            in_order = [
                direct for one in used for layer, direct in owned if layer is one
            ]
            in_order *= len(fits) if len(in_order) == 1 else 1
            found |= (
                dict(zip(fits, in_order, strict=True))
                if len(in_order) == len(fits)
                else {}
            )
    numbers = {
        part: sum(one.numel() for one in values[part].values()) for part in found
    }
    return {
        p: pool
        for p, pool in found.items()
        if sum(one.numel() for one in pool.values()) == numbers[p]
    }


def _run(module: Any, x: Any, watched: Sequence[Any] = ()) -> list[Any]:
    """Run a module on a copy of the input; return which of some layers it calls, in that order."""
    import torch

    called: dict[Any, None] = {}
    hooks = [
        one.register_forward_pre_hook(lambda layer, _: called.setdefault(layer))
        for one in watched
    ]
    with torch.no_grad():
        module(x.detach().clone())
    for hook in hooks:
        hook.remove()
    return list(called)


def _match_attribute(wanted: Named, pool: Named, own: Named) -> Match:
    fits = (
        name
        for name in wanted
        if name in pool and _shape(pool[name]) == wanted[name].shape
    )
    match = {name: [pool[name]] for name in fits}
    for name in wanted:
        if name not in match:
            taken = {id(parameter) for found in match.values() for parameter in found}
            free = {one: p for one, p in _distinct(pool).items() if id(p) not in taken}
            match[name] = _counterparts(name, wanted[name].shape, free, own)
    return match


def _counterparts(name: str, shape: Any, free: Named, own: Named) -> list[Any]:
    """The first parameter of that shape, or the first ones that have so many rows together, by name.

    Of two vectors of the shape, a norm's gain is the one that still holds ones.
    """
    fits = {
        one: p
        for one, p in free.items()
        if p.ndim >= len(shape) and _shape(p)[1:] == shape[1:]
    }
    whole = [p for p in fits.values() if _shape(p) == shape]
    if whole:
        is_gain = len(shape) == 1 and name.endswith("weight")
        return [
            min(
                whole, key=lambda p: len(shape) == 1 and bool((p == 1).all()) != is_gain
            )
        ]
    rows, shared = shape[0], []
    for one in sorted(fits, key=_role):
        shared.append(fits[one])
        rows -= len(fits[one])
        if rows <= 0:
            break
    if rows != 0 or not shared:
        part = name.partition(".")[0]
        shapes = [
            str(_shape(p)) for one, p in own.items() if one.partition(".")[0] == part
        ][:MOST_SHAPES]
        have = f"the block has {', '.join(own) or 'no parameters'}"
        have = f"those of `{part}` have {', '.join(shapes)}" if shapes else have
        raise MissingParameter(
            f"no parameter for `{name}` of shape {tuple(shape)}; {have}"
        )
    return shared


def _shape(parameter: Any) -> tuple[int, ...]:
    """The shape, without the axes that a convolution of width 1 has on top of a linear layer's."""
    shape = tuple(parameter.shape)
    return shape[:2] if len(shape) > 2 and set(shape[2:]) == {1} else shape


def _shapes(named: Named) -> Counter[tuple[int, ...]]:
    return Counter(map(_shape, named.values()))


def _role(name: str) -> int:
    """Order by what the innermost telling word suggests: query, key, value, other (such as the output)."""
    for word in reversed(name.split(".")):
        if found := _ROLE.match(word.lower()):
            return "qkv".index(next(filter(None, found.groups())))
    return 3


def joined_gradients(match: Match, gradients: dict[int, Any]) -> dict[str, Any]:
    """Return the gradient of each wanted parameter, None where a part of it has none.

    ``gradients`` are by the ``id`` of each of the module's own parameters.
    """
    import torch

    joined: dict[str, Any] = {}
    for name, owned in match.items():
        parts: list[Any] = [gradients.get(id(parameter)) for parameter in owned]
        is_cut = any(part is None for part in parts)
        joined[name] = (
            None
            if is_cut
            else torch.cat([part.reshape(_shape(part)) for part in parts])
        )
    return joined
