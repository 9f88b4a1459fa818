"""The mark that makes a function a check, and how a homework's checks are found beside its solution.

Nothing here needs pytest: the same functions run in `autograder grade`, in pytest, and in the folder that
students receive.
"""

from __future__ import annotations

import enum
import functools
import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autograder.course.cases import load_module
from autograder.course.homework import CourseError, Homework
from autograder.judging.comparison import Finding
from autograder.judging.fixtures import Cases, Compare, SubmissionProxy

FIXTURES = frozenset({"submission", "cases", "compare"})
PREFIX = "test_"
MARKS = "check_marks"

CheckFunction = Callable[..., None]


class CheckFailed(AssertionError):
    """A submission falls short; carries the finding that says how."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(finding.student)
        self.finding = finding


@dataclass(frozen=True)
class Mark:
    """What ``check`` says of a function."""

    task: str
    points: float
    requires: tuple[str, ...] = ()
    public: bool = False


@dataclass(frozen=True)
class Check:
    """One check: its docstring is the line that a student reads."""

    name: str
    task: str
    points: float
    sentence: str
    requires: tuple[str, ...]
    function: CheckFunction
    public: bool = False


def check(
    *, task: str, points: float, requires: Sequence[str] = (), public: bool = False
) -> Callable[[CheckFunction], CheckFunction]:
    """Mark a function as a check.

    Args:
        task: the public name whose points it gives.
        points: what passing it earns.
        requires: names of checks (without ``test_``) that must pass first; otherwise it is not run.
        public: whether students receive it too. There it sees the published and the public cases alone, so
            it asks for ``cases.published`` and ``cases.other_sizes`` only.
    """
    mark = Mark(task, points, tuple(requires), public)

    def put(function: CheckFunction) -> CheckFunction:
        setattr(function, MARKS, (*marks_of(function), mark))
        return function

    return put


def marks_of(function: object) -> tuple[Mark, ...]:
    """Return the marks of a function; a check has exactly one."""
    return getattr(function, MARKS, ())


def load_checks(homework: Homework) -> list[Check]:
    """Return the hidden checks of a homework in the order in which its ``test_<id>.py`` defines them.

    Raises:
        CourseError: the file is missing or does not run, or a check does not fit the homework.
    """
    path = checks_file(homework)
    checks = read_checks(path.stem, vars(load_module(path)))
    _validate(homework, checks)
    return checks


def checks_file(homework: Homework) -> Path:
    """Return the path of a homework's hidden checks, a pytest module beside its solution."""
    return homework.folder / f"{PREFIX}{homework.id}.py"


def read_checks(name: str, namespace: Mapping[str, Any]) -> list[Check]:
    """Return the checks that a module of this name defines, in its order.

    Raises:
        CourseError: a function named like a check is none.
    """
    found = {key: value for key, value in namespace.items() if key.startswith(PREFIX)}
    return [_read_check(f"{name}.{key}", function) for key, function in found.items()]


def _read_check(path: str, function: CheckFunction) -> Check:
    marks = marks_of(function)
    if len(marks) != 1:
        raise CourseError(f"{path} needs exactly one @check(...)")
    unknown = set(inspect.signature(function).parameters) - FIXTURES
    sentence = " ".join((function.__doc__ or "").split())
    if unknown or not sentence:
        raise CourseError(f"{path} needs a docstring and takes only {', '.join(sorted(FIXTURES))}")
    [mark] = marks
    name = path.rpartition(f".{PREFIX}")[2]
    return Check(name, mark.task, mark.points, sentence, mark.requires, function, mark.public)


def _validate(homework: Homework, checks: Sequence[Check]) -> None:
    seen: set[str] = set()
    for one in checks:
        homework.task(one.task)
        if not one.points >= 0:
            raise CourseError(f"{homework.id}: check {one.name} has points = {one.points}")
        missing = [name for name in one.requires if name not in seen]
        if missing:
            raise CourseError(f"{homework.id}: check {one.name} requires {missing}, not defined before it")
        seen.add(one.name)
    for task in homework.tasks:
        given = sum(one.points for one in checks if one.task == task.name)
        if abs(given - task.points) > 1e-9:
            raise CourseError(
                f"{homework.id}: the checks of {task.name} give {given:g} points, "
                f"but homework.toml says {task.points:g}"
            )


class Outcome(enum.StrEnum):
    """How one check ended."""

    PASSED = "passed"
    FAILED = "failed"
    NOT_RUN = "not_run"
    COLLECTED = "collected"
    """A written answer that people mark; it gives no points by itself."""


@dataclass(frozen=True)
class CheckResult:
    """One check's outcome, its reason for the student, and what only the staff may read.

    ``answer`` is the student's own answer to a theory question.
    """

    check: str
    task: str
    sentence: str
    points: float
    outcome: Outcome
    reason: str = ""
    staff: str = ""
    misconceptions: tuple[str, ...] = ()
    answer: str = ""

    @property
    def earned(self) -> float:
        """The points that the submission gets for this check."""
        return self.points if self.outcome is Outcome.PASSED else 0.0


@dataclass(frozen=True)
class Fixtures:
    """The three values that checks may ask for by name."""

    submission: SubmissionProxy
    cases: Cases
    compare: Compare


def run_checks(checks: Sequence[Check], fixtures: Fixtures) -> list[CheckResult]:
    """Run the checks in order; an exception other than a failed check is a fault of the check itself."""
    results: dict[str, CheckResult] = {}
    for check in checks:
        results[check.name] = _blocked(check, results) or _run_check(check, fixtures)
    return list(results.values())


def _blocked(check: Check, results: dict[str, CheckResult]) -> CheckResult | None:
    for name in check.requires:
        before = results[name]
        if before.outcome is not Outcome.PASSED:
            reason = f"not run because “{before.sentence}” comes first"
            return _result(check, Outcome.NOT_RUN, reason)
    return None


def _run_check(check: Check, fixtures: Fixtures) -> CheckResult:
    try:
        check.function(**{name: getattr(fixtures, name) for name in _wanted(check.function)})
    except CheckFailed as failure:
        finding = failure.finding
        return _result(check, Outcome.FAILED, finding.student, finding.staff, finding.misconceptions)
    except _pytest_outcomes("Skipped", "XFailed") as leaving:
        raise TypeError(f"check {check.name} neither skips nor expects to fail; use `requires`") from leaving
    except _failures() as failure:
        return _result(check, Outcome.FAILED, str(failure) or "the assertion of this check failed")
    except Exception as fault:
        fault.add_note(f"in check {check.name}, after the answer to {fixtures.submission.last_looked_at()}")
        raise
    return _result(check, Outcome.PASSED)


@functools.cache
def _wanted(function: CheckFunction) -> Sequence[str]:
    return tuple(inspect.signature(function).parameters)


def _failures() -> tuple[type[BaseException], ...]:
    return (AssertionError, *_pytest_outcomes("Failed"))


def _pytest_outcomes(*names: str) -> tuple[type[BaseException], ...]:
    """The exceptions behind ``pytest.skip`` and its like; none is raised where pytest is not imported."""
    modules = [sys.modules[name] for name in ("_pytest.outcomes",) if name in sys.modules]
    return tuple(getattr(module, name) for module in modules for name in names)


def _result(
    check: Check,
    outcome: Outcome,
    reason: str = "",
    staff: str = "",
    misconceptions: tuple[str, ...] = (),
) -> CheckResult:
    return CheckResult(
        check.name, check.task, check.sentence, check.points, outcome, reason, staff, misconceptions
    )
