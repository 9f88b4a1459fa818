"""Grades: results with the points that count, after the policy and the decisions of people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, cast

from autograder.course.homework import THEORY
from autograder.csv_table import points_cell
from autograder.language import ENGLISH, Language
from autograder.verdict.results import HomeworkResult, SubmissionResult


@dataclass(frozen=True)
class Change:
    """A change of the checks' points by the policy or a person, in words for the student."""

    kind: str
    points: float
    reason: str


@dataclass(frozen=True)
class HomeworkGrade(HomeworkResult):
    """One submission in one homework with the points that count.

    Attributes:
        points: the maximum without extra credit.
        final: the points where a policy or a person changed those of the checks; None where nobody did.
        changes: what was changed, and why.
        awaiting: the questions that nobody has marked yet; until then the points are provisional.
        shown: when Gradescope shows what hidden checks say; where it is blank, ``hints`` decides.
        is_settled: whether a person set the points of the whole homework.
        extra_credit: the tasks whose points are a bonus, beyond the maximum.
        bonus: how many of the points that count are a bonus.
    """

    final: float | None = None
    changes: tuple[Change, ...] = ()
    awaiting: tuple[str, ...] = ()
    shown: str = ""
    is_settled: bool = False
    extra_credit: tuple[str, ...] = ()
    bonus: float = 0.0

    @classmethod
    def of(cls, result: HomeworkResult) -> HomeworkGrade:
        """Return the grade of a result that no policy and no person has changed.

        Without a policy only theory questions can be a bonus: their points are in the checks, but not in the
        homework's maximum.
        """
        grade = cls(**_values_of(result))
        theory_checks = []
        for check in result.checks:
            if check.task == THEORY:
                theory_checks.append(check)
        check_points = sum(check.points for check in result.checks)
        if not theory_checks or check_points <= result.points:
            return grade
        bonus = 0.0
        if result.raw is not None:
            bonus = sum(check.earned for check in theory_checks)
        return replace(grade, extra_credit=(THEORY,), bonus=round(bonus, 6))

    @property
    def earned(self) -> float | None:
        """The points that count, or None where no fair grade exists yet."""
        if self.final is None:
            return self.raw
        return self.final


@dataclass(frozen=True)
class SubmissionGrade(SubmissionResult):
    """One submission with its grade in every homework that was found in it.

    ``person`` holds name, id, e-mail address and lateness of the owner, where known. ``course`` is the course's
    title and ``graded_on`` the day of the last grading, as pages show them; blank where they are not known.
    ``language`` is that of the page which the student reads.
    """

    homeworks: tuple[HomeworkGrade, ...] = ()
    person: tuple[str, ...] = ()
    course: str = ""
    graded_on: str = ""
    language: Language = ENGLISH

    @classmethod
    def of(
        cls,
        result: SubmissionResult,
        homeworks: Sequence[HomeworkGrade] | None = None,
        person: tuple[str, ...] = (),
        *,
        course: str = "",
        graded_on: str = "",
        language: Language = ENGLISH,
    ) -> SubmissionGrade:
        """Return the grade of a submission from the grades of its homeworks.

        Where there are none yet, because the policy is applied later, the points of the checks count.
        """
        if homeworks is None:
            homeworks = [HomeworkGrade.of(homework) for homework in result.homeworks]
        values = _values_of(result)
        values["homeworks"] = tuple(homeworks)
        return cls(
            **values,
            person=person,
            course=course,
            graded_on=graded_on,
            language=language,
        )

    @property
    def bonus(self) -> float:
        """How many of all points are a bonus."""
        return round(sum(homework.bonus for homework in self.homeworks), 6)

    def homework(self, homework_id: str) -> HomeworkGrade | None:
        """Return the grade in one homework, if it was handed in."""
        return cast("HomeworkGrade | None", super().homework(homework_id))


def _values_of(result: HomeworkResult | SubmissionResult) -> dict[str, Any]:
    """Return the values of a result by the names of its fields."""
    values = {}
    for field in fields(result):
        values[field.name] = getattr(result, field.name)
    return values


def points_of(earned: float | None) -> str:
    """Return points as text; a dash where there is no fair grade yet."""
    return points_cell(earned) or "–"
