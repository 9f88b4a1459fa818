"""Verdicts: expected values, comparison, and checks, which say what is wrong with a submission's answers.

This package is what the author of a check writes with. Why an answer is wrong is said by ``reasons``.
"""

from autograder.verdict.arrays import as_array
from autograder.verdict.checks import check
from autograder.verdict.failure import CheckFailed, Failure, FailureKind, fail
from autograder.verdict.fixtures import Cases, Compare, SubmissionProxy
from autograder.verdict.known import KnownCase
from autograder.verdict.laws import Continuous, Shares
from autograder.verdict.modules import ModuleAnswers
from autograder.verdict.own_results import (
    Excuse,
    accepting,
    compare_or_excuse,
    mixed_by_own_weights,
    own_weights,
)
from autograder.verdict.random_answers import check_draws, check_generator

__all__ = [
    "Cases",
    "CheckFailed",
    "Compare",
    "Continuous",
    "Excuse",
    "Failure",
    "FailureKind",
    "KnownCase",
    "ModuleAnswers",
    "Shares",
    "SubmissionProxy",
    "accepting",
    "as_array",
    "check",
    "check_draws",
    "check_generator",
    "compare_or_excuse",
    "fail",
    "mixed_by_own_weights",
    "own_weights",
]
