"""All that grading one homework needs, prepared once for a batch: plain data, no solution, no torch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from autograder.course import ANSWERS, AnswersRead, Call, Course, Homework, ValueRead, fresh_cases
from autograder.judging.catalogue import read_catalogue
from autograder.judging.checks import Check, load_checks
from autograder.judging.diagnosis import Diagnostician
from autograder.judging.fixtures import Cases, value_key
from autograder.judging.known import KnownCase, know_fresh
from autograder.judging.store import open_store
from autograder.judging.stored_mutants import read_singles
from autograder.sandbox import SandboxPool, SharedCalls


@dataclass(frozen=True)
class Suite:
    """One homework with its known cases and its checks."""

    homework: Homework
    known: tuple[KnownCase, ...]
    checks: tuple[Check, ...]
    diagnostician: Diagnostician
    seed: int

    @property
    def cases(self) -> Cases:
        """The known cases as checks see them."""
        return Cases(self.known)

    @cached_property
    def calls(self) -> Mapping[str, Call]:
        """What each submission is asked, by the key of the answer: first for what its code left behind."""
        return {**self.left_behind, **{known.case.id: known.case.call for known in self.known}}

    @property
    def left_behind(self) -> Mapping[str, Call]:
        """What is read of a submission without giving it any input."""
        values = [task.value for task in self.homework.tasks if task.value is not None]
        read: dict[str, Call] = {value_key(name): ValueRead(name) for name in values}
        return {**read, value_key(ANSWERS): AnswersRead()} if self.homework.questions else read

    @cached_property
    def shared_calls(self) -> SharedCalls:
        """The same calls in the worker's form."""
        return SharedCalls([call.as_mapping() for call in self.calls.values()])


def prepare_suite(course: Course, homework: Homework, seed: int, pool: SandboxPool) -> Suite:
    """Read the stored cases, draw the batch's fresh ones and let the reference solution answer them.

    Raises:
        CourseError: a file of the course is missing or wrong.
    """
    store = open_store(course, homework)
    stored = store.read()
    fresh = know_fresh(homework, fresh_cases(homework, seed), store.fresh_tolerances(), pool)
    singles = read_singles(store.folder, stored)
    diagnostician = Diagnostician(homework, read_catalogue(homework), stored, singles)
    return Suite(homework, (*stored, *fresh), tuple(load_checks(homework)), diagnostician, seed)
