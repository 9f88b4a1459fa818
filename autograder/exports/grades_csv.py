"""``grades.csv``: one row per entry, one column per homework, safe to open in a spreadsheet."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from autograder.grading.results import SubmissionResult
from autograder.roster.table import Cell, write_table


def write_grades(
    path: Path, results: Iterable[SubmissionResult], homeworks: Sequence[str], maximum: float
) -> None:
    """Write the table, sorted by submission.

    A homework that was not handed in, or could not be graded for our fault, leaves its cell blank. The
    total is blank while one of its parts is our fault.
    """
    rows = sorted((result.name, _grades_row(result, homeworks, maximum)) for result in results)
    write_table(path, ["submission", "status", *homeworks, "total", "max"], (row for _, row in rows))


def _grades_row(result: SubmissionResult, homeworks: Sequence[str], maximum: float) -> list[Cell]:
    found = (result.homework(homework) for homework in homeworks)
    points = (None if one is None else one.earned for one in found)
    return [result.name, str(result.status), *points, result.earned, maximum]
