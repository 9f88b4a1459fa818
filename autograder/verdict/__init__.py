"""Verdicts: expected values, comparison, and checks, which say what is wrong with a submission's answers.

This package is what the author of a check writes with. Why an answer is wrong is said by ``reasons``.
"""

from autograder.verdict.arrays import MOST_PARTS, as_array
from autograder.verdict.checks import check
from autograder.verdict.comparison import compare_case
from autograder.verdict.examples import valid
from autograder.verdict.failure import CheckFailed, Failure, FailureKind
from autograder.verdict.fixtures import Cases, Compare, SubmissionProxy
from autograder.verdict.interface import Restored
from autograder.verdict.known import KnownCase
from autograder.verdict.own_results import (
    Own,
    accepting,
    compare_or_excuse,
    mixed_by_own_weights,
    own_weights,
)

__all__ = [
    "MOST_PARTS",
    "Cases",
    "CheckFailed",
    "Compare",
    "Failure",
    "FailureKind",
    "KnownCase",
    "Own",
    "Restored",
    "SubmissionProxy",
    "accepting",
    "as_array",
    "check",
    "compare_case",
    "compare_or_excuse",
    "mixed_by_own_weights",
    "own_weights",
    "valid",
]
