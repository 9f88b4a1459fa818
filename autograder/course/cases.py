"""Input cases: the calls that a submission is asked to make, with their arguments.

A homework's ``cases.py`` defines ``published()``, ``public(rng)``, ``hidden(rng)`` and ``fresh(rng)``, each
an iterator of ``Case``::

    def public(rng):
        yield Case("softmax/two-rows", FunctionCall("softmax", (rng.normal(size=(2, 3)),)))

The first three groups are stored with their expected outputs; fresh cases are drawn for each batch. What authors
write with may be imported from here, too: calls and their arguments.
"""

from __future__ import annotations

import enum
import operator
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from autograder.course.arguments import (
    SENDABLE,
    function,
    generator,
    sendable,
    tensor,
)
from autograder.course.calls import (
    Call,
    FunctionCall,
    ModuleCall,
    ObjectCall,
    PassThroughCall,
    object_call,
)
from autograder.course.course_files import CASES, errors_named, function_of, load_module
from autograder.course.homework import CourseError, Homework

__all__ = [
    "NEVER_EXPECTED",
    "STORED_SEED",
    "Case",
    "FunctionCall",
    "Group",
    "ModuleCall",
    "PassThroughCall",
    "fresh_cases",
    "function",
    "function_case",
    "generator",
    "object_call",
    "stored_cases",
    "tensor",
    "with_limits_of_tasks",
]

STORED_SEED = 20170612  # the month "Attention Is All You Need" appeared; any fixed number would do
NEVER_EXPECTED = ("NotImplementedError", "MemoryError", "RecursionError")
"""Exceptions of stubs, and of code that went wrong."""


class Group(enum.StrEnum):
    """The origin of a case, which decides who may see it."""

    PUBLISHED = "published"
    PUBLIC = "public"
    HIDDEN = "hidden"
    FRESH = "fresh"


@dataclass(frozen=True, eq=False)
class Case:
    """A call, and the rules by which its answer is judged.

    Attributes:
        name: ``task/label``.
        call: the call to make.
        topic: the word by which a check picks cases: ``values``, ``large`` …
        tolerance: relative to the largest expected magnitude, or to 1 if that is smaller; None leaves it to
            the measured evidence.
        group: who may see the case.
        infinite: whether infinite entries are expected; otherwise they are taken for an overflow.
        expects: whether there is one right answer; if there are many, checks look at its properties.
        raises: the name of the exception that is the right answer, such as "ValueError".
    """

    name: str
    call: Call
    topic: str = "values"
    tolerance: float | None = None
    group: Group = Group.HIDDEN
    infinite: bool = False
    expects: bool = True
    raises: str = ""

    def __post_init__(self) -> None:
        if not self.raises:
            return
        if self.raises in NEVER_EXPECTED or not self.raises.isidentifier():
            raise ValueError(
                f"raises = {self.raises!r} is no exception that a case can expect; give a name such as "
                '"ValueError"'
            )

    @cached_property
    def id(self) -> str:
        """The case's unique name within its homework."""
        return f"{self.group}/{self.name}"

    @cached_property
    def task(self) -> str:
        return self.name.partition("/")[0]

    @property
    def label(self) -> str:
        return self.name.partition("/")[2]


def function_case(
    task: str, label: str, *arguments: Any, topic: str = "values"
) -> Case:
    """Return the case that calls a function with these arguments.

    Args:
        task: the function's name, which is the task's.
        label: what the case is called within its task.
        arguments: the positional arguments.
        topic: the word by which a check picks the case.
    """
    call = FunctionCall(task, arguments)
    return Case(f"{task}/{label}", call, topic)


def stored_cases(homework: Homework) -> list[Case]:
    """Return the published, public and hidden cases, drawn from a fixed seed.

    Raises:
        CourseError: ``cases.py`` is missing or wrong.
    """
    seeds = {
        Group.PUBLISHED: None,
        Group.PUBLIC: STORED_SEED,
        Group.HIDDEN: STORED_SEED,
    }
    return _drawn(homework, seeds)


def fresh_cases(homework: Homework, seed: int) -> list[Case]:
    """Return the cases of one batch, drawn from its seed; raises like ``stored_cases``."""
    return _drawn(homework, {Group.FRESH: seed})


def with_limits_of_tasks(homework: Homework, cases: Iterable[Case]) -> Homework:
    """Return the homework whose limits hold those of its tasks, by the functions that the tasks' cases call.

    A task's cases may call another function than its own. Of several tasks the longest limit holds.
    """
    usual = homework.limits.call_seconds
    seconds_of_task = {}
    for task in homework.tasks:
        seconds_of_task[task.name] = task.call_seconds or usual
    longest = dict(seconds_of_task)
    for case in cases:
        seconds = seconds_of_task.get(case.task, usual)
        earlier = longest.get(case.call.name, 0.0)
        longest[case.call.name] = max(seconds, earlier)
    unusual = {}
    for name, limit in longest.items():
        if limit != usual:
            unusual[name] = limit
    return replace(homework, limits=replace(homework.limits, of_functions=unusual))


def _drawn(homework: Homework, seeds: Mapping[Group, int | None]) -> list[Case]:
    """Draw the cases of some groups from ``cases.py``; published cases need no seed."""
    path = homework.folder / CASES
    module = load_module(path)
    cases: dict[str, Case] = {}
    for group, seed in seeds.items():
        draw_group = function_of(module, group)
        arguments = []
        if seed is not None:
            # Each group of each homework has its own numbers.
            entropy = zlib.crc32(f"{homework.id}/{group}".encode())
            arguments.append(np.random.default_rng([seed, entropy]))
        with errors_named(path):
            drawn = list(draw_group(*arguments))
        for case in drawn:
            if not isinstance(case, Case):
                raise CourseError(
                    f"{path}: {group}() yields a {type(case).__name__}, not a Case"
                )
            case = replace(case, group=group, call=_with_arguments(case, path))
            homework.task(case.task)  # raises if there is no such task
            if case.id in cases:
                raise CourseError(f"{path}: two cases are named {case.id!r}")
            cases[case.id] = case
    return list(cases.values())


def _with_arguments(case: Case, path: Path) -> Call:
    """Return the call of a case with sets, tables and the like taken apart.

    Raises:
        CourseError: an argument cannot be sent to a submission.
    """
    call = case.call
    if not isinstance(call, FunctionCall | ModuleCall | ObjectCall):
        return call
    arguments = []
    for place, argument in enumerate(call.inputs):
        try:
            arguments.append(sendable(argument))
        except TypeError as error:
            name = f"argument {place + 1}"
            if isinstance(call, ObjectCall):
                name = call.name_of_input(place)
            raise CourseError(
                f"{path}: case {case.name}: {name} is or holds {error}; {SENDABLE}"
            ) from None
    if all(map(operator.is_, arguments, call.inputs)):
        return call
    return call.with_inputs(arguments)
