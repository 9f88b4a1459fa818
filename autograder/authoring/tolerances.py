"""Calibrate tolerances: measure rounding errors, and how far the nearest mutant lies from the right answer.

A correct answer may deviate by a multiple of the measured rounding error, the noise of a case.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from autograder.authoring.published import Published, read_published
from autograder.course.cases import Call, Case, Group, fresh_cases
from autograder.course.homework import Homework
from autograder.reasons.agreement import Variant
from autograder.sandbox.pool import SandboxPool
from autograder.verdict.arrays import allowed_difference, differences
from autograder.verdict.known import (
    LEAST_NOISE,
    SEPARATION,
    Evidence,
    FreshTolerance,
    FreshTolerances,
    KnownCase,
    kind_of_case,
)
from autograder.verdict.reference import know, least_tolerance, run_course_file
from autograder.worker.wire import Tensor

ORACLE = "oracle.py"
LARGEST_NOISE = 1e-3
STEADY = 5.0
"""Noise within this factor of what is stored is the same noise, measured on another machine."""
DRAWS = 100  # scores that are close enough for rounding errors to show are rare; few draws would miss them
SAME = 0.1
"""Margins that differ by less than this share are the same one, computed on another machine."""
Precision = type[np.float32] | type[np.float64]
SINGLE: tuple[Precision, ...] = (np.float32,)
BOTH: tuple[Precision, ...] = (np.float32, np.float64)


def measure_noise(
    homework: Homework,
    known: Sequence[KnownCase],
    pool: SandboxPool,
    precisions: Sequence[Precision] = BOTH,
) -> tuple[list[float], list[str]]:
    """Return the rounding error of each case, and one line per answer that rounding cannot explain."""
    noise, contradictions = [0.0] * len(known), []
    asked = [(i, one) for i, one in enumerate(known) if one.case.expects]
    for precision in precisions:
        cases = [
            replace(one.case, call=in_precision(one.case.call, precision))
            for _, one in asked
        ]
        for path in (homework.solution, homework.folder / ORACLE):
            answers = run_course_file(homework, path, cases, pool)
            for (i, one), answer in zip(asked, answers, strict=True):
                distance = one.distance(answer)
                noise[i] = max(noise[i], distance)
                limit = (
                    least_tolerance(one.case.call)
                    if precision is np.float64
                    else LARGEST_NOISE
                )
                if not distance <= limit:  # so that NaN exceeds it
                    contradictions.append(
                        f"{one.case.id}: {path.name} in {precision.__name__} gives a value {distance:.2g} "
                        f"away, more than rounding explains ({limit:g}); mend the file, or draw tamer inputs "
                        "in cases.py"
                    )
    return noise, contradictions


def in_precision(call: Call, precision: Precision) -> Call:
    """Return the same call with every array and tensor of real numbers in one precision."""

    def converted(value: Any) -> Any:
        if isinstance(value, Tensor):
            return replace(value, array=converted(value.array))
        if isinstance(value, np.ndarray):
            return value.astype(precision) if value.dtype.kind == "f" else value
        if isinstance(value, tuple | list):
            return type(value)(map(converted, value))
        if isinstance(value, dict):
            return {key: converted(item) for key, item in value.items()}
        return value

    return replace(call, **converted(vars(call)))


def tolerance_of(evidence: Evidence, least: float) -> float:
    """The tolerance that the evidence asks for: 1, 2 or 5 times a power of ten."""
    return rounded_up(max(least, evidence.honest))


def rounded_up(number: float) -> float:
    """Return the next of 1, 2 and 5 times powers of ten that is not below a positive number."""
    power = math.floor(math.log10(number)) - 1
    steps = (
        float(f"{digit}e{power + more}") for more in range(3) for digit in (1, 2, 5)
    )
    return next(step for step in steps if step >= number * (1 - 1e-9))


def steady_noise(measured: float, stored: float | None) -> float:
    """Return the noise to store: coarsely rounded, and the stored one where it is about the same."""
    noise = rounded_up(max(measured, LEAST_NOISE))
    if stored is not None and stored / STEADY <= noise <= stored * STEADY:
        return stored
    return noise


def calibrate(
    homework: Homework, known: Sequence[KnownCase], pool: SandboxPool
) -> tuple[list[KnownCase], list[str]]:
    """Return the cases with their evidence and tolerances, and one line per tolerance that does not hold.

    The evidence that a case brings is kept where it is still about right.
    """
    noise, unsound = measure_noise(homework, known, pool)
    printed = printed_distances(read_published(homework), known)
    calibrated = []
    for one, measured in zip(known, noise, strict=True):
        before, distance, asked = (
            one.evidence,
            printed.get(one.case.id, 0.0),
            one.case.tolerance,
        )
        evidence = replace(
            before or Evidence(),
            noise=steady_noise(measured, before.noise if before else None),
            printed=rounded_up(distance) if distance > LEAST_NOISE else 0.0,
        )
        tolerance = (
            tolerance_of(evidence, least_tolerance(one.case.call))
            if asked is None
            else asked
        )
        calibrated.append(replace(one, tolerance=tolerance, evidence=evidence))
        if asked is not None and measured > asked:
            unsound.append(
                f"{one.case.id}: cases.py asks for a tolerance of {asked:g}, but honest answers "
                f"stray by {measured:.2g}; widen it, or leave it to the evidence"
            )
    return calibrated, unsound


def printed_distances(
    published: Sequence[Published], known: Sequence[KnownCase]
) -> dict[str, float]:
    """Return how far printed decimals lie from the computed values, by case id.

    An answer typed in as printed counts, and one rounded to so many decimals.
    """
    by_name = {one.case.name: one for one in known if one.case.group == Group.PUBLISHED}
    distances: dict[str, float] = {}
    for printed in published:
        one = by_name[printed.case]
        whole = printed.whole(one)
        rounded = differences(np.round(whole, printed.decimals), whole).max(initial=0.0)
        typed = differences(printed.numbers, printed.computed(one)).max(initial=0.0)
        distance = float(max(rounded, typed)) / allowed_difference(whole, 1.0)
        distances[one.case.id] = max(distance, distances.get(one.case.id, 0.0))
    return distances


def fresh_draws(homework: Homework, seeds: Iterable[int]) -> list[Case]:
    """Return the fresh cases of several seeds, which their names then tell apart."""
    draws = ((seed, case) for seed in seeds for case in fresh_cases(homework, seed))
    return [replace(case, name=f"{case.name}/seed-{seed}") for seed, case in draws]


def calibrate_fresh(
    homework: Homework,
    known: Sequence[KnownCase],
    stored: FreshTolerances,
    pool: SandboxPool,
) -> tuple[dict[str, FreshTolerance], list[str]]:
    """Return the tolerances of the fresh cases, and one line per answer that rounding cannot explain.

    None is below that of a stored case of its kind: what a stored case had to allow, others may need.
    """
    draws = [case for case in fresh_draws(homework, range(DRAWS)) if case.expects]
    drawn = know(homework, draws, pool)
    noise, contradictions = measure_noise(homework, drawn, pool, SINGLE)
    largest: dict[str, float] = defaultdict(float)
    least: dict[str, float] = {}
    for one, measured in zip(drawn, noise, strict=True):
        kind = kind_of_case(one.case)
        largest[kind] = max(largest[kind], measured)
        least[kind] = least_tolerance(one.case.call)
    # printed decimals may ask for more, which fresh cases do not need
    unprinted = [one for one in known if one.case.group != Group.PUBLISHED]
    found = {}
    for kind, measured in largest.items():
        steady = steady_noise(measured, stored[kind].noise if kind in stored else None)
        allowed = [one.tolerance for one in unprinted if kind_of_case(one.case) == kind]
        found[kind] = FreshTolerance(
            steady, max([tolerance_of(Evidence(steady), least[kind]), *allowed])
        )
    return found, contradictions


def nearest_mistake(
    known: KnownCase, variants: Sequence[Variant]
) -> tuple[str, float] | None:
    """Return the mutant that a case separates least and by how many tolerances; None if none shows."""
    return min(
        _margins(known, variants).items(), key=lambda mistake: mistake[1], default=None
    )


def with_nearest(
    known: Sequence[KnownCase], singles: Mapping[str, Sequence[Variant]]
) -> list[KnownCase]:
    """Return the cases with the nearest mutant in their evidence: the stored one where it still fits."""
    found = []
    for one in known:
        margins = _margins(one, singles.get(one.case.task, []))
        nearest = min(margins, key=margins.__getitem__, default=None)
        margin = None
        if nearest is not None and math.isfinite(margins[nearest]):
            # two digits, rounded down, so that a margin is never better than it is
            unit = 10.0 ** (math.floor(math.log10(margins[nearest])) - 1)
            margin = float(f"{math.floor(margins[nearest] / unit + 1e-6) * unit:.2g}")
        before = one.evidence or Evidence()
        evidence = replace(before, nearest=nearest, margin=margin)
        if (
            before.nearest is not None
            and before.margin is not None
            and margin is not None
        ):
            today = margins.get(before.nearest, math.inf)
            if all(
                abs(now - before.margin) <= SAME * before.margin
                for now in (today, margin)
            ):
                evidence = before
        found.append(replace(one, evidence=evidence))
    return found


def _margins(known: KnownCase, variants: Sequence[Variant]) -> dict[str, float]:
    """Return how many tolerances each mutant lies away, of those that show in a case.

    A mutant shows when it returns what no correct answer does; raising tells it apart without a number.
    """
    reach = (
        min(known.tolerance, known.evidence.honest)
        if known.evidence
        else known.tolerance
    )
    distances = {
        variant.labels[0]: known.distance(answer)
        for variant in variants
        if (answer := variant.answers.get(known.case.id)) is not None
        and answer.is_usable
    }
    tolerance = known.tolerance or math.ulp(0.0)
    return {
        label: distance / tolerance
        for label, distance in distances.items()
        if distance > reach
    }


def too_near(known: Sequence[KnownCase]) -> Iterator[str]:
    """Yield one line per case whose tolerance reaches too close to a mutant."""
    for one in known:
        evidence = one.evidence
        if evidence and evidence.margin is not None and evidence.margin < SEPARATION:
            yield (
                f"{one.case.id}: a tolerance of {one.tolerance:g} is too wide: {evidence.nearest} lies only "
                f"{evidence.margin:g} tolerances away, {SEPARATION:g} are needed; draw inputs in cases.py "
                "that tell it apart"
            )
