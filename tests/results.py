"""Results made by hand, for gradebook and exports."""

from dataclasses import replace
from typing import Any

from autograder.intake.submission import Problem
from autograder.policy.grade import HomeworkGrade, SubmissionGrade
from autograder.sandbox.report import Status
from autograder.verdict.checks import CheckResult, Outcome
from autograder.verdict.results import HomeworkResult, SubmissionResult

PASSED = CheckResult("double_published", "double", "double gives the printed numbers.", 1.0, Outcome.PASSED)
FAILED = CheckResult(
    "double_sizes",
    "double",
    "double works for any number of numbers.",
    2.0,
    Outcome.FAILED,
    reason="the shape of the doubled numbers is (2,); expected (3,).",
    staff="failed cases: hidden/double/wide (1 of 3)",
    misconceptions=("hard-coded-size", "returns-tuple"),
)
NOT_RUN = CheckResult(
    "totals",
    "totals",
    "totals gives sum and product.",
    2.5,
    Outcome.NOT_RUN,
    "not run because “…” must pass first",
)


def homework(**changes: Any) -> HomeworkResult:
    """A homework result with one check of each outcome: 1 of 5.5 points."""
    result = HomeworkResult(
        homework="hwx",
        title="Doubles and totals",
        status=Status.GRADED,
        points=5.5,
        checks=(PASSED, FAILED, NOT_RUN),
        layers=("process", "no-network"),
        seed=7,
    )
    return replace(result, **changes)


def ours(**changes: Any) -> HomeworkResult:
    """A homework result without a grade, for the fault was ours."""
    return homework(
        status=Status.INFRASTRUCTURE_ERROR, checks=(), detail="the sandbox died twice: secret", **changes
    )


def submission(name: str = "ada", *homeworks: HomeworkResult, **changes: Any) -> SubmissionResult:
    """A submission with these homeworks."""
    problems = [
        Problem(problem) if isinstance(problem, str) else problem for problem in changes.pop("problems", ())
    ]
    return replace(SubmissionResult(name, f"class/{name}.zip", homeworks, tuple(problems)), **changes)


def homework_grade(**changes: Any) -> HomeworkGrade:
    """The same homework, with the points that count."""
    return replace(HomeworkGrade.of(homework()), **changes)


def our_fault(**changes: Any) -> HomeworkGrade:
    """A homework without a grade, for the fault was ours."""
    return replace(HomeworkGrade.of(ours()), **changes)


def submission_grade(name: str = "ada", *homeworks: HomeworkGrade, **changes: Any) -> SubmissionGrade:
    """A submission with the grades of these homeworks."""
    person = changes.pop("person", ())
    return SubmissionGrade.of(submission(name, **changes), homeworks, person)
