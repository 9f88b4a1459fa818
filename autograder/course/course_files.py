"""Run the course's own Python files, which errors name with their lines."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

from autograder.course.homework import CourseError

CASES = "cases.py"


def load_module(path: Path) -> ModuleType:
    """Run one of the course's own files as a module.

    Raises:
        CourseError: it is missing or does not run; the message names the line.
    """
    if not path.is_file():
        raise CourseError(f"{path} is missing; every homework folder has one")
    module = ModuleType(f"_course_{path.parent.name}_{path.stem}")
    module.__file__ = str(path)
    sys.modules[module.__name__] = module  # dataclasses look up their module there
    with errors_named(path):
        source = path.read_text(encoding="utf-8")
        code = compile(source, str(path), "exec")
        exec(code, vars(module))
    return module


def function_of(module: ModuleType, name: str) -> Callable[..., Any]:
    """Return a function that a module of the course defines.

    Raises:
        CourseError: there is none.
    """
    function: Callable[..., Any] | None = getattr(module, name, None)
    if not callable(function):
        raise CourseError(f"{module.__file__} defines no function {name}()")
    return function


@contextmanager
def errors_named(path: Path) -> Iterator[None]:
    """Turn every error of the course's own code into a ``CourseError`` with its file and line."""
    try:
        yield
    except CourseError:
        raise
    except Exception as error:
        raise CourseError(place_of(error, path)) from error


def place_of(error: Exception, path: Path) -> str:
    """Return a message about an error that a file of the course raised, with the line if it is known."""
    frames = traceback.extract_tb(error.__traceback__)
    place = str(path)
    for frame in frames:  # the innermost line of the file counts
        if frame.filename == str(path):
            place = f"{path}, line {frame.lineno}"
    if isinstance(error, SyntaxError) and error.filename == str(path):
        place = f"{path}, line {error.lineno}"
    return f"{place}: {type(error).__name__}: {error}"
