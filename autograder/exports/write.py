"""Write every export of a gradebook into its folder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from autograder.exports.grades_csv import write_grades
from autograder.exports.gradescope import write_results
from autograder.exports.html import write_feedback, write_report
from autograder.grading.results import SubmissionResult


def write_submission(folder: Path, result: SubmissionResult) -> None:
    """Write ``submissions/<name>/results.json`` and ``feedback.html``."""
    own = folder / "submissions" / result.name
    own.mkdir(parents=True, exist_ok=True)
    write_results(own / "results.json", result)
    write_feedback(own / "feedback.html", result)


def write_class(
    folder: Path, results: Sequence[SubmissionResult], homeworks: Sequence[str], maximum: float
) -> None:
    """Write ``grades.csv`` and ``report.html``."""
    write_grades(folder / "grades.csv", results, homeworks, maximum)
    write_report(folder / "report.html", results, homeworks, maximum)
