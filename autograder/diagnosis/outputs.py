"""All reference outputs of a homework: expected answers, what mistakes return, and how far they lie apart."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from autograder.diagnosis.margins import with_nearest
from autograder.diagnosis.stored import Variants, build_singles, compute_singles, out_of_date
from autograder.homework.course import Course
from autograder.homework.model import Homework
from autograder.reference.build import BuildReport, build_reference
from autograder.reference.known import KnownCase
from autograder.reference.store import BUILD, open_store
from autograder.reference.verify import verify_reference
from autograder.sandbox.pool import SandboxPool


@dataclass(frozen=True)
class OutputsReport:
    """What a build found: on the expected answers, and the lines on mistakes that return something else."""

    reference: BuildReport
    mistakes: tuple[str, ...] = ()


def build_outputs(
    course: Course, homework: Homework, pool: SandboxPool, *, accept: bool = False
) -> OutputsReport:
    """Build expected answers and the outputs of mistakes; changed values are written only with ``accept``."""
    store = open_store(course, homework)
    before = store.read() if store.exists() else None
    singles: Variants = {}

    def separate(known: Sequence[KnownCase]) -> Sequence[KnownCase]:
        singles.update(compute_singles(homework, known, pool))
        return with_nearest(known, singles)

    report = build_reference(course, homework, pool, separate=separate, accept=accept)
    if report.refused:
        return OutputsReport(report)
    changed = build_singles(store.folder, store.read(), singles, before=before, accept=accept)
    return OutputsReport(report, tuple(changed))


def verify_outputs(course: Course, homework: Homework, pool: SandboxPool) -> list[str]:
    """Return one line per stored value, tolerance or margin that does not hold today."""
    lines = verify_reference(course, homework, pool)
    store = open_store(course, homework)
    known = store.read()
    singles = compute_singles(homework, known, pool)
    return [*lines, *out_of_date(store.folder, singles, known), *_other_margins(known, singles)]


def _other_margins(known: Sequence[KnownCase], singles: Variants) -> Iterator[str]:
    for old, new in zip(known, with_nearest(known, singles), strict=True):
        if old.evidence != new.evidence and new.evidence is not None:
            yield (
                f"{old.case.id}: the nearest mistake is {new.evidence.nearest}, {new.evidence.margin} "
                f"tolerances away, which is not what is stored; {BUILD}"
            )
