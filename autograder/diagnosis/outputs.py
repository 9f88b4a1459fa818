"""All reference outputs of a homework: expected answers, what mistakes return, and how far they lie apart."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from autograder.diagnosis.margins import with_nearest
from autograder.diagnosis.stored import (
    Variants,
    changed_singles,
    compute_singles,
    keep_singles,
    out_of_date,
    read_singles,
)
from autograder.homework.course import Course
from autograder.homework.model import Homework
from autograder.reference.build import BuildReport, Separated, build_reference
from autograder.reference.known import KnownCase
from autograder.reference.store import BUILD, open_store
from autograder.reference.verify import verify_reference
from autograder.sandbox.pool import SandboxPool


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
        keep_singles(store.folder, store.read(), singles)
    return report


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
