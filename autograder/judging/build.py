"""Build the reference outputs of a homework, and change stored values only when told to."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from autograder.course import Case, Course, Homework, stored_cases
from autograder.judging.comparison import as_array, matches
from autograder.judging.known import KnownCase, know
from autograder.judging.published import disagreements, read_published, render_published
from autograder.judging.store import Store, open_store
from autograder.judging.tolerances import Kinds, too_near, weigh, weigh_fresh
from autograder.sandbox import SandboxPool
from autograder.worker import pack

PUBLISHED_TEXT = "published.txt"


@dataclass(frozen=True)
class Separated:
    """Cases whose evidence names the nearest mistake; lines on mistakes that now return something else."""

    known: Sequence[KnownCase]
    mistakes: Sequence[str] = ()


Separate = Callable[[Sequence[KnownCase]], Separated]


@dataclass(frozen=True)
class BuildReport:
    """What a build found: lines on values that changed or disagree, and whether files were written.

    ``wrong`` contradicts the published values; ``unsound`` are tolerances that the evidence does not allow;
    ``mistakes`` return something else than before.
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


@dataclass(frozen=True)
class _Draft:
    """What would be written, and why it may not be."""

    known: tuple[KnownCase, ...]
    fresh: Kinds
    unsound: tuple[str, ...]
    mistakes: tuple[str, ...]


def build_reference(
    course: Course,
    homework: Homework,
    pool: SandboxPool,
    *,
    separate: Separate = Separated,
    accept: bool = False,
) -> BuildReport:
    """Compute all stored cases, weigh their tolerances and write them.

    Values within tolerance of the stored ones leave the files as they are. Values beyond it are reported
    and written only with ``accept``; so is everything, where mistakes return something else than before.
    Results that contradict the published values are never written, nor tolerances that reach too close to
    a mistake.
    """
    store = open_store(course, homework)
    computed = know(homework, stored_cases(homework), pool)
    stored = {one.case.id: one for one in store.read()} if store.exists() else {}
    wrong = tuple(disagreements(read_published(homework), computed))
    report = BuildReport(homework.id, accept, tuple(changes(stored, computed)), wrong)
    if report.refused:
        return report
    draft = _draft(store, homework, stored, computed, separate, pool)
    report = replace(report, unsound=draft.unsound, mistakes=draft.mistakes)
    if report.refused:
        return report
    return replace(report, written=_write(store, homework, draft, list(stored.values())))


def _draft(
    store: Store,
    homework: Homework,
    stored: dict[str, KnownCase],
    computed: Sequence[KnownCase],
    separate: Separate,
    pool: SandboxPool,
) -> _Draft:
    settled = [_settle(stored.get(one.case.id), one) for one in computed]
    weighed = weigh(homework, settled, pool)
    separated = separate(weighed.known)
    known = tuple(separated.known)
    before = store.fresh_tolerances() if store.exists() else {}
    fresh, contradictions = weigh_fresh(homework, known, before, pool)
    unsound = (*weighed.unsound, *contradictions, *too_near(known))
    return _Draft(known, fresh, unsound, tuple(separated.mistakes))


def _write(store: Store, homework: Homework, draft: _Draft, stored: Sequence[KnownCase]) -> bool:
    """Write what is not there yet; False where nothing was to be written."""
    text = render_published(homework, read_published(homework), draft.known)
    text_file = store.folder / PUBLISHED_TEXT
    current = text_file.read_text(encoding="utf-8") if text_file.is_file() else None
    if current == text and _same_content(stored, draft.known) and store.fresh_tolerances() == draft.fresh:
        return False
    store.write(homework, draft.known, draft.fresh)
    text_file.write_text(text, encoding="utf-8", newline="\n")
    return True


def _settle(old: KnownCase | None, new: KnownCase) -> KnownCase:
    """Keep the stored numbers where the new ones agree, so that another BLAS makes no difference."""
    if old is None or not same_inputs(old.case, new.case) or _difference(old, new) is not None:
        return new
    return replace(old, case=new.case)


def _same_content(old: Sequence[KnownCase], new: Sequence[KnownCase]) -> bool:
    return [_bytes(one) for one in old] == [_bytes(one) for one in new]


def _bytes(known: KnownCase) -> bytes:
    case = known.case
    labels = [case.id, case.topic, known.tolerance, asdict(known.evidence) if known.evidence else None]
    return pack([labels, dict(case.call.as_mapping()), known.expected, known.gradients])


def same_inputs(old: Case, new: Case) -> bool:
    """Whether two cases make the same call with the same arguments, bit for bit."""
    return pack(dict(old.call.as_mapping())) == pack(dict(new.call.as_mapping()))


def changes(stored: dict[str, KnownCase], computed: Sequence[KnownCase]) -> Iterator[str]:
    """Yield one line per stored case whose value is now another."""
    for new in computed:
        old = stored.get(new.case.id)
        difference = None if old is None else _difference(old, new)
        if difference is not None:
            yield f"{new.case.id}: {difference}"


def _difference(old: KnownCase, new: KnownCase) -> str | None:
    """Say how far new values lie from the stored ones, or None where they agree within tolerance."""
    pairs = [("value", old.expected, new.expected), *_gradient_pairs(old.gradients, new.gradients)]
    for name, before, after in pairs:
        if before is None and after is None:
            continue
        if before is None or not matches(after, before, tolerance=old.tolerance):
            return f"the {name} differs{_by_how_much(before, after)}"
    return None


def _gradient_pairs(old: Any, new: Any) -> list[tuple[str, Any, Any]]:
    if not isinstance(old, dict) or not isinstance(new, dict) or old.keys() != new.keys():
        return [] if old == new else [("set of gradients", old, new)]
    return [(f"gradient of {key}", old[key], new[key]) for key in old]


def _by_how_much(before: Any, after: Any) -> str:
    if before is None or isinstance(before, dict):
        return ""
    distance = _distance(before, after)
    return " in shape" if distance is None else f" by up to {distance:.3g}"


def _distance(before: Any, after: Any) -> float | None:
    """The largest difference of two numbers in the same place; None where the places differ."""
    old, new = as_array(before), as_array(after)
    if old is not None and new is not None:
        return float(np.abs(new - old).max(initial=0.0)) if old.shape == new.shape else None
    if not isinstance(before, tuple | list) or not isinstance(after, tuple | list):
        return None
    if len(before) != len(after):
        return None
    parts = [_distance(*pair) for pair in zip(before, after, strict=True)]
    return None if None in parts else max((part for part in parts if part is not None), default=0.0)
