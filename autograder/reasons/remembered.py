"""Answers of the solution and its variants, computed when first needed and remembered for the next submissions."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Generic, TypeVar

from autograder.course.calls import Call
from autograder.course.cases import Case
from autograder.course.homework import Homework
from autograder.reasons.agreement import Variant
from autograder.sandbox.pool import SandboxPool
from autograder.sandbox.report import Answer
from autograder.verdict.arrays import numbers_in
from autograder.verdict.known import KnownCase, KnownCases
from autograder.verdict.reference import run_calls
from autograder.worker.wire import pack

MOST_NUMBERS = 10_000_000
"""So many numbers are remembered for one homework, about 80 MB; then remembering begins anew."""
NUMBERS_PER_ANSWER = 50
"""What an answer takes besides its numbers, in numbers."""
MOST_FURTHER_NUMBERS = 1_000_000
"""So many numbers are remembered of answers to further calls."""
Step = TypeVar("Step", bound=Hashable)
"""What a variant is made by: the labels of its mistakes, or a slip."""
Run = Callable[[Sequence[Case], Sequence[Step], SandboxPool], Sequence[Variant]]
"""Runs the variant of each of some steps with some inputs."""


@dataclass
class RememberedVariants(Generic[Step]):
    """The answers of variants of a homework's solution.

    They depend on the homework's own cases only, never on a submission, so each is computed once per class. The
    lock is for the audit, whose threads share one object.

    Attributes:
        run: runs variants.
    """

    run: Run[Step]
    _variants: dict[Step, Variant] = field(default_factory=dict)
    _numbers: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def answering(
        self, cases: KnownCases, steps: Sequence[Step], pool: SandboxPool
    ) -> Mapping[Step, Variant]:
        """Return the variant of each step, with answers to these cases at least.

        Raises:
            CourseError: a variant does not load.
        """
        with self._lock:
            return self._answering(cases, steps, pool)

    def _answering(
        self, cases: KnownCases, steps: Sequence[Step], pool: SandboxPool
    ) -> Mapping[Step, Variant]:
        variants = {}
        for step in steps:
            variants[step] = self._variants.get(step) or Variant((), {})
        # Steps that lack answers to the same cases are run together.
        steps_by_missing_cases: dict[tuple[KnownCase, ...], list[Step]] = {}
        for step, variant in variants.items():
            missing_cases = []
            for known in cases:
                if known.case.id not in variant.answers:
                    missing_cases.append(known)
            if missing_cases:
                key = tuple(missing_cases)
                steps_by_missing_cases.setdefault(key, []).append(step)

        for missing, missing_steps in steps_by_missing_cases.items():
            inputs = [known.case for known in missing]
            ran_variants = self.run(inputs, missing_steps, pool)
            for step, ran in zip(missing_steps, ran_variants, strict=True):
                # The variant from before, with what is known of its answers.
                before = variants[step]
                variants[step] = replace(
                    before,
                    labels=ran.labels,
                    answers={**before.answers, **ran.answers},
                    misfits={**before.misfits, **ran.misfits},
                )
                for answer in ran.answers.values():
                    self._numbers += numbers_in(answer.value) + NUMBERS_PER_ANSWER

        # What is forgotten is forgotten whole, so that the count is always that of what is kept.
        self._variants.update(variants)
        if self._numbers > MOST_NUMBERS:
            self._variants.clear()
            self._numbers = 0
        return variants


@dataclass
class RememberedAnswers:
    """The reference solution's answers to further calls.

    Reasons ask the same of it for each submission that is wrong in the same case.
    """

    homework: Homework
    _answers: dict[bytes, list[Answer]] = field(default_factory=dict)
    _numbers: int = 0

    def ask(self, calls: Sequence[Call], pool: SandboxPool) -> list[Answer]:
        """Return the answers to calls, which are made only if the same ones were not made before.

        Raises:
            CourseError: the process of the reference solution does not survive the calls.
        """
        inputs = pack([dict(call.as_mapping()) for call in calls])
        key = hashlib.blake2b(inputs).digest()
        answers = self._answers.get(key)
        if answers is not None:
            return answers
        answers = run_calls(self.homework, self.homework.solution, calls, pool)
        for answer in answers:
            self._numbers += numbers_in(answer.value) + NUMBERS_PER_ANSWER
        if self._numbers > MOST_FURTHER_NUMBERS:
            self._answers.clear()
            self._numbers = 0
        self._answers[key] = answers
        return answers
