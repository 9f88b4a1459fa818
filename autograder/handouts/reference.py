"""What a handout's example may ask of the reference solution: answers, cases, parameters, mistakes."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from autograder.diagnosis.variants import run_variants
from autograder.homework.cases import Call, Case, Group, stored_cases
from autograder.homework.model import CourseError, Homework
from autograder.reference.run import run_course_file
from autograder.sandbox.pool import SandboxPool
from autograder.sandbox.report import Answer
from autograder.worker.wire import Tensor


@dataclass(frozen=True, eq=False)
class Reference:
    """The reference solution of one homework; each call runs in a worker, as a submission's does."""

    homework: Homework
    pool: SandboxPool

    def __call__(self, call: Call) -> Any:
        """Return what the solution gives; tensors come as arrays.

        Raises:
            CourseError: the call brings no value.
        """
        return _plain(self._answer(call).value)

    def published(self, name: str) -> Any:
        """Return what the solution gives for a published case."""
        return self(self.case(name).call)

    def mistaken(self, name: str, misconception: str) -> Any:
        """Return what a known mistake gives for a published case, to warn of it."""
        case = self.case(name)
        variant = run_variants(self.homework, [case], [(misconception,)], self.pool)[0]
        return _plain(variant.answers[case.id].value)

    def case(self, name: str) -> Case:
        """Return a published case, for its inputs.

        Raises:
            CourseError: there is no published case of this name.
        """
        if name not in self._published:
            known = ", ".join(self._published)
            raise CourseError(f"{self.homework.id} has no published case {name!r}; it has {known}")
        return self._published[name]

    def parameters(self, call: Call) -> Mapping[str, tuple[int, ...]]:
        """Return the shapes of a module's parameters, by name."""
        return self._answer(call).parameters

    def _answer(self, call: Call) -> Answer:
        case = Case(f"{call.name}/handout", call, group=Group.PUBLIC)
        return run_course_file(self.homework, self.homework.solution, [case], self.pool)[0]

    @functools.cached_property
    def _published(self) -> Mapping[str, Case]:
        return {case.name: case for case in stored_cases(self.homework) if case.group == Group.PUBLISHED}


def _plain(value: Any) -> Any:
    if isinstance(value, Tensor):
        return value.array
    if isinstance(value, tuple | list):
        return type(value)(_plain(part) for part in value)
    return value
