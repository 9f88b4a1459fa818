"""What a name, key or argument that is missing may stand for, read from the scope in which it is missing.

Python's own "Did you mean" is made where a traceback is printed, and the grader reads the exception alone. A hint
is a kind and its values, such as ``("name", "weights", "12")``; the grader makes the sentence. It is a fact about
the student's own code, or a name that is almost the same. No function of the submission is called for it.
"""

from __future__ import annotations

import builtins
import difflib
import dis
import functools
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import CodeType, FrameType, FunctionType, MethodType, ModuleType
from typing import Any, TypeAlias

Hint: TypeAlias = tuple[str, ...]
NAME = "name"
"""Another name is almost the same: the name, and the line at which it gets its value, if that is known."""
ELSEWHERE = "elsewhere"
"""The name is a variable of another function only: name, function and line."""
CALLER = "caller"
"""The name has a value in a function that calls this one: name, function and line."""
KEYS = "keys"
"""A dictionary has other keys: its name and the keys."""
HAS = "has"
"""An object has other attributes: their names."""
TAKES = "takes"
"""A function takes other arguments: its name, its line and its parameters."""
NO_SELF = "no self"
"""A method has no first parameter for its object: its name and line."""
LEAST_ALIKE = 0.8
"""How alike a name is at least, by ``difflib``."""
MOST_LISTED = 8
LONGEST_KEY = 30
OF_A_MODULE = re.compile(r"^module '([\w.]+)' has no attribute '(\w+)'")
NOT_IMPORTED = re.compile(r"^cannot import name '(\w+)'")
WRONG_ARGUMENTS = re.compile(
    r"^([\w.<>]+)\(\) (missing|takes|got an unexpected keyword|got multiple values)"
)
SUBSCRIPTED = re.compile(r"([^\W\d]\w*(?:\.[^\W\d]\w*)*)\[")
"""Names and attributes that a line takes an item of."""


def hint_for(
    error: BaseException,
    message: str,
    source: str,
    frames: list[FrameType],
    is_own: Callable[[str], bool],
) -> Hint:
    """Return the hint for an exception; () if there is none.

    Args:
        error: the exception.
        message: its text.
        source: the line at which it arose.
        frames: those of the student's own code, outermost first.
        is_own: whether a file is the student's own.
    """
    frame = frames[-1]
    if isinstance(error, UnboundLocalError):
        return ()
    if isinstance(error, NameError):
        return _hint_for_name(str(error.name), frames, is_own)
    if isinstance(error, AttributeError):
        return _hint_for_attribute(error, message)
    if isinstance(error, ImportError):
        match = NOT_IMPORTED.match(message)
        module = sys.modules.get(str(error.name))
        if match is None or module is None:
            return ()
        return _near(match[1], vars(module))
    if isinstance(error, KeyError):
        return _hint_for_key(error.args, source, frame)
    if isinstance(error, TypeError):
        match = WRONG_ARGUMENTS.match(message)
        if match is not None:
            return _hint_for_arguments(match[1], message, frame, is_own)
    return ()


def _hint_for_name(
    name: str, frames: list[FrameType], is_own: Callable[[str], bool]
) -> Hint:
    frame = frames[-1]
    scopes = list(_scopes(frames))
    owner = scopes[-1].f_locals.get("self")
    if owner is not None and name in _own_attributes(owner):
        return NAME, f"self.{name}", ""
    if len(name) > 1:
        for alias, module in frame.f_globals.items():
            if type(module) is ModuleType and callable(vars(module).get(name)):
                return NAME, f"{alias}.{name}", ""

    for caller in reversed(frames[: -len(scopes)]):
        code = caller.f_code
        if name in caller.f_locals and code.co_name != "<module>":
            return CALLER, name, code.co_name, str(code.co_firstlineno)

    names: dict[str, None] = {}
    for scope in scopes:
        names.update(dict.fromkeys(scope.f_locals))
    names.update(dict.fromkeys(frame.f_globals))
    names.update(dict.fromkeys(dir(builtins)))
    # A function that calls another of a similar name does not mean itself.
    for scope in scopes:
        names.pop(scope.f_code.co_name, None)
    near = _near(name, names)
    if near:
        _, near_name, _ = near
        return NAME, near_name, _line_of(near_name, scopes)

    for function in _functions(frame.f_globals, is_own):
        code = function.__code__
        # A parameter gets its value from whoever calls the function.
        parameters = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        if name in code.co_varnames and name not in parameters:
            return ELSEWHERE, name, function.__name__, str(code.co_firstlineno)
    return ()


def _scopes(frames: list[FrameType]) -> Iterator[FrameType]:
    """Yield the frames whose variables the innermost one sees: a comprehension also sees those around it."""
    for frame in reversed(frames):
        yield frame
        name = frame.f_code.co_name
        if not name.startswith("<") or name == "<module>":
            return


def _functions(
    namespace: Mapping[str, Any], is_own: Callable[[str], bool]
) -> Iterator[FunctionType]:
    """Yield the student's own functions in a namespace."""
    for value in list(namespace.values()):
        if type(value) is FunctionType and is_own(value.__code__.co_filename):
            yield value


def _line_of(name: str, scopes: list[FrameType]) -> str:
    """Return the line at which a variable first gets a value or a function is defined; "" where it is unknown."""
    for scope in scopes:
        line = _first_line_that_binds(name, scope.f_code)
        if line:
            return line
    value = scopes[-1].f_globals.get(name)
    if type(value) is FunctionType:
        return str(value.__code__.co_firstlineno)
    return ""


def _first_line_that_binds(name: str, code: CodeType) -> str:
    for instruction in dis.get_instructions(code):
        if not instruction.opname.startswith(("STORE_FAST", "STORE_DEREF")):
            continue
        # From Python 3.13 on, one instruction may store two names.
        bound = instruction.argval
        is_bound = bound == name or (isinstance(bound, tuple) and name in bound)
        if is_bound and instruction.positions is not None:
            return str(instruction.positions.lineno or "")
    return ""


def _hint_for_attribute(error: AttributeError, message: str) -> Hint:
    # NumPy and torch say which module it is in the message only.
    match = OF_A_MODULE.match(message)
    if match is not None:
        module = sys.modules.get(match[1])
        return () if module is None else _near(match[2], vars(module))
    name, owner = error.name, error.obj
    if name is None or owner is None:
        return ()
    if type(owner) is ModuleType:
        return _near(name, vars(owner))
    own_attributes = _own_attributes(owner)
    near = _near(name, own_attributes) or _near(name, dir(type(owner)))
    if near or not own_attributes:
        return near
    return HAS, ", ".join(own_attributes[:MOST_LISTED])


def _own_attributes(owner: Any) -> list[str]:
    """Return the names that were assigned to an object: for a module of torch also layers and parameters."""
    namespace = getattr(owner, "__dict__", {})
    names: dict[str, None] = {}
    for name, value in namespace.items():
        if name in ("_modules", "_parameters", "_buffers"):
            names.update(dict.fromkeys(value))
        elif not name.startswith("_") and name != "training":
            names[name] = None
    return list(names)


def _hint_for_key(arguments: tuple[Any, ...], source: str, frame: FrameType) -> Hint:
    """Name the keys of the first dictionary in a line that lacks the key."""
    if len(arguments) != 1 or type(arguments[0]) not in (str, int, bool):
        return ()
    for path in SUBSCRIPTED.findall(source):
        dictionary = _value_at(path, frame)
        if type(dictionary) is not dict or arguments[0] in dictionary:
            continue
        keys = [repr(key) for key in dictionary if type(key) in (str, int, bool)]
        if len(keys) != len(dictionary):
            return ()
        if len(keys) > MOST_LISTED:
            keys[MOST_LISTED - 1 :] = ["…"]
        return KEYS, path, ", ".join(key[:LONGEST_KEY] for key in keys)
    return ()


def _value_at(path: str, frame: FrameType) -> Any:
    """Return the value of a name, or of an attribute of an object that is no more than its attributes."""
    first, *attributes = path.split(".")
    value = frame.f_locals.get(first, frame.f_globals.get(first))
    for attribute in attributes:
        value = getattr(value, "__dict__", {}).get(attribute)
    return value


def _hint_for_arguments(
    qualified_name: str, message: str, frame: FrameType, is_own: Callable[[str], bool]
) -> Hint:
    """Say which arguments a function of the student's own takes."""
    *owners, name = qualified_name.rpartition("<locals>.")[2].split(".")
    namespace: Mapping[str, Any] = {**frame.f_globals, **frame.f_locals}
    for owner in owners:
        namespace = getattr(namespace.get(owner), "__dict__", {})
    function = namespace.get(name)
    if type(function) is MethodType:
        function = function.__func__
    if type(function) is not FunctionType or not is_own(function.__code__.co_filename):
        return ()
    code = function.__code__
    line = str(code.co_firstlineno)
    parameters = list(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount])
    if owners:
        is_method = parameters[:1] in (["self"], ["cls"])
        if not is_method and "were given" in message:
            return NO_SELF, name, line
        parameters = parameters[1:]
    called = owners[-1] if owners and name == "__init__" else name
    return TAKES, called, line, ", ".join(parameters)


def _near(name: str, names: Iterable[str]) -> Hint:
    """Return the name that differs in case or in a few letters, or ()."""
    # An object's namespace may hold anything as a name.
    candidates = []
    for candidate in names:
        if type(candidate) is str and not candidate.startswith("__"):
            candidates.append(candidate)
    return _nearest(name, tuple(candidates))


@functools.cache
def _nearest(name: str, names: tuple[str, ...]) -> Hint:
    """Do what ``_near`` says; a name that is missing in one case is mostly missing in all."""
    candidates = []
    for candidate in names:
        if candidate == name or _differ_in_their_mark(name, candidate):
            continue
        if candidate.casefold() == name.casefold():
            return NAME, candidate, ""
        # Two letters changed places.
        if len(name) > 2 and sorted(candidate) == sorted(name):
            return NAME, candidate, ""
        candidates.append(candidate)
    alike = difflib.get_close_matches(name, candidates, 1, LEAST_ALIKE)
    if not alike:
        return ()
    return NAME, alike[0], ""


def _differ_in_their_mark(name: str, other: str) -> bool:
    """Whether names differ in a mark at their end: ``beta_q`` and ``beta_k`` are two things."""
    for pattern in (r"^(.*_)(\w)$", r"^(.*?)(\d+)$"):
        match, other_match = re.match(pattern, name), re.match(pattern, other)
        if match and other_match and match[1].casefold() == other_match[1].casefold():
            return match[2].casefold() != other_match[2].casefold()
    return False
