"""Name the mistake behind the wrong answers of one task."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from autograder.course.homework import Homework
from autograder.judging.catalogue import Misconception
from autograder.judging.comparison import allowed_difference, as_array, matches, room_for
from autograder.judging.known import KnownCase
from autograder.judging.mutants import Labels, Variant, diagnostic_cases, pair_labels, run_variants
from autograder.judging.stored_mutants import Variants
from autograder.sandbox.pool import SandboxPool
from autograder.sandbox.report import Answer
from autograder.worker.wire import Array, pack


def explain(answers: Mapping[str, Answer], known: Sequence[KnownCase], variants: Iterable[Variant]) -> Labels:
    """Return the labels of the one variant that agrees with the answers on every case, or none.

    A variant that changes no case explains nothing. Two variants that agree equally well leave the answer
    without a label.
    """
    found = agreeing(answers, known, variants)
    return found[0].labels if len(found) == 1 else ()


def agreeing(
    answers: Mapping[str, Answer], known: Sequence[KnownCase], variants: Iterable[Variant]
) -> list[Variant]:
    """Return the variants that change some case and agree with the answers on every one."""
    return [variant for variant in variants if _agrees(answers, known, variant)]


def is_visible(variant: Variant, known: Sequence[KnownCase]) -> bool:
    """Whether some case tells the variant from the right answer."""
    return any(differs(variant.answers[one.case.id], one) for one in known)


def _agrees(answers: Mapping[str, Answer], known: Sequence[KnownCase], variant: Variant) -> bool:
    """Whether a variant explains the answers; most are out at the first case that is looked at."""
    agrees = all(
        same_answer(answers[one.case.id], variant.answers[one.case.id], one.tolerance) for one in known
    )
    returns_something = any(answer.is_usable for answer in variant.answers.values())
    return agrees and returns_something and is_visible(variant, known)


def differs(answer: Answer, known: KnownCase) -> bool:
    """Whether an answer is another than the right one."""
    return not answer.is_usable or not matches(answer.value, known.expected, tolerance=known.tolerance)


def same_answer(one: Answer, other: Answer, tolerance: float) -> bool:
    """Whether two answers are equal: both without a value, or with the same numbers, NaNs in place."""
    if not one.is_usable or not other.is_usable:
        return one.is_usable == other.is_usable
    return _same_value(one.value, other.value, tolerance)


def _same_value(one: Any, other: Any, tolerance: float) -> bool:
    if isinstance(one, tuple | list) and isinstance(other, tuple | list) and len(one) == len(other):
        return all(_same_value(a, b, tolerance) for a, b in zip(one, other, strict=True))
    right = as_array(other)
    left = None if right is None else as_array(one, room_for(right))
    if left is None or right is None or left.shape != right.shape:
        return False
    return _same_numbers(left, right, tolerance)


def _same_numbers(left: Array, right: Array, tolerance: float) -> bool:
    left, right = left.astype(np.float64), right.astype(np.float64)
    finite = np.isfinite(right)
    if not np.array_equal(finite, np.isfinite(left)):
        return False
    with np.errstate(over="ignore"):  # a student's numbers may be as large as they like
        difference = np.abs(left[finite] - right[finite]).max(initial=0.0)
    return bool(difference <= allowed_difference(right, tolerance))


@dataclass(frozen=True)
class Diagnosis:
    """The labels of what went wrong, best first, and the sentences for the student.

    ``about_size`` as in ``Misconception``: true where one mistake is found, and it fixes a size.
    """

    labels: tuple[str, ...] = ()
    says: str = ""
    about_size: bool = False


NOTHING_KNOWN = Diagnosis()


@dataclass
class Diagnostician:
    """Knows the mistakes of one homework; what pairs of them return is computed when first needed."""

    homework: Homework
    catalogue: Sequence[Misconception]
    known: Sequence[KnownCase]
    singles: Variants
    _pairs: dict[str, list[Variant]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def diagnose(self, task: str, answers: Mapping[str, Answer], pool: SandboxPool) -> Diagnosis:
        """Match the answers of a task with single mistakes, then with pairs of them.

        Where several single mistakes explain the answers, no pair is tried: it would explain them no better.

        Args:
            task: the public name that was called.
            answers: the submission's answers by case id.
            pool: where pairs are run when no single mistake matches.
        """
        singles = self.singles.get(task, [])
        cases = diagnostic_cases(self.known, task)
        if not singles or not cases:
            return NOTHING_KNOWN
        alike = agreeing(answers, cases, singles)
        if len(alike) > 1:
            return NOTHING_KNOWN
        labels = alike[0].labels if alike else self._explain_by_pair(task, cases, answers, pool)
        return self._told(labels)

    def _told(self, labels: Labels) -> Diagnosis:
        found = [one for label in labels for one in self.catalogue if one.id == label]
        says = " ".join(one.says for one in found)
        return Diagnosis(labels, says, about_size=len(found) == 1 and found[0].about_size)

    def _explain_by_pair(
        self, task: str, cases: Sequence[KnownCase], answers: Mapping[str, Answer], pool: SandboxPool
    ) -> Labels:
        """Sift all pairs on one small case, then run the few that agree there on all cases."""
        smallest = min(cases, key=lambda one: len(pack(dict(one.case.call.as_mapping()))))
        answer = answers[smallest.case.id]
        sifted = [
            pair.labels
            for pair in self._pairs_on(smallest, task, pool)
            if same_answer(answer, pair.answers[smallest.case.id], smallest.tolerance)
        ]
        if not sifted:
            return ()
        full = run_variants(self.homework, [one.case for one in cases], sifted, pool)
        return explain(answers, cases, full)

    def _pairs_on(self, smallest: KnownCase, task: str, pool: SandboxPool) -> list[Variant]:
        with self._lock:
            if task not in self._pairs:
                labels = pair_labels(self.catalogue, task)
                pairs = run_variants(self.homework, [smallest.case], labels, pool) if labels else []
                self._pairs[task] = pairs
            return self._pairs[task]
