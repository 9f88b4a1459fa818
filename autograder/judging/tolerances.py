"""Measure rounding errors, and give stored and fresh cases the tolerances that they ask for."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from autograder.course import Call, Case, CourseError, Group, Homework, fresh_cases
from autograder.judging.comparison import allowed_difference
from autograder.judging.known import (
    LEAST_NOISE,
    SEPARATION,
    Evidence,
    KnownCase,
    know,
    least_tolerance,
    rounded_up,
    run_course_file,
    steady_noise,
    tolerance_of,
)
from autograder.judging.published import Published, read_published
from autograder.sandbox import SandboxPool
from autograder.worker import Tensor

ORACLE = "oracle.py"
LARGEST_NOISE = 1e-3
DRAWS = 100  # far-apart scores are rarely as close as rounding sees; few draws would miss it
Precision = type[np.float32] | type[np.float64]
SINGLE: tuple[Precision, ...] = (np.float32,)
BOTH: tuple[Precision, ...] = (np.float32, np.float64)


def measure_noise(
    homework: Homework,
    known: Sequence[KnownCase],
    pool: SandboxPool,
    precisions: Sequence[Precision] = BOTH,
) -> tuple[list[float], list[str]]:
    """Return how far honest answers to each case stray, and one line per answer that rounding cannot explain.

    Raises:
        CourseError: a file does not load, or a call brings no value in one of the precisions.
    """
    noise, contradictions = [0.0] * len(known), []
    for precision in precisions:
        cases = [replace(one.case, call=in_precision(one.case.call, precision)) for one in known]
        for path in (homework.solution, homework.folder / ORACLE):
            answers = run_course_file(homework, path, cases, pool)
            for i, (one, answer) in enumerate(zip(known, answers, strict=True)):
                distance = one.distance(answer)
                noise[i] = max(noise[i], distance)
                exact = precision is np.float64
                limit = least_tolerance(one.case.call) if exact else LARGEST_NOISE
                if not distance <= limit:
                    where = f"{path.name} in {precision.__name__}"
                    contradictions.append(
                        f"{one.case.id}: {where} gives a value {distance:.2g} away, more than rounding "
                        f"explains ({limit:g}); mend the file, or draw tamer inputs in cases.py"
                    )
    return noise, contradictions


def in_precision(call: Call, precision: Precision) -> Call:
    """Return the same call with every array and tensor of real numbers in one precision."""
    return replace(call, **{key: _converted(one, precision) for key, one in vars(call).items()})


def _converted(value: Any, precision: Precision) -> Any:
    if isinstance(value, Tensor):
        return replace(value, array=_rounded(value.array, precision))
    if isinstance(value, np.ndarray):
        return _rounded(value, precision)
    if isinstance(value, tuple | list):
        return type(value)(_converted(item, precision) for item in value)
    if isinstance(value, dict):
        return {key: _converted(item, precision) for key, item in value.items()}
    return value


def _rounded(array: npt.NDArray[Any], precision: Precision) -> npt.NDArray[Any]:
    return array.astype(precision) if array.dtype.kind == "f" else array


@dataclass(frozen=True)
class Weighed:
    """Cases with their evidence and tolerances, and one line per tolerance that does not hold."""

    known: tuple[KnownCase, ...]
    unsound: tuple[str, ...]


def weigh(homework: Homework, known: Sequence[KnownCase], pool: SandboxPool) -> Weighed:
    """Measure the noise of each case; keep the evidence that a case brings where it is still about right."""
    noise, contradictions = measure_noise(homework, known, pool)
    printed = printed_distances(read_published(homework), known)
    weighed = []
    for one, measured in zip(known, noise, strict=True):
        before, distance, asked = one.evidence, printed.get(one.case.id, 0.0), one.case.tolerance
        evidence = replace(
            before or Evidence(),
            noise=steady_noise(measured, before.noise if before else None),
            printed=rounded_up(distance) if distance > LEAST_NOISE else 0.0,
        )
        tolerance = tolerance_of(evidence, least_tolerance(one.case.call)) if asked is None else asked
        weighed.append(replace(one, tolerance=tolerance, evidence=evidence))
        if asked is not None and measured > asked:
            contradictions.append(
                f"{one.case.id}: cases.py asks for a tolerance of {asked:g}, but honest answers "
                f"stray by {measured:.2g}; widen it, or leave it to the evidence"
            )
    return Weighed(tuple(weighed), tuple(contradictions))


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
    """Return the tolerances of the fresh cases, and one line per answer that rounding cannot explain.

    None is below that of a stored case of its kind: what a stored case had to allow, others may need.
    """
    draws = [
        replace(case, name=f"{case.name}/seed-{seed}")
        for seed in range(DRAWS)
        for case in fresh_cases(homework, seed)
    ]
    drawn = know(homework, draws, pool)
    noise, contradictions = measure_noise(homework, drawn, pool, SINGLE)
    largest: dict[str, float] = defaultdict(float)
    for one, measured in zip(drawn, noise, strict=True):
        kind = kind_of_case(one.case)
        largest[kind] = max(largest[kind], measured)
    least = {kind_of_case(one.case): least_tolerance(one.case.call) for one in drawn}
    found = {}
    for kind, measured in largest.items():
        before = stored.get(kind)
        steady = steady_noise(measured, before.noise if before else None)
        tolerance = max(tolerance_of(Evidence(steady), least[kind]), _largest_stored(kind, known))
        found[kind] = FreshTolerance(steady, tolerance)
    return found, contradictions


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
    allowed = []
    for one in know(homework, cases, pool):
        kind = kind_of_case(one.case)
        if one.case.tolerance is not None:
            allowed.append(one)
        elif kind in tolerances:
            allowed.append(replace(one, tolerance=tolerances[kind].tolerance))
        else:
            raise CourseError(
                f"{homework.id}: manifest.json has no tolerance for fresh cases of {kind}; "
                "run `make reference`"
            )
    return allowed
