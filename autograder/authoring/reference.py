"""Build the reference outputs of a homework, and verify that they still hold.

Stored values change only when told to. Verifying recomputes everything and holds it against the store, the
published values and an independent oracle.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from autograder.authoring.published import (
    disagreements,
    read_published,
    render_published,
)
from autograder.authoring.tolerances import (
    ORACLE,
    calibrate,
    calibrate_fresh,
    too_near,
    with_nearest,
)
from autograder.course.cases import stored_cases
from autograder.course.course import Course
from autograder.course.homework import Homework
from autograder.grading.stale import (
    changes,
    difference,
    fingerprints,
    other_cases,
    same_inputs,
)
from autograder.reasons.mutation import (
    changed_singles,
    compute_singles,
    out_of_date,
    read_singles,
    write_singles,
)
from autograder.sandbox.pool import SandboxPool
from autograder.sandbox.report import Answer
from autograder.verdict.arrays import as_array, deviation, kind_of
from autograder.verdict.comparison import compare_case
from autograder.verdict.known import Evidence, FreshTolerances, KnownCase
from autograder.verdict.reference import know, run_course_file
from autograder.verdict.store import BUILD, MANIFEST, open_store
from autograder.worker.wire import pack

PUBLISHED_TEXT = "published.txt"


@dataclass(frozen=True)
class BuildReport:
    """What a build found: lines on values that changed or disagree, and whether files were written.

    ``wrong`` contradicts the published values; ``unsound`` are tolerances that the evidence does not allow;
    ``mistakes`` are mutants that return something else than before.
    """

    homework: str
    accept: bool
    changed: tuple[str, ...]
    wrong: tuple[str, ...]
    unsound: tuple[str, ...] = ()
    mistakes: tuple[str, ...] = ()
    written: bool = False

    @property
    def refused(self) -> bool:
        """Whether the build stopped because something must be looked at first."""
        return bool(self.reasons) or bool(
            (self.changed or self.mistakes) and not self.accept
        )

    @property
    def reasons(self) -> tuple[str, ...]:
        """What is refused even with ``accept``."""
        return (
            *(f"contradicts the published values: {line}" for line in self.wrong),
            *self.unsound,
        )

    @property
    def state(self) -> str:
        return "refused" if self.refused else "written" if self.written else "unchanged"


def build_outputs(
    course: Course, homework: Homework, pool: SandboxPool, *, accept: bool = False
) -> BuildReport:
    """Compute all stored cases and the outputs of mutants, calibrate the tolerances and write everything.

    Values within tolerance of the stored ones leave the files as they are. Values beyond it are reported
    and written only with ``accept``; so is everything, where mutants return something else than before.
    Results that contradict the published values are never written, nor tolerances that reach too close to
    a mutant.
    """
    store, published = open_store(course, homework), read_published(homework)
    before = store.read() if store.exists() else []
    allowed = store.fresh_tolerances() if store.exists() else {}
    stored = {one.case.id: one for one in before}
    computed = know(homework, stored_cases(homework), pool)
    wrong = tuple(disagreements(published, computed))
    report = BuildReport(homework.id, accept, tuple(changes(stored, computed)), wrong)
    if report.refused:
        return report
    agreeing = {  # stored numbers stay where the new ones agree: another BLAS makes no difference
        new.case.id: replace(old, case=new.case)
        for new in computed
        if (old := stored.get(new.case.id))
        and same_inputs(old.case, new.case)
        and not difference(old, new)
    }
    settled = [agreeing.get(one.case.id, one) for one in computed]
    calibrated, unsound = calibrate(homework, settled, pool)
    singles = compute_singles(homework, calibrated, pool)
    known = with_nearest(calibrated, singles)
    fresh, unsound_fresh = calibrate_fresh(homework, known, allowed, pool)
    same = [
        one for one in known if one.case.id in agreeing
    ]  # where a case changed, so do its mutants
    report = replace(
        report,
        unsound=(*unsound, *unsound_fresh, *too_near(known)),
        mistakes=tuple(
            changed_singles(read_singles(store.folder, before or known), singles, same)
        ),
    )
    if report.refused:
        return report
    text_file, text = (
        store.folder / PUBLISHED_TEXT,
        render_published(homework, published, known),
    )
    made_from = fingerprints(homework)
    is_stored = (
        bool(before)
        and (allowed, store.manifest().made_from) == (fresh, made_from)
        and [*map(_bytes, before)] == [*map(_bytes, known)]
    )
    if not (is_stored and _holds(text_file, text)):
        store.write(homework, known, fresh, made_from)
        text_file.write_text(text, "utf-8", newline="\n")
        report = replace(report, written=True)
    if out_of_date(store.folder, singles, known):
        write_singles(store.folder, singles, known)
    return report


def verify_outputs(course: Course, homework: Homework, pool: SandboxPool) -> list[str]:
    """Return one line per stored value, tolerance or margin that does not hold today."""
    store, published = open_store(course, homework), read_published(homework)
    stored = store.read()
    computed = know(homework, stored_cases(homework), pool)
    lines = [
        *(
            f"{one}; {BUILD}"
            for one in other_cases(stored, [one.case for one in computed])
        ),
        *changes({one.case.id: one for one in stored}, computed),
        *disagreements(published, stored),
    ]
    asked = [one for one in stored if one.case.expects]
    answers = run_course_file(
        homework, homework.folder / ORACLE, [one.case for one in asked], pool
    )
    lines += _other_answers(homework, asked, answers)
    if not _holds(
        store.folder / PUBLISHED_TEXT, render_published(homework, published, stored)
    ):
        lines.append(f"{PUBLISHED_TEXT} is not what would be written; {BUILD}")
    if not lines:  # else the same cause would be told a second time
        lines += _untrue_evidence(
            homework, stored, computed, store.fresh_tolerances(), pool
        )
    singles = compute_singles(homework, stored, pool)
    lines += out_of_date(store.folder, singles, stored)
    for old, new in zip(stored, with_nearest(stored, singles), strict=True):
        if old.evidence != new.evidence and new.evidence is not None:
            lines.append(
                f"{old.case.id}: the nearest mistake is {new.evidence.nearest}, {new.evidence.margin} "
                f"tolerances away, which is not what is stored; {BUILD}"
            )
    return lines


def _other_answers(
    homework: Homework, stored: Sequence[KnownCase], answers: Sequence[Answer]
) -> Iterator[str]:
    """Yield one line per task that the oracle answers differently, with the case where it is farthest off."""
    apart: dict[str, list[tuple[float, str]]] = defaultdict(list)
    for one, answer in zip(stored, answers, strict=True):
        pairs = (
            [("", answer.value, one.expected)]
            if compare_case(one, answer.value) is not None
            else []
        )
        for key, value in (one.gradients or {}).items():
            if (
                value is not None
                and not deviation(answer.gradients[key], value) <= one.tolerance
            ):
                pairs.append((f" (gradient of {key})", answer.gradients[key], value))
        for what, got, wanted in pairs:
            distance = deviation(got, wanted)
            how, shapes = (
                f"by {distance:.3g}, allowed is {one.tolerance:g}",
                (_shapes(got), _shapes(wanted)),
            )
            if not math.isfinite(distance):
                is_shape = shapes[0] != shapes[1]
                how = (
                    f"in shape: {shapes[0]} for {shapes[1]}"
                    if is_shape
                    else "in which numbers are finite"
                )
            apart[one.case.task].append(
                (-distance, f"{one.case.id}{what} differs {how}")
            )
    for task in homework.tasks:
        if found := apart[task.name]:
            count = sum(one.case.task == task.name for one in stored)
            where = f"{task.name}: {ORACLE} gives another answer in {len(found)} of {count} cases"
            yield f"{where}; {min(found)[1]}"


def _untrue_evidence(
    homework: Homework,
    stored: Sequence[KnownCase],
    computed: Sequence[KnownCase],
    allowed: FreshTolerances,
    pool: SandboxPool,
) -> Iterator[str]:
    """Measure rounding errors anew: yield what no longer holds, and each tolerance that would be another."""
    today = {
        one.case.id: one.case for one in computed
    }  # with the tolerances that cases.py asks for
    known = [replace(one, case=today[one.case.id]) for one in stored]
    calibrated, unsound = calibrate(homework, known, pool)
    yield from (*unsound, *too_near(stored))
    for old, new in zip(stored, calibrated, strict=True):
        if (old.tolerance, old.evidence) != (new.tolerance, new.evidence):
            measured = new.evidence or Evidence()
            yield (
                f"{old.case.id}: its tolerance is {old.tolerance:g}; what is measured today (noise "
                f"{measured.noise:g}, printed {measured.printed:g}) asks for {new.tolerance:g}; {BUILD}"
            )
    fresh, unsound = calibrate_fresh(homework, stored, allowed, pool)
    yield from unsound
    if fresh != allowed:
        yield f"{MANIFEST} holds other tolerances of fresh cases than the evidence asks for; {BUILD}"


def _shapes(value: Any) -> Any:
    array, parts = as_array(value), value if isinstance(value, tuple | list) else ()
    return (
        array.shape
        if array is not None
        else [*map(_shapes, parts)]
        if parts
        else kind_of(value)
    )


def _holds(path: Path, text: str) -> bool:
    return path.is_file() and path.read_bytes() == text.encode()


def _bytes(known: KnownCase) -> bytes:
    case = known.case
    labels = [
        case.id,
        case.topic,
        known.tolerance,
        asdict(known.evidence) if known.evidence else None,
    ]
    return pack([labels, dict(case.call.as_mapping()), known.expected, known.gradients])
