"""The evidence of a failed check, for the staff: the submission is run again, and the check with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from autograder.batch.session import GradingSession, open_session
from autograder.course.course import find_course
from autograder.errors import KitError
from autograder.grading.grade import fixtures_for
from autograder.intake.submission import Submission, SubmissionError
from autograder.reasons.catalogue import read_edits
from autograder.reasons.mutation import as_diffs
from autograder.sandbox.pool import SandboxPool
from autograder.sandbox.report import RunReport
from autograder.sandbox.request import Code
from autograder.verdict.explanation_faults import explaining
from autograder.verdict.failure import CheckFailed, Failure, FailureKind
from autograder.verdict.fixtures import Fixtures
from autograder.verdict.known import FailedCase, KnownCase


@dataclass(frozen=True, eq=False)
class Explanation:
    """The evidence of a failed check.

    Attributes:
        failure: why it failed.
        judged: the case on which it failed, if it failed on one.
        is_sure: False where the case is only the last one that the check looked at.
        parameters: the names of the function's parameters in the reference solution.
        diffs: the mistakes, or pairs, that may be behind it, as edits of the reference solution.
    """

    failure: Failure
    judged: FailedCase | None = None
    is_sure: bool = True
    parameters: tuple[str, ...] = ()
    diffs: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, failure: Failure, fixtures: Fixtures) -> Explanation:
        """Collect why the check that was run last failed: calls, values and the reason."""
        submission = fixtures.submission
        homework = fixtures.compare.homework
        judged = failure.failed_case
        if judged is None:
            for case in fixtures.cases.known:
                if case.case.id == submission.looked_at:
                    judged = FailedCase(case, submission.answers[case.case.id])
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
        is_sure = failure.failed_case is not None
        return cls(failure, judged, is_sure, parameters, diffs)


def explain_check(
    session: GradingSession,
    submission: Submission,
    homework_id: str,
    name: str,
    pool: SandboxPool,
) -> Explanation | None:
    """Run a submission and judge it by one check again; None where that passes now.

    Raises:
        SubmissionError: it holds nothing for the homework.
        KitError: the homework has no check of this name any more.
    """
    suite = session.suite(homework_id, pool)
    checks = {check.name: check for check in suite.checks}
    if name not in checks:
        raise KitError(
            f"{name} is no check of {homework_id} any more: `autograder regrade OUT` judges the "
            "submission by today's checks"
        )
    fixtures = None
    try:
        fixtures = fixtures_of(session, submission, homework_id, pool)
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


def fixtures_of(
    session: GradingSession,
    submission: Submission,
    homework_id: str,
    pool: SandboxPool,
) -> Fixtures:
    """Run a submission and return the fixtures of its checks.

    Raises:
        SubmissionError: it holds nothing for the homework.
        CheckFailed: nothing of it could be called.
    """
    code = code_of(session, submission, homework_id)
    return fixtures_for(code, session.suite(homework_id, pool), pool)


def code_of(session: GradingSession, submission: Submission, homework_id: str) -> Code:
    """Return a submission's code for one homework; raises ``SubmissionError`` if there is none."""
    matched = session.match(submission)
    for handin in matched.handins:
        if handin.homework == homework_id:
            return handin.code
    reasons = [f"{submission.path.name} contains nothing for {homework_id}"]
    for problem in matched.problems:
        reasons.append(problem.staff)
    raise SubmissionError("; ".join(reasons))


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
    code = code_of(session, Submission(path.stem, path.resolve()), homework_id)
    with SandboxPool() as pool:
        suite = session.suite(homework_id, pool)
        known = {case.case.id: case for case in suite.known}[case_id]
        homework = suite.homework
        calls = [known.case.call.as_mapping()]
        return known, pool.run(homework.request(code, calls))
