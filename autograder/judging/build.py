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
from autograder.judging.store import open_store
from autograder.judging.tolerances import too_near, weigh, weigh_fresh
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
    published = read_published(homework)
    computed = know(homework, stored_cases(homework), pool)
    stored = {one.case.id: one for one in store.read()} if store.exists() else {}
    allowed = store.fresh_tolerances() if store.exists() else {}
    wrong = tuple(disagreements(published, computed))
    report = BuildReport(homework.id, accept, tuple(changes(stored, computed)), wrong)
    if report.refused:
        return report
    weighed = weigh(homework, [_settle(stored.get(one.case.id), one) for one in computed], pool)
    separated = separate(weighed.known)
    known = separated.known
    fresh, contradictions = weigh_fresh(homework, known, allowed, pool)
    unsound = (*weighed.unsound, *contradictions, *too_near(known))
    report = replace(report, unsound=unsound, mistakes=tuple(separated.mistakes))
    if report.refused:
        return report
    text = render_published(homework, published, known)
    text_file = store.folder / PUBLISHED_TEXT
    is_same_text = text_file.is_file() and text_file.read_text(encoding="utf-8") == text
    if is_same_text and allowed == fresh and [*map(_bytes, stored.values())] == [*map(_bytes, known)]:
        return report
    store.write(homework, known, fresh)
    text_file.write_text(text, encoding="utf-8", newline="\n")
    return replace(report, written=True)


def _settle(old: KnownCase | None, new: KnownCase) -> KnownCase:
    """Keep the stored numbers where the new ones agree, so that another BLAS makes no difference."""
    if old is None or not same_inputs(old.case, new.case) or _difference(old, new) is not None:
        return new
    return replace(old, case=new.case)


def _bytes(known: KnownCase) -> bytes:
    case = known.case
    labels = [case.id, case.topic, known.tolerance, asdict(known.evidence) if known.evidence else None]
    return pack([labels, dict(case.call.as_mapping()), known.expected, known.gradients])


def same_inputs(old: Case, new: Case) -> bool:
    """Whether two cases make the same call with the same arguments, bit for bit."""
    return pack(dict(old.call.as_mapping())) == pack(dict(new.call.as_mapping()))


def changes(stored: dict[str, KnownCase], computed: Sequence[KnownCase]) -> Iterator[str]:
    """Yield one line per stored case whose value has changed."""
    for new in computed:
        old = stored.get(new.case.id)
        difference = None if old is None else _difference(old, new)
        if difference is not None:
            yield f"{new.case.id}: {difference}"


def _difference(old: KnownCase, new: KnownCase) -> str | None:
    """Say how far new values lie from the stored ones, or None where they agree within tolerance."""
    pairs = [("value", old.expected, new.expected)]
    both = isinstance(old.gradients, dict) and isinstance(new.gradients, dict)
    if both and old.gradients.keys() == new.gradients.keys():
        pairs += [(f"gradient of {key}", one, new.gradients[key]) for key, one in old.gradients.items()]
    elif old.gradients != new.gradients:
        pairs.append(("set of gradients", old.gradients, new.gradients))
    for name, before, after in pairs:
        if before is None and after is None:
            continue
        if before is None or isinstance(before, dict):
            return f"the {name} differs"
        if not matches(after, before, tolerance=old.tolerance):
            distance = _distance(before, after)
            return f"the {name} differs {'in shape' if distance is None else f'by up to {distance:.3g}'}"
    return None


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
