"""Find the global data that a function reads, which shows why it works for one size only."""

from __future__ import annotations

import dis
import types
from collections.abc import Iterable, Iterator

import numpy as np

from autograder.worker.places import Namespace, is_submitted

LARGEST_SIZE = 10**6
WHOLE_TYPES = (int, *(np.dtype(code).type for code in "bhilqBHILQ"))
LIBRARIES = frozenset({"builtins", "numpy", "torch"})
MOST_WRAPPERS = 10
_FUNCTIONS = (types.FunctionType, staticmethod, classmethod)


def describe_functions(
    namespace: Namespace, names: list[str]
) -> dict[str, dict[str, object]]:
    """Describe each named function or class without calling it.

    Returns:
        By name: its positional ``parameters`` (a module's are those of its ``forward``), the names of global
        data that it reads (``globals_read``, its helpers included), and the values of those that are whole
        numbers (``sizes``).
    """
    descriptions: dict[str, dict[str, object]] = {}
    for name in dict.fromkeys(names):
        value = namespace.get(name)
        if not isinstance(value, types.FunctionType | type):
            continue
        # Reading bytecode is slow, so it waits for the quick look to show that there may be anything to find.
        globals_read = []
        if any(_data_read(value, set(), exactly=False)):
            globals_read = sorted(set(_data_read(value, set(), exactly=True)))
        sizes = {}
        for global_name in globals_read:
            number = namespace.get(global_name)
            if is_size(number):
                sizes[global_name] = int(namespace[global_name])
        descriptions[name] = {
            "parameters": _positional_parameters(value),
            "globals_read": globals_read,
            "sizes": sizes,
        }
    return descriptions


def names_mentioned(value: object) -> set[str]:
    """Return the names that the code of a function, or of a class's methods, mentions, also as attributes."""
    functions: Iterable[object] = (value,)
    if isinstance(value, type):
        functions = vars(value).values()
    names = set[str]()
    for function in functions:
        if isinstance(function, types.FunctionType):
            names.update(_names_in(function.__code__, exactly=False))
    return names


def is_size(value: object) -> bool:
    """Return whether a value is a plain whole number that can be a size.

    Its type is compared exactly: comparing a number of a subclass of ``int`` would run the student's code.
    """
    is_whole = any(type(value) is whole_type for whole_type in WHOLE_TYPES)
    return is_whole and 0 <= value <= LARGEST_SIZE  # type: ignore[operator]


def _positional_parameters(value: object) -> list[str]:
    """Return the positional parameters of a function, or of the one that it wraps.

    Those of a class are the parameters of its ``forward`` after ``self``; without one it has none.
    """
    if isinstance(value, type):
        _, *parameters = _positional_parameters(vars(value).get("forward")) or [""]
        return parameters
    function = value
    for _ in range(MOST_WRAPPERS):
        if isinstance(function, types.FunctionType):
            function = vars(function).get("__wrapped__") or function
    if not isinstance(function, types.FunctionType):
        return []
    code = function.__code__
    return list(code.co_varnames[: code.co_argcount])


def _data_read(value: object, visited: set[int], *, exactly: bool) -> Iterator[str]:
    """Yield the global data that the submission's own functions read when a value is called.

    Args:
        value: a function or class.
        visited: ids of the values that were looked at already.
        exactly: read the bytecode. Otherwise, far quicker: all global data whose names the code mentions, also
            as attributes.
    """
    if id(value) in visited:
        return
    visited.add(id(value))
    for inner in _values_within(value):
        if isinstance(inner, _FUNCTIONS):
            yield from _data_read(inner, visited, exactly=exactly)
    if not isinstance(value, types.FunctionType):
        return
    if not is_submitted(value.__code__.co_filename):
        return
    module_names = value.__globals__
    names = set[str]()
    for name in set(_names_in(value.__code__, exactly=False)) & set(module_names):
        data = module_names[name]
        if isinstance(data, (*_FUNCTIONS, type)) or _may_hold_a_size(data):
            names.add(name)
    if names and exactly:
        names.intersection_update(_names_in(value.__code__, exactly=True))
    for name in names:
        yield from _data_read(module_names[name], visited, exactly=exactly)
        if _may_hold_a_size(module_names[name]):
            yield name


def _values_within(value: object) -> Iterator[object]:
    """Yield the attributes of a class, or the values that a function closes over."""
    if isinstance(value, staticmethod | classmethod):
        yield value.__func__
    elif isinstance(value, type):
        for base in value.__mro__:
            # Not those of library classes. The text's type is compared first: a student may put anything here.
            module = vars(base).get("__module__")
            is_of_library = type(module) is str and module.split(".")[0] in LIBRARIES
            if not is_of_library:
                yield from vars(base).values()
    elif isinstance(value, types.FunctionType):
        for cell in value.__closure__ or ():
            if cell != types.CellType():  # an empty cell has no contents
                yield cell.cell_contents


def _names_in(code: types.CodeType, *, exactly: bool) -> Iterator[str]:
    """Yield the global names that a code reads, or all names but locals that it mentions.

    Code of functions within it is included.
    """
    if exactly:
        for instruction in dis.get_instructions(code):
            if instruction.opname == "LOAD_GLOBAL":
                yield instruction.argval
    else:
        yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _names_in(constant, exactly=exactly)


def _may_hold_a_size(value: object) -> bool:
    """Return whether a value is a whole number or can have one in it; a constant such as 1e-9 or a text cannot.

    Only the type decides: a student's object may answer to any name, or raise.
    """
    if callable(value) or isinstance(value, types.ModuleType | float | str | bool):
        return False
    return isinstance(value, int | list | tuple) or hasattr(type(value), "shape")
