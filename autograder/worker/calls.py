"""The calls that a request may ask for: a function, a class, a torch module, or top-level values of the submission.

Each returns plain data for the answer. No homework is known here: names and arguments come with the request.
"""

from __future__ import annotations

import contextlib
import sys
import types
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

import numpy as np

from autograder.worker.alterations import edited, passing_through, rebound
from autograder.worker.composites import (
    SEQUENCES,
    Composite,
    Keyed,
    put_together,
    take_apart,
)
from autograder.worker.facts.globals_read import names_mentioned
from autograder.worker.facts.watching import Watched, watching_steps
from autograder.worker.parameters import (
    Match,
    MissingParameter,
    joined_gradients,
    load_parameters,
    registered_shapes,
)
from autograder.worker.places import Namespace, is_submitted
from autograder.worker.probes import probe_parameters, probe_state
from autograder.worker.steps import Steps, as_plain_data, take_steps
from autograder.worker.training import load_state, watching_training
from autograder.worker.wire import LEAVES, Freezer, Shape, Unsendable, WireCall

MAX_ENTRIES = 50
"""How many entries a dictionary of answers may have."""
MAX_KEY = 100
"""How many characters a key of it, or a name in a list, may have."""
MAX_TEXT = 4000
"""How many characters a value of it may have."""
MAX_NAMES = 1000
"""How many names of each kind are listed."""
CHANGES_MEANWHILE = frozenset({"rebind", "pass_through", "edited", "switch", "invalid"})
"""Fields of a call that change the submission, or NumPy, while it is made."""
ResultFields = dict[str, object]
"""The outcome of one call, by the keys of the answer."""


class NotDefined(Exception):
    """The submission has no such name, or it is not a function or class."""


def make_call(call: WireCall, namespace: Namespace, packer: Freezer) -> ResultFields:
    """Carry out one call and freeze its result at once.

    Args:
        call: ``op`` is a key of ``OPERATIONS``, ``name`` the name in the submission. ``rebind`` binds top-level
            names to other sizes meanwhile, ``pass_through`` names a function that returns its first argument
            meanwhile, ``edited`` is the name of a function and its definition meanwhile, ``invalid`` is what
            NumPy does where NaN arises. ``switch`` is a function that is called before, with its arguments. All
            else depends on the operation.
        namespace: the submission's top-level names.
        packer: freezes the results, so that the student's code cannot change them later.

    Raises:
        NotDefined: the submission does not define the name.
        MissingParameter: a module has no place for a given parameter.
        BaseException: whatever the student's code raises.
    """
    operation = OPERATIONS[call["op"]]
    if call.keys().isdisjoint(CHANGES_MEANWHILE):  # as most calls are
        outcome = operation(call, namespace)
    else:
        with (
            rebound(namespace, call.get("rebind") or {}),
            passing_through(namespace, call.get("pass_through")),
            edited(namespace, call.get("edited")),
            np.errstate(invalid=call.get("invalid")),
        ):
            if "switch" in call:
                function, *numbers = call["switch"]
                namespace[function](*numbers)
            outcome = operation(call, namespace)
    return {key: packer.freeze(value) for key, value in outcome.items()}


# Functions


def _call_function(call: WireCall, namespace: Namespace) -> ResultFields:
    """Call a function, and report its result, the arguments that it changes, and the module that it trains."""
    function = _find_callable(namespace, call["name"])
    arguments = put_together(list(call["args"]))
    before = _snapshot(arguments)
    outcome: ResultFields = {}
    if call.get("trains"):
        returned, outcome["trained"] = _train(function, arguments, call, namespace)
    elif call.get("times", 1) > 1:
        returned = _call_repeatedly(function, arguments, call["times"])
    else:
        returned = function(*arguments)
    outcome["value"] = returned
    outcome["modified"] = _changed_positions(before, arguments)
    cotangent = call.get("cotangent")
    if cotangent is not None:
        leaves = {}
        for position, argument in enumerate(arguments):
            if getattr(argument, "requires_grad", False):
                leaves[str(position)] = argument
        output = _part_like(cotangent, returned)
        arriving = _gradients(output, leaves, cotangent)
        outcome["gradients"] = dict.fromkeys(leaves) | arriving
    return outcome


def _train(
    function: Callable[..., Any],
    arguments: Sequence[Any],
    call: WireCall,
    namespace: Namespace,
) -> tuple[Any, dict[str, object]]:
    """Call a function that trains a module; return its result, and the module that it trains.

    If the call is ``watched``, the module comes with how it was trained.
    """
    cls = namespace.get(call["trains"])
    watching: AbstractContextManager[Watched | None] = contextlib.nullcontext()
    if call.get("watched"):
        watching = watching_steps(cls, namespace)
    with watching_training(cls) as training, watching as watched:
        returned = function(*arguments)
    trained = training.result()
    if watched is not None:
        trained["course"] = watched.result(training.module)
    return returned, trained


def _call_repeatedly(
    function: Callable[..., Any], arguments: Sequence[Any], times: int
) -> list[Any]:
    """Call a function again and again with the same arguments; return the results."""
    results = []
    for _ in range(times):
        result = function(*arguments)
        if isinstance(result, np.generic):
            # An array for each of many numbers would take long to send.
            result = result.item()
        # It may be the same object each time, with other numbers in it.
        results.append(as_plain_data(result))
    return results


# Objects of plain classes


def _use_object(call: WireCall, namespace: Namespace) -> ResultFields:
    """Make an object, and take the steps with it; the object itself is not part of the answer."""
    arguments = put_together([call["args"], call["steps"]])
    before = _snapshot(_flat(*arguments))
    constructor_arguments, steps = arguments
    constructor = _find_callable(namespace, call["name"])
    instance = constructor(*constructor_arguments)
    value = take_steps(instance, steps)
    modified = _changed_positions(before, _flat(*arguments))
    return {"value": value, "modified": modified}


def _flat(constructor_arguments: Sequence[Any], steps: Steps) -> list[Any]:
    """Return all arguments in their order, the constructor's first."""
    arguments = list(constructor_arguments)
    for _, *step_arguments in steps:
        arguments += step_arguments
    return arguments


# Torch modules


def _call_module(call: WireCall, namespace: Namespace) -> ResultFields:
    """Make a module, load the given parameters into it and run it.

    A gradient is None if none arrives at the parameter, and False if nothing depends on the parameter at all.
    """
    x = call["input"]
    parameters = call.get("parameters") or {}
    arguments = put_together(list(call["args"]))
    constructor = _find_callable(namespace, call["name"])
    module = constructor(*arguments)
    module.train(bool(call.get("training")))
    if str(x.dtype) == "torch.float64":
        # So the course measures the rounding error of its own solution.
        module.double()
    try:
        match = load_parameters(module, parameters, x)
    except MissingParameter as error:
        error.registered = registered_shapes(module, {})
        raise
    if call.get("state"):
        load_state(module, call["state"])
    if call.get("noise"):
        import torch

        # Move everything that the module learns a little, the same way in every run.
        with torch.no_grad():
            for parameter in module.parameters():
                if parameter.requires_grad:
                    parameter += call["noise"] * torch.randn_like(parameter)

    # Run the module on the whole input, and on its pieces with the state between them.
    before = _snapshot([x])
    output = module(x)
    value = output
    pieces: Sequence[Any] = ()
    if call.get("pieces"):
        pieces = x.split(call["pieces"], dim=1)
        value = [output, *_outputs_of_pieces(module, pieces)]
    outcome: ResultFields = {
        "value": value,
        "modified": _changed_positions(before, [x]),
    }
    shapes = registered_shapes(module, parameters)
    outcome["parameters"] = shapes_as_text(shapes)

    if call.get("probed"):
        if pieces:
            outcome["probes"] = probe_state(module, pieces)
        else:
            outcome["probes"] = probe_parameters(module, x, output)
    cotangent = call.get("cotangent")
    if cotangent is not None:
        outcome["gradients"] = _module_gradients(module, x, output, match, cotangent)
    return outcome


def shapes_as_text(shapes: Mapping[str, Shape]) -> dict[str, str]:
    """Return each shape as a text such as ``3 4``, which is quicker to read than a list."""
    texts = {}
    for name, shape in shapes.items():
        texts[name] = " ".join(map(str, shape))
    return texts


def _outputs_of_pieces(module: Any, pieces: Sequence[Any]) -> list[Any]:
    """Return the output of each call with one piece, given the state that the call before returned."""
    outputs = []
    returned: Any = ()
    for piece in pieces:
        if isinstance(returned, tuple):
            returned = module(piece, *returned[1:])
        else:
            returned = module(piece)
        outputs.append(returned)
    return outputs


def _module_gradients(
    module: Any,
    x: Any,
    output: Any,
    match: Match,
    cotangent: Any,
) -> dict[str, Any]:
    """Return the gradients of the input and of each given parameter, by name."""
    leaves = {}
    for tensors in ([x], *match.values()):
        for tensor in tensors:
            if tensor.requires_grad:
                leaves[id(tensor)] = tensor
    # A block may return several parts. The output is the part to which most leaves lead: what the block
    # returns on its way there depends on fewer.
    gradients_of_parts = []
    for part in _parts_of(output):
        gradients_of_parts.append(_gradients(part, leaves, cotangent))
    by_id = max(gradients_of_parts, key=len, default={})
    gradients = {"input": by_id.get(id(x))}
    gradients |= joined_gradients(match, by_id)
    for name, parameters in match.items():
        if gradients[name] is None and _is_unused(parameters, module, x):
            gradients[name] = False
    return gradients


def _is_unused(parameters: Sequence[Any], module: Any, x: Any) -> bool:
    """Return whether a module's output stays the same when these parameters get other values."""
    import torch

    # Both runs are without gradients: a layer may compute differently then, with other last bits.
    with torch.no_grad():
        before = _snapshot(module(x.clone()))
        values = [parameter.clone() for parameter in parameters]
        for parameter in parameters:
            parameter += torch.rand_like(parameter)
        after = _snapshot(module(x.clone()))
        for parameter, value in zip(parameters, values, strict=True):
            parameter.copy_(value)
    return _same(before, after)


# Gradients


def _parts_of(returned: Any) -> Sequence[Any]:
    """Return the items of a returned tuple, list or dictionary; any other value is the only part."""
    if isinstance(returned, dict):
        return list(returned.values())
    if isinstance(returned, SEQUENCES):
        return returned
    return [returned]


def _part_like(cotangent: Any, returned: Any) -> Any:
    """Return the last returned tensor of the cotangent's shape, also if transposed or with axes of 1."""
    squeezed_shape = cotangent.squeeze().shape
    for part in reversed(_parts_of(returned)):
        if not hasattr(part, "requires_grad"):
            continue
        squeezed = part.squeeze()
        if squeezed.shape == squeezed_shape:
            return squeezed.reshape(cotangent.shape)
        if squeezed.shape[::-1] == squeezed_shape:
            return squeezed.T.reshape(cotangent.shape)
    return returned


def _gradients(output: Any, leaves: dict[Any, Any], cotangent: Any) -> dict[Any, Any]:
    """Return the gradient of ``sum(output * cotangent)`` for each leaf at which one arrives."""
    has_graph = getattr(output, "requires_grad", False)
    if not has_graph or output.shape != cotangent.shape:
        return {}
    import torch

    # The sum, not torch's grad_outputs: that option makes torch import SymPy, a third of a second.
    total = (output * cotangent).sum()
    gradients = torch.autograd.grad(
        total, list(leaves.values()), allow_unused=True, retain_graph=True
    )
    arriving = {}
    for leaf, gradient in zip(leaves, gradients, strict=True):
        if gradient is not None:
            arriving[leaf] = gradient
    return arriving


# Which arguments a call changes


def copied(value: Any) -> Any:
    """Copy plain data with all its arrays and tensors; a tensor stays one that gradients are asked for."""
    if isinstance(value, dict):
        items = {key: copied(item) for key, item in value.items()}
        if isinstance(value, Keyed):
            keyed = Keyed(items)
            keyed.sent = value.sent
            return keyed
        return items
    if isinstance(value, SEQUENCES):
        return type(value)(copied(item) for item in value)
    if isinstance(value, np.ndarray):
        return value.copy()
    if isinstance(value, Composite):
        return Composite(value.kind, copied(value.parts))
    if hasattr(value, "detach"):
        return value.detach().clone().requires_grad_(value.requires_grad)
    return value


def _snapshot(value: object) -> Any:
    """Copy the numbers of an argument, or of each item in it."""
    # Most arguments that are no arrays: to ask whether they have parts takes longer than all else here.
    if type(value) in LEAVES:
        return value
    if isinstance(value, SEQUENCES):
        return [_snapshot(item) for item in value]
    # A torch tensor: its own methods are used, so that torch need not be imported.
    if hasattr(value, "detach"):
        return value.detach().cpu().numpy().copy()
    if isinstance(value, np.ndarray):
        return np.array(value, copy=True)
    composite = take_apart(value)  # such as a table or a set
    if composite is not None:
        return [_snapshot(part) for part in composite.parts.values()]
    return value


def _changed_positions(before: list[Any], arguments: list[Any]) -> list[int]:
    """Return the positions of the arguments that differ from their snapshot."""
    after = _snapshot(arguments)
    positions = []
    for position, (old, new) in enumerate(zip(before, after, strict=True)):
        if not _same(old, new):
            positions.append(position)
    return positions


def _same(old: Any, new: Any) -> bool:
    """Return whether two snapshots are equal to the last bit, so that a NaN equals itself."""
    if isinstance(old, list):
        if len(old) != len(new):
            return False
        return all(map(_same, old, new))
    if isinstance(old, np.ndarray):
        if old.shape != new.shape or old.dtype != new.dtype:
            return False
        return bool(old.tobytes() == new.tobytes())
    return bool(old == new)


# Top-level values and names


def _read_value(call: WireCall, namespace: Namespace) -> ResultFields:
    """Return a top-level value."""
    return {"value": _value_of(call, namespace), "modified": []}


def _read_answers(call: WireCall, namespace: Namespace) -> ResultFields:
    """Return the answers to questions as plain data."""
    return {"value": plain_answers(_value_of(call, namespace)), "modified": []}


def _tell_presence(call: WireCall, namespace: Namespace) -> ResultFields:
    """Return only that a top-level value is there: it may be too large to send."""
    _value_of(call, namespace)
    return {"value": True, "modified": []}


def _value_of(call: WireCall, namespace: Namespace) -> Any:
    name = call["name"]
    if name not in namespace:
        raise NotDefined(name)
    return namespace[name]


def _list_names(call: WireCall, namespace: Namespace) -> ResultFields:
    """List the names of a submission's own functions and classes, of their inner functions, and of values.

    ``modules`` are the classes that are torch modules, ``called`` the functions and classes that another
    function mentions.
    """
    names: dict[str, list[str]] = {
        "functions": [],
        "classes": [],
        "modules": [],
        "values": [],
        "inner": [],
    }

    def add(kind: str, name: str) -> None:
        if len(names[kind]) < MAX_NAMES:
            names[kind].append(name[:MAX_KEY])

    for key, value in namespace.items():
        name = str(key)
        kinds = _kinds_of(value, namespace)
        for kind in kinds:
            add(kind, name)
        if kinds:
            for inner in _inner_functions(value):
                add("inner", f"{key}.{inner}")

    definitions = {*names["functions"], *names["classes"]}
    mentioned = set[str]()
    for name in definitions:
        mentioned |= names_mentioned(namespace.get(name)) - {name}
    called = sorted(definitions & mentioned)
    return {"value": {**names, "called": called}, "modified": []}


def _kinds_of(value: object, namespace: Namespace) -> list[str]:
    """Return the lists that a top-level value belongs in; imported functions and classes are in none."""
    if isinstance(value, types.FunctionType):
        if is_submitted(value.__code__.co_filename):
            return ["functions"]
        return []
    if isinstance(value, type):
        if vars(value).get("__module__") != namespace.get("__name__"):
            return []
        torch = sys.modules.get("torch")
        if torch is not None and issubclass(value, torch.nn.Module):
            return ["classes", "modules"]
        return ["classes"]
    if callable(value):
        return []
    return ["values"]


def _inner_functions(value: object) -> list[str]:
    """Return the names of a class's methods, or of the functions within a function."""
    if isinstance(value, type):
        methods = []
        for name, attribute in vars(value).items():
            if isinstance(attribute, types.FunctionType):
                methods.append(name)
        return methods
    if isinstance(value, types.FunctionType):
        inner = []
        for constant in value.__code__.co_consts:
            if isinstance(constant, types.CodeType):
                inner.append(constant.co_name)
        return inner
    return []


OPERATIONS: dict[str, Callable[[WireCall, Namespace], ResultFields]] = {
    "function": _call_function,
    "module": _call_module,
    "object": _use_object,
    "value": _read_value,
    "answers": _read_answers,
    "names": _list_names,
    "presence": _tell_presence,
}


def _find_callable(namespace: Namespace, name: str) -> Callable[..., Any]:
    value = namespace.get(name)
    if not callable(value):
        raise NotDefined(name)
    return value  # type: ignore[no-any-return]


# Written answers


def plain_answers(answers: object) -> object:
    """Return a dictionary of answers as plain data; whatever is not plain is replaced by a description."""
    if type(answers) is not dict:
        return Unsendable(f"a value of type {type(answers).__name__}")
    if len(answers) > MAX_ENTRIES:
        return Unsendable(f"a dictionary of {len(answers)} entries")
    plain: dict[str, object] = {}
    for key, value in answers.items():
        if type(key) is str and len(key) <= MAX_KEY:
            plain_key = key
        else:
            plain_key = f"a key of type {type(key).__name__}"[:MAX_KEY]
        plain[plain_key] = _plain_value(value)
    return plain


def _plain_value(value: Any) -> object:
    """Return a value as plain data; a NumPy scalar, or an array or tensor of one entry, is its number."""
    if type(value).__module__ in ("numpy", "torch"):
        with contextlib.suppress(AttributeError, TypeError, ValueError, RuntimeError):
            value = value.item()
    if type(value) is str:
        if len(value) > MAX_TEXT:
            return Unsendable(f"a text of {len(value)} characters")
        return value
    if value is None or type(value) in (bool, int, float):
        return value
    return Unsendable(f"a value of type {type(value).__name__}")
