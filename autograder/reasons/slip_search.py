"""Find the slip of the solution that gives a submission's wrong numbers, where no known mistake does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from autograder.course.cases import Case
from autograder.course.homework import CourseError, Homework
from autograder.language import say
from autograder.reasons.agreement import (
    LEAST_NUMBERS,
    Variant,
    agreeing,
    is_evidence,
    same_answer,
    usable_wrong_cases,
)
from autograder.reasons.catalogue import read_edits
from autograder.reasons.mutation import run_edits
from autograder.reasons.remembered import RememberedVariants
from autograder.reasons.slips import Slip, slips_of
from autograder.sandbox.pool import SandboxPool
from autograder.sandbox.report import Answer, Answers, StudentError
from autograder.verdict.failure import NO_REASON, Reason
from autograder.verdict.known import KnownCase, KnownCases
from autograder.verdict.misfits import misfits_of

MOST_SECONDS = 30.0
"""So long may all slips of a task take together."""
FEW_SLIPS = 20
"""So few are run at once, without a look at the time that they take."""
TOO_SLOW = StudentError("TimeLimit")
MOST_SENTENCES = 2
"""Of more slips that are equally natural, none is told."""


@dataclass
class SlipSearch:
    """The slips of a homework's solution, which are made and run when first needed."""

    homework: Homework
    _slips: dict[str, list[Slip]] = field(default_factory=dict)

    @cached_property
    def remembered(self) -> RememberedVariants[Slip]:
        """The slips that were run for earlier submissions."""
        return RememberedVariants(self._run)

    def find(
        self, task: str, answers: Answers, cases: KnownCases, pool: SandboxPool
    ) -> Reason:
        """Return the most natural slip that agrees with the answers in every case, without a label.

        Args:
            task: name of the task.
            answers: the submission's answers by case id.
            cases: the cases to compare, some of ``diagnostic_cases``.
            pool: runs the slips.
        """
        wrong_cases = usable_wrong_cases(answers, cases)
        if not is_evidence(answers, wrong_cases):
            return NO_REASON

        # The smallest case that tells slips apart decides which of them are run on the others.
        sieve = min(wrong_cases, key=_sieve_order)
        answer = answers[sieve.case.id]
        likely = []
        variants = self.remembered.answering([sieve], self._slips_of(task), pool)
        for slip, variant in variants.items():
            if same_answer(answer, variant.answers[sieve.case.id], sieve.tolerance):
                likely.append(slip)
        variants = self.remembered.answering(cases, likely, pool)
        agreeing_slips = []
        for slip in likely:
            if agreeing(answers, cases, [variants[slip]]):
                agreeing_slips.append(slip)
        return _told(agreeing_slips)

    def _slips_of(self, task: str) -> list[Slip]:
        if task not in self._slips:
            solution = read_edits(self.homework).solution
            names = [homework_task.name for homework_task in self.homework.tasks]
            self._slips[task] = slips_of(solution, task, names)
        return self._slips[task]

    def _run(
        self, cases: Sequence[Case], slips: Sequence[Slip], pool: SandboxPool
    ) -> list[Variant]:
        """Run slips; one that does not load, or brings the process down, answers nothing.

        Of many, two are run first. If all would take too long, as where each is a training, no other is run.
        """
        seconds = 0.0
        variants = []
        if len(slips) > FEW_SLIPS:
            variants = self._run_together(cases, slips[:2], pool)
            for answer in variants[1].answers.values():
                seconds += (
                    answer.seconds
                )  # the first one's calls are slower than all others
            slips = slips[2:]
        if seconds * len(slips) > MOST_SECONDS:
            return variants + [_variant(slip, cases, TOO_SLOW) for slip in slips]
        return variants + self._run_together(cases, slips, pool)

    def _run_together(
        self, cases: Sequence[Case], slips: Sequence[Slip], pool: SandboxPool
    ) -> list[Variant]:
        if not slips:
            return []
        edits = [slip.edits for slip in slips]
        solution = read_edits(self.homework).solution
        try:
            outcomes = list(run_edits(self.homework, solution, cases, edits, pool))
        except CourseError as error:  # one of them brought the process down
            if len(slips) == 1:
                return [
                    _variant(slips[0], cases, StudentError("CourseError", str(error)))
                ]
            middle = len(slips) // 2
            first_half = self._run_together(cases, slips[:middle], pool)
            return first_half + self._run_together(cases, slips[middle:], pool)
        pairs = zip(slips, outcomes, strict=True)
        return [_variant(slip, cases, outcome) for slip, outcome in pairs]


def _variant(
    slip: Slip, cases: Sequence[Case], outcome: Answers | StudentError
) -> Variant:
    """Return a slip with its answers; where it raised, that is the answer to each case."""
    if isinstance(outcome, StudentError):
        outcome = {case.id: Answer(error=outcome) for case in cases}
    return Variant((slip.phrase,), outcome, misfits_of(outcome))


def _sieve_order(known: KnownCase) -> tuple[bool, bool, int]:
    return known.size < LEAST_NUMBERS, known.has_axis_of_one, known.size


def _told(slips: Sequence[Slip]) -> Reason:
    """Tell the most natural of slips that give the same numbers; of many that are equally natural, none."""
    lowest_rank = min((slip.rank for slip in slips), default=0)
    sentences = []
    for slip in slips:
        if slip.rank == lowest_rank and slip.phrase not in sentences:
            sentences.append(slip.phrase)
    if not 1 <= len(sentences) <= MOST_SENTENCES:
        return NO_REASON
    says = say(
        "Your results are exactly those that come out {slip}.",
        slip=say(", or ").join(sentences),
    )
    return Reason(says=says)
