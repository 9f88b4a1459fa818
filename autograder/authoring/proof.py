"""Prove before a release that the reference solution passes every public check on the public cases."""

from __future__ import annotations

from autograder.authoring.checks_package import public_checks
from autograder.authoring.release_data import public_cases
from autograder.course import Course, Homework
from autograder.judging import (
    Cases,
    Compare,
    Diagnosis,
    Fixtures,
    Outcome,
    SubmissionProxy,
    run_calls,
    run_checks,
)
from autograder.sandbox import SandboxPool


def failing_checks(course: Course, homework: Homework, pool: SandboxPool) -> list[str]:
    """Return a line for each public check that the solution does not pass.

    Raises:
        CourseError: the solution does not run.
        LookupError: a public check asks for cases that students do not have.
    """
    known = public_cases(course, homework)
    answers = run_calls(homework, homework.solution, [one.case.call for one in known], pool)
    by_id = {one.case.id: answer for one, answer in zip(known, answers, strict=True)}
    cases = Cases(known, public_only=True)
    submission = SubmissionProxy(
        by_id, dict, tuple, lambda calls: run_calls(homework, homework.solution, calls, pool)
    )
    compare = Compare(homework, cases, lambda task: Diagnosis())
    results = run_checks(public_checks(homework), Fixtures(submission, cases, compare))
    return [
        f"{homework.id}: the reference solution fails the public check {one.check}: {one.reason}"
        for one in results
        if one.outcome is not Outcome.PASSED
    ]
