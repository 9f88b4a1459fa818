"""How far the nearest mistake lies from the right answer of a case, in units of the case's tolerance."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from autograder.course import Course, Homework
from autograder.judging.agreement import Variant
from autograder.judging.build import BuildReport, Separated, build_reference
from autograder.judging.known import Evidence, KnownCase
from autograder.judging.store import BUILD, open_store
from autograder.judging.stored_mutants import (
    Variants,
    changed_singles,
    compute_singles,
    out_of_date,
    read_singles,
    write_singles,
)
from autograder.judging.verify import verify_reference
from autograder.sandbox import SandboxPool

SAME = 0.1
"""Margins that differ by less than this share are the same one, computed on another machine."""


def nearest_mistake(known: KnownCase, variants: Sequence[Variant]) -> tuple[str, float] | None:
    """Return the mistake that a case separates least and by how many tolerances; None if none shows."""
    return min(_margins(known, variants).items(), key=lambda mistake: mistake[1], default=None)


def with_nearest(known: Sequence[KnownCase], singles: Variants) -> list[KnownCase]:
    """Return the cases with the nearest mistake in their evidence, the one that is there if it still is."""
    found = []
    for one in known:
        margins = _margins(one, singles.get(one.case.task, []))
        nearest = min(margins, key=margins.__getitem__, default=None)
        margin = _coarse(margins[nearest]) if nearest is not None else None
        before = one.evidence or Evidence()
        evidence = replace(before, nearest=nearest, margin=margin)
        if before.nearest is not None and before.margin is not None and margin is not None:
            today = margins.get(before.nearest, math.inf)
            if all(abs(now - before.margin) <= SAME * before.margin for now in (today, margin)):
                evidence = before
        found.append(replace(one, evidence=evidence))
    return found


def _margins(known: KnownCase, variants: Sequence[Variant]) -> dict[str, float]:
    """How many tolerances each mistake lies away.

    A mistake shows in a case when it returns what no honest answer does; raising tells it apart without a
    number.
    """
    reach = min(known.tolerance, known.evidence.honest) if known.evidence else known.tolerance
    distances = {
        variant.labels[0]: known.distance(answer)
        for variant in variants
        if (answer := variant.answers.get(known.case.id)) is not None and answer.is_usable
    }
    tolerance = known.tolerance or math.ulp(0.0)
    return {label: distance / tolerance for label, distance in distances.items() if distance > reach}


def _coarse(margin: float) -> float | None:
    """Two digits, rounded down, so that a margin is never better than it is; None for an infinite one."""
    if math.isinf(margin):
        return None
    unit = 10.0 ** (math.floor(math.log10(margin)) - 1)
    return float(f"{math.floor(margin / unit + 1e-6) * unit:.2g}")


def build_outputs(
    course: Course, homework: Homework, pool: SandboxPool, *, accept: bool = False
) -> BuildReport:
    """Build expected answers and the outputs of mistakes; changed values are written only with ``accept``."""
    store = open_store(course, homework)
    before = store.read() if store.exists() else None
    singles: Variants = {}

    def separate(known: Sequence[KnownCase]) -> Separated:
        singles.update(compute_singles(homework, known, pool))
        earlier = read_singles(store.folder, known if before is None else before)
        return Separated(with_nearest(known, singles), tuple(changed_singles(earlier, singles, known)))

    report = build_reference(course, homework, pool, separate=separate, accept=accept)
    if not report.refused:
        known = store.read()
        if out_of_date(store.folder, singles, known):
            write_singles(store.folder, singles, known)
    return report


def verify_outputs(course: Course, homework: Homework, pool: SandboxPool) -> list[str]:
    """Return one line per stored value, tolerance or margin that does not hold today."""
    lines = verify_reference(course, homework, pool)
    store = open_store(course, homework)
    known = store.read()
    singles = compute_singles(homework, known, pool)
    lines += out_of_date(store.folder, singles, known)
    for old, new in zip(known, with_nearest(known, singles), strict=True):
        if old.evidence != new.evidence and new.evidence is not None:
            lines.append(
                f"{old.case.id}: the nearest mistake is {new.evidence.nearest}, {new.evidence.margin} "
                f"tolerances away, which is not what is stored; {BUILD}"
            )
    return lines
