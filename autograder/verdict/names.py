"""The names that a submission defines, as the worker reports them."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from autograder.sandbox.report import Answer

LONGEST_NAME = 50
"""Longer names are left out: a submission could carry its inputs in them."""


@dataclass(frozen=True)
class DefinedNames:
    """The names that a submission defines at its top level, by kind.

    Attributes:
        functions: functions.
        classes: classes.
        modules: classes derived from ``nn.Module``.
        values: everything else.
        inner: functions and classes defined within another one, as ``outer.name``.
        called: functions and classes that another function mentions.
    """

    functions: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    inner: tuple[str, ...] = ()
    called: tuple[str, ...] = ()


def read_names(answer: Answer) -> DefinedNames:
    """Read the worker's answer about a submission's names; whatever is not a short name is left out."""
    names_of_kind = answer.value
    if not isinstance(names_of_kind, dict):
        return DefinedNames()
    short_names = {}
    for kind in fields(DefinedNames):
        candidates = names_of_kind.get(kind.name)
        if isinstance(candidates, list):
            short_names[kind.name] = tuple(filter(_is_name, candidates))
    return DefinedNames(**short_names)


def _is_name(candidate: Any) -> bool:
    if not isinstance(candidate, str) or len(candidate) > 2 * LONGEST_NAME:
        return False
    parts = candidate.split(".", 1)
    return all(part.isidentifier() and len(part) <= LONGEST_NAME for part in parts)
