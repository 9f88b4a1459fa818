"""Checks: the mark that makes a function one, those of a homework, and their results for one submission.

Nothing here needs pytest: the same functions run in `autograder grade`, in pytest, and for students.
"""

from __future__ import annotations

import enum
import functools
import hashlib
import inspect
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from autograder.course.cases import load_module
from autograder.course.homework import CourseError, Homework
from autograder.verdict.explanation_faults import KEEP_THEIR_MEANING, described
from autograder.verdict.failure import CheckFailed, Failure, FailureKind

if TYPE_CHECKING:
    from autograder.verdict.fixtures import Fixtures

FIXTURES = frozenset({"submission", "cases", "compare"})
PREFIX = "test_"
MARKS = "check_marks"
REQUIRES = "it requires"
NOT_JUDGED = "This check could not be judged. The fault is ours, not yours, and it will be judged again."

CheckFunction = Callable[..., None]
_signature = functools.cache(inspect.signature)


class Outcome(enum.StrEnum):
    """How one check ended."""

    PASSED = "passed"
    FAILED = "failed"
    NOT_RUN = "not_run"
    COLLECTED = "collected"
    """A written answer that people mark; it gives no points by itself."""
    NOT_JUDGED = "not_judged"
    """The check itself raised, or one that it requires did: our fault, so nobody knows its points yet."""


@dataclass(frozen=True)
class CheckResult:
    """One check's outcome, its reason for the student, and what only the staff may read.

    ``answer`` is the student's own answer to a theory question. ``kind`` is the stage at which a check
    failed, and ``cause`` is equal where the reason is the same but for numbers; both may be blank. ``public``
    says that students have the check too. ``made`` are the mistakes, for each possibility, whose edits of the
    solution answer alike.
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
    kind: str = ""
    cause: str = ""
    public: bool = False
    made: tuple[tuple[str, ...], ...] = ()

    @property
    def earned(self) -> float:
        return self.points if self.outcome is Outcome.PASSED else 0.0

    @property
    def fault(self) -> str:
        """Why it was not judged, exception and line; blank where that is the fault of a check it requires."""
        if self.outcome is not Outcome.NOT_JUDGED or self.staff.startswith(REQUIRES):
            return ""
        return f"{self.check} was not judged: {self.staff.splitlines()[0]}"


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

    def __call__(self, fixtures: Fixtures) -> None:
        """Run it with the fixtures that it asks for; raises ``CheckFailed`` where that is deserved."""
        self.function(
            **{
                name: getattr(fixtures, name)
                for name in _signature(self.function).parameters
            }
        )

    def result(self, outcome: Outcome, reason: str = "") -> CheckResult:
        """Return its result, which rests on no finding."""
        own = (self.name, self.task, self.sentence, self.points)
        return CheckResult(*own, outcome, reason, public=self.public)

    def broken(self, fault: BaseException, looked_at: str) -> CheckResult:
        """Return its result where it raised; for the staff, first the exception and the line of it."""
        trace = "".join(traceback.format_exception(fault)).rstrip()
        staff = f"{described(fault)}, after the answer to {looked_at}\n{trace}"
        return replace(self.result(Outcome.NOT_JUDGED, NOT_JUDGED), staff=staff)

    def failed(self, finding: Failure) -> CheckResult:
        """Return its result where it failed for this reason."""
        result, labels = (
            self.result(Outcome.FAILED, finding.student),
            finding.misconceptions,
        )
        # Numbers that are wrong and not explained may have different causes, so each check keeps its own.
        is_shared = (
            labels
            or finding.cause
            or finding.kind not in (FailureKind.VALUES, FailureKind.NOT_FINITE)
        )
        said = (finding.cause or finding.student) if is_shared else ""
        cause = (
            hashlib.blake2b(said.encode(), digest_size=8).hexdigest() if said else ""
        )
        result = replace(
            result, staff=finding.staff, misconceptions=labels, made=finding.made
        )
        return replace(result, kind=str(finding.kind), cause=cause)


def check(
    *, task: str, points: float, requires: Sequence[str] = (), public: bool = False
) -> Callable[[CheckFunction], CheckFunction]:
    """Mark a function as a check.

    Args:
        task: the public name whose points it gives.
        points: what passing it earns.
        requires: names of checks (without ``test_``) that must pass first; otherwise it is not run.
        public: whether students receive it too. There it sees the published and the public cases alone, so
            it never asks for ``cases.fresh``.
    """

    def put(function: CheckFunction) -> CheckFunction:
        name, sentence = (
            function.__name__.removeprefix(PREFIX),
            " ".join((function.__doc__ or "").split()),
        )
        made = Check(name, task, points, sentence, tuple(requires), function, public)
        setattr(function, MARKS, (*getattr(function, MARKS, ()), made))
        return function

    return put


def load_checks(homework: Homework) -> list[Check]:
    """Return the hidden checks of a homework in the order in which its ``test_<id>.py`` defines them.

    Raises:
        CourseError: the file is missing or does not run, or a check does not fit the homework.
    """
    path = checks_file(homework)
    checks = read_checks(path.stem, vars(load_module(path)))
    seen: set[str] = set()
    for one in checks:
        homework.task(one.task)
        if not one.points >= 0:
            raise CourseError(
                f"{homework.id}: check {one.name} has points = {one.points}"
            )
        missing = [name for name in one.requires if name not in seen]
        if missing:
            raise CourseError(
                f"{homework.id}: check {one.name} requires {missing}, not defined before it"
            )
        seen.add(one.name)
    for task in homework.tasks:
        given = sum(one.points for one in checks if one.task == task.name)
        if abs(given - task.points) > 1e-9:
            said = f"but homework.toml says {task.points:g}"
            raise CourseError(
                f"{homework.id}: the checks of {task.name} give {given:g} points, {said}"
            )
    return checks


def checks_file(homework: Homework) -> Path:
    """Return the path of a homework's hidden checks, a pytest module beside its solution."""
    return homework.folder / f"{PREFIX}{(homework.base or homework).id}.py"


def read_checks(name: str, namespace: Mapping[str, Any]) -> list[Check]:
    """Return the checks that a module of this name defines, in its order.

    Raises:
        CourseError: a function that is named like a check is not marked once, or has no docstring, or asks
            for a fixture that does not exist.
    """
    checks = []
    for key, function in namespace.items():
        if not key.startswith(PREFIX):
            continue
        made: tuple[Check, ...] = getattr(function, MARKS, ())
        if len(made) != 1:
            raise CourseError(f"{name}.{key} needs exactly one @check(...)")
        unknown = set(_signature(function).parameters) - FIXTURES
        if unknown or not made[0].sentence:
            raise CourseError(
                f"{name}.{key} needs a docstring and takes only {', '.join(sorted(FIXTURES))}"
            )
        checks.append(replace(made[0], name=key.removeprefix(PREFIX)))
    return checks


def run_checks(
    checks: Sequence[Check],
    fixtures: Fixtures,
    findings: dict[str, Failure] | None = None,
) -> list[CheckResult]:
    """Run the checks in order; one that raises anything but a failure is not judged, nor what requires it.

    ``findings`` receives what the failed ones found, by the check's name: unlike results, it holds arrays.
    """
    findings = {} if findings is None else findings
    results: dict[str, CheckResult] = {}
    for check in checks:
        required = [results[name] for name in check.requires]
        not_judged = [one for one in required if one.outcome is Outcome.NOT_JUDGED]
        missed = [
            one
            for one in required
            if one.outcome not in (Outcome.PASSED, Outcome.NOT_JUDGED)
        ]
        if missed:  # whatever the checks that were not judged would say
            reason = f"not run because “{missed[0].sentence}” must pass first"
            results[check.name] = check.result(Outcome.NOT_RUN, reason)
        elif not_judged:
            staff = f"{REQUIRES} {not_judged[0].check}, which was not judged"
            results[check.name] = replace(
                check.result(Outcome.NOT_JUDGED, NOT_JUDGED), staff=staff
            )
        else:
            results[check.name] = _run_check(check, fixtures, findings)
    return list(results.values())


def _run_check(
    check: Check, fixtures: Fixtures, findings: dict[str, Failure]
) -> CheckResult:
    failures: tuple[type[BaseException], ...] = (
        AssertionError,
        *_pytest_outcomes("Failed"),
    )
    looked_at = fixtures.submission.last_looked_at
    try:
        check(fixtures)
    except CheckFailed as failure:
        findings[check.name] = failure.failure
        return check.failed(failure.failure)
    except _pytest_outcomes("Skipped", "XFailed") as leaving:
        fault = TypeError(
            f"check {check.name} neither skips nor expects to fail; use `requires`"
        )
        return check.broken(fault.with_traceback(leaving.__traceback__), looked_at())
    except failures as failure:
        return check.result(
            Outcome.FAILED, str(failure) or "the assertion of this check failed"
        )
    except KEEP_THEIR_MEANING:
        raise
    except (
        Exception
    ) as fault:  # our fault, which may cost no points: recorded in the check's result
        return check.broken(fault, looked_at())
    return check.result(Outcome.PASSED)


def _pytest_outcomes(*names: str) -> tuple[type[BaseException], ...]:
    """The exceptions behind ``pytest.skip`` and its like; none is raised where pytest is not imported."""
    module = sys.modules.get("_pytest.outcomes")
    return tuple(getattr(module, name) for name in names) if module else ()
