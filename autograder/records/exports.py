"""Write every export of a gradebook into its folder, and remove those of submissions that are gone."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

from autograder.judging import SubmissionResult
from autograder.records.pages import write_feedback
from autograder.records.points import Line
from autograder.records.report import write_report
from autograder.records.results_json import write_results
from autograder.records.tables import write_grades, write_policy

SUBMISSIONS = "submissions"
RESULTS = "results.json"
FEEDBACK = "feedback.html"
GRADES = "grades.csv"
REPORT = "report.html"
POLICY = "policy.csv"


def write_submission(folder: Path, result: SubmissionResult) -> None:
    """Write ``submissions/<name>/results.json`` and ``feedback.html``."""
    own = folder / SUBMISSIONS / result.name
    own.mkdir(parents=True, exist_ok=True)
    write_results(own / RESULTS, result)
    write_feedback(own / FEEDBACK, result)


def has_submission(folder: Path, name: str) -> bool:
    """Whether all files of a submission are there."""
    return all((folder / SUBMISSIONS / name / file).is_file() for file in (RESULTS, FEEDBACK))


def forget_submissions(folder: Path, names: Collection[str]) -> None:
    """Remove what was written for submissions other than these, but nothing that others put there."""
    top = folder / SUBMISSIONS
    for own in list(top.iterdir()) if top.is_dir() else ():
        if own.name in names or own.is_symlink() or not own.is_dir():
            continue
        for file in (RESULTS, FEEDBACK):
            (own / file).unlink(missing_ok=True)
        if not any(own.iterdir()):
            own.rmdir()


def write_class(
    folder: Path,
    results: Iterable[SubmissionResult],
    homeworks: Sequence[str],
    maximum: float,
    lines: Iterable[Line] = (),
) -> None:
    """Write ``grades.csv``, ``report.html`` and, where not only checks decide, ``policy.csv``.

    The results are sorted by name; they and the lines are iterated more than once.
    """
    write_grades(folder / GRADES, results, homeworks, maximum)
    write_report(folder / REPORT, results, homeworks, maximum)
    if any(line.reasons or line.awaiting for line in lines):
        write_policy(folder / POLICY, lines)
    else:
        (folder / POLICY).unlink(missing_ok=True)
