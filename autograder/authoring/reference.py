"""Build the reference outputs of a homework, and verify that they still hold.

Stored values change only when told to. Verifying recomputes everything and holds it against the store, the
published values and an independent oracle.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from autograder.authoring.published import disagreements, read_published, render_published
from autograder.authoring.tolerances import ORACLE, calibrate, calibrate_fresh, too_near, with_nearest
from autograder.course import Case, Course, Homework, stored_cases
from autograder.judging import (
    BUILD,
    MANIFEST,
    Evidence,
    Kinds,
    KnownCase,
    changed_singles,
    compute_singles,
    deviation,
    know,
    open_store,
    out_of_date,
    read_singles,
    run_course_file,
    write_singles,
)
from autograder.sandbox import SandboxPool
from autograder.worker import pack

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
        return bool(self.wrong or self.unsound) or bool((self.changed or self.mistakes) and not self.accept)


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
    report = BuildReport(homework.id, accept, tuple(_changes(stored, computed)), wrong)
    if report.refused:
        return report
    agreeing = {  # stored numbers stay where the new ones agree: another BLAS makes no difference
        new.case.id: replace(old, case=new.case)
        for new in computed
        if (old := stored.get(new.case.id)) and _same_inputs(old.case, new.case) and not _difference(old, new)
    }
    settled = [agreeing.get(one.case.id, one) for one in computed]
    calibrated, unsound = calibrate(homework, settled, pool)
    singles = compute_singles(homework, calibrated, pool)
    known = with_nearest(calibrated, singles)
    fresh, unsound_fresh = calibrate_fresh(homework, known, allowed, pool)
    report = replace(
        report,
        unsound=(*unsound, *unsound_fresh, *too_near(known)),
        mistakes=tuple(changed_singles(read_singles(store.folder, before or known), singles, known)),
    )
    if report.refused:
        return report
    text_file, text = store.folder / PUBLISHED_TEXT, render_published(homework, published, known)
    is_stored = allowed == fresh and [*map(_bytes, before)] == [*map(_bytes, known)]
    if not (is_stored and _holds(text_file, text)):
        store.write(homework, known, fresh)
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
        *_other_cases(stored, computed),
        *_changes({one.case.id: one for one in stored}, computed),
        *disagreements(published, stored),
    ]
    asked = [one for one in stored if one.case.expects]
    answers = run_course_file(homework, homework.folder / ORACLE, [one.case for one in asked], pool)
    for known, answer in zip(asked, answers, strict=True):
        oracle = f"{known.case.id}: the independent oracle gives another"
        if known.compare(answer.value) is not None:
            lines.append(f"{oracle} value")
        for key, value in (known.gradients or {}).items():
            if value is not None and not deviation(answer.gradients[key], value) <= known.tolerance:
                lines.append(f"{oracle} gradient of {key}")
    if not _holds(store.folder / PUBLISHED_TEXT, render_published(homework, published, stored)):
        lines.append(f"{PUBLISHED_TEXT} is not what would be written; {BUILD}")
    if not lines:  # else the same cause would be told a second time
        lines += _untrue_evidence(homework, stored, computed, store.fresh_tolerances(), pool)
    singles = compute_singles(homework, stored, pool)
    lines += out_of_date(store.folder, singles, stored)
    for old, new in zip(stored, with_nearest(stored, singles), strict=True):
        if old.evidence != new.evidence and new.evidence is not None:
            lines.append(
                f"{old.case.id}: the nearest mistake is {new.evidence.nearest}, {new.evidence.margin} "
                f"tolerances away, which is not what is stored; {BUILD}"
            )
    return lines


def _other_cases(stored: Sequence[KnownCase], computed: Sequence[KnownCase]) -> Iterator[str]:
    """Yield the differences between the stored cases and those that cases.py yields today."""
    before, now = ({one.case.id: one.case for one in some} for some in (stored, computed))
    for name in sorted(now.keys() - before.keys()):
        yield f"{name}: not stored yet; {BUILD}"
    for name in sorted(before.keys() - now.keys()):
        yield f"{name}: stored, but cases.py no longer yields it"
    for name, case in now.items():
        if name in before and not _same_inputs(before[name], case):
            yield f"{name}: cases.py yields other arguments; {BUILD}"
        elif name in before and before[name].topic != case.topic:
            yield f"{name}: cases.py yields another topic; {BUILD}"


def _untrue_evidence(
    homework: Homework,
    stored: Sequence[KnownCase],
    computed: Sequence[KnownCase],
    allowed: Kinds,
    pool: SandboxPool,
) -> Iterator[str]:
    """Measure rounding errors anew: yield what no longer holds, and each tolerance that would be another."""
    today = {one.case.id: one.case for one in computed}  # with the tolerances that cases.py asks for
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


def _holds(path: Path, text: str) -> bool:
    return path.is_file() and path.read_bytes() == text.encode()


def _bytes(known: KnownCase) -> bytes:
    case = known.case
    labels = [case.id, case.topic, known.tolerance, asdict(known.evidence) if known.evidence else None]
    return pack([labels, dict(case.call.as_mapping()), known.expected, known.gradients])


def _same_inputs(old: Case, new: Case) -> bool:
    """Whether two cases make the same call with the same arguments, bit for bit."""
    return pack(dict(old.call.as_mapping())) == pack(dict(new.call.as_mapping()))


def _changes(stored: Mapping[str, KnownCase], computed: Sequence[KnownCase]) -> Iterator[str]:
    """Yield one line per stored case whose value has changed."""
    for new in computed:
        if new.case.id in stored and (difference := _difference(stored[new.case.id], new)):
            yield f"{new.case.id}: {difference}"


def _difference(old: KnownCase, new: KnownCase) -> str | None:
    """Say how far new values lie from the stored ones, or None where they agree within tolerance."""
    pairs = [("value", old.expected, new.expected)]
    gradients = new.gradients or {}
    for key, before in (old.gradients or {}).items():
        if key in gradients:
            pairs.append((f"gradient of {key}", before, gradients[key]))
    for name, before, after in pairs:
        if (before is None) != (after is None):
            return f"the {name} differs"
        distance = 0.0 if before is None else deviation(after, before)
        if distance > old.tolerance:
            how = "in shape" if math.isinf(distance) else f"by {distance:.3g}, allowed is {old.tolerance:g}"
            return f"the {name} differs {how}"
    asked = [None if one.gradients is None else one.gradients.keys() for one in (old, new)]
    return None if asked[0] == asked[1] else "the set of gradients differs"
