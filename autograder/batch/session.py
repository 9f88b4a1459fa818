"""A batch as a plan that can be sent anywhere, and the session that it opens where submissions are graded."""

from __future__ import annotations

import traceback
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from autograder.course.course import Course, find_course
from autograder.course.homework import CourseError
from autograder.grading.grade import grade_handin
from autograder.grading.runs import run_handins
from autograder.grading.suite import Suite, prepare_suite
from autograder.intake.files import read_files
from autograder.intake.matching import HomeworkProfile, match
from autograder.intake.submission import ReadResult, Submission, SubmissionHandins
from autograder.sandbox.pool import SandboxPool
from autograder.sandbox.report import LayerRefusedError
from autograder.verdict.results import SubmissionResult


@dataclass(frozen=True)
class Plan:
    """Plain data from which a process, here or on another machine, opens the same session.

    ``chosen`` are ids of homeworks, or their beginnings; none stand for all. Two sessions of one plan give equal
    results.
    """

    course: Course
    seed: int
    chosen: tuple[str, ...] = ()

    def open(self) -> GradingSession:
        """Open a session; raises as ``GradingSession`` does."""
        return GradingSession(self)


def open_session(
    seed: int, chosen: Sequence[str] = (), course: Course | None = None
) -> GradingSession:
    """Open a session on a course, by default on the one around the current folder.

    Raises:
        CourseError: there is no course, or ``GradingSession`` refuses it.
    """
    if course is None:
        course = find_course()
    return GradingSession(Plan(course, seed, tuple(course.ids(chosen))))


class GradingSession:
    """Grades the submissions of one batch in this process; suites are prepared when a homework first turns up.

    All homeworks are known, because a file that belongs to another one must not be taken for a chosen one.

    Raises:
        CourseError: the course's metadata is wrong, it has no homework of a chosen id, or both a homework and its
            drill are chosen.
    """

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.course = plan.course
        self.seed = plan.seed
        self.homeworks = plan.course.possible_homeworks(plan.chosen)
        self.chosen = plan.course.ids(plan.chosen)
        self._suites: dict[str, Suite] = {}

    def suite(self, homework_id: str, pool: SandboxPool) -> Suite:
        """Return a homework's suite, prepared once."""
        if homework_id not in self._suites:
            homework = self.course.homework(homework_id)
            self._suites[homework_id] = prepare_suite(
                self.course, homework, self.seed, pool
            )
        return self._suites[homework_id]

    @cached_property
    def _profiles(self) -> Sequence[HomeworkProfile]:
        """How the files of each homework are recognised."""
        return [HomeworkProfile.of(homework) for homework in self.homeworks]

    def match(
        self, submission: Submission, files: ReadResult | None = None
    ) -> SubmissionHandins:
        """Find which file of a submission is for which homework; without ``files``, they are read first."""
        if files is None:
            files = read_files(submission.path, *submission.parts)
        return match(submission.name, files, self._profiles, self.chosen)

    def grade(
        self, submission: Submission, pool: SandboxPool, files: ReadResult | None = None
    ) -> SubmissionResult:
        """Grade one submission; any other exception becomes the result's ``fault``.

        Raises:
            CourseError: the course is broken.
            LayerRefusedError: the machine's protection is broken.
            MemoryError: judging took more memory than there is.
        """
        try:
            matched = self.match(submission, files)
            # The reference solution runs in the same sandboxes: never while students' code waits in them.
            suites = [self.suite(handin.homework, pool) for handin in matched.handins]
            codes = [handin.code for handin in matched.handins]
            runs = run_handins(list(zip(codes, suites, strict=True)), pool)
            results = []
            for handin, suite, run in zip(matched.handins, suites, runs, strict=True):
                result = grade_handin(handin.code, suite, pool, handin.notes, run)
                result = replace(
                    result,
                    recognised=handin.recognised,
                    fits=handin.fits,
                    named_for=handin.named_for,
                )
                results.append(result)
        except (CourseError, LayerRefusedError, MemoryError):
            raise
        except Exception:
            # No failure of the grader may cost a student the row in the gradebook.
            fault = traceback.format_exc()
            return SubmissionResult(submission.name, str(submission.path), fault=fault)
        return SubmissionResult(
            submission.name, str(submission.path), tuple(results), matched.problems
        )
