"""A batch as a plan that can be sent anywhere, and the session that it opens where submissions are graded."""

from __future__ import annotations

import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from autograder.course.course import Course, find_course
from autograder.course.homework import CourseError, Homework
from autograder.errors import KitError
from autograder.grading.grade import fixtures_for, grade_handin
from autograder.grading.runs import run_handins
from autograder.grading.suite import Suite, prepare_suite
from autograder.intake.files import read_files
from autograder.intake.matching import HomeworkProfile, match
from autograder.intake.submission import (
    Matched,
    ReadResult,
    Submission,
    SubmissionError,
)
from autograder.reasons.catalogue import read_edits
from autograder.reasons.mutation import as_diffs
from autograder.sandbox.pool import SandboxPool
from autograder.sandbox.report import LayerRefusedError, RunReport
from autograder.sandbox.request import Code
from autograder.verdict.explanation_faults import explaining
from autograder.verdict.failure import CheckFailed, Failure, FailureKind
from autograder.verdict.fixtures import Fixtures
from autograder.verdict.known import JudgedCase, KnownCase
from autograder.verdict.results import SubmissionResult


@dataclass(frozen=True)
class Plan:
    """Plain data from which a process, here or on another machine, opens the same session.

    Two sessions of one plan give equal results.
    """

    course: Course
    seed: int
    chosen: tuple[str, ...] = ()

    def open(self) -> GradingSession:
        """Open a session; raises as ``open_session`` does."""
        return open_session(self.seed, self.chosen, self.course)


def open_session(
    seed: int, chosen: Sequence[str] = (), course: Course | None = None
) -> GradingSession:
    """Open a session on a course, by default on the one around the current folder.

    Raises:
        CourseError: there is no course, its metadata is wrong, it has no homework of a chosen id, or both a
            homework and its drill are chosen.
    """
    if course is None:
        course = find_course()
    homeworks = course.possible_homeworks(chosen)
    return GradingSession(course, seed, homeworks, course.ids(chosen))


@dataclass
class GradingSession:
    """Grades the submissions of one batch in this process; suites are prepared when a homework first turns up.

    All homeworks are known, because a file that belongs to another one must not be taken for a chosen one.
    """

    course: Course
    seed: int
    homeworks: Sequence[Homework]
    chosen: Sequence[str] = ()
    _suites: dict[str, Suite] = field(default_factory=dict)

    @property
    def plan(self) -> Plan:
        """The plan that opens an equal session."""
        return Plan(self.course, self.seed, tuple(self.chosen))

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

    def match(self, submission: Submission, files: ReadResult | None = None) -> Matched:
        """Find which file of a submission is for which homework; without ``files``, they are read first."""
        if files is None:
            files = read_files(submission.path, *submission.parts)
        return match(submission.name, files, self._profiles, self.chosen)

    def grade(
        self, submission: Submission, pool: SandboxPool, files: ReadResult | None = None
    ) -> SubmissionResult:
        """Grade one submission; only a broken course or wall, or a lack of memory, raises."""
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

    def code(self, submission: Submission, homework_id: str) -> Code:
        """Return a submission's code for one homework; raises ``SubmissionError`` if there is none."""
        matched = self.match(submission)
        for handin in matched.handins:
            if handin.homework == homework_id:
                return handin.code
        reasons = [f"{submission.path.name} contains nothing for {homework_id}"]
        for problem in matched.problems:
            reasons.append(problem.staff)
        raise SubmissionError("; ".join(reasons))

    def fixtures(
        self, submission: Submission, homework_id: str, pool: SandboxPool
    ) -> Fixtures:
        """Run one submission for somebody who looks into its checks.

        Raises:
            SubmissionError: it holds nothing for the homework.
            CheckFailed: nothing of it could be called.
        """
        code = self.code(submission, homework_id)
        return fixtures_for(code, self.suite(homework_id, pool), pool)

    def explain(
        self, submission: Submission, homework_id: str, name: str, pool: SandboxPool
    ) -> Explanation | None:
        """Run a submission and judge it by one check again; None where that passes now.

        Raises:
            KitError: the homework has no check of this name any more.
        """
        checks = {check.name: check for check in self.suite(homework_id, pool).checks}
        if name not in checks:
            raise KitError(
                f"{name} is no check of {homework_id} any more: `autograder regrade OUT` judges the "
                "submission by today's checks"
            )
        fixtures = None
        try:
            fixtures = self.fixtures(submission, homework_id, pool)
            checks[name](fixtures)
        except CheckFailed as error:
            failure = error.failure
        except AssertionError as error:
            failure = Failure(FailureKind.VALUES, str(error))
        else:
            return None
        if fixtures is None:  # nothing of the submission could be called
            return Explanation(failure)
        return Explanation.of(failure, fixtures)


@dataclass(frozen=True, eq=False)
class Explanation:
    """The evidence of a failed check: why it failed, on which case if on any, the parameters of its function.

    ``is_sure`` is False where the case is only the last one that the check looked at. ``diffs`` are the
    mistakes, or pairs, that may be behind it, as edits of the reference solution.
    """

    failure: Failure
    judged: JudgedCase | None = None
    is_sure: bool = True
    parameters: tuple[str, ...] = ()
    diffs: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, failure: Failure, fixtures: Fixtures) -> Explanation:
        """Collect, for the staff, why the check that was run last failed: calls, values and the reason."""
        submission = fixtures.submission
        homework = fixtures.compare.homework
        judged = failure.judged
        if judged is None:
            for case in fixtures.cases.known:
                if case.case.id == submission.looked_at:
                    judged = JudgedCase(case, submission.answers[case.case.id])
                    break
        parameters: tuple[str, ...] = ()
        diffs: Mapping[str, str] = {}
        with explaining("what the solution calls its parameters"):
            solution = read_edits(homework).solution
            if judged is not None:
                name = judged.known.case.call.name
                parameters = tuple(solution.parameters(name))
        with explaining("the mistake as an edit of the solution"):
            mistakes = failure.made or [(label,) for label in failure.misconceptions]
            diffs = as_diffs(homework, mistakes)
        is_sure = failure.judged is not None
        return cls(failure, judged, is_sure, parameters, diffs)


def call_again(
    path: Path, homework_id: str, case_id: str, *, seed: int, course: Path | None = None
) -> tuple[KnownCase, RunReport]:
    """Make the call of one case, in a sandbox, on a submission or on a changed copy of it.

    ``seed`` is that of the batch, from which fresh cases are drawn. A file may have any name.

    Raises:
        SubmissionError: the submission holds nothing for the homework.
        KeyError: the homework has no such case.
    """
    session = open_session(seed, [homework_id], find_course(course, [path]))
    code = session.code(Submission(path.stem, path.resolve()), homework_id)
    with SandboxPool() as pool:
        suite = session.suite(homework_id, pool)
        known = {case.case.id: case for case in suite.known}[case_id]
        homework = suite.homework
        calls = [known.case.call.as_mapping()]
        return known, pool.run(homework.request(code, calls))
