"""Name the mistake behind the wrong answers of one task."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from autograder.course import Homework
from autograder.judging.agreement import (
    Diagnosis,
    Labels,
    Variant,
    agreeing,
    as_told,
    diagnostic_cases,
    explain,
    same_answer,
)
from autograder.judging.catalogue import Misconception
from autograder.judging.known import KnownCase
from autograder.judging.mutation import pair_labels, run_variants
from autograder.judging.stored_mutants import Variants
from autograder.sandbox import Answer, SandboxPool
from autograder.worker import pack

NOTHING_KNOWN = Diagnosis()


@dataclass
class Diagnostician:
    """Knows the mistakes of one homework; what pairs of them return is computed when first needed.

    The lock is for the audit, whose threads share one.
    """

    homework: Homework
    catalogue: Sequence[Misconception]
    known: Sequence[KnownCase]
    singles: Variants
    _pairs: dict[str, list[Variant]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def diagnose(self, task: str, answers: Mapping[str, Answer], pool: SandboxPool) -> Diagnosis:
        """Match a submission's answers, by case id, with single mistakes of a task, then with pairs of them.

        Where several single mistakes explain the answers, no pair is tried: it would explain them no better.
        """
        singles = self.singles.get(task, [])
        cases = diagnostic_cases(self.known, task)
        if not singles or not cases:
            return NOTHING_KNOWN
        alike = agreeing(answers, cases, singles)
        if len({as_told(one.labels) for one in alike}) > 1:
            return NOTHING_KNOWN
        labels = alike[0].labels if alike else self._explain_by_pair(task, cases, answers, pool)
        found = [one for label in labels for one in self.catalogue if one.id == label]
        says = " ".join(one.says for one in found)
        return Diagnosis(labels, says, about_size=len(found) == 1 and found[0].about_size)

    def _explain_by_pair(
        self, task: str, cases: Sequence[KnownCase], answers: Mapping[str, Answer], pool: SandboxPool
    ) -> Labels:
        """Sift all pairs on one small case, then run the few that agree there on all cases."""
        smallest = min(cases, key=lambda one: len(pack(dict(one.case.call.as_mapping()))))
        answer = answers[smallest.case.id]
        with self._lock:
            if task not in self._pairs:
                pairs = pair_labels(self.catalogue, task)
                self._pairs[task] = run_variants(self.homework, [smallest.case], pairs, pool) if pairs else []
        sifted = [
            pair.labels
            for pair in self._pairs[task]
            if same_answer(answer, pair.answers[smallest.case.id], smallest.tolerance)
        ]
        if not sifted:
            return ()
        full = run_variants(self.homework, [one.case for one in cases], sifted, pool)
        return explain(answers, cases, full)
