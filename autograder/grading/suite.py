"""Everything that grading one homework needs, prepared once for a batch: cases, checks, known mistakes."""

from __future__ import annotations

import functools
import importlib.util
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from autograder.course.calls import ANSWERS_READ, NAMES_READ, Call, ValueRead
from autograder.course.cases import fresh_cases, with_limits_of_tasks
from autograder.course.course import Course
from autograder.course.homework import CourseError, Homework
from autograder.grading.stale import check_current
from autograder.reasons.catalogue import read_catalogue
from autograder.reasons.diagnosis import Diagnostician
from autograder.reasons.mutation import read_singles
from autograder.reasons.source_text import SourceText
from autograder.sandbox.pool import SandboxPool
from autograder.sandbox.request import SharedCalls
from autograder.verdict.checks import Check, load_checks
from autograder.verdict.fixtures import Cases
from autograder.verdict.interface import value_key
from autograder.verdict.known import OPEN, KnownCase
from autograder.verdict.reference import know_fresh
from autograder.verdict.store import open_store

THEORY_ANSWERS = value_key(ANSWERS_READ.name)
"""The key of the answers to theory questions."""
NAMES = "names"
"""The key of the names that the code binds."""


@dataclass(frozen=True)
class Suite:
    """One homework with its known cases and its checks."""

    homework: Homework
    known: tuple[KnownCase, ...]
    checks: tuple[Check, ...]
    diagnostician: Diagnostician
    seed: int

    @property
    def left_behind(self) -> Mapping[str, Call]:
        """Reads of top-level values, by the key of the answer.

        They are the answers to questions, and values that are accepted in place of a function.
        """
        calls: dict[str, Call] = {}
        for task in self.homework.tasks:
            if task.value is not None:
                calls[value_key(task.value)] = ValueRead(task.value)
        if self.homework.questions:
            calls[THEORY_ANSWERS] = ANSWERS_READ
        return calls

    @functools.cached_property
    def cases(self) -> Cases:
        """All cases, as checks pick from them; the same for each submission."""
        return Cases(self.known)

    @functools.cached_property
    def quiet_calls(self) -> Mapping[str, Call]:
        """Requests that come before any function is called, by the key of the answer.

        These are the values that it leaves behind, which of the tasks are there, and all of its names.
        """
        calls = dict(self.left_behind)
        for task in self.homework.tasks:
            calls[presence_key(task.name)] = ValueRead(task.name, "presence")
        calls[NAMES] = NAMES_READ
        return calls

    @functools.cached_property
    def open_cases(self) -> Mapping[str, Call]:
        """The calls of the published and public cases, by id: all inputs that students may know."""
        return self._calls_of_cases(are_open=True)

    @functools.cached_property
    def hidden_cases(self) -> Mapping[str, Call]:
        """The calls of the hidden and fresh cases, by id."""
        return self._calls_of_cases(are_open=False)

    def _calls_of_cases(self, *, are_open: bool) -> dict[str, Call]:
        calls = {}
        for known in self.known:
            is_open = known.case.group in OPEN
            if is_open == are_open:
                calls[known.case.id] = known.case.call
        return calls

    @property
    def calls(self) -> Mapping[str, Call]:
        """All requests that judge a submission, by the key of the answer."""
        return {**self.left_behind, **self.open_cases, **self.hidden_cases}

    @functools.cached_property
    def stages(self) -> tuple[SharedCalls, SharedCalls | None]:
        """The calls of the two stages of a run; none in the second where nothing is hidden.

        What may be quoted to students comes from the first stage, and what is hidden is given in the second.
        They are the same for each submission, so that nothing that happened in another run shows in them.
        """
        open_calls = [*self.quiet_calls.values(), *self.open_cases.values()]
        first = SharedCalls([call.as_mapping() for call in open_calls])
        if not self.hidden_cases:
            return first, None
        second = SharedCalls([call.as_mapping() for call in self.hidden_cases.values()])
        return first, second

    @functools.cached_property
    def parameters(self) -> Mapping[str, Sequence[str]]:
        """The reference solution's parameter names, by function."""
        path = self.homework.solution
        solution = SourceText(path, path.read_text(encoding="utf-8"))
        names = {known.case.call.name for known in self.known}
        return {name: solution.parameters(name) for name in names}


def presence_key(name: str) -> str:
    """The key of the answer that says whether a name is bound."""
    return f"presence/{name}"


def prepare_suite(
    course: Course, homework: Homework, seed: int, pool: SandboxPool
) -> Suite:
    """Read the stored cases, draw the batch's fresh ones and let the reference solution answer them.

    Args:
        course: the course.
        homework: one of its homeworks.
        seed: the batch's seed, from which fresh cases are drawn.
        pool: runs the reference solution.

    Raises:
        CourseError: a file of the course is missing or wrong, or what is stored no longer belongs to it.
    """
    _require_libraries(homework)
    if homework.base and homework.wants_examples:
        # A drill: submissions are inputs, and its checks run the mutants of the base homework on them.
        from autograder.examples.telling import example_checks

        checks = example_checks(course, homework, homework.base)
        return Suite(homework, (), checks, Diagnostician(homework, (), (), {}), seed)

    store = open_store(course, homework)
    stored = store.read()
    check_current(homework, store, stored, pool)
    drawn = fresh_cases(homework, seed)
    fresh = know_fresh(homework, drawn, store.fresh_tolerances(), pool)
    singles = read_singles(store.folder, stored)
    diagnostician = Diagnostician(homework, read_catalogue(homework), stored, singles)
    checks = tuple(load_checks(homework))
    known = (*stored, *fresh)
    cases = [known_case.case for known_case in known]
    limited = with_limits_of_tasks(homework, cases)
    return Suite(limited, known, checks, diagnostician, seed)


def _require_libraries(homework: Homework) -> None:
    missing = []
    for library in homework.allowed_modules:
        if importlib.util.find_spec(library) is None:
            missing.append(library)
    if missing:
        raise CourseError(
            f"{homework.id}: libraries names {', '.join(missing)}, "
            "not installed here: install it with pip"
        )
