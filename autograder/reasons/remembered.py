"""Variants of a homework's solution, run when first needed and remembered for the next submissions."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Generic, TypeVar

from autograder.course.cases import Case
from autograder.reasons.agreement import Variant
from autograder.sandbox.pool import SandboxPool
from autograder.verdict.arrays import numbers_in
from autograder.verdict.known import KnownCase, KnownCases

MOST_NUMBERS = 10_000_000
"""So many numbers are remembered for one homework, about 80 MB; then remembering begins anew."""
NUMBERS_PER_ANSWER = 50
"""What an answer takes besides its numbers, in numbers."""
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
        nothing = Variant((), {})
        variants = {step: self._variants.get(step, nothing) for step in steps}
        # Steps that lack answers to the same cases are run together.
        steps_by_missing_cases: dict[tuple[KnownCase, ...], list[Step]] = {}
        for step, variant in variants.items():
            answered = variant.answers
            missing = tuple(known for known in cases if known.case.id not in answered)
            if missing:
                steps_by_missing_cases.setdefault(missing, []).append(step)

        for missing, missing_steps in steps_by_missing_cases.items():
            inputs = [known.case for known in missing]
            ran_variants = self.run(inputs, missing_steps, pool)
            for step, ran in zip(missing_steps, ran_variants, strict=True):
                variants[step] = replace(
                    ran,
                    answers={**variants[step].answers, **ran.answers},
                    misfits={**variants[step].misfits, **ran.misfits},
                )
                for answer in ran.answers.values():
                    self._numbers += numbers_in(answer.value) + NUMBERS_PER_ANSWER

        # What is forgotten is forgotten whole, so that the count is always that of what is kept.
        self._variants.update(variants)
        if self._numbers > MOST_NUMBERS:
            self._variants.clear()
            self._numbers = 0
        return variants
