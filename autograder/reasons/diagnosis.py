"""Name the mistake behind the wrong answers of one task."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from autograder.course.homework import Homework
from autograder.reasons.agreement import (
    Sayings,
    Variant,
    agreeing,
    as_told,
    breaks_down,
    count_agreeing,
    explaining_some,
    proved_by_exceptions,
    raises_alike,
    same_answer,
    single_mistakes,
    tell,
)
from autograder.reasons.catalogue import Misconception
from autograder.reasons.mutation import Variants, extensions, pair_labels, run_variants
from autograder.sandbox.pool import SandboxPool
from autograder.sandbox.report import Answer, Answers
from autograder.verdict.failure import NO_REASON, Reason
from autograder.verdict.known import KnownCase, KnownCases
from autograder.worker.wire import pack

MOST_TOGETHER, MOST_EXTENDED = 4, 3
"""So many mistakes are looked for together at most, and so many sets of them are extended in one step."""
MOST_SIEVES = 3
"""So many small cases decide which sets are run on all cases."""
SOME = "Some of your results are explained exactly by this: {} It does not explain all of them."


@dataclass
class Diagnostician:
    """Knows the mistakes of one homework; what pairs of them return is computed when first needed.

    The lock is for the audit, whose threads share one.
    """

    homework: Homework
    catalogue: Sequence[Misconception]
    known: Sequence[KnownCase]
    singles: Variants
    _pairs: dict[tuple[str, str], list[Variant]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @cached_property
    def sayings(self) -> Sayings:
        return {
            one.id: Reason(
                as_told((one.id,)), one.says, one.about_size, one.by_exception
            )
            for one in self.catalogue
        }

    def diagnose(
        self,
        task: str,
        answers: Answers,
        cases: KnownCases,
        pool: SandboxPool | None = None,
        *,
        pairs: bool = True,
    ) -> Reason:
        """Match what was judged in these cases with single mistakes of a task, then with pairs of them.

        ``cases`` are among ``diagnostic_cases``. Without ``pairs``, or without a pool to run them in, single
        mistakes alone are looked for. Where some of these explain the answers, no pair is tried: it would
        explain them no better. What exceptions alone prove comes last.
        """
        singles = self.singles.get(task, []) if cases else []
        alike = single_mistakes(answers, cases, singles, self.sayings)
        if alike or not singles or not pairs:
            return tell(alike, self.sayings)
        likely_pairs: list[Variant] = []
        if pool is not None:
            likely_pairs = self._likely_pairs(task, answers, cases, pool)
        alike = agreeing(answers, cases, likely_pairs)
        if not alike:
            alike = proved_by_exceptions(answers, cases, singles, self.sayings)
        if not alike:
            partial = explaining_some(answers, cases, [*singles, *likely_pairs])
            if pool is not None:
                alike = self._extended(task, answers, cases, partial, pool)
            if not alike:
                return self._tell_some(partial)
        return tell(alike, self.sayings)

    def _extended(
        self,
        task: str,
        answers: Answers,
        cases: Sequence[KnownCase],
        variants: Sequence[Variant],
        pool: SandboxPool,
    ) -> list[Variant]:
        """Add further mistakes to variants that explain some answers, until some set explains all of them.

        Code from elsewhere often has three faults at once, and sets of three are too many to run them all.
        Each step keeps the sets that explain the most cases, and it ends where a step explains no more.
        """
        best, most = list(variants), 0
        while best and len(best[0].labels) < MOST_TOGETHER:
            most = max(
                [most, *(count_agreeing(answers, cases, variant) for variant in best)]
            )
            best = best[:MOST_EXTENDED]
            sets = extensions(
                self.catalogue, task, [variant.labels for variant in best]
            )

            # Most sets explain nothing new: a few small cases that are not explained yet sift them.
            open_cases = []
            for case in sorted(cases, key=_size):
                answer = answers[case.case.id]
                if not case.is_right(answer) and not any(
                    _gives(variant, case, answer) for variant in best
                ):
                    open_cases.append(case)
            open_cases = open_cases[:MOST_SIEVES]
            if not sets or not open_cases:
                return []
            sifted = []
            for variant in run_variants(
                self.homework, [case.case for case in open_cases], sets, pool
            ):
                gives = [
                    _gives(variant, case, answers[case.case.id]) for case in open_cases
                ]
                if any(gives):
                    sifted += [variant.labels]
            if not sifted:
                return []

            run = run_variants(
                self.homework, [case.case for case in cases], sifted, pool
            )
            alike = [
                variant
                for variant in agreeing(answers, cases, run)
                if raises_alike(answers, cases, variant)
            ]
            fewest = min((len(variant.labels) for variant in alike), default=0)
            if alike:
                return [variant for variant in alike if len(variant.labels) == fewest]
            counts = [count_agreeing(answers, cases, variant) for variant in run]
            if max(counts) <= most:
                return []
            best = [
                variant
                for variant, count in zip(run, counts, strict=True)
                if count == max(counts)
            ]
        return []

    def _tell_some(self, variants: Sequence[Variant]) -> Reason:
        """Tell the mistake behind some of the wrong answers, without a label: it does not explain all.

        A single mistake is preferred to its pairs with mistakes that do not show in these cases.
        """
        fewest = min((len(variant.labels) for variant in variants), default=0)
        diagnosis = tell(
            [variant for variant in variants if len(variant.labels) == fewest],
            self.sayings,
        )
        if not diagnosis.labels or len(diagnosis.made) > 1:
            return NO_REASON
        return replace(diagnosis, labels=(), says=SOME.format(diagnosis.says))

    def _likely_pairs(
        self, task: str, answers: Answers, cases: Sequence[KnownCase], pool: SandboxPool
    ) -> list[Variant]:
        """Sift all pairs on one small case that tells much, and run the few that agree there on all cases.

        Finite numbers tell most: NaN may come from a third mistake. Where all that is wrong raises, no pair
        is tried: the first exception hides the second mistake, and pairs without an exception are right.
        """
        wrong = [case for case in cases if not case.is_right(answers[case.case.id])]
        usable = [case for case in wrong if answers[case.case.id].is_usable]
        if not usable:
            return []
        smallest = min(
            usable, key=lambda case: (breaks_down(answers[case.case.id]), _size(case))
        )
        at, tolerance = smallest.case.id, smallest.tolerance
        key = (task, at)
        with self._lock:
            if key not in self._pairs:
                pairs = pair_labels(self.catalogue, task)
                self._pairs[key] = (
                    run_variants(self.homework, [smallest.case], pairs, pool)
                    if pairs
                    else []
                )
        alike = (
            pair
            for pair in self._pairs[key]
            if same_answer(answers[at], pair.answers[at], tolerance)
        )
        sifted = [pair.labels for pair in alike]
        return (
            run_variants(self.homework, [one.case for one in cases], sifted, pool)
            if sifted
            else []
        )


def _gives(variant: Variant, case: KnownCase, answer: Answer) -> bool:
    return same_answer(answer, variant.answers[case.case.id], case.tolerance)


def _size(case: KnownCase) -> int:
    return len(pack(dict(case.case.call.as_mapping())))
