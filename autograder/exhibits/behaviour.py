"""What wrong answers to a task are, over all its stored cases, so that those that are the same can be found.

What came is looked at, not what the code is. Numbers count in tolerances: two answers that agree within the
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
from autograder.reasons.explain import OUTSIDE
from autograder.sandbox.report import Answer, Answers
from autograder.verdict.arrays import (
    allowed_difference,
    as_answer,
    as_entries,
    kind_of,
    room_for,
    split,
)
from autograder.verdict.checks import CheckResult, Outcome
from autograder.verdict.fixtures import Compare
from autograder.verdict.known import KnownCase
from autograder.verdict.work import Behaviour
from autograder.worker.wire import Array, Tensor, pack

ALLOWANCE, ROUNDING = 2.05, 1e-6
"""How far numbers of one behaviour lie apart: in tolerances, and relative to what 32 bits can hold."""
MOST_ALONE, MOST_TOGETHER = 400, 32
"""A task whose answers hold at most so many numbers keeps each by itself; of others, so many share one."""
NOTHING: Array = np.zeros(0)
FROM_OUTSIDE = (OUTSIDE, "returns-global")
LEAST_ROOM, MOST_PLACES, MOST_ITEMS, MOST_NUMBERS = 16, 200, 10, 4000
"""What is looked at of an answer that is not as expected; a submission may return as much as it likes."""


def behaviours_of(
    compare: Compare, checks: Sequence[CheckResult]
) -> tuple[Behaviour, ...]:
    """Return what a submission's answers are in each task in which a check failed.

    What a function was shown to read from outside belongs to it: elsewhere it would return something else.
    Where no answer to a stored case is wrong, it is the checks that tell behaviours apart.
    """
    failed = [one for one in checks if one.outcome is Outcome.FAILED]
    found = []
    for task in dict.fromkeys(one.task for one in failed):
        cases = stored_cases(compare.cases.known, task)
        judged = dict(
            map(compare.judged, cases)
        )  # a value left at the top level stands for all of them
        came = {
            known.case.id: compare.submission.answers.came[key]
            for known, key in judged.items()
        }
        wrong = [
            came[known.case.id].error
            for known in judged
            if not known.is_right(came[known.case.id])
        ]
        shows = any(
            error is None or error.type != "MissingParameter" for error in wrong
        )  # else nothing ran
        own = [one for one in failed if one.task == task]
        read = {label for one in own for label in one.misconceptions}.intersection(
            FROM_OUTSIDE
        )
        beside = (
            sorted(read) if shows else [(one.check, one.misconceptions) for one in own]
        )
        found += [behaviour_of(task, cases, came, str(beside))] if cases else []
    return tuple(found)


def stored_cases(known: Sequence[KnownCase], task: str) -> tuple[KnownCase, ...]:
    """Return the cases of a task by which behaviours are told apart."""
    own = (
        one
        for one in known
        if one.case.task == task and one.case.group is not Group.FRESH
    )
    return tuple(one for one in own if one.case.expects)


def behaviour_of(
    task: str, cases: tuple[KnownCase, ...], answers: Answers, beside: str = "[]"
) -> Behaviour:
    """Return what answers, by the ids of their cases, are; ``cases`` are all stored ones of the task.

    ``beside`` is what must be equal as well.
    """
    fingerprint, together = _plan(cases)
    form, sketch = (
        hashlib.blake2b(fingerprint + beside.encode(), digest_size=16),
        [np.zeros(1)],
    )
    for known in (one for one in cases if one.case.id in answers):
        for text, numbers in _facts(known, answers[known.case.id], together):
            form.update(
                f"{known.case.id}: {text}\n".encode("utf-8", "backslashreplace")
            )
            sketch.append(numbers)
    return Behaviour(
        task,
        form.hexdigest(),
        tuple(np.concatenate(sketch)[:MOST_NUMBERS].round(2).tolist()),
    )


def is_same(one: Sequence[float], other: Sequence[float]) -> bool:
    """Whether two sketches of one form are those of the same behaviour."""
    pairs = zip(one, other, strict=True)
    return all(
        abs(left - right) <= ALLOWANCE + ROUNDING * abs(right) for left, right in pairs
    )


@lru_cache(maxsize=64)
def _plan(cases: tuple[KnownCase, ...]) -> tuple[bytes, int]:
    """What tells these cases and the right answers from others, and how many entries share a number."""
    digest, count = hashlib.blake2b(digest_size=16), 0
    for one in cases:
        kept = {
            "expected": one.expected,
            "gradients": one.gradients,
            "tolerance": one.tolerance,
        }
        digest.update(
            pack(
                {"case": one.case.id, "call": dict(one.case.call.as_mapping()), **kept}
            )
        )
        gradients = [
            right for right in (one.gradients or {}).values() if right is not None
        ]
        count += _flat(one.expected).size + sum(
            _flat(right).size for right in gradients
        )
    return digest.digest(), min(MOST_TOGETHER, max(1, -(-count // MOST_ALONE)))


def _flat(expected: Any) -> Array:
    """All numbers that are expected, in as many axes as those of the part that has most."""
    array = as_entries(expected)
    if array is not None:
        return array
    parts = list(map(_flat, expected))
    axes = max((part.ndim for part in parts), default=1)
    flat = np.concatenate([NOTHING, *(part.reshape(-1) for part in parts)])
    return flat.reshape(-1, *[1] * (axes - 1))


def _facts(
    known: KnownCase, answer: Answer, together: int
) -> Iterator[tuple[str, Array]]:
    """Yield what an answer is: texts that must be equal, each with the numbers that belong to it.

    Of an error these are its type and the student's own line; at which one time runs out is chance.
    """
    if answer.error is not None:
        source = (
            ""
            if answer.error.type == "TimeLimit"
            else answer.error.source.partition("#")[0]
        )
        yield f"{answer.error.type} {''.join(source.split())}", NOTHING
    elif answer.not_defined:
        yield "not defined", NOTHING
    else:
        yield f"changes {answer.modified}", NOTHING
        came = answer.gradients if isinstance(answer.gradients, dict) else {}
        gradients = [
            (came.get(key), right) for key, right in (known.gradients or {}).items()
        ]
        for value, right in [(answer.value, known.expected), *gradients]:
            if right is not None:
                yield from islice(
                    _places(value, right, known.tolerance, together), MOST_PLACES
                )


def _places(
    value: Any, expected: Any, tolerance: float, together: int
) -> Iterator[tuple[str, Array]]:
    """Yield the parts of a value as comparison takes them; where it finds none, what there is instead."""
    parts = split(value, expected) if isinstance(expected, tuple | list) else None
    if parts is not None:
        for part, right in zip(parts, expected, strict=True):
            yield from _places(part, right, tolerance, together)
        return
    wanted = _flat(expected)
    array = as_answer(value, wanted)
    items = list(value.values()) if isinstance(value, dict) else value
    if isinstance(items, list | tuple) and (array is None or array.ndim > wanted.ndim):
        yield (
            f"{kind_of(value)} {[*value][:MOST_ITEMS] if isinstance(value, dict) else ''}",
            NOTHING,
        )
        for item in items[:MOST_ITEMS]:
            yield from _places(item, wanted, tolerance, together)
    elif array is not None:
        flat = array.reshape(-1)[: room_for(wanted)].astype(np.float64)
        finite = np.isfinite(flat)
        where = (
            ""
            if finite.all()
            else hashlib.blake2b(np.packbits(finite).tobytes()).hexdigest()
        )
        yield (
            f"{array.shape} {where}",
            _sketch(np.where(finite, flat, 0), wanted, tolerance, together),
        )
    else:  # text, None, complex numbers, objects
        raw = value.array if isinstance(value, Tensor) else value
        shown = (
            hashlib.blake2b(raw.tobytes()).hexdigest()
            if isinstance(raw, np.ndarray)
            else str(raw)[:100]
        )
        yield f"{kind_of(value)} {shown}", NOTHING


def _sketch(flat: Array, wanted: Array, tolerance: float, together: int) -> Array:
    """Numbers that lie close together where arrays agree, the first of them for how large the largest is.

    What is larger than the expected value counts relative to itself.
    """
    largest = allowed_difference(wanted, 1.0)
    height = max(1.0, float(np.abs(flat).max(initial=0.0)) / largest)
    count = min(flat.size, max(LEAST_ROOM, -(-wanted.size // together)))
    each = -(-flat.size // max(1, count))
    padded = np.zeros(count * each)
    padded[: flat.size] = flat / (tolerance * largest * height) * _signs(flat.size)
    return np.append(
        math.log(height) / tolerance, padded.reshape(count, max(1, each)).mean(axis=1)
    )


@lru_cache(maxsize=64)
def _signs(size: int) -> Array:
    """Signs that no two versions of NumPy draw differently: sketches are kept."""
    return np.random.RandomState(size % 2**32).choice(np.array([-1, 1], np.int8), size)
