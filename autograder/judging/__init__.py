"""From a submission's code to check results: expected answers, comparison, diagnosis, checks, grading.

The one package that sees expected values and submissions' answers together. A check is a plain function; the
worker pool at the end of the line grades a class, each submission in a process that can be ended.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from autograder.faces import on_demand

if TYPE_CHECKING:
    from autograder.judging.agreement import Diagnosis, Labels, Variant, agreeing, diagnostic_cases, explain
    from autograder.judging.catalogue import CATALOGUE, Misconception, read_catalogue
    from autograder.judging.checks import (
        PREFIX,
        Check,
        CheckFailed,
        check,
        checks_file,
        load_checks,
        read_checks,
        run_checks,
    )
    from autograder.judging.comparison import MOST_PARTS, Finding, Kind, as_array, matches, room_for
    from autograder.judging.errors import explain_error
    from autograder.judging.fixtures import Cases, Compare, Fixtures, SubmissionProxy, value_key
    from autograder.judging.grade import grade_handin
    from autograder.judging.known import SEPARATION, KnownCase, run_calls, run_course_file
    from autograder.judging.mutation import (
        mutants,
        pair_labels,
        run_variants,
        single_labels,
    )
    from autograder.judging.outputs import BuildReport, build_outputs, verify_outputs
    from autograder.judging.own_results import (
        Own,
        accepting,
        compare_or_excuse,
        mixed_by_own_weights,
        own_weights,
    )
    from autograder.judging.results import Change, CheckResult, HomeworkResult, Outcome, SubmissionResult
    from autograder.judging.session import GradingSession, Plan, open_session
    from autograder.judging.store import open_store
    from autograder.judging.stored_mutants import read_singles
    from autograder.judging.suite import Suite, prepare_suite
    from autograder.judging.tolerances import know_fresh, nearest_mistake
    from autograder.judging.workers import WorkerPool, lost
else:
    __getattr__ = on_demand(__name__)

__all__ = [
    "CATALOGUE",
    "MOST_PARTS",
    "PREFIX",
    "SEPARATION",
    "BuildReport",
    "Cases",
    "Change",
    "Check",
    "CheckFailed",
    "CheckResult",
    "Compare",
    "Diagnosis",
    "Finding",
    "Fixtures",
    "GradingSession",
    "HomeworkResult",
    "Kind",
    "KnownCase",
    "Labels",
    "Misconception",
    "Outcome",
    "Own",
    "Plan",
    "SubmissionProxy",
    "SubmissionResult",
    "Suite",
    "Variant",
    "WorkerPool",
    "accepting",
    "agreeing",
    "as_array",
    "build_outputs",
    "check",
    "checks_file",
    "compare_or_excuse",
    "diagnostic_cases",
    "explain",
    "explain_error",
    "grade_handin",
    "know_fresh",
    "load_checks",
    "lost",
    "matches",
    "mixed_by_own_weights",
    "mutants",
    "nearest_mistake",
    "open_session",
    "open_store",
    "own_weights",
    "pair_labels",
    "prepare_suite",
    "read_catalogue",
    "read_checks",
    "read_singles",
    "room_for",
    "run_calls",
    "run_checks",
    "run_course_file",
    "run_variants",
    "single_labels",
    "value_key",
    "verify_outputs",
]
