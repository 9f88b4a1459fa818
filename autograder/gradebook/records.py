"""Results as JSON and back, for keeping them in the gradebook."""

from __future__ import annotations

import json

import msgspec

from autograder.grading.results import SubmissionResult


def to_json(result: SubmissionResult) -> str:
    """Return a submission's result as JSON text; what is no valid Unicode in it is escaped."""
    return json.dumps(result, default=vars)


def from_json(text: str) -> SubmissionResult:
    """Return the result that ``to_json`` wrote."""
    return msgspec.convert(json.loads(text), SubmissionResult)
