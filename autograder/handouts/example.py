"""Run a homework's ``example.py`` and ``picture.py``: what a handout shows besides its words.

``example.py`` defines ``example(reference)``, which yields a ``Matrix`` for each thing to show;
``picture.py`` defines ``picture(matrices)``, which returns a ``Picture`` drawn from them. Both are optional.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from autograder.handouts.matrix import Matrix
from autograder.handouts.reference import Reference
from autograder.handouts.shapes import Picture
from autograder.homework.cases import errors_named, load_module
from autograder.homework.course import EXAMPLE, PICTURE
from autograder.homework.model import CourseError, Homework
from autograder.sandbox.pool import SandboxPool


@dataclass(frozen=True, eq=False)
class Example:
    """A handout's worked example: its matrices by name, and its picture if it has one."""

    matrices: Mapping[str, Matrix] = field(default_factory=dict)
    picture: Picture | None = None


def read_example(homework: Homework, pool: SandboxPool) -> Example:
    """Compute a homework's worked example with its reference solution and draw its picture.

    Raises:
        CourseError: one of the two files is wrong, or the solution does not answer.
    """
    if not (homework.folder / EXAMPLE).is_file():
        return Example()
    matrices = _matrices(homework.folder / EXAMPLE, Reference(homework, pool))
    return Example(matrices, _picture(homework.folder / PICTURE, matrices))


def _matrices(path: Path, reference: Reference) -> Mapping[str, Matrix]:
    maker = _function(path, "example")
    with errors_named(path):
        yielded = list(maker(reference))
    named: dict[str, Matrix] = {}
    for one in yielded:
        if not isinstance(one, Matrix):
            raise CourseError(f"{path}: example() yields a {type(one).__name__}, not a Matrix")
        if one.name in named:
            raise CourseError(f"{path}: two matrices are named {one.name!r}")
        named[one.name] = one
    return named


def _picture(path: Path, matrices: Mapping[str, Matrix]) -> Picture | None:
    if not path.is_file():
        return None
    maker = _function(path, "picture")
    with errors_named(path):
        drawn = maker(matrices)
    if not isinstance(drawn, Picture):
        raise CourseError(f"{path}: picture() returns a {type(drawn).__name__}, not a Picture")
    return drawn


def _function(path: Path, name: str) -> Any:
    function = getattr(load_module(path), name, None)
    if not callable(function):
        raise CourseError(f"{path} defines no function {name}()")
    return function
