"""Calibrate tolerances: measure rounding errors, and how far the nearest mutant is from the right answer.

A correct answer may deviate by a multiple of the measured rounding error, the noise of a case.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from autograder.authoring.published import Published, published_by_name, read_published
from autograder.course.calls import Call
from autograder.course.cases import Case, Group, fresh_cases
from autograder.course.homework import Homework
from autograder.reasons.agreement import Variant
from autograder.sandbox.pool import SandboxPool
from autograder.verdict.arrays import differences, unit_of
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
    known_cases: Sequence[KnownCase],
    pool: SandboxPool,
    precisions: Sequence[Precision] = BOTH,
) -> tuple[list[float], list[str]]:
    """Measure the rounding error of each case: run the solution and the oracle in each precision.

    Args:
        homework: the homework.
        known_cases: its cases; those that expect nothing have no error.
        pool: runs the files.
        precisions: the types of numbers in the arguments.

    Returns:
        The error of each case, and one line per answer that rounding cannot explain.
    """
    noise = [0.0] * len(known_cases)
    contradictions = []
    expecting = []
    for index, known in enumerate(known_cases):
        if known.case.expects:
            expecting.append((index, known))
    for precision in precisions:
        cases = []
        for _, known in expecting:
            call = in_precision(known.case.call, precision)
            cases.append(replace(known.case, call=call))
        for path in (homework.solution, homework.folder / ORACLE):
            answers = run_course_file(homework, path, cases, pool)
            answered = zip(expecting, answers, strict=True)
            for (index, known), answer in answered:
                distance = known.distance(answer)
                noise[index] = max(noise[index], distance)
                limit = LARGEST_NOISE
                if precision is np.float64:
                    limit = least_tolerance(known.case.call)
                if not distance <= limit:  # so that NaN exceeds it
                    contradictions.append(
                        f"{known.case.id}: {path.name} in {precision.__name__} "
                        f"gives a value {distance:.2g} away, "
                        f"more than rounding explains ({limit:g}); "
                        "fix the file, or draw tamer inputs in cases.py"
                    )
    return noise, contradictions


def in_precision(call: Call, precision: Precision) -> Call:
    """Return the same call with every array and tensor of real numbers in one precision."""

    def converted(value: Any) -> Any:
        if isinstance(value, Tensor):
            return replace(value, array=converted(value.array))
        if isinstance(value, np.ndarray):
            if value.dtype.kind != "f":
                return value
            return value.astype(precision)
        if isinstance(value, tuple | list):
            return type(value)(map(converted, value))
        if isinstance(value, dict):
            return {key: converted(item) for key, item in value.items()}
        return value

    return replace(call, **converted(vars(call)))


def tolerance_of(evidence: Evidence, least: float) -> float:
    """Return the tolerance that evidence asks for, 1, 2 or 5 times a power of ten, and never below ``least``."""
    return rounded_up(max(least, evidence.correct_deviation))


def rounded_up(number: float) -> float:
    """Return the next of 1, 2 and 5 times powers of ten that is not below a positive number."""
    power = math.floor(math.log10(number)) - 1
    while True:
        for digit in (1, 2, 5):
            step = float(f"{digit}e{power}")
            if step >= number * (1 - 1e-9):
                return step
        power += 1


def steady_noise(measured: float, stored: float | None) -> float:
    """Return the noise to store: coarsely rounded, and the stored one where it is about the same."""
    noise = rounded_up(max(measured, LEAST_NOISE))
    if stored is not None and stored / STEADY <= noise <= stored * STEADY:
        return stored
    return noise


def calibrate(
    homework: Homework,
    known_cases: Sequence[KnownCase],
    pool: SandboxPool,
) -> tuple[list[KnownCase], list[str]]:
    """Return the cases with their evidence and tolerances, and one line per tolerance that does not hold.

    The evidence that a case brings is kept where it is still about right.
    """
    noise, unsound = measure_noise(homework, known_cases, pool)
    distances = printed_distances(read_published(homework), known_cases)
    calibrated = []
    for known, measured in zip(known_cases, noise, strict=True):
        case = known.case
        stored_noise = None
        if known.evidence:
            stored_noise = known.evidence.noise
        distance = distances.get(case.id, 0.0)
        printed = 0.0
        if distance > LEAST_NOISE:
            printed = rounded_up(distance)
        evidence = replace(
            known.evidence or Evidence(),
            noise=steady_noise(measured, stored_noise),
            printed=printed,
        )
        tolerance = case.tolerance
        if tolerance is None:
            tolerance = tolerance_of(evidence, least_tolerance(case.call))
        elif measured > tolerance:
            unsound.append(
                f"{case.id}: cases.py asks for a tolerance of {tolerance:g}, but honest answers "
                f"stray by {measured:.2g}; widen it, or leave it to the evidence"
            )
        calibrated.append(replace(known, tolerance=tolerance, evidence=evidence))
    return calibrated, unsound


def printed_distances(
    published: Sequence[Published],
    known_cases: Sequence[KnownCase],
) -> dict[str, float]:
    """Return how far printed decimals are from the computed values, by case id.

    An answer typed in as printed counts, and one rounded to so many decimals.
    """
    known_by_name = published_by_name(known_cases)
    distances: dict[str, float] = {}
    for printed in published:
        known = known_by_name[printed.case]
        whole = printed.whole(known)
        rounded = np.round(whole, printed.decimals)
        from_rounded = differences(rounded, whole).max(initial=0.0)
        computed = printed.computed(known)
        from_typed = differences(printed.numbers, computed).max(initial=0.0)
        largest = float(max(from_rounded, from_typed))
        distance = largest / unit_of(whole)
        case_id = known.case.id
        distances[case_id] = max(distance, distances.get(case_id, 0.0))
    return distances


def fresh_draws(homework: Homework, seeds: Iterable[int]) -> list[Case]:
    """Return the fresh cases of several seeds, each with its seed in its name."""
    draws = []
    for seed in seeds:
        for case in fresh_cases(homework, seed):
            name = f"{case.name}/seed-{seed}"
            draws.append(replace(case, name=name))
    return draws


def calibrate_fresh(
    homework: Homework,
    known_cases: Sequence[KnownCase],
    stored: FreshTolerances,
    pool: SandboxPool,
) -> tuple[dict[str, FreshTolerance], list[str]]:
    """Calibrate the tolerances of fresh cases.

    None is below that of a stored case of its kind: what a stored case had to allow, others may need.

    Args:
        homework: the homework.
        known_cases: its stored cases, calibrated.
        stored: the tolerances that are stored already; they stay where the noise is about the same.
        pool: runs the solution and the oracle.

    Returns:
        The tolerances by the kind of case, and one line per answer that rounding cannot explain.
    """
    draws = []
    for case in fresh_draws(homework, range(DRAWS)):
        if case.expects:
            draws.append(case)
    drawn = know(homework, draws, pool)
    noise, contradictions = measure_noise(homework, drawn, pool, SINGLE)
    largest_noise: dict[str, float] = {}
    least: dict[str, float] = {}
    for known, measured in zip(drawn, noise, strict=True):
        kind = kind_of_case(known.case)
        largest_noise[kind] = max(largest_noise.get(kind, 0.0), measured)
        least[kind] = least_tolerance(known.case.call)

    tolerances = {}
    for kind, measured in largest_noise.items():
        stored_noise = None
        if kind in stored:
            stored_noise = stored[kind].noise
        steady = steady_noise(measured, stored_noise)
        tolerance = tolerance_of(Evidence(steady), least[kind])
        for known in known_cases:
            # Printed decimals may ask for more, which fresh cases do not need.
            is_published = known.case.group == Group.PUBLISHED
            if not is_published and kind_of_case(known.case) == kind:
                tolerance = max(tolerance, known.tolerance)
        tolerances[kind] = FreshTolerance(steady, tolerance)
    return tolerances, contradictions


def nearest_mistake(
    known: KnownCase,
    variants: Sequence[Variant],
) -> tuple[str, float] | None:
    """Return the mutant that a case separates least and by how many tolerances; None if none shows."""
    margins = _margins(known, variants)
    if not margins:
        return None
    nearest = min(margins, key=margins.__getitem__)
    return nearest, margins[nearest]


def with_nearest(
    known_cases: Sequence[KnownCase],
    singles: Mapping[str, Sequence[Variant]],
) -> list[KnownCase]:
    """Return the cases with the nearest mutant in their evidence: the stored one where it still fits."""
    cases = []
    for known in known_cases:
        margins = _margins(known, singles.get(known.case.task, []))
        nearest = min(margins, key=margins.__getitem__, default=None)
        margin = None
        if nearest is not None and math.isfinite(margins[nearest]):
            # Two digits, rounded down, so that a margin is never better than it is.
            exact = margins[nearest]
            first_digit = math.floor(math.log10(exact))
            unit = 10.0 ** (first_digit - 1)
            units = math.floor(exact / unit + 1e-6)
            rounded = units * unit
            margin = float(f"{rounded:.2g}")
        stored = known.evidence or Evidence()
        evidence = replace(stored, nearest=nearest, margin=margin)
        if (
            stored.nearest is not None
            and stored.margin is not None
            and margin is not None
        ):
            today = margins.get(stored.nearest, math.inf)
            allowed = SAME * stored.margin
            is_still_as_near = abs(today - stored.margin) <= allowed
            if is_still_as_near and abs(margin - stored.margin) <= allowed:
                evidence = stored
        cases.append(replace(known, evidence=evidence))
    return cases


def _margins(known: KnownCase, variants: Sequence[Variant]) -> dict[str, float]:
    """Return how many tolerances each mutant is away, if it shows in a case.

    A mutant shows when it returns what no correct answer does; raising distinguishes it without a number.
    """
    reach = known.tolerance
    if known.evidence:
        reach = min(reach, known.evidence.correct_deviation)
    tolerance = known.tolerance or math.ulp(0.0)
    margins = {}
    for variant in variants:
        answer = variant.answers.get(known.case.id)
        if answer is None or not answer.is_usable:
            continue
        distance = known.distance(answer)
        if distance > reach:
            margins[variant.labels[0]] = distance / tolerance
    return margins


def too_near(known_cases: Sequence[KnownCase]) -> Iterator[str]:
    """Yield one line per case whose tolerance reaches too close to a mutant."""
    for known in known_cases:
        evidence = known.evidence
        if evidence is None or evidence.margin is None:
            continue
        if evidence.margin < SEPARATION:
            yield (
                f"{known.case.id}: a tolerance of {known.tolerance:g} is too wide: "
                f"{evidence.nearest} is only {evidence.margin:g} tolerances away, "
                f"{SEPARATION:g} are needed; "
                "draw inputs in cases.py that distinguish it"
            )
