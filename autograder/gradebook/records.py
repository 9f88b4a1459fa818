"""Results as JSON and back, for keeping them in the gradebook."""

from __future__ import annotations

import json
from typing import Any

from autograder.checks.run import CheckResult, Outcome
from autograder.grading.results import Change, HomeworkResult, SubmissionResult
from autograder.sandbox.status import Status


def to_json(result: SubmissionResult) -> str:
    """Return a submission's result as JSON text."""
    return json.dumps(result, default=vars)


def from_json(text: str) -> SubmissionResult:
    """Return the result that ``to_json`` wrote."""
    fields = json.loads(text)
    homeworks = tuple(_homework(one) for one in fields.pop("homeworks"))
    stopped = fields.pop("stopped", None)
    return SubmissionResult(**_tuples(fields), homeworks=homeworks, stopped=stopped and Status(stopped))


def _homework(fields: dict[str, Any]) -> HomeworkResult:
    checks = tuple(_check(one) for one in fields.pop("checks"))
    changes = tuple(Change(**one) for one in fields.pop("changes", ()))
    status = Status(fields.pop("status"))
    return HomeworkResult(**_tuples(fields), checks=checks, changes=changes, status=status)


def _check(fields: dict[str, Any]) -> CheckResult:
    outcome = Outcome(fields.pop("outcome"))
    return CheckResult(**_tuples(fields), outcome=outcome)


def _tuples(fields: dict[str, Any]) -> dict[str, Any]:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in fields.items()}
