"""Calls of a submission in which one function has another definition, such as one with a step put right."""

from __future__ import annotations

import functools
import types
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from autograder.worker.one_entry import parse
from autograder.worker.places import SUBMISSION_ROOT, Namespace

FILENAME = f"{SUBMISSION_ROOT}edited"


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
