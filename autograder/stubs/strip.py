"""Turn a reference solution into a stub: each solution region becomes one ``raise NotImplementedError``.

A region of the module itself, outside functions and classes, leaves nothing: the stub must load.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from autograder.homework.model import CourseError
from autograder.homework.regions import BEGIN, END, PLACEHOLDER

NEARLY_A_MARK = re.compile(r"#\s*(BEGIN|END)\s+SOLUTION\b", re.IGNORECASE)


def strip_solution(source: str, name: str) -> str:
    """Return the stub's text.

    Raises:
        CourseError: a region is not closed, not opened or misspelt, or the stub would be no valid Python.
    """
    lines = source.replace("\r\n", "\n").removesuffix("\n").split("\n")
    stub = "\n".join(_kept(lines, name)) + "\n"
    try:
        ast.parse(stub)
    except SyntaxError as error:
        raise CourseError(f"{name}: without its solution regions it is no valid Python: {error}") from error
    if not any(line.strip() == BEGIN for line in lines):
        raise CourseError(f"{name} has no {BEGIN} … {END} region, so its stub would be the solution")
    return stub


def _kept(lines: Sequence[str], name: str) -> Iterator[str]:
    opened: int | None = None
    for number, line in enumerate(lines, start=1):
        mark = line.strip()
        if mark == BEGIN:
            if opened is not None:
                raise CourseError(f"{name}, line {number}: the region of line {opened} is still open")
            opened = number
            if line != BEGIN:
                yield line.replace(BEGIN, PLACEHOLDER)
        elif mark == END:
            if opened is None:
                raise CourseError(f"{name}, line {number}: {END} without {BEGIN}")
            opened = None
        elif found := NEARLY_A_MARK.search(line):
            wanted = f"# {found[1].upper()} SOLUTION"
            raise CourseError(f"{name}, line {number}: write the mark as {wanted}, alone on its line")
        elif opened is None:
            yield line
    if opened is not None:
        raise CourseError(f"{name}, line {opened}: this region is never closed with {END}")
