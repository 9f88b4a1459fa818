"""Give stored cases the tolerance that the evidence asks for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from autograder.comparison.compare import allowed_difference
from autograder.homework.model import Homework
from autograder.reference.evidence import (
    LEAST_NOISE,
    SEPARATION,
    Evidence,
    least_tolerance,
    rounded_up,
    steady_noise,
    tolerance_of,
)
from autograder.reference.known import KnownCase
from autograder.reference.noise import measure_noise
from autograder.reference.published import Published, read_published
from autograder.sandbox.pool import SandboxPool


@dataclass(frozen=True)
class Weighed:
    """Cases with their evidence and tolerances, and one line per tolerance that does not hold."""

    known: tuple[KnownCase, ...]
    unsound: tuple[str, ...]


def weigh(homework: Homework, known: Sequence[KnownCase], pool: SandboxPool) -> Weighed:
    """Measure the noise of each case; keep the evidence that a case brings where it is still about right."""
    noise, contradictions = measure_noise(homework, known, pool)
    printed = printed_distances(read_published(homework), known)
    weighed = [
        _with_evidence(one, measured, printed.get(one.case.id, 0.0))
        for one, measured in zip(known, noise, strict=True)
    ]
    return Weighed(tuple(weighed), (*contradictions, *_too_strict(weighed, noise)))


def _with_evidence(known: KnownCase, noise: float, printed: float) -> KnownCase:
    before = known.evidence
    evidence = replace(
        before or Evidence(),
        noise=steady_noise(noise, before.noise if before else None),
        printed=rounded_up(printed) if printed > LEAST_NOISE else 0.0,
    )
    asked = known.case.tolerance
    tolerance = tolerance_of(evidence, least_tolerance(known.case.call)) if asked is None else asked
    return replace(known, tolerance=tolerance, evidence=evidence)


def _too_strict(known: Sequence[KnownCase], noise: Sequence[float]) -> Iterator[str]:
    """A tolerance that cases.py asks for must at least let the course's own answers pass."""
    for one, measured in zip(known, noise, strict=True):
        if one.case.tolerance is not None and measured > one.tolerance:
            yield (
                f"{one.case.id}: cases.py asks for a tolerance of {one.tolerance:g}, but honest answers "
                f"stray by {measured:.2g}; widen it, or leave it to the evidence"
            )


def printed_distances(published: Sequence[Published], known: Sequence[KnownCase]) -> dict[str, float]:
    """How far printed decimals lie from the computed values, by case id.

    An answer typed in as printed counts, and one rounded to so many decimals.
    """
    by_name = {one.case.name: one for one in known if one.case.group == "published"}
    distances: dict[str, float] = {}
    for printed in published:
        one = by_name[printed.case]
        whole = printed.whole(one)
        rounded = np.abs(np.round(whole, printed.decimals) - whole).max(initial=0.0)
        typed = np.abs(printed.numbers - printed.computed(one)).max(initial=0.0)
        distance = float(max(rounded, typed)) / allowed_difference(whole, 1.0)
        distances[one.case.id] = max(distance, distances.get(one.case.id, 0.0))
    return distances


def too_near(known: Sequence[KnownCase]) -> Iterator[str]:
    """Yield one line per case whose tolerance reaches too close to a mistake."""
    for one in known:
        evidence = one.evidence
        if evidence is None or evidence.margin is None or evidence.margin >= SEPARATION:
            continue
        yield (
            f"{one.case.id}: a tolerance of {one.tolerance:g} is too wide: {evidence.nearest} lies only "
            f"{evidence.margin:g} tolerances away, {SEPARATION:g} are needed; draw inputs in cases.py that "
            "tell it apart"
        )
