"""Points by student, for learning platforms to import."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from autograder.errors import KitError
from autograder.exports.wording import points_of
from autograder.grading.results import HomeworkResult, SubmissionResult
from autograder.roster.match import Matching
from autograder.roster.model import Roster, Student
from autograder.roster.table import write_table


class ExportError(KitError):
    """An export cannot be made; the message says what to do."""


@dataclass(frozen=True)
class StudentGrade:
    """What one student gets: blank points are for a person to fill in, and never mean zero."""

    student: Student
    points: float | None
    homeworks: tuple[HomeworkResult, ...] = ()

    @property
    def comment(self) -> str:
        """The points of each homework in the course's own words; nothing that a student wrote."""
        return "; ".join(
            f"{one.title}: {points_of(one.earned)}/{one.points:g} ({one.status})" for one in self.homeworks
        )


def grades_of(
    roster: Roster,
    matching: Matching,
    results: Iterable[SubmissionResult],
    homework: str | None = None,
    *,
    missing: float | None = None,
) -> list[StudentGrade]:
    """Return one grade per student of the roster, in its order.

    Args:
        roster: the class.
        matching: whose each submission is.
        results: submissions with the points that count.
        homework: the homework that the points are of; all together when not given.
        missing: the points of a student without a submission.
    """
    by_line = {
        student.line: result
        for result in results
        for student in matching.found.get(result.name, ())
        if counts(result, homework)
    }
    return [_grade(student, by_line.get(student.line), homework, missing) for student in roster.students]


def counts(result: SubmissionResult, homework: str | None) -> bool:
    """Whether a submission bears on the points asked for; a fault of ours may hide any homework."""
    return homework is None or bool(result.fault) or result.homework(homework) is not None


def _grade(
    student: Student, result: SubmissionResult | None, homework: str | None, missing: float | None
) -> StudentGrade:
    if result is None:
        return StudentGrade(student, missing)
    if homework is None:
        return StudentGrade(student, result.earned, result.homeworks)
    one = result.homework(homework)
    return StudentGrade(student, None if one is None else one.earned, (one,) if one else ())


def write_unmatched(path: Path, matching: Matching, left_out: Mapping[int, str]) -> None:
    """Write who and what was left to a person: submissions, students without one, and rows left out.

    Args:
        path: the CSV file.
        matching: whose each submission is.
        left_out: by line of the roster, why a student is not in the platform's file.
    """
    rows = [["submission", name, reason] for name, reason in matching.unmatched.items()]
    rows += [_student_row(student, "no submission") for student in matching.missing]
    known = [*matching.missing, *(one for students in matching.found.values() for one in students)]
    rows += [_student_row(one, left_out[one.line]) for one in known if one.line in left_out]
    write_table(path, ["what", "who", "why"], rows)


def _student_row(student: Student, why: str) -> list[str]:
    return ["student", student.label, why]


def column_of(roster: Roster, names: Sequence[str]) -> str | None:
    """Return the roster's own column of one of these names, in any case."""
    wanted = {name.casefold() for name in names}
    return next((column for column in roster.columns if column.casefold() in wanted), None)
