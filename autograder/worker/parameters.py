"""Load given parameters into a student's torch module, and return its gradients under the same names."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from autograder.worker.wire import Shape

MOST_SHAPES = 8
"""How many shapes a message lists."""
Parameters = dict[str, Any]
"""Parameters, or the values for them, by name: ``ff.0.weight``, whose attribute is ``ff``."""
Match = Mapping[str, Sequence[Any]]
"""For each wanted name, the module's own parameters whose rows, one after another, are its counterpart."""

_ROLES = "qkv"
_ROLE = re.compile(
    r"(?:.*_)?(?:w|to|fc|lin|linear|proj|dense|weights?)?([qkv])(?!ernel)|.*(q)uer|.*(k)ey|.*(v)al"
)


class MissingParameter(ValueError):
    """The student's module lacks a parameter that the handout's block has.

    ``registered`` are the shapes of the parameters that torch knows of, by name.
    """

    registered: Mapping[str, Shape] = {}


def load_parameters(
    module: Any, named_values: Parameters, x: Any = None
) -> dict[str, list[Any]]:
    """Copy the wanted values into a module and return the parameters that each of them went into.

    Each attribute (``ff``, ``norm1`` …) is matched separately: equal names first, then by shape in the order of
    registration, so that ``ff.0``/``ff.3`` or ``ff.up``/``ff.down`` load as well. If no single parameter has the
    shape, several may share its rows: a query, a key and a value weight of shape (D, D), or those of each head,
    for one ``in_proj_weight`` of shape (3D, D). An attribute without parameters may have them under another
    name (``_find_renamed``). Two attributes that are one layer get the first one's values.

    Args:
        module: the student's module.
        named_values: the values by the handout's names.
        x: an input, for lazy layers and for layers that are distinguished by their order of use.

    Raises:
        MissingParameter: a wanted parameter has no counterpart.
    """
    import torch

    # A lazy layer has parameters only after its first call.
    is_lazy = any(map(torch.nn.parameter.is_lazy, module.parameters()))
    if is_lazy and x is not None:
        _run(module, x)

    # For each wanted attribute, the module's parameters that may belong to it.
    module_parameters = own_parameters(module, named_values)
    values_by_attribute = _by_attribute(named_values)
    parameters_by_attribute = _by_attribute(module_parameters)
    candidates = {
        attribute: parameters_by_attribute.get(attribute, {})
        for attribute in values_by_attribute
    }
    candidates |= _find_renamed(module, values_by_attribute, candidates, x)

    match: dict[str, list[Any]] = {}
    for attribute, values in values_by_attribute.items():
        match |= _match_attribute(values, candidates[attribute], module_parameters)
    in_order = {name: match[name] for name in named_values}

    with torch.no_grad():
        # Backwards, so that the first value stays in a parameter that is the counterpart of two.
        for name, parameters in reversed(in_order.items()):
            value = named_values[name]
            rows_of_each = [value]
            if len(parameters) > 1:
                row_counts = list(map(len, parameters))
                rows_of_each = value.split(row_counts)
            for parameter, rows in zip(parameters, rows_of_each, strict=True):
                reshaped = rows.reshape(parameter.shape)
                parameter.copy_(reshaped)
    return in_order


def own_parameters(module: Any, named_values: Iterable[str]) -> Parameters:
    """Return a module's parameters by all of their names.

    Besides the registered names there are the parameters of layers in plain lists and dictionaries, which torch
    overlooks, and those of wanted attributes that torch does not know by this name, such as properties.
    """
    import torch

    parameters: Parameters = dict(module.named_parameters(remove_duplicate=False))
    layers: list[tuple[str, Any]] = []
    registered_layers = dict(module.named_children())
    wanted_attributes = dict.fromkeys(map(_attribute_of, named_values))
    for attribute in wanted_attributes:
        if attribute in registered_layers:  # its parameters are there already
            continue
        layer = getattr(module, attribute, None)
        layers.append((attribute, layer))
    for prefix, layer in module.named_modules():
        for attribute, value in vars(layer).items():
            if attribute.startswith("_"):
                continue
            items: Iterable[tuple[Any, Any]] = ()
            if isinstance(value, dict):
                items = value.items()
            elif isinstance(value, list | tuple):
                items = enumerate(value)
            for key, item in items:
                name = f"{prefix}.{attribute}.{key}"
                layers.append((name.lstrip("."), item))

    for name, layer in layers:
        if isinstance(layer, torch.nn.Module):
            of_layer = layer.named_parameters(name, remove_duplicate=False)
            parameters.update(of_layer)
    return parameters


def registered_shapes(module: Any, named_values: Iterable[str]) -> dict[str, Shape]:
    """Return the shapes of the parameters that torch knows of, by name.

    A parameter of two attributes is listed under both, one with two names in an attribute under its first.
    """
    registered = set(map(id, module.parameters()))
    parameters_by_name = own_parameters(module, named_values)
    by_attribute = _by_attribute(parameters_by_name)
    shapes: dict[str, Shape] = {}
    for parameters in by_attribute.values():
        unique_parameters = without_duplicates(parameters)
        for name, parameter in unique_parameters.items():
            if id(parameter) in registered:
                shapes[name] = tuple(parameter.shape)
    return shapes


def without_duplicates(parameters: Mapping[str, Any]) -> Parameters:
    """Return each parameter once, under its first name."""
    first_names: dict[int, str] = {}
    for name, parameter in parameters.items():
        first_names.setdefault(id(parameter), name)
    return {name: parameters[name] for name in first_names.values()}


def joined_gradients(match: Match, gradients: Mapping[int, Any]) -> dict[str, Any]:
    """Return the gradient of each wanted parameter, None if any part of it has no gradient.

    Args:
        match: the module's own parameters by wanted name.
        gradients: gradients by the ``id`` of each of the module's own parameters.
    """
    import torch

    joined: dict[str, Any] = {}
    for name, parameters in match.items():
        rows = []
        for parameter in parameters:
            part = gradients.get(id(parameter))
            if part is not None:
                shape = _shape(part)
                rows.append(part.reshape(shape))
        joined[name] = None
        if len(rows) == len(parameters):
            joined[name] = torch.cat(rows)
    return joined


def _attribute_of(name: str) -> str:
    return name.partition(".")[0]


def _by_attribute(parameters: Mapping[str, Any]) -> dict[str, Parameters]:
    attributes: dict[str, Parameters] = {}
    for name, parameter in parameters.items():
        attribute = _attribute_of(name)
        of_attribute = attributes.setdefault(attribute, {})
        of_attribute[name] = parameter
    return attributes


def _find_renamed(
    module: Any,
    values: Mapping[str, Parameters],
    candidates: Mapping[str, Parameters],
    x: Any,
) -> dict[str, Parameters]:
    """Find the layers of attributes that the student named otherwise, if there is no doubt about them.

    A layer belongs to a missing attribute if the shapes of its parameters occur there, and in no other missing
    attribute. If they occur in several attributes of equal shapes, such as two norms, these get the layers in
    the order in which the module uses them. Together the layers must hold as many numbers as are wanted.

    Args:
        module: the student's module.
        values: the wanted values by attribute.
        candidates: the module's parameters by wanted attribute; the missing attributes have none.
        x: an input to run the module on, or None.

    Returns:
        Parameters by missing attribute.
    """
    assigned = set[int]()
    for parameters in candidates.values():
        assigned.update(map(id, parameters.values()))
    missing_shapes: dict[str, Counter[Shape]] = {}
    for attribute, parameters in candidates.items():
        if not parameters:
            missing_shapes[attribute] = _count_shapes(values[attribute])
    if not missing_shapes:
        return {}

    # Group the layers by the missing attributes that they fit.
    groups: dict[tuple[str, ...], list[tuple[Any, Parameters]]] = {}
    for prefix, layer in module.named_modules():
        layer_parameters: Parameters = {}
        for name, parameter in layer.named_parameters(prefix, recurse=False):
            if id(parameter) not in assigned:
                layer_parameters[name] = parameter
        fitting: list[str] = []
        if layer_parameters:
            layer_shapes = _count_shapes(layer_parameters)
            for attribute, shapes in missing_shapes.items():
                if layer_shapes <= shapes:
                    fitting.append(attribute)
        group = groups.setdefault(tuple(fitting), [])
        group.append((layer, layer_parameters))

    # Give each attribute its layers.
    renamed: dict[str, Parameters] = {}
    for attributes, layers in groups.items():
        if len(attributes) == 1:
            pool: Parameters = {}
            for _, layer_parameters in layers:
                pool |= layer_parameters
            renamed[attributes[0]] = pool
        elif x is not None:
            # The module runs even for layers that fit no attribute: if it cannot run, its own exception says
            # more than that a parameter is missing.
            shapes_of_each = [missing_shapes[attribute] for attribute in attributes]
            first_shapes = shapes_of_each[:1]
            if shapes_of_each == first_shapes * len(attributes):
                parameters_of_layer = dict(layers)
                called = _run(module, x, list(parameters_of_layer))
                pools = [parameters_of_layer[layer] for layer in called]
                if len(pools) == 1:  # one layer that is used for all of them
                    pools = pools * len(attributes)
                if len(pools) == len(attributes):
                    renamed |= dict(zip(attributes, pools, strict=True))

    # Drop what has more or fewer numbers than are wanted.
    for attribute, pool in list(renamed.items()):
        wanted_numbers = _count_numbers(values[attribute])
        if _count_numbers(pool) != wanted_numbers:
            del renamed[attribute]
    return renamed


def _run(module: Any, x: Any, watched: Sequence[Any] = ()) -> list[Any]:
    """Run a module on a copy of the input; return the watched layers in the order of their first call."""
    import torch

    called: dict[Any, None] = {}

    def note(layer: Any, _: Any) -> None:
        called.setdefault(layer)

    hooks = []
    for layer in watched:
        hook = layer.register_forward_pre_hook(note)
        hooks.append(hook)
    with torch.no_grad():
        module(x.detach().clone())
    for hook in hooks:
        hook.remove()
    return list(called)


def _match_attribute(
    named_values: Parameters, candidates: Parameters, module_parameters: Parameters
) -> dict[str, list[Any]]:
    """Return the counterparts of one attribute's values: parameters of equal name first, then by shape."""
    match: dict[str, list[Any]] = {}
    for name, value in named_values.items():
        namesake = candidates.get(name)
        if namesake is not None and _shape(namesake) == value.shape:
            match[name] = [namesake]
    for name, value in named_values.items():
        if name in match:
            continue
        free = without_duplicates(candidates)
        for matched in itertools.chain(*match.values()):
            remaining = {}
            for key, parameter in free.items():
                if parameter is not matched:
                    remaining[key] = parameter
            free = remaining
        match[name] = _counterparts(name, value.shape, free, module_parameters)
    return match


def _counterparts(
    name: str, shape: Any, free: Parameters, module_parameters: Parameters
) -> list[Any]:
    """Return the first free parameter of a shape, or the first ones that together have as many rows.

    Raises:
        MissingParameter: there are none.
    """
    fitting = {}
    whole = []
    for candidate, parameter in free.items():
        candidate_shape = _shape(parameter)
        has_rows_of_shape = candidate_shape[1:] == shape[1:]
        if has_rows_of_shape and parameter.ndim >= len(shape):
            fitting[candidate] = parameter
            if candidate_shape == shape:
                whole.append(parameter)
    if whole and len(shape) == 1:
        # A norm has two vectors of one shape: its gain is the one that still holds ones.
        is_gain = name.endswith("weight")
        for parameter in whole:
            holds_ones = bool((parameter == 1).all())
            if holds_ones == is_gain:
                return [parameter]
    if whole:
        return [whole[0]]

    missing_rows = shape[0]
    shared = []
    for candidate in sorted(fitting, key=_role):
        parameter = fitting[candidate]
        shared.append(parameter)
        missing_rows -= len(parameter)
        if missing_rows <= 0:
            break
    if missing_rows == 0 and shared:
        return shared

    attribute = _attribute_of(name)
    shapes = []
    for own_name, parameter in module_parameters.items():
        if _attribute_of(own_name) == attribute:
            shapes.append(str(_shape(parameter)))
    if shapes:
        listed_shapes = ", ".join(shapes[:MOST_SHAPES])
        have = f"the parameters of `{attribute}` have {listed_shapes}"
    else:
        listed_names = ", ".join(module_parameters)
        have = f"the block has {listed_names or 'no parameters'}"
    raise MissingParameter(f"no parameter for `{name}` of shape {tuple(shape)}; {have}")


def _role(name: str) -> int:
    """Sort key of a parameter's name: query, key, value, then others, such as the output.

    The innermost word that says it decides.
    """
    for word in reversed(name.split(".")):
        role = _ROLE.match(word.lower())
        if role:
            letter = next(filter(None, role.groups()))
            return _ROLES.index(letter)
    return len(_ROLES)


def _shape(parameter: Any) -> Shape:
    """Return the shape, without the axes that a convolution of width 1 adds to those of a linear layer."""
    shape = tuple(parameter.shape)
    further_axes = set(shape[2:])
    if further_axes == {1}:
        return shape[:2]
    return shape


def _count_shapes(parameters: Parameters) -> Counter[Shape]:
    shapes = map(_shape, parameters.values())
    return Counter(shapes)


def _count_numbers(parameters: Parameters) -> int:
    return sum(parameter.numel() for parameter in parameters.values())
