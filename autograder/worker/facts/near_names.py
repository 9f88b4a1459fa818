"""Hints for missing names, keys and arguments, read from the scope in which they are missing.

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
from collections.abc import Iterable, Iterator, Mapping
from types import CodeType, FrameType, FunctionType, MethodType, ModuleType
from typing import Any, TypeAlias

from autograder.worker.places import is_submitted

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
MARKED_NAMES = (re.compile(r"^(.*_)(\w)$"), re.compile(r"^(.*?)(\d+)$"))
"""Names that end in a mark: a letter after an underscore, or a number."""
KEY_TYPES = (str, int, bool)
"""Types of the keys that a hint lists."""
STORED_BY_TORCH = ("_modules", "_parameters", "_buffers")
"""Where a torch module keeps its layers and parameters."""


def hint_for(
    error: BaseException, message: str, source: str, frames: list[FrameType]
) -> Hint:
    """Return the hint for an exception; () if there is none.

    Args:
        error: the exception.
        message: its text.
        source: the line at which it arose.
        frames: the frames of the student's own code, outermost first.
    """
    frame = frames[-1]
    if isinstance(error, UnboundLocalError):
        return ()
    if isinstance(error, NameError):
        return _hint_for_name(str(error.name), frames)
    if isinstance(error, AttributeError):
        return _hint_for_attribute(error, message)
    if isinstance(error, ImportError):
        match = NOT_IMPORTED.match(message)
        module = sys.modules.get(str(error.name))
        if match is None or module is None:
            return ()
        imported_name = match[1]
        return _near(imported_name, vars(module))
    if isinstance(error, KeyError):
        return _hint_for_key(error.args, source, frame)
    if isinstance(error, TypeError):
        match = WRONG_ARGUMENTS.match(message)
        if match is not None:
            function_name = match[1]
            return _hint_for_arguments(function_name, message, frame)
    return ()


def _hint_for_name(name: str, frames: list[FrameType]) -> Hint:
    frame = frames[-1]
    global_names = frame.f_globals
    scopes = list(_scopes(frames))
    outer_scope = scopes[-1]

    # An attribute without "self.", or a function of a module without the module's name.
    owner = outer_scope.f_locals.get("self")
    if owner is not None and name in _own_attributes(owner):
        return NAME, f"self.{name}", ""
    if len(name) > 1:
        for alias, module in global_names.items():
            if type(module) is not ModuleType:
                continue
            function = vars(module).get(name)
            if callable(function):
                return NAME, f"{alias}.{name}", ""

    # A variable of a function that calls this one.
    callers = frames[: -len(scopes)]
    for caller in reversed(callers):
        code = caller.f_code
        if code.co_name != "<module>" and name in caller.f_locals:
            line = str(code.co_firstlineno)
            return CALLER, name, code.co_name, line

    # Another name that is almost the same.
    names: dict[str, None] = {}
    for scope in scopes:
        names.update(dict.fromkeys(scope.f_locals))
    names.update(dict.fromkeys(global_names))
    names.update(dict.fromkeys(dir(builtins)))
    # A function that calls another of a similar name does not mean itself.
    for scope in scopes:
        names.pop(scope.f_code.co_name, None)
    near = _near(name, names)
    if near:
        _, near_name, _ = near
        line = _line_of(near_name, scopes)
        return NAME, near_name, line

    # A variable of a function that does not call this one.
    for function in list(global_names.values()):
        if type(function) is not FunctionType:
            continue
        code = function.__code__
        if not is_submitted(code.co_filename) or name not in code.co_varnames:
            continue
        # A parameter gets its value from whoever calls the function.
        if name not in _parameters_of(code):
            line = str(code.co_firstlineno)
            return ELSEWHERE, name, function.__name__, line
    return ()


def _parameters_of(code: CodeType) -> tuple[str, ...]:
    """Return the names of a function's parameters, without ``*args`` and ``**kwargs``."""
    count = code.co_argcount + code.co_kwonlyargcount
    return code.co_varnames[:count]


def _scopes(frames: list[FrameType]) -> Iterator[FrameType]:
    """Yield the frames whose variables the innermost one sees: a comprehension also sees those around it."""
    for frame in reversed(frames):
        yield frame
        name = frame.f_code.co_name
        if not name.startswith("<") or name == "<module>":
            return


def _line_of(name: str, scopes: list[FrameType]) -> str:
    """Return the line at which a variable first gets a value or a function is defined; "" where it is unknown."""
    for scope in scopes:
        line = bindings_in(scope.f_code).get(name)
        if line:
            return line
    outer_scope = scopes[-1]
    value = outer_scope.f_globals.get(name)
    if type(value) is FunctionType:
        return str(value.__code__.co_firstlineno)
    return ""


@functools.cache
def bindings_in(code: CodeType) -> dict[str, str]:
    """Return the names that a function binds itself, each with its first line there; "" where it is unknown.

    A wrong function often fails in each case, and reading its instructions takes half a millisecond.
    """
    lines: dict[str, str] = {}
    for instruction in dis.get_instructions(code):
        if not instruction.opname.startswith(("STORE_FAST", "STORE_DEREF")):
            continue
        names = instruction.argval
        if not isinstance(names, tuple):  # from Python 3.13 on, it may store two names
            names = (names,)
        line = getattr(instruction.positions, "lineno", None) or ""
        for name in names:
            lines.setdefault(name, str(line))
    return lines


def _hint_for_attribute(error: AttributeError, message: str) -> Hint:
    # NumPy and torch say which module it is in the message only.
    match = OF_A_MODULE.match(message)
    if match is not None:
        module_name, missing_name = match.groups()
        module = sys.modules.get(module_name)
        if module is None:
            return ()
        return _near(missing_name, vars(module))
    name = error.name
    owner = error.obj
    if name is None or owner is None:
        return ()
    if type(owner) is ModuleType:
        return _near(name, vars(owner))

    own_attributes = _own_attributes(owner)
    near = _near(name, own_attributes)
    if not near:
        attributes_of_class = dir(type(owner))
        near = _near(name, attributes_of_class)
    if near or not own_attributes:
        return near
    listed_attributes = own_attributes[:MOST_LISTED]
    return HAS, ", ".join(listed_attributes)


def _own_attributes(owner: Any) -> list[str]:
    """Return the names that were assigned to an object: for a module of torch also layers and parameters."""
    namespace = getattr(owner, "__dict__", {})
    names: dict[str, None] = {}
    for name, value in namespace.items():
        if name in STORED_BY_TORCH:
            names.update(dict.fromkeys(value))
        elif not name.startswith("_") and name != "training":
            names[name] = None
    return list(names)


def _hint_for_key(arguments: tuple[Any, ...], source: str, frame: FrameType) -> Hint:
    """Name the keys of the first dictionary in a line that lacks the key."""
    if len(arguments) != 1:
        return ()
    [missing_key] = arguments
    if type(missing_key) not in KEY_TYPES:
        return ()
    for path in SUBSCRIPTED.findall(source):
        dictionary = _value_at(path, frame)
        if type(dictionary) is not dict or missing_key in dictionary:
            continue
        texts = []
        for key in dictionary:
            if type(key) not in KEY_TYPES:
                return ()
            text = repr(key)
            texts.append(text[:LONGEST_KEY])
        if len(texts) > MOST_LISTED:
            texts[MOST_LISTED - 1 :] = ["…"]
        return KEYS, path, ", ".join(texts)
    return ()


def _value_at(path: str, frame: FrameType) -> Any:
    """Return the value of a name, or of an attribute of an object that is no more than its attributes."""
    first, *attributes = path.split(".")
    value = frame.f_globals.get(first)
    value = frame.f_locals.get(first, value)
    for attribute in attributes:
        namespace = getattr(value, "__dict__", {})
        value = namespace.get(attribute)
    return value


def _hint_for_arguments(qualified_name: str, message: str, frame: FrameType) -> Hint:
    """Say which arguments a function of the student's own takes."""
    # Find the function. In "f.<locals>.Layer.forward", the name is "forward" and its owner the class "Layer".
    _, _, path = qualified_name.rpartition("<locals>.")
    *owners, name = path.split(".")
    namespace: Mapping[str, Any] = {**frame.f_globals, **frame.f_locals}
    for owner in owners:
        value = namespace.get(owner)
        namespace = getattr(value, "__dict__", {})
    function = namespace.get(name)
    if type(function) is MethodType:
        function = function.__func__
    if type(function) is not FunctionType:
        return ()
    code = function.__code__
    if not is_submitted(code.co_filename):
        return ()

    line = str(code.co_firstlineno)
    parameters = list(_parameters_of(code))
    called_name = name
    if owners:
        first_parameter, *parameters = parameters or [""]
        is_method = first_parameter in ("self", "cls")
        if not is_method and "were given" in message:
            return NO_SELF, name, line
        if name == "__init__":
            called_name = owners[-1]
    listed_parameters = ", ".join(parameters)
    return TAKES, called_name, line, listed_parameters


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
    letters = sorted(name)
    candidates = []
    for candidate in names:
        if candidate == name or _differ_in_their_mark(name, candidate):
            continue
        if candidate.casefold() == name.casefold():
            return NAME, candidate, ""
        # Two letters changed places.
        if len(letters) > 2 and sorted(candidate) == letters:
            return NAME, candidate, ""
        candidates.append(candidate)
    matches = difflib.get_close_matches(name, candidates, 1, LEAST_ALIKE)
    if not matches:
        return ()
    [nearest_name] = matches
    return NAME, nearest_name, ""


def _differ_in_their_mark(name: str, other: str) -> bool:
    """Return whether names differ in a mark at their end: ``beta_q`` and ``beta_k`` are two things."""
    for pattern in MARKED_NAMES:
        match = pattern.match(name)
        other_match = pattern.match(other)
        if match is None or other_match is None:
            continue
        stem, mark = match.groups()
        other_stem, other_mark = other_match.groups()
        if stem.casefold() == other_stem.casefold():
            return bool(mark.casefold() != other_mark.casefold())
    return False
