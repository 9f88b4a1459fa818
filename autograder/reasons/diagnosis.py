"""Find the known mistake, or the set of mistakes, behind the wrong answers to one task."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, partial

from autograder.course.homework import Homework
from autograder.language import say
from autograder.reasons.agreement import (
    Sayings,
    Variant,
    agreeing,
    as_told,
    breaks_down,
    count_agreeing,
    explaining_some,
    explaining_what_is_wrong,
    proved_by_exceptions,
    raises_alike,
    single_mistakes,
    tell,
    wrong_among,
)
from autograder.reasons.catalogue import Misconception
from autograder.reasons.mutation import (
    Variants,
    extensions,
    pair_labels,
    run_variants,
)
from autograder.reasons.remembered import RememberedAnswers, RememberedVariants
from autograder.reasons.slip_search import SlipSearch
from autograder.sandbox.pool import SandboxPool
from autograder.sandbox.report import Answers
from autograder.verdict.failure import NO_REASON, Labels, Reason
from autograder.verdict.known import KnownCase, KnownCases
from autograder.worker.wire import pack

MOST_TOGETHER = 4
"""So many mistakes are looked for together at most."""
MOST_EXTENDED = 3
"""So many sets of mistakes are extended in one step."""
MOST_SIEVES = 3
"""So many small cases decide which sets are run on all cases."""
FEW_SETS = 8
"""So few sets are run on all cases at once: starting another run costs more than their calls."""
SOME = (
    "Some of your results are explained exactly by this: {mistake} It does not explain all of "
    "them."
)

WHERE_WRONG = "Where your results are wrong, this explains them exactly: {mistake}"


@dataclass
class Diagnostician:
    """Knows the mistakes of one homework; what pairs of them return is computed when first needed.

    Attributes:
        homework: the homework.
        catalogue: its misconceptions.
        known: its stored cases.
        singles: the answers of the mutants with one mistake, by task.
    """

    homework: Homework
    catalogue: Sequence[Misconception]
    known: KnownCases
    singles: Variants
    _pair_labels: dict[str, list[Labels]] = field(default_factory=dict)

    @cached_property
    def remembered(self) -> RememberedVariants[Labels]:
        """The mutants with several mistakes that were run for earlier submissions."""
        return RememberedVariants(partial(run_variants, self.homework))

    @cached_property
    def reference(self) -> RememberedAnswers:
        """The reference solution's answers to further calls."""
        return RememberedAnswers(self.homework)

    @cached_property
    def slips(self) -> SlipSearch:
        """The solution with one wrong step each, for answers that no known mistake gives."""
        return SlipSearch(self.homework)

    @cached_property
    def sayings(self) -> Sayings:
        """The explanation of each single mistake, by its id."""
        sayings = {}
        for mistake in self.catalogue:
            sayings[mistake.id] = Reason(
                labels=as_told((mistake.id,)),
                says=mistake.says,
                about_size=mistake.about_size,
                by_exception=mistake.by_exception,
            )
        return sayings

    def diagnose(
        self,
        task: str,
        answers: Answers,
        cases: KnownCases,
        pool: SandboxPool | None = None,
        *,
        pairs: bool = True,
    ) -> Reason:
        """Return the known mistakes that answer as the submission does: a single one, else a pair or a set.

        Where a single mistake explains the answers, no pair is tried: it would explain them no better. What
        only exceptions prove comes last.

        Args:
            task: name of the task.
            answers: the submission's answers by case id.
            cases: the cases to compare, some of ``diagnostic_cases``.
            pool: where pairs are run; without it, only single mistakes are looked for.
            pairs: whether to look for more than single mistakes.
        """
        singles = self.singles.get(task, []) if cases else []
        variants_alike = single_mistakes(answers, cases, singles, self.sayings)
        if variants_alike or not singles or not pairs:
            return tell(variants_alike, self.sayings)

        possible_variants = list(singles)
        if pool is not None:
            likely_pairs = self._likely_pairs(task, answers, cases, pool)
            variants_alike = self._pairs_alike(answers, cases, likely_pairs, pool)
        if not variants_alike:
            variants_alike = proved_by_exceptions(answers, cases, singles, self.sayings)
        if variants_alike:
            return tell(variants_alike, self.sayings)

        if pool is not None:
            possible_variants += self._answering(cases, likely_pairs, pool)
        partial_variants = explaining_some(answers, cases, possible_variants)
        if pool is not None:
            variants_alike = self._extended(
                task, answers, cases, partial_variants, pool
            )
        if variants_alike:
            return tell(variants_alike, self.sayings)
        wrong_variants = explaining_what_is_wrong(answers, cases, singles)
        if wrong_variants:
            return self._tell_some(wrong_variants, WHERE_WRONG)
        return self._tell_some(partial_variants, SOME)

    def _answering(
        self, cases: KnownCases, sets: Sequence[Labels], pool: SandboxPool
    ) -> list[Variant]:
        """Return the mutant of each set of mistakes, with answers to these cases at least."""
        return list(self.remembered.answering(cases, sets, pool).values())

    def _likely_pairs(
        self, task: str, answers: Answers, cases: KnownCases, pool: SandboxPool
    ) -> list[Labels]:
        """Return the pairs that agree in one small, revealing case.

        Finite numbers reveal most: NaN may come from a third mistake. Where all that is wrong raises, no pair
        is tried: the first exception hides the second mistake, and pairs without an exception are right.
        """
        usable_cases = []
        for case in cases:
            if answers[case.case.id].is_usable:
                usable_cases.append(case)
        wrong_cases = wrong_among(answers, usable_cases)
        if not wrong_cases:
            return []

        def order(known: KnownCase) -> tuple[bool, int]:
            return breaks_down(answers[known.case.id]), _size(known)

        sieve = min(wrong_cases, key=order)
        if task not in self._pair_labels:
            self._pair_labels[task] = pair_labels(self.catalogue, task)
        pairs = self._answering([sieve], self._pair_labels[task], pool)
        likely = []
        for pair in pairs:
            if pair.gives_all(answers, [sieve]):
                likely.append(pair.labels)
        return likely

    def _pairs_alike(
        self,
        answers: Answers,
        cases: KnownCases,
        pairs: Sequence[Labels],
        pool: SandboxPool,
    ) -> list[Variant]:
        """Return those of some pairs that agree in every case.

        Of many, most disagree in one of a few small cases already, and are not run on the others.
        """
        if len(pairs) > FEW_SETS:
            sieves = sorted(cases, key=_size)[:MOST_SIEVES]
            variants = self._answering(sieves, pairs, pool)
            pairs = []
            for pair in variants:
                if pair.gives_all(answers, sieves):
                    pairs.append(pair.labels)
        return agreeing(answers, cases, self._answering(cases, pairs, pool))

    def _extended(
        self,
        task: str,
        answers: Answers,
        cases: KnownCases,
        variants: Sequence[Variant],
        pool: SandboxPool,
    ) -> list[Variant]:
        """Add further mistakes to variants that explain some answers, until some set explains all of them.

        Code from elsewhere often has three faults at once, and sets of three are too many to run them all.
        Each step keeps the sets that explain the most cases, and it ends where a step explains no more.
        """
        best_variants = list(variants)
        most_explained = 0
        while best_variants and len(best_variants[0].labels) < MOST_TOGETHER:
            counts = [count_agreeing(answers, cases, best) for best in best_variants]
            most_explained = max(most_explained, *counts)
            best_variants = best_variants[:MOST_EXTENDED]
            sets = extensions(
                self.catalogue, task, [best.labels for best in best_variants]
            )

            # Most sets explain nothing new: a few small cases that are not explained yet sift them.
            sieves = []
            for known in sorted(wrong_among(answers, cases), key=_size):
                if not any(best.gives_all(answers, [known]) for best in best_variants):
                    sieves.append(known)
            sieves = sieves[:MOST_SIEVES]
            if not sets or not sieves:
                return []
            likely_sets = []
            for variant in self._answering(sieves, sets, pool):
                if any(variant.gives_all(answers, [sieve]) for sieve in sieves):
                    likely_sets.append(variant.labels)
            if not likely_sets:
                return []

            # The smallest sets that explain all cases are the answer.
            extended = self._answering(cases, likely_sets, pool)
            variants_alike = []
            for variant in agreeing(answers, cases, extended):
                if raises_alike(answers, cases, variant):
                    variants_alike.append(variant)
            if variants_alike:
                return _smallest(variants_alike)

            # Else those go on that explain most, if that is more than before.
            counts = [count_agreeing(answers, cases, variant) for variant in extended]
            most = max(counts)
            if most <= most_explained:
                return []
            pairs = zip(extended, counts, strict=True)
            best_variants = []
            for variant, count in pairs:
                if count == most:
                    best_variants.append(variant)
        return []

    def _tell_some(self, variants: Sequence[Variant], frame: str) -> Reason:
        """Tell the mistake behind some of the answers within a sentence, without a label: it does not explain all.

        A single mistake is preferred to its pairs with mistakes that do not show in these cases.
        """
        reason = tell(_smallest(variants), self.sayings)
        if not reason.labels or len(reason.made) > 1:
            return NO_REASON
        return replace(reason, labels=(), says=say(frame, mistake=reason.says))


def _smallest(variants: Sequence[Variant]) -> list[Variant]:
    """Return the variants with the fewest mistakes."""
    fewest = min((len(variant.labels) for variant in variants), default=0)
    smallest = []
    for variant in variants:
        if len(variant.labels) == fewest:
            smallest.append(variant)
    return smallest


@cache
def _size(known: KnownCase) -> int:
    """Return the size of a case's call in bytes."""
    return len(pack(dict(known.case.call.as_mapping())))
