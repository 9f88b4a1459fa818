"""Everything that a reason may look at besides the failed cases themselves."""

from __future__ import annotations

from dataclasses import dataclass

from autograder.course.homework import Homework
from autograder.reasons.agreement import Diagnose, FindSlip
from autograder.reasons.student_code import StudentCode
from autograder.verdict.fixtures import Ask, Cases, Compare, SubmissionProxy
from autograder.verdict.known import KnownCase


@dataclass(frozen=True, eq=False)
class Context:
    """One submission in one homework, as reasons see it.

    Attributes:
        compare: judges answers, without reasons.
        diagnose: names the known mistake behind the answers to some cases of a task.
        ask_reference: makes further calls of the reference solution; None on students' machines.
        find_slip: names one wrong step of the solution; None on students' machines.
        code: the submission's code as text; None where it is not known.
    """

    compare: Compare
    diagnose: Diagnose
    ask_reference: Ask | None = None
    find_slip: FindSlip | None = None
    code: StudentCode | None = None

    @property
    def homework(self) -> Homework:
        return self.compare.homework

    @property
    def submission(self) -> SubmissionProxy:
        return self.compare.submission

    @property
    def cases(self) -> Cases:
        return self.compare.cases

    def judged(self, known: KnownCase) -> tuple[KnownCase, str]:
        """Return the case that counts instead of a case, and the key of its answer."""
        return self.compare.judged(known)
