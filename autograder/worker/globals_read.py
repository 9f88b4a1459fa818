"""Which data a function reads from the module around it: the reason why it works for one size only."""

from __future__ import annotations

import dis
import types
from collections.abc import Iterator
from typing import Any

from autograder.worker.errors import is_submitted
from autograder.worker.rebind import sizes_among

LIBRARIES = frozenset({"builtins", "numpy", "torch"})


def describe_functions(namespace: dict[str, Any], names: list[str]) -> dict[str, dict[str, object]]:
    """For each named function or class: its parameters and the global data it reads, helpers included."""
    described: dict[str, dict[str, object]] = {}
    for name in dict.fromkeys(names):
        value = namespace.get(name)
        if isinstance(value, types.FunctionType | type):
            read = _all_read(value)
            described[name] = {
                "parameters": _parameters(value),
                "globals_read": read,
                "sizes": sizes_among(namespace, read),
            }
    return described


def _parameters(value: object) -> list[str]:
    """The positional parameters of a function, or of the one that it wraps; a class has none to name."""
    for _ in range(10):
        wrapped = vars(value).get("__wrapped__") if isinstance(value, types.FunctionType) else None
        value = wrapped or value
    if not isinstance(value, types.FunctionType):
        return []
    return list(value.__code__.co_varnames[: value.__code__.co_argcount])


def _all_read(value: object) -> list[str]:
    """Read bytecode, which takes long, only where a name that the code mentions may hold a size at all."""
    if not any(_data_read(value, set(), exactly=False)):
        return []
    return sorted(set(_data_read(value, set(), exactly=True)))


def _data_read(value: object, seen: set[int], *, exactly: bool) -> Iterator[str]:
    """The global data that the submission's own functions read when a value is called."""
    if id(value) in seen:
        return
    seen.add(id(value))
    for inner in _held_by(value):
        if isinstance(inner, types.FunctionType | staticmethod | classmethod):
            yield from _data_read(inner, seen, exactly=exactly)
    if not isinstance(value, types.FunctionType) or not is_submitted(value.__code__.co_filename):
        return
    for name in _names_of_interest(value, exactly):
        found = value.__globals__[name]
        yield from _data_read(found, seen, exactly=exactly)
        if _may_hold_a_size(found):
            yield name


def _names_of_interest(function: types.FunctionType, exactly: bool) -> set[str]:
    """The globals that are or lead to data and that a function reads; or, quicker, that its code mentions."""
    mentioned = set(_mentioned_names(function.__code__)) & set(function.__globals__)
    found = {name for name in mentioned if _may_lead_to_data(function.__globals__[name])}
    return found.intersection(_global_names(function.__code__)) if found and exactly else found


def _may_lead_to_data(value: object) -> bool:
    leads = isinstance(value, types.FunctionType | type | staticmethod | classmethod)
    return leads or _may_hold_a_size(value)


def _held_by(value: object) -> Iterator[object]:
    """The functions within a value: a class's methods, or what a decorated function closes over."""
    if isinstance(value, staticmethod | classmethod):
        yield value.__func__
    elif isinstance(value, type):
        for base in value.__mro__:
            yield from () if _is_of_a_library(base) else vars(base).values()
    elif isinstance(value, types.FunctionType):
        for cell in value.__closure__ or ():
            if cell != types.CellType():  # an empty cell has no contents to ask for
                yield cell.cell_contents


def _is_of_a_library(base: type) -> bool:
    """Whether none of a class's functions can be the submission's, so that none needs a look."""
    module = vars(base).get("__module__")
    return type(module) is str and module.partition(".")[0] in LIBRARIES


def _may_hold_a_size(value: object) -> bool:
    """Sizes are whole numbers, and arrays have them; a constant such as 1e-9 or a text has none.

    The type is asked, never the value: a student's object may answer to any name, or raise.
    """
    if callable(value) or isinstance(value, types.ModuleType | float | str | bool):
        return False
    return isinstance(value, int | list | tuple) or hasattr(type(value), "shape")


def _mentioned_names(code: types.CodeType) -> Iterator[str]:
    """The global names that the code and functions within it use, and the attributes' names among them."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _mentioned_names(constant)


def _global_names(code: types.CodeType) -> Iterator[str]:
    for instruction in dis.get_instructions(code):
        if instruction.opname == "LOAD_GLOBAL":
            yield instruction.argval
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _global_names(constant)
