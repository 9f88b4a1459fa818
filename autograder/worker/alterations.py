"""Alter a submission while one call is made: other sizes, a function that does nothing, another definition.

What to alter comes with the request, which the trusted side wrote. Each context manager restores what it altered.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from autograder.worker.facts.globals_read import is_size
from autograder.worker.one_entry import parse
from autograder.worker.places import SUBMISSION_ROOT, Namespace

FILENAME = f"{SUBMISSION_ROOT}edited"


class NotAlterable(Exception):
    """The submission has no whole number, or no function, of that name."""


@contextmanager
def rebound(namespace: Namespace, sizes: Mapping[str, int]) -> Iterator[None]:
    """Bind names to sizes within the context, and restore the old values after it.

    Only a name that is bound to a plain whole number is bound to another one: anything else could run code when
    it is replaced, or is not a size.

    Raises:
        NotAlterable: a name is not bound to a plain whole number.
    """
    old_values = {name: namespace.get(name) for name in sizes}
    for name, value in old_values.items():
        if not is_size(value):
            raise NotAlterable(name)
    namespace.update(sizes)
    try:
        yield
    finally:
        namespace.update(old_values)


@contextmanager
def passing_through(namespace: Namespace, name: str | None) -> Iterator[None]:
    """Let a function of the submission return its first argument within the context.

    Without a name, do nothing. The function's code is exchanged and not its name, because other functions may
    know it by another name.

    Raises:
        NotAlterable: the name is not bound to a function, or to one that was defined within another.
    """
    if name is None:
        yield
        return
    function = namespace.get(name)
    if not isinstance(function, types.FunctionType) or function.__closure__:
        raise NotAlterable(name)
    code = function.__code__
    function.__code__ = _first_argument.__code__
    try:
        yield
    finally:
        function.__code__ = code


def _first_argument(*args: Any, **kwargs: Any) -> Any:
    [first, *_] = [*args, *kwargs.values()]
    return first


@contextmanager
def edited(namespace: Namespace, edit: Sequence[str] | None) -> Iterator[None]:
    """Define a function or class anew within the context, and put the old one back after it.

    Args:
        namespace: the submission's top-level names.
        edit: the name, and the text of the new definition; None where nothing is edited.

    Raises:
        BaseException: whatever the definition raises.
    """
    if edit is None:
        yield
        return
    name, definition = edit
    old = namespace[name]
    try:
        exec(_compiled(definition), namespace)
        yield
    finally:
        namespace[name] = old


@functools.lru_cache(maxsize=1)  # the calls with one definition follow one another
def _compiled(definition: str) -> types.CodeType:
    code: types.CodeType = compile(parse(definition, FILENAME), FILENAME, "exec")
    return code
