"""Everything that a reason may look at, and what the reasons ask of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from autograder.course.calls import Call
from autograder.course.homework import Homework
from autograder.language import say
from autograder.reasons.agreement import Diagnose, FindSlip
from autograder.reasons.code_facts import CodeFacts, facts_of
from autograder.reasons.outside import named_arguments, positive_sizes
from autograder.reasons.student_code import StudentCode
from autograder.reasons.wrong import RESULT
from autograder.sandbox.report import Answer
from autograder.verdict.failure import Reason
from autograder.verdict.fixtures import Ask, Cases, Compare, SubmissionProxy
from autograder.verdict.known import KnownCase, KnownCases
from autograder.verdict.titles import with_article


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

    def answer(self, known: KnownCase) -> Answer:
        """Return the submission's answer to a case, in the form that the task asks for."""
        return self.submission.answers[known.case.id]

    def is_right(self, known: KnownCase) -> bool:
        """Return whether the value of the answer to a case is right."""
        return known.is_right(self.answer(known))

    def is_right_task(self, name: str) -> bool:
        """Return whether a function is a task of its own, and right in all cases: its checks may come later."""
        cases = []
        for known in self.cases.known:
            if known.case.task == name and known.case.expects:
                cases.append(known)
        return bool(cases) and not any(map(self.compare.judge, cases))

    def judged(self, known: KnownCase) -> tuple[KnownCase, str]:
        """Return the case that counts instead of a case, and the key of its answer."""
        return self.compare.case_that_counts(known)

    def judged_answers(self, cases: KnownCases) -> dict[KnownCase, Answer]:
        """Return the cases that are judged instead of some cases, with the answers to them."""
        return dict(map(self.compare.answer_that_counts, cases))

    def are_wrong(self, cases: KnownCases) -> bool:
        """Return whether all values are wrong, and not only gradients, say, or the form of the answers."""
        answers = self.judged_answers(cases)
        return not any(known.is_right(answer) for known, answer in answers.items())

    def cases_like(self, known: KnownCase) -> list[KnownCase]:
        """Return all cases of the function that a case calls and that expect arrays, if it expects one."""
        name = known.case.call.name
        cases = []
        for other in self.cases.known:
            if other.case.call.name != name:
                continue
            if other.is_structured == known.is_structured:
                cases.append(other)
        return cases

    def answers_to(self, known: KnownCase, calls: Sequence[Call]) -> list[Answer]:
        """Make further calls in place of a case's call; return answers in the form that the task asks for."""
        restored = self.submission.answers.restored
        return [restored(known, answer) for answer in self.submission.calls(calls)]

    def parameters(self, known: KnownCase) -> Sequence[str]:
        """Return the parameters of the function that a case calls, as the student named them."""
        return self.submission.facts(known.case.call.name).parameters

    def arguments(self, known: KnownCase) -> dict[str, Any]:
        """Return the arguments of a case by what the student calls them, such as "`Q`"."""
        return named_arguments(known.case.call, self.parameters(known))

    def sizes(self, known: KnownCase) -> dict[str, int]:
        """Return the sizes of a case's arguments, 1 or more, by names such as "the number of rows of `Q`"."""
        return positive_sizes(known.case.call, self.parameters(known))

    def title(self, known: KnownCase, part: int | None) -> str:
        """Return what a part of the result is called within a sentence, by its index; None for all of it."""
        names = self.homework.task(known.case.task).returns
        if part is None or part >= len(names):
            return say(RESULT)
        return with_article(names[part])

    def code_facts(self, name: str) -> CodeFacts | None:
        """Return what stands in a function of the submission and in those it uses; None where that is not known."""
        functions = self.code.used_by(name) if self.code is not None else []
        return facts_of(functions) if functions else None


Look = Callable[[Context, KnownCases], Reason | None]
"""Looks for one reason behind the failed cases of one check, or by further calls of their function."""


def first_reason(
    looks: Sequence[Look], context: Context, failed: KnownCases
) -> Reason | None:
    """Return the reason of the first look that finds one."""
    for look in looks:
        reason = look(context, failed)
        if reason is not None:
            return reason
    return None
