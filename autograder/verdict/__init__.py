"""Verdicts: expected values, comparison, and checks, which say what is wrong with a submission's answers.

This package is what the author of a check writes with. Why an answer is wrong is said by ``reasons``.

Its modules in the order of reading:

1. What is judged: ``failure``, ``known`` (a case and its expected answer).
2. One answer: ``arrays``, ``kinds`` (answers that are not only arrays), ``comparison``, ``gradients``; in words:
   ``describe``, ``wrong_numbers``, ``titles``. Right values in another form: ``interface``, ``forms``.
3. A homework: ``fixtures`` (what a check receives; ``names``, ``conversion``), ``checks`` (``joint_calls``,
   ``explanation_faults``), ``theory`` (its questions).
4. Expected values: ``reference`` has the solution answer cases, ``store`` keeps the answers.
5. What is recorded: ``results``, ``work``; ``misfits`` reads exceptions about shapes, for reasons.

A newcomer may skip ``for_checks``, which only checks of single homeworks use.
"""

from autograder.verdict.arrays import as_array
from autograder.verdict.checks import check
from autograder.verdict.failure import CheckFailed, Failure, FailureKind, fail
from autograder.verdict.fixtures import Cases, Compare, SubmissionProxy
from autograder.verdict.for_checks.laws import Continuous, Shares
from autograder.verdict.for_checks.modules import ModuleAnswers
from autograder.verdict.for_checks.own_results import (
    Excuse,
    accepting,
    compare_or_excuse,
    mixed_by_own_weights,
    own_weights,
)
from autograder.verdict.for_checks.random_answers import check_draws, check_generator
from autograder.verdict.known import KnownCase

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
