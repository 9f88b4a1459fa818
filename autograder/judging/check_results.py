"""Run a homework's checks on one submission, prerequisites first."""

from __future__ import annotations

import enum
import functools
import inspect
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace

from autograder.judging.checks import Check, CheckFailed, CheckFunction
from autograder.judging.comparison import Finding
from autograder.judging.fixtures import Cases, Compare, SubmissionProxy


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
    """The values that checks may ask for by name."""

    submission: SubmissionProxy
    cases: Cases
    compare: Compare


def run_checks(checks: Sequence[Check], fixtures: Fixtures) -> list[CheckResult]:
    """Run the checks in order; an exception other than a failed check is a fault of the check itself."""
    results: dict[str, CheckResult] = {}
    for check in checks:
        required = [results[name] for name in check.requires]
        missed = next((one for one in required if one.outcome is not Outcome.PASSED), None)
        if missed is None:
            results[check.name] = _run_check(check, fixtures)
        else:
            reason = f"not run because “{missed.sentence}” comes first"
            results[check.name] = _result(check, Outcome.NOT_RUN, reason)
    return list(results.values())


def _run_check(check: Check, fixtures: Fixtures) -> CheckResult:
    try:
        check.function(**{name: getattr(fixtures, name) for name in _wanted(check.function)})
    except CheckFailed as failure:
        return failed(check, failure.finding)
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
    module = sys.modules.get("_pytest.outcomes")
    return tuple(getattr(module, name) for name in names) if module else ()


def failed(check: Check, finding: Finding) -> CheckResult:
    """Return the result of a check that failed for this reason."""
    result = _result(check, Outcome.FAILED, finding.student)
    return replace(result, staff=finding.staff, misconceptions=finding.misconceptions)


def _result(check: Check, outcome: Outcome, reason: str = "") -> CheckResult:
    return CheckResult(check.name, check.task, check.sentence, check.points, outcome, reason)
