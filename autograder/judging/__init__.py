"""From a submission's code to check results: expected answers, comparison, diagnosis, checks, grading.

The one package that sees expected values and submissions' answers together. A check is a plain function; the
worker pool at the end of the line grades a class, each submission in a process that can be ended.
"""

from autograder.judging.checks import CheckFailed, check
from autograder.judging.comparison import MOST_PARTS, Finding, Kind, as_array
from autograder.judging.examples import valid
from autograder.judging.fixtures import Cases, Compare, SubmissionProxy
from autograder.judging.interface import Restored
from autograder.judging.known import KnownCase
from autograder.judging.own_results import (
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
    "Finding",
    "Kind",
    "KnownCase",
    "Own",
    "Restored",
    "SubmissionProxy",
    "accepting",
    "as_array",
    "check",
    "compare_or_excuse",
    "mixed_by_own_weights",
    "own_weights",
    "valid",
]
