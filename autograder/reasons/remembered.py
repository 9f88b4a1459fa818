"""Variants of a homework's solution, run when first needed and remembered for the next submissions."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from autograder.course.homework import Homework
from autograder.reasons.agreement import Variant
from autograder.reasons.mutation import run_variants
from autograder.sandbox.pool import SandboxPool
from autograder.verdict.arrays import numbers_in
from autograder.verdict.failure import Labels
from autograder.verdict.known import KnownCase, KnownCases

MOST_NUMBERS = 10_000_000
"""So many numbers are remembered for one homework, about 80 MB; then remembering begins anew."""
NUMBERS_PER_ANSWER = 50
"""What an answer takes besides its numbers, in numbers."""


@dataclass
class RememberedVariants:
    """The answers of a homework's mutants with several mistakes.

    They depend on the homework's own cases only, never on a submission, so each is computed once per class. The
    lock is for the audit, whose threads share one object.

    Attributes:
        homework: the homework whose solution is mutated.
    """

    homework: Homework
    _variants: dict[Labels, Variant] = field(default_factory=dict)
    _numbers: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def answering(
        self, cases: KnownCases, sets: Sequence[Labels], pool: SandboxPool
    ) -> list[Variant]:
        """Return the mutant of each set of mistakes, with answers to these cases at least.

        Raises:
            CourseError: a mutant does not load.
        """
        with self._lock:
            return self._answering(cases, sets, pool)

    def _answering(
        self, cases: KnownCases, sets: Sequence[Labels], pool: SandboxPool
    ) -> list[Variant]:
        variants: dict[Labels, Variant] = {}
        # Sets that lack answers to the same cases are run together.
        sets_by_missing_cases: dict[tuple[KnownCase, ...], list[Labels]] = {}
        for labels in sets:
            variant = self._variants.get(labels, Variant(labels, {}))
            variants[labels] = variant
            missing_cases = []
            for known in cases:
                if known.case.id not in variant.answers:
                    missing_cases.append(known)
            if missing_cases:
                sets_with_these = sets_by_missing_cases.setdefault(
                    tuple(missing_cases), []
                )
                sets_with_these.append(labels)

        for missing_cases_of_sets, missing_sets in sets_by_missing_cases.items():
            inputs = [known.case for known in missing_cases_of_sets]
            for ran in run_variants(self.homework, inputs, missing_sets, pool):
                variant = variants[ran.labels]
                variants[ran.labels] = replace(
                    variant,
                    answers={**variant.answers, **ran.answers},
                    misfits={**variant.misfits, **ran.misfits},
                )
                for answer in ran.answers.values():
                    self._numbers += numbers_in(answer.value) + NUMBERS_PER_ANSWER

        # What is forgotten is forgotten whole, so that the count is always that of what is kept.
        self._variants.update(variants)
        if self._numbers > MOST_NUMBERS:
            self._variants.clear()
            self._numbers = 0
        return [variants[labels] for labels in sets]
