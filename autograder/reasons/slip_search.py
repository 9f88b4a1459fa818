"""Find the slip of the solution that gives a submission's wrong numbers, where no known mistake does."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field

from autograder.course.homework import CourseError, Homework
from autograder.language import say
from autograder.reasons.agreement import (
    LEAST_NUMBERS,
    Variant,
    agreeing,
    breaks_down,
    is_evidence,
    same_answer,
)
from autograder.reasons.catalogue import read_edits
from autograder.reasons.mutation import run_edits
from autograder.reasons.remembered import MOST_NUMBERS, NUMBERS_PER_ANSWER
from autograder.reasons.slips import Slip, slips_of
from autograder.sandbox.pool import SandboxPool
from autograder.sandbox.report import Answer, Answers, StudentError
from autograder.verdict.arrays import numbers_in
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
    """The slips of a homework's solution, and their answers, which are computed when first needed.

    They depend on the homework's own cases only, never on a submission, so each is computed once per class. The
    lock is for the audit, whose threads share one object.
    """

    homework: Homework
    _slips: dict[str, list[Slip]] = field(default_factory=dict)
    _answers: dict[tuple[Slip, str], Answer] = field(default_factory=dict)
    _numbers: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

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
        wrong_cases = []
        for known in cases:
            answer = answers[known.case.id]
            if answer.is_usable and not breaks_down(answer):
                if not known.is_right(answer):
                    wrong_cases.append(known)
        if not is_evidence(answers, wrong_cases):
            return NO_REASON

        # The smallest case that tells slips apart decides which of them are run on the others.
        sieve = min(wrong_cases, key=_sieve_order)
        answer = answers[sieve.case.id]
        with self._lock:
            likely = []
            for slip, slip_answers in self._answering(
                self._slips_of(task), [sieve], pool
            ):
                slip_answer = slip_answers[sieve.case.id]
                if same_answer(answer, slip_answer, sieve.tolerance):
                    likely.append(slip)
            answered = self._answering(likely, cases, pool)
        slips = []
        for slip, slip_answers in answered:
            variant = Variant((slip.phrase,), slip_answers, misfits_of(slip_answers))
            if agreeing(answers, cases, [variant]):
                slips.append(slip)
        return _told(slips)

    def _slips_of(self, task: str) -> list[Slip]:
        if task not in self._slips:
            solution = read_edits(self.homework).solution
            names = [homework_task.name for homework_task in self.homework.tasks]
            self._slips[task] = slips_of(solution, task, names)
        return self._slips[task]

    def _answering(
        self, slips: Sequence[Slip], cases: KnownCases, pool: SandboxPool
    ) -> Sequence[tuple[Slip, Answers]]:
        """Return slips with their answers to cases; one that cannot answer them is left out."""
        if self._numbers > MOST_NUMBERS:
            self._answers.clear()
            self._numbers = 0
        missing = []
        for slip in slips:
            if any((slip, known.case.id) not in self._answers for known in cases):
                missing.append(slip)
        self._run(missing, cases, pool)
        answered = []
        for slip in slips:
            slip_answers = {}
            for known in cases:
                slip_answers[known.case.id] = self._answers[slip, known.case.id]
            answered.append((slip, slip_answers))
        return answered

    def _run(self, slips: Sequence[Slip], cases: KnownCases, pool: SandboxPool) -> None:
        """Run slips; one that does not load, or brings the process down, answers nothing.

        Of many, two are run first. If all would take too long, as where each is a training, no other is run.
        """
        seconds = 0.0
        if len(slips) > FEW_SLIPS:
            self._run_together(slips[:2], cases, pool)
            for known in cases:  # the first one's calls are slower than all others
                seconds += self._answers[slips[1], known.case.id].seconds
            slips = slips[2:]
        if seconds * len(slips) > MOST_SECONDS:
            self._keep(slips, cases, [TOO_SLOW] * len(slips))
        else:
            self._run_together(slips, cases, pool)

    def _run_together(
        self, slips: Sequence[Slip], cases: KnownCases, pool: SandboxPool
    ) -> None:
        if not slips:
            return
        inputs = [known.case for known in cases]
        edits = [slip.edits for slip in slips]
        solution = read_edits(self.homework).solution
        try:
            outcomes = list(run_edits(self.homework, solution, inputs, edits, pool))
        except CourseError as error:  # one of them brought the process down
            if len(slips) == 1:
                self._keep(slips, cases, [StudentError("CourseError", str(error))])
                return
            middle = len(slips) // 2
            self._run_together(slips[:middle], cases, pool)
            self._run_together(slips[middle:], cases, pool)
        else:
            self._keep(slips, cases, outcomes)

    def _keep(
        self,
        slips: Sequence[Slip],
        cases: KnownCases,
        outcomes: Sequence[Answers | StudentError],
    ) -> None:
        for slip, outcome in zip(slips, outcomes, strict=True):
            for known in cases:
                if isinstance(outcome, StudentError):
                    answer = Answer(error=outcome)
                else:
                    answer = outcome[known.case.id]
                self._answers[slip, known.case.id] = answer
                self._numbers += numbers_in(answer.value) + NUMBERS_PER_ANSWER


def _sieve_order(known: KnownCase) -> tuple[bool, int]:
    return known.size < LEAST_NUMBERS, known.size


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
