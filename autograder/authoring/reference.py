"""Build the reference outputs of a homework, and verify that they still hold.

Stored values change only when told to. Verifying recomputes everything and holds it against the store, the
published values and an independent oracle.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

from autograder.authoring.published import (
    PUBLISHED,
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
from autograder.course.cases import STORED_SEED, stored_cases
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
from autograder.verdict.arrays import as_array, deviation
from autograder.verdict.comparison import compare_case
from autograder.verdict.describe import describe
from autograder.verdict.known import Evidence, FreshTolerances, KnownCase
from autograder.verdict.reference import know, run_course_file
from autograder.verdict.store import (
    BUILD,
    EXPECTED,
    INPUTS,
    MANIFEST,
    CaseEntry,
    Manifest,
    Store,
    open_store,
    write_arrays,
    write_index,
)
from autograder.worker.composites import SEQUENCES
from autograder.worker.wire import Bag, Tensor, pack

PUBLISHED_TEXT = "published.txt"


@dataclass(frozen=True)
class BuildReport:
    """The outcome of a build.

    Attributes:
        homework: the id of the homework.
        accept: whether changed values are accepted.
        changed: lines on stored values that have changed.
        wrong: lines on values that contradict the published ones.
        unsound: lines on tolerances that the evidence does not allow.
        mistakes: lines on mutants that return something else than before.
        tolerances: lines on tolerances of unchanged cases that have changed; they need no acceptance.
        written: whether files were written.
    """

    homework: str
    accept: bool
    changed: tuple[str, ...]
    wrong: tuple[str, ...]
    unsound: tuple[str, ...] = ()
    mistakes: tuple[str, ...] = ()
    tolerances: tuple[str, ...] = ()
    written: bool = False

    @property
    def refused(self) -> bool:
        """Whether the build stopped because something must be looked at first."""
        if self.reasons:
            return True
        return bool(self.changed or self.mistakes) and not self.accept

    @property
    def reasons(self) -> tuple[str, ...]:
        """The faults that are refused even with ``accept``."""
        reasons = []
        for line in self.wrong:
            reasons.append(
                f"contradicts the published values: {line}; mend the solution, or {PUBLISHED}"
            )
        return (*reasons, *self.unsound)

    @property
    def state(self) -> str:
        if self.refused:
            return "refused"
        if self.written:
            return "written"
        return "unchanged"


def build_outputs(
    course: Course,
    homework: Homework,
    pool: SandboxPool,
    *,
    accept: bool = False,
) -> BuildReport:
    """Compute all stored cases and the outputs of mutants, calibrate the tolerances and write everything.

    Values within tolerance of the stored ones leave the files as they are. Values beyond it are reported
    and written only with ``accept``; so is everything, where mutants return something else than before.
    Results that contradict the published values are never written, nor tolerances that reach too close to
    a mutant.

    Args:
        course: the course.
        homework: the homework.
        pool: runs its solution, its oracle and its mutants.
        accept: whether values may change.
    """
    store = open_store(course, homework)
    published = read_published(homework)
    stored: list[KnownCase] = []
    stored_tolerances: FreshTolerances = {}
    if store.exists():
        stored = store.read()
        stored_tolerances = store.fresh_tolerances()

    # Values: which have changed, and which contradict what is printed.
    stored_by_id = {known.case.id: known for known in stored}
    computed = know(homework, stored_cases(homework), pool)
    report = BuildReport(
        homework=homework.id,
        accept=accept,
        changed=tuple(changes(stored_by_id, computed)),
        wrong=tuple(disagreements(published, computed)),
    )
    if report.refused:
        return report

    # Stored inputs and outputs stay where the new ones agree: another BLAS makes no difference.
    agreeing: set[str] = set()
    settled = []
    for new in computed:
        old = stored_by_id.get(new.case.id)
        if old is not None and same_inputs(old.case, new.case):
            if not difference(old, new):
                agreeing.add(new.case.id)
                new = replace(old, case=replace(new.case, call=old.case.call))
        settled.append(new)

    # Tolerances and the outputs of mutants. Where a case has changed, so have its mutants.
    calibrated, unsound = calibrate(homework, settled, pool)
    singles = compute_singles(homework, calibrated, pool)
    known_cases = with_nearest(calibrated, singles)
    tolerances, unsound_fresh = calibrate_fresh(
        homework,
        known_cases,
        stored_tolerances,
        pool,
    )
    unchanged = []
    for known in known_cases:
        if known.case.id in agreeing:
            unchanged.append(known)
    stored_singles = read_singles(store.folder, stored or known_cases)
    report = replace(
        report,
        unsound=(*unsound, *unsound_fresh, *too_near(known_cases)),
        mistakes=tuple(changed_singles(stored_singles, singles, unchanged)),
        tolerances=tuple(_changed_tolerances(stored_by_id, unchanged)),
    )
    if report.refused:
        return report

    made_from = fingerprints(homework)
    text_file = store.folder / PUBLISHED_TEXT
    text = render_published(homework, published, known_cases)
    is_stored = (
        bool(stored)
        and stored_tolerances == tolerances
        and store.manifest().made_from == made_from
        and list(map(_bytes, stored)) == list(map(_bytes, known_cases))
        and _holds(text_file, text)
    )
    if not is_stored:
        write_store(store, homework, known_cases, tolerances, made_from)
        text_file.write_text(text, "utf-8", newline="\n")
        report = replace(report, written=True)
    if out_of_date(store.folder, singles, known_cases):
        write_singles(store.folder, singles, known_cases)
    return report


def write_store(
    store: Store,
    homework: Homework,
    cases: Sequence[KnownCase],
    fresh: FreshTolerances | None = None,
    made_from: Mapping[str, str] | None = None,
) -> None:
    """Write the cases; equal content gives equal bytes.

    Args:
        store: receives them.
        homework: the homework.
        cases: its stored cases.
        fresh: tolerances of fresh cases.
        made_from: digests of the files that the cases were built from.
    """
    store.folder.mkdir(parents=True, exist_ok=True)
    inputs = Bag()
    expected = Bag()
    entries = []
    for known in cases:
        inputs.prefix = expected.prefix = f"{known.case.id}#"
        entry = CaseEntry(
            id=known.case.id,
            evidence=known.evidence,
            shapes=shapes_of(known.expected),
            **known.written(inputs, expected),
        )
        entries.append(entry)
    libraries = ("numpy", "torch") if homework.library == "torch" else ("numpy",)
    versions = {name: version(name).partition("+")[0] for name in libraries}
    sha256 = {
        INPUTS: write_arrays(store.folder / INPUTS, inputs),
        EXPECTED: write_arrays(store.folder / EXPECTED, expected),
    }
    manifest = Manifest(
        homework=homework.id,
        seed=STORED_SEED,
        versions=versions,
        sha256=sha256,
        made_from=dict(made_from or {}),
        fresh=dict(fresh or {}),
        cases=tuple(entries),
    )
    write_index(store.folder / MANIFEST, manifest)


def shapes_of(value: Any) -> Any:
    """Return the shapes of a value's arrays, nested as they are."""
    if isinstance(value, SEQUENCES):
        return [shapes_of(item) for item in value]
    array = value
    if isinstance(value, Tensor):
        array = value.array
    if hasattr(array, "shape"):
        return list(array.shape)
    return []


def _changed_tolerances(
    stored: Mapping[str, KnownCase],
    known_cases: Sequence[KnownCase],
) -> Iterator[str]:
    """Yield one line per case that is judged by another tolerance than the stored one."""
    for known in known_cases:
        before = stored[known.case.id].tolerance
        if known.tolerance != before:
            yield f"{known.case.id}: the tolerance was {before:g} and is {known.tolerance:g}"


def verify_outputs(course: Course, homework: Homework, pool: SandboxPool) -> list[str]:
    """Return one line per stored value, tolerance or margin that does not hold today."""
    store = open_store(course, homework)
    published = read_published(homework)
    stored = store.read()
    computed = know(homework, stored_cases(homework), pool)

    # Values: against today's solution, the published values and the oracle.
    lines = []
    for line in other_cases(stored, [known.case for known in computed]):
        lines.append(f"{line}; {BUILD}")
    stored_by_id = {known.case.id: known for known in stored}
    lines += changes(stored_by_id, computed)
    lines += disagreements(published, stored)
    lines += other_oracle_answers(homework, stored, pool)
    text = render_published(homework, published, stored)
    if not _holds(store.folder / PUBLISHED_TEXT, text):
        lines.append(f"{PUBLISHED_TEXT} is not what would be written; {BUILD}")

    # Tolerances; where values have changed, they would report the same cause a second time.
    if not lines:
        tolerances = store.fresh_tolerances()
        lines += _untrue_evidence(homework, stored, computed, tolerances, pool)

    # Mutants.
    singles = compute_singles(homework, stored, pool)
    lines += out_of_date(store.folder, singles, stored)
    for known, new in zip(stored, with_nearest(stored, singles), strict=True):
        evidence = new.evidence
        if evidence is not None and evidence != known.evidence:
            lines.append(
                f"{known.case.id}: the nearest mistake is {evidence.nearest}, "
                f"{evidence.margin} tolerances away, which is not what is stored; {BUILD}"
            )
    return lines


def other_oracle_answers(
    homework: Homework,
    stored: Sequence[KnownCase],
    pool: SandboxPool,
) -> Iterator[str]:
    """Yield one line per task that the oracle answers differently, with the case where it is farthest off.

    Raises:
        CourseError: there is no oracle, it does not load, or a call returns no value.
    """
    expecting = []
    for known in stored:
        if known.case.expects:
            expecting.append(known)
    cases = [known.case for known in expecting]
    answers = run_course_file(homework, homework.folder / ORACLE, cases, pool)
    differing: dict[str, list[tuple[float, str]]] = {}  # by task, the farthest first
    for known, answer in zip(expecting, answers, strict=True):
        case = known.case
        pairs = []
        if compare_case(known, answer.value) is not None:
            pairs.append(("", answer.value, known.expected))
        for key, expected in known.expected_gradients.items():
            value = answer.gradients[key]
            if not deviation(value, expected) <= known.tolerance:
                pairs.append((f" (gradient of {key})", value, expected))
        for what, value, expected in pairs:
            distance = deviation(value, expected)
            how = f"by {distance:.3g}, allowed is {known.tolerance:g}"
            if not math.isfinite(distance):
                shapes = _shapes(value)
                expected_shapes = _shapes(expected)
                how = "in which numbers are finite"
                if shapes != expected_shapes:
                    how = f"in shape: {shapes} for {expected_shapes}"
            line = f"{case.id}{what} differs {how}"
            differing.setdefault(case.task, []).append((-distance, line))
    for task in homework.tasks:
        if task.name not in differing:
            continue
        count = len(differing[task.name])
        _, farthest = min(differing[task.name])
        total = sum(known.case.task == task.name for known in stored)
        yield (
            f"{task.name}: {ORACLE} gives another answer in {count} of {total} cases; "
            f"{farthest}"
        )


def _untrue_evidence(
    homework: Homework,
    stored: Sequence[KnownCase],
    computed: Sequence[KnownCase],
    tolerances: FreshTolerances,
    pool: SandboxPool,
) -> Iterator[str]:
    """Measure rounding errors again: yield evidence that no longer holds, and tolerances that would differ."""
    # The cases of today have the tolerances that cases.py asks for.
    case_by_id = {known.case.id: known.case for known in computed}
    known_cases = []
    for known in stored:
        known_cases.append(replace(known, case=case_by_id[known.case.id]))
    calibrated, unsound = calibrate(homework, known_cases, pool)
    yield from unsound
    yield from too_near(stored)
    for old, new in zip(stored, calibrated, strict=True):
        if old.tolerance != new.tolerance or old.evidence != new.evidence:
            measured = new.evidence or Evidence()
            yield (
                f"{old.case.id}: its tolerance is {old.tolerance:g}; "
                "what is measured today "
                f"(noise {measured.noise:g}, printed {measured.printed:g}) "
                f"asks for {new.tolerance:g}; {BUILD}"
            )
    fresh, unsound = calibrate_fresh(homework, stored, tolerances, pool)
    yield from unsound
    if fresh != tolerances:
        yield f"{MANIFEST} holds other tolerances of fresh cases than the evidence asks for; {BUILD}"


def _shapes(value: Any) -> Any:
    """Return the shape of an array, the shapes of a tuple's or list's parts, or the kind of another value."""
    array = as_array(value)
    if array is not None:
        return array.shape
    if isinstance(value, tuple | list) and value:
        return list(map(_shapes, value))
    return describe(value)


def _holds(path: Path, text: str) -> bool:
    return path.is_file() and path.read_bytes() == text.encode()


def _bytes(known: KnownCase) -> bytes:
    """Return all that a store keeps of a case, to compare it."""
    case = known.case
    evidence = asdict(known.evidence) if known.evidence else None
    labels = [case.id, case.topic, known.tolerance, evidence]
    call = dict(case.call.as_mapping())
    return pack([labels, call, known.expected, known.gradients])
