"""Tolerances of fresh cases: their noise, measured on many draws when the reference outputs are built."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from autograder.homework.cases import Case, Group, fresh_cases
from autograder.homework.model import CourseError, Homework
from autograder.reference.evidence import Evidence, least_tolerance, steady_noise, tolerance_of
from autograder.reference.known import KnownCase, know
from autograder.reference.noise import SINGLE, measure_noise
from autograder.sandbox.pool import SandboxPool

DRAWS = 100  # far-apart scores are rarely as close as rounding sees; few draws would miss it


@dataclass(frozen=True)
class FreshTolerance:
    """How far honest answers to the fresh cases of one task and topic stray, and what is allowed."""

    noise: float
    tolerance: float


Kinds = Mapping[str, FreshTolerance]
"""By task and topic, see ``kind_of_case``."""


def kind_of_case(case: Case) -> str:
    """Fresh cases of one task and one topic share a tolerance."""
    return f"{case.task}: {case.topic}"


def weigh_fresh(
    homework: Homework, known: Sequence[KnownCase], stored: Kinds, pool: SandboxPool
) -> tuple[dict[str, FreshTolerance], list[str]]:
    """Return the tolerances of the fresh cases, and one line per answer that is no honest one.

    None is below that of a stored case of its kind: what a stored case had to allow, others may need.
    """
    drawn = know(homework, list(_draws(homework)), pool)
    noise, contradictions = _noise_by_kind(homework, drawn, pool)
    least = {kind_of_case(one.case): least_tolerance(one.case.call) for one in drawn}
    found = {}
    for kind, measured in noise.items():
        before = stored.get(kind)
        steady = steady_noise(measured, before.noise if before else None)
        tolerance = max(tolerance_of(Evidence(steady), least[kind]), _largest_stored(kind, known))
        found[kind] = FreshTolerance(steady, tolerance)
    return found, contradictions


def _noise_by_kind(
    homework: Homework, drawn: Sequence[KnownCase], pool: SandboxPool
) -> tuple[dict[str, float], list[str]]:
    noise, contradictions = measure_noise(homework, drawn, pool, SINGLE)
    largest: dict[str, float] = defaultdict(float)
    for one, measured in zip(drawn, noise, strict=True):
        kind = kind_of_case(one.case)
        largest[kind] = max(largest[kind], measured)
    return largest, contradictions


def _draws(homework: Homework) -> Iterator[Case]:
    for seed in range(DRAWS):
        yield from (replace(case, name=f"{case.name}/seed-{seed}") for case in fresh_cases(homework, seed))


def _largest_stored(kind: str, known: Sequence[KnownCase]) -> float:
    """Published cases stay out, where printed decimals may ask for more."""
    own = [one for one in known if kind_of_case(one.case) == kind and one.case.group != Group.PUBLISHED]
    return max((one.tolerance for one in own), default=0.0)


def know_fresh(
    homework: Homework, cases: Sequence[Case], tolerances: Kinds, pool: SandboxPool
) -> list[KnownCase]:
    """Run the reference solution on fresh cases and give each the tolerance of its kind.

    Raises:
        CourseError: nothing was measured for the kind of a case.
    """
    return [_allowed(homework, one, tolerances) for one in know(homework, cases, pool)]


def _allowed(homework: Homework, known: KnownCase, tolerances: Kinds) -> KnownCase:
    kind = kind_of_case(known.case)
    if known.case.tolerance is not None:
        return known
    if kind not in tolerances:
        raise CourseError(
            f"{homework.id}: manifest.json has no tolerance for fresh cases of {kind}; run `make reference`"
        )
    return replace(known, tolerance=tolerances[kind].tolerance)
