"""The calls that a request may ask for: a function, a torch module, or top-level values of the submission.

Each returns plain data for the answer. No homework is known here: names and arguments come with the request.
"""

from __future__ import annotations

import contextlib
import sys
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from autograder.worker.errors import is_submitted
from autograder.worker.globals_read import names_mentioned, passing_through, rebound
from autograder.worker.parameters import (
    MissingParameter,
    joined_gradients,
    load_parameters,
    registered_shapes,
)
from autograder.worker.probes import probe_parameters, probe_state
from autograder.worker.training import load_state, watching_training
from autograder.worker.wire import Freezer, Unsendable

MAX_ENTRIES = 50
MAX_KEY = 100
MAX_TEXT = 4000
MAX_NAMES = 1000
"""Limits of a dictionary of answers: its entries, and the characters of a key and of a value."""


class NotDefined(Exception):
    """The submission has no such name, or it is not a function or class."""


def make_call(
    call: dict[str, Any], namespace: dict[str, Any], packer: Freezer
) -> dict[str, object]:
    """Carry out one call and freeze its result at once."""
    operation: Callable[[dict[str, Any], dict[str, Any]], dict[str, object]] = (
        _OPERATIONS[call["op"]]
    )
    rebinding = rebound(namespace, call.get("rebind") or {})
    with rebinding, passing_through(namespace, call.get("pass_through")):
        outcome = operation(call, namespace)
    return {key: packer.freeze(value) for key, value in outcome.items()}


def _call_function(
    call: dict[str, Any], namespace: dict[str, Any]
) -> dict[str, object]:
    function = _find(namespace, call["name"])
    arguments = list(call["args"])
    before = _snapshot(arguments)
    outcome: dict[str, object] = {}
    if call.get("trains"):
        with watching_training(namespace.get(call["trains"])) as training:
            returned = function(*arguments)
        outcome["trained"] = training.result()
    else:
        returned = function(*arguments)
    outcome |= {"value": returned, "modified": _changed(before, arguments)}
    if call.get("cotangent") is not None:
        output = _part_like(call["cotangent"], returned)
        leaves = {
            str(i): a
            for i, a in enumerate(arguments)
            if getattr(a, "requires_grad", False)
        }
        outcome["gradients"] = _gradients(output, leaves, call["cotangent"])
    return outcome


def _call_module(call: dict[str, Any], namespace: dict[str, Any]) -> dict[str, object]:
    """Load parameters into a new module and run it; False for a gradient says that nothing depends on it."""
    x, wanted = call["input"], call.get("parameters") or {}
    module = _find(namespace, call["name"])(*call["args"])
    module.train(bool(call.get("training")))
    if (
        str(x.dtype) == "torch.float64"
    ):  # how the course's own rounding error is measured
        module.double()
    try:
        match = load_parameters(module, wanted, x)
    except MissingParameter as error:
        error.registered = registered_shapes(module, {})
        raise
    if call.get("state"):
        load_state(module, call["state"])
    if call.get("noise"):
        _shake(module, call["noise"])
    before = _snapshot([x])
    output = module(x)
    pieces = x.split(call["pieces"], dim=1) if call.get("pieces") else ()
    value = [output, *_in_pieces(module, pieces)] if pieces else output
    outcome: dict[str, object] = {"value": value, "modified": _changed(before, [x])}
    outcome["parameters"] = shapes_as_text(registered_shapes(module, wanted))
    if call.get("probed"):
        probe = (
            probe_state(module, pieces)
            if pieces
            else probe_parameters(module, x, output)
        )
        outcome["probes"] = probe
    cotangent = call.get("cotangent")
    if cotangent is not None:
        leaves = {
            id(leaf): leaf
            for owned in ([x], *match.values())
            for leaf in owned
            if leaf.requires_grad
        }
        items = list(output.values()) if isinstance(output, dict) else output
        parts = items if isinstance(items, tuple | list) else [items]
        # Of a tuple, the part to which most leaves lead: what a block returns on its way there has fewer.
        found = [_gradients(part, leaves, cotangent) for part in [*parts, None]]
        by_id = max(
            found,
            key=lambda one: sum(gradient is not None for gradient in one.values()),
        )
        gradients = {"input": by_id.get(id(x)), **joined_gradients(match, by_id)}
        for name, owned in match.items():
            if gradients[name] is None and _is_unused(owned, lambda: module(x.clone())):
                gradients[name] = False
        outcome["gradients"] = gradients
    return outcome


def shapes_as_text(shapes: Mapping[str, tuple[int, ...]]) -> dict[str, str]:
    """Return each shape as a text such as ``3 4``, which is quicker to read than a list."""
    return {name: " ".join(map(str, shape)) for name, shape in shapes.items()}


def _shake(module: Any, noise: float) -> None:
    """Move everything that a module learns a little, the same way in every run."""
    import torch

    with torch.no_grad():
        for parameter in (one for one in module.parameters() if one.requires_grad):
            parameter += noise * torch.randn_like(parameter)


def _in_pieces(module: Any, pieces: Sequence[Any]) -> Iterator[Any]:
    """Yield what each call returns; from the second on, the state that came last goes in again."""
    returned: Any = ()
    for piece in pieces:
        returned = (
            module(piece, *returned[1:])
            if isinstance(returned, tuple)
            else module(piece)
        )
        yield returned


def _is_unused(parameters: Sequence[Any], run: Callable[[], Any]) -> bool:
    """Whether other values of these parameters leave what comes back as it is."""
    import torch

    with torch.no_grad():  # in which a layer may take another way, with other last bits
        before = _snapshot(run())
        kept = [parameter.clone() for parameter in parameters]
        for parameter in parameters:
            parameter += torch.rand_like(parameter)
        after = _snapshot(run())
        for parameter, values in zip(parameters, kept, strict=True):
            parameter.copy_(values)
    return _same(before, after)


def _read_value(call: dict[str, Any], namespace: dict[str, Any]) -> dict[str, object]:
    if call["name"] not in namespace:
        raise NotDefined(call["name"])
    value = namespace[call["name"]]
    return {
        "value": plain_answers(value) if call["op"] == "answers" else value,
        "modified": [],
    }


def _look_up(call: dict[str, Any], namespace: dict[str, Any]) -> dict[str, object]:
    """Only whether a name is bound: the value may be too large to send."""
    if call["name"] not in namespace:
        raise NotDefined(call["name"])
    return {"value": True, "modified": []}


def _list_names(call: dict[str, Any], namespace: dict[str, Any]) -> dict[str, object]:
    """List the names of a submission's own functions and classes, of what is defined within, and of values.

    ``called`` are the functions and classes that another function mentions.
    """
    found: dict[str, list[str]] = {
        "functions": [],
        "classes": [],
        "modules": [],
        "values": [],
        "inner": [],
    }
    torch = sys.modules.get("torch")
    for name, value in namespace.items():
        if isinstance(value, types.FunctionType):
            kinds = ["functions"] if is_submitted(value.__code__.co_filename) else []
        elif isinstance(value, type):
            is_own = vars(value).get("__module__") == namespace.get("__name__")
            is_module = torch is not None and issubclass(value, torch.nn.Module)
            kinds = ["classes", *(["modules"] if is_module else [])] if is_own else []
        else:
            kinds = [] if callable(value) else ["values"]
        inner = (
            [(f"{name}.{one}", ["inner"]) for one in _defined_within(value)]
            if kinds
            else []
        )
        for said, under in [(str(name), kinds), *inner]:
            for kind in under:
                if len(found[kind]) < MAX_NAMES:
                    found[kind].append(said[:MAX_KEY])
    own = {*found["functions"], *found["classes"]}
    mentioned = {
        other
        for name in own
        for other in names_mentioned(namespace.get(name))
        if other != name
    }
    return {"value": {**found, "called": sorted(own & mentioned)}, "modified": []}


def _defined_within(value: object) -> list[str]:
    """The names of a class's methods, or of the functions within a function."""
    if isinstance(value, type):
        return [
            name
            for name, one in vars(value).items()
            if isinstance(one, types.FunctionType)
        ]
    constants = (
        value.__code__.co_consts if isinstance(value, types.FunctionType) else ()
    )
    return [one.co_name for one in constants if isinstance(one, types.CodeType)]


_OPERATIONS = {
    "function": _call_function,
    "module": _call_module,
    "value": _read_value,
    "answers": _read_value,
    "names": _list_names,
    "presence": _look_up,
}


def _find(namespace: dict[str, Any], name: str) -> Callable[..., Any]:
    found = namespace.get(name)
    if not callable(found):
        raise NotDefined(name)
    return found  # type: ignore[no-any-return]


def _snapshot(value: object) -> Any:
    """Copy the numbers of an argument; torch tensors offer ``numpy`` and need no import here."""
    if isinstance(value, list | tuple):
        return [_snapshot(item) for item in value]
    if hasattr(value, "detach"):
        return value.detach().cpu().numpy().copy()
    return np.array(value, copy=True) if isinstance(value, np.ndarray) else value


def _changed(before: list[Any], arguments: list[Any]) -> list[int]:
    """The positions of the arguments that were changed."""
    after = _snapshot(arguments)
    return [
        i
        for i, (old, new) in enumerate(zip(before, after, strict=True))
        if not _same(old, new)
    ]


def _same(old: Any, new: Any) -> bool:
    if isinstance(old, list):
        return len(old) == len(new) and all(map(_same, old, new))
    if isinstance(old, np.ndarray):
        return bool(
            old.shape == new.shape
            and old.dtype == new.dtype
            and old.tobytes() == new.tobytes()
        )
    return bool(old == new)


def _part_like(wanted: Any, returned: Any) -> Any:
    """The last part of what came back that has this shape, also transposed or with axes of 1."""
    items = list(returned.values()) if isinstance(returned, dict) else returned
    parts = items if isinstance(items, tuple | list) else (items,)
    for part in reversed([one for one in parts if hasattr(one, "requires_grad")]):
        plain, shape = part.squeeze(), wanted.squeeze().shape
        if shape in (plain.shape, plain.shape[::-1]):
            return (plain if plain.shape == shape else plain.T).reshape(wanted.shape)
    return returned


def _gradients(output: Any, leaves: dict[Any, Any], cotangent: Any) -> dict[Any, Any]:
    """Gradients of ``sum(output * cotangent)`` to each leaf; None where none arrives."""
    if not getattr(output, "requires_grad", False) or output.shape != cotangent.shape:
        return dict.fromkeys(leaves)
    import torch

    # The sum, not torch's grad_outputs: that option makes torch import SymPy, a third of a second.
    total = (output * cotangent).sum()
    found = torch.autograd.grad(
        total, list(leaves.values()), allow_unused=True, retain_graph=True
    )
    return dict(zip(leaves, found, strict=True))


def plain_answers(found: object) -> object:
    """Return a dictionary of answers as plain data; whatever is not plain is replaced by a description."""
    if type(found) is not dict:
        return Unsendable(f"a value of type {type(found).__name__}")
    if len(found) > MAX_ENTRIES:
        return Unsendable(f"a dictionary of {len(found)} entries")
    plain: dict[str, object] = {}
    for key, value in found.items():
        is_plain = type(key) is str and len(key) <= MAX_KEY
        plain[key if is_plain else f"a key of type {type(key).__name__}"[:MAX_KEY]] = (
            _plain_value(value)
        )
    return plain


def _plain_value(value: Any) -> object:
    """Return a value as plain data; a NumPy scalar, or an array or tensor of one entry, is its number."""
    if type(value).__module__ in ("numpy", "torch"):
        with contextlib.suppress(AttributeError, TypeError, ValueError, RuntimeError):
            value = value.item()
    if type(value) is str:
        return (
            value
            if len(value) <= MAX_TEXT
            else Unsendable(f"a text of {len(value)} characters")
        )
    if value is None or type(value) in (bool, int, float):
        return value
    return Unsendable(f"a value of type {type(value).__name__}")
