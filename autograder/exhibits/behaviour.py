"""The behaviour of wrong answers to a task over all its stored cases, so that equal ones can be found.

Behaviour is a matter of answers, not of code. Numbers count in tolerances: two answers that agree within the
tolerances differ by at most ``ALLOWANCE`` in each number of their sketches. Where a task's answers are large,
up to 32 entries share a number, their mean under fixed signs; so one entry that is 100 tolerances off shows.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any

import numpy as np

from autograder.course.cases import Group
from autograder.language import ENGLISH, speaking
from autograder.reasons.outside import OUTSIDE
from autograder.sandbox.report import Answer, Answers
from autograder.verdict.arrays import (
    as_answer,
    as_entries,
    largest_magnitude,
    room_for,
    split,
    unit_of,
)
from autograder.verdict.checks import CheckResult, Outcome
from autograder.verdict.describe import describe
from autograder.verdict.fixtures import Compare
from autograder.verdict.kinds import (
    Structure,
    is_structured,
    structure_like,
    structure_of,
)
from autograder.verdict.known import KnownCase
from autograder.verdict.work import Behaviour
from autograder.worker.wire import Array, Tensor, pack

ALLOWANCE = 2.05
"""How far apart the numbers of equal sketches are, in tolerances."""
ROUNDING = 1e-6
"""And relative to the numbers themselves, because 32 bits hold no more."""
MOST_ALONE = 400
"""If a task's answers hold at most so many numbers, each number is kept separately."""
MOST_TOGETHER = 32
"""Elsewhere, so many share one."""
# Limits on an answer of another form than expected: a submission may return as much as it likes.
LEAST_ROOM = 16
MOST_PLACES = 200
MOST_ITEMS = 10
MOST_NUMBERS = 4000
NOTHING: Array = np.zeros(0)
FROM_OUTSIDE = (OUTSIDE, "returns-global")
"""The mistakes of functions that read something from outside."""


def behaviours_of(
    compare: Compare, checks: Sequence[CheckResult]
) -> tuple[Behaviour, ...]:
    """Return the behaviour of a submission in each task in which a check failed.

    A function that was shown to read something from outside differs from one that answers alike without
    that: elsewhere it would return something else. Where no answer to a stored case is wrong, or nothing ran,
    the failed checks distinguish behaviours.
    """
    checks_of_task: dict[str, list[CheckResult]] = {}
    for check in checks:
        if check.outcome is Outcome.FAILED:
            checks_of_task.setdefault(check.task, []).append(check)

    behaviours = []
    for task, failed_checks in checks_of_task.items():
        cases = stored_cases(compare.cases.known, task)
        if not cases:
            continue
        answers: dict[str, Answer] = {}
        has_run = False
        judged_cases = dict(map(compare.case_that_counts, cases))
        # A value left at the top level is the answer to one case, and stands for all of them.
        for known, key in judged_cases.items():
            answer = compare.submission.answers.as_returned[key]
            answers[known.case.id] = answer
            if not has_run and not known.is_right(answer):
                error = answer.error
                has_run = error is None or error.type != "MissingParameter"
        labels: set[str] = set()
        labelled_checks = []
        for check in failed_checks:
            labels.update(check.misconceptions)
            labelled_check = (check.check, check.misconceptions)
            labelled_checks.append(labelled_check)
        distinction: list[Any] = labelled_checks
        if has_run:
            distinction = sorted(labels.intersection(FROM_OUTSIDE))
        # Its form has words in it, and has to be the same in each language: comments belong to groups.
        with speaking(ENGLISH):
            behaviour = behaviour_of(task, cases, answers, str(distinction))
        behaviours.append(behaviour)
    return tuple(behaviours)


def stored_cases(known: Sequence[KnownCase], task: str) -> tuple[KnownCase, ...]:
    """Return the cases of a task that distinguish behaviours."""
    stored = []
    for known_case in known:
        case = known_case.case
        is_stored = case.group is not Group.FRESH
        if case.task == task and is_stored and case.expects:
            stored.append(known_case)
    return tuple(stored)


def behaviour_of(
    task: str, cases: tuple[KnownCase, ...], answers: Answers, distinction: str = "[]"
) -> Behaviour:
    """Return the behaviour of some answers.

    Args:
        task: the task's name.
        cases: all stored cases of the task.
        answers: the answers, by the cases' ids.
        distinction: text in which behaviours must be equal as well.
    """
    fingerprint, together = _plan(cases)
    form = hashlib.blake2b(fingerprint + distinction.encode(), digest_size=16)
    sketch = [np.zeros(1)]
    for known in cases:
        case_id = known.case.id
        if case_id not in answers:
            continue
        facts = _facts(known, answers[case_id], together)
        for text, numbers in facts:
            line = f"{case_id}: {text}\n"
            form.update(line.encode("utf-8", "backslashreplace"))
            sketch.append(numbers)
    all_numbers = np.concatenate(sketch)
    rounded = all_numbers[:MOST_NUMBERS].round(2)
    return Behaviour(task, form.hexdigest(), tuple(rounded.tolist()))


def is_same(sketch: Sequence[float], other: Sequence[float]) -> bool:
    """Return whether two sketches of one form belong to the same behaviour."""
    for number, other_number in zip(sketch, other, strict=True):
        distance = abs(number - other_number)
        allowed = ALLOWANCE + ROUNDING * abs(other_number)
        if not distance <= allowed:  # NaN is not equal to anything
            return False
    return True


@lru_cache(maxsize=64)
def _plan(cases: tuple[KnownCase, ...]) -> tuple[bytes, int]:
    """Return a digest of cases with their right answers, and how many entries share a number."""
    digest = hashlib.blake2b(digest_size=16)
    size = 0
    for known in cases:
        content = {
            "case": known.case.id,
            "call": dict(known.case.call.as_mapping()),
            "expected": known.expected,
            "gradients": known.gradients,
            "tolerance": known.tolerance,
        }
        digest.update(pack(content))
        gradients = known.gradients or {}
        for array in (known.expected, *gradients.values()):
            if array is not None:
                size += _flat(array).size
    together = math.ceil(size / MOST_ALONE)
    together = max(1, together)
    return digest.digest(), min(MOST_TOGETHER, together)


def _flat(expected: Any) -> Array:
    """Return all expected numbers, in as many axes as the part with most axes has."""
    array = as_entries(expected)
    if array is not None:
        return array
    axes = 1
    flat_parts = [NOTHING]
    structure = structure_of(expected)
    if structure is not None:
        for child in structure.children.values():
            part = _flat(child)
            axes = max(axes, part.ndim)
            flat_parts.append(part.ravel())
    flat = np.concatenate(flat_parts)
    axes_of_length_1 = [1] * (axes - 1)
    return flat.reshape(-1, *axes_of_length_1)


def _facts(
    known: KnownCase, answer: Answer, together: int
) -> Iterator[tuple[str, Array]]:
    """Yield facts about an answer: texts that must be equal, each with the numbers that belong to it.

    Of an error these are its type and the student's own line; at which one time runs out is chance.
    """
    if answer.error is not None:
        line = ""
        if answer.error.type != "TimeLimit":
            code, _, _ = answer.error.source.partition("#")
            line = "".join(code.split())
        yield f"{answer.error.type} {line}", NOTHING
        return
    if answer.not_defined:
        yield "not defined", NOTHING
        return
    yield f"changes {answer.modified}", NOTHING
    pairs = [(answer.value, known.expected)]
    gradients = answer.gradients
    if not isinstance(gradients, dict):
        gradients = {}
    expected_gradients = known.gradients or {}
    for key, expected in expected_gradients.items():
        gradient = gradients.get(key)
        pairs.append((gradient, expected))
    for value, expected in pairs:
        if expected is not None:
            places = _places(value, expected, known.tolerance, together)
            yield from islice(places, MOST_PLACES)


def _places(
    value: Any, expected: Any, tolerance: float, together: int
) -> Iterator[tuple[str, Array]]:
    """Yield the parts of a value as comparison splits it; if it cannot, the kinds of its items."""
    if isinstance(expected, tuple | list):
        parts = split(value, expected)
        if parts is not None:
            for part, expected_part in zip(parts, expected, strict=True):
                yield from _places(part, expected_part, tolerance, together)
            return

    if is_structured(expected):
        right = structure_of(expected)
        if right is not None:
            yield from _places_by_kind(value, right, tolerance, together)
            return

    expected_array = _flat(expected)
    array = as_answer(value, expected_array)
    is_dictionary = isinstance(value, dict)
    items = value
    if is_dictionary:
        items = list(value.values())
    has_items = isinstance(items, list | tuple)
    if has_items and (array is None or array.ndim > expected_array.ndim):
        keys: Any = ""
        if is_dictionary:
            keys = list(value)[:MOST_ITEMS]
        yield f"{describe(value)} {keys}", NOTHING
        for item in items[:MOST_ITEMS]:
            yield from _places(item, expected_array, tolerance, together)
    elif array is not None:
        room = room_for(expected_array)
        flat = array.reshape(-1)[:room].astype(np.float64)
        is_finite = np.isfinite(flat)
        where = ""
        if not is_finite.all():
            where = _digest(np.packbits(is_finite))
            flat = np.where(is_finite, flat, 0)
        numbers = _sketch(flat, expected_array, tolerance, together)
        yield f"{array.shape} {where}", numbers
    else:  # text, None, complex numbers, objects
        raw = value
        if isinstance(value, Tensor):
            raw = value.array
        text = str(raw)[:100]
        if isinstance(raw, np.ndarray):
            text = _digest(raw)
        yield f"{describe(value)} {text}", NOTHING


def _places_by_kind(
    value: Any, right: Structure, tolerance: float, together: int
) -> Iterator[tuple[str, Array]]:
    """Yield the kind and header of a value that is not only arrays, and then its children's facts."""
    answer = structure_like(value, right)
    if answer is None:
        yield describe(value), NOTHING
        return
    header = "\n".join(answer.header).encode("utf-8", "backslashreplace")
    digest = hashlib.blake2b(header, digest_size=16).hexdigest()
    names = list(answer.children)
    yield f"{answer.name} {names[:MOST_ITEMS]} {digest}", NOTHING
    for name in islice(answer.children, MOST_PLACES):
        expected = right.children.get(name)
        child = answer.child(name, expected)
        if expected is None and child is None:
            yield f"{name} None", NOTHING
        else:
            yield from _places(child, expected, tolerance, together)


def _digest(array: Array) -> str:
    return hashlib.blake2b(array.tobytes()).hexdigest()


def _sketch(flat: Array, expected: Array, tolerance: float, together: int) -> Array:
    """Return numbers that are close together where arrays agree; the first says how large the largest is.

    Entries that are larger than the expected value count relative to the largest of them.
    """
    largest_expected = unit_of(expected)
    largest = largest_magnitude(flat)
    height = max(1.0, largest / largest_expected)
    unit = tolerance * largest_expected * height
    in_tolerances = flat / unit

    # Entries share a number: so many numbers, each of so many entries, padded with zeros.
    shared = math.ceil(expected.size / together)
    count = max(LEAST_ROOM, shared)
    count = min(count, flat.size)
    each = max(1, math.ceil(flat.size / max(1, count)))
    padded = np.zeros(count * each)
    padded[: flat.size] = in_tolerances * _signs(flat.size)
    sums = padded.reshape(count, each).sum(axis=1)
    sketch = np.empty(1 + count)
    sketch[0] = math.log(height) / tolerance
    sketch[1:] = sums / each
    return sketch


@lru_cache(maxsize=64)
def _signs(size: int) -> Array:
    """Signs that no two versions of NumPy draw differently: sketches are kept."""
    rng = np.random.RandomState(size % 2**32)
    signs = np.array([-1, 1], np.int8)
    return rng.choice(signs, size)
