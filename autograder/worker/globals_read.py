"""Which data a function reads from the module around it, and what happens when its sizes change.

This tells why a function works for one size only. The names and numbers to bind come with the request, which
the trusted side wrote. Only a name that is bound to a plain whole number now is bound to another: anything
else could run code when it is replaced, or is not a size.
"""

from __future__ import annotations

import dis
import types
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np

from autograder.worker.errors import is_submitted

LARGEST_SIZE = 10**6
WHOLE_TYPES = (int, *(np.dtype(code).type for code in "bhilqBHILQ"))
LIBRARIES = frozenset({"builtins", "numpy", "torch"})
_FUNCTIONS = (types.FunctionType, staticmethod, classmethod)


class NotRebindable(Exception):
    """The submission has no whole number of that name."""


def describe_functions(
    namespace: dict[str, Any], names: list[str]
) -> dict[str, dict[str, object]]:
    """For each named function or class: its parameters and the global data it reads, helpers included."""
    described: dict[str, dict[str, object]] = {}
    for name in dict.fromkeys(names):
        value = namespace.get(name)
        if isinstance(value, types.FunctionType | type):
            # Reading bytecode is slow, so only where a name that the code mentions may hold a size at all.
            reads_any = any(_data_read(value, set(), exactly=False))
            read = (
                sorted(set(_data_read(value, set(), exactly=True))) if reads_any else []
            )
            described[name] = {
                "parameters": _parameters(value),
                "globals_read": read,
                "sizes": {
                    one: int(namespace[one])
                    for one in read
                    if is_size(namespace.get(one))
                },
            }
    return described


def _parameters(value: object) -> list[str]:
    """The positional parameters of a function, or of the one that it wraps; a class has none to name."""
    for _ in range(10):
        wrapped = (
            vars(value).get("__wrapped__")
            if isinstance(value, types.FunctionType)
            else None
        )
        value = wrapped or value
    if not isinstance(value, types.FunctionType):
        return []
    return list(value.__code__.co_varnames[: value.__code__.co_argcount])


def _data_read(value: object, seen: set[int], *, exactly: bool) -> Iterator[str]:
    """The global data that the submission's own functions read when a value is called.

    Not exactly, but far quicker: the global data whose names their code mentions, if only as attributes.
    """
    if id(value) in seen:
        return
    seen.add(id(value))
    for inner in _held_by(value):
        if isinstance(inner, _FUNCTIONS):
            yield from _data_read(inner, seen, exactly=exactly)
    if not isinstance(value, types.FunctionType) or not is_submitted(
        value.__code__.co_filename
    ):
        return
    around = value.__globals__
    names = {
        name
        for name in set(_names_in(value.__code__, exactly=False)) & set(around)
        if isinstance(around[name], (*_FUNCTIONS, type))
        or _may_hold_a_size(around[name])
    }
    if names and exactly:
        names.intersection_update(_names_in(value.__code__, exactly=True))
    for name in names:
        yield from _data_read(around[name], seen, exactly=exactly)
        if _may_hold_a_size(around[name]):
            yield name


def _held_by(value: object) -> Iterator[object]:
    """The functions within a value: a class's methods, or what a decorated function closes over."""
    if isinstance(value, staticmethod | classmethod):
        yield value.__func__
    elif isinstance(value, type):
        for base in value.__mro__:
            module = vars(base).get("__module__")
            if type(module) is not str or module.partition(".")[0] not in LIBRARIES:
                yield from vars(base).values()
    elif isinstance(value, types.FunctionType):
        for cell in value.__closure__ or ():
            if cell != types.CellType():  # an empty cell has no contents
                yield cell.cell_contents


def _names_in(code: types.CodeType, *, exactly: bool) -> Iterator[str]:
    """The global names that a code and functions within it read, or all names that it mentions but locals."""
    if exactly:
        yield from (
            one.argval
            for one in dis.get_instructions(code)
            if one.opname == "LOAD_GLOBAL"
        )
    else:
        yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _names_in(constant, exactly=exactly)


def names_mentioned(value: object) -> set[str]:
    """The names that the code of a function, or of a class's methods, mentions, if only as attributes."""
    functions = vars(value).values() if isinstance(value, type) else (value,)
    codes = [one.__code__ for one in functions if isinstance(one, types.FunctionType)]
    return {name for code in codes for name in _names_in(code, exactly=False)}


def _may_hold_a_size(value: object) -> bool:
    """Sizes are whole numbers, and arrays have them; a constant such as 1e-9 or a text has none.

    Only the type is looked at: a student's object may answer to any name, or raise.
    """
    if callable(value) or isinstance(value, types.ModuleType | float | str | bool):
        return False
    return isinstance(value, int | list | tuple) or hasattr(type(value), "shape")


def is_size(value: object) -> bool:
    """Whether a value is a plain whole number that can be a size; only its exact type is looked at.

    A subclass of ``int`` does not count: its comparison would be the student's code.
    """
    is_whole = any(type(value) is one for one in WHOLE_TYPES)
    return is_whole and 0 <= value <= LARGEST_SIZE  # type: ignore[operator]


@contextmanager
def passing_through(namespace: dict[str, Any], name: str | None) -> Iterator[None]:
    """Let a function of the submission return its first argument within the context; without a name, nothing.

    Its code is exchanged, not its name: other functions may know it by another one.

    Raises:
        NotRebindable: the name is bound to no function, or to one within another.
    """
    if name is None:
        yield
        return
    function = namespace.get(name)
    if not isinstance(function, types.FunctionType) or function.__closure__:
        raise NotRebindable(name)
    code = function.__code__
    function.__code__ = _first_argument.__code__
    try:
        yield
    finally:
        function.__code__ = code


def _first_argument(*arguments: Any, **named: Any) -> Any:
    [first, *_] = [*arguments, *named.values()]
    return first


@contextmanager
def rebound(namespace: dict[str, Any], sizes: Mapping[str, int]) -> Iterator[None]:
    """Bind names to sizes within the context, and restore the old values after it.

    Raises:
        NotRebindable: a name is not bound to a plain whole number.
    """
    before = {name: namespace.get(name) for name in sizes}
    for name, value in before.items():
        if not is_size(value):
            raise NotRebindable(name)
    namespace.update(sizes)
    try:
        yield
    finally:
        namespace.update(before)
