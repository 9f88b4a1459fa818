"""How far the closest mistake lies from the right answer of a case, in units of the case's tolerance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from autograder.comparison.compare import allowed_difference, as_array, matches
from autograder.diagnosis.variants import Variant
from autograder.reference.known import KnownCase


def closest_mistake(known: KnownCase, variants: Sequence[Variant]) -> tuple[str, float] | None:
    """Return the mistake that a case separates least and by how many tolerances; None if none shows.

    A mistake shows in a case when it returns another value there; raising tells it apart without a number.
    """
    shown = [
        (variant.labels[0], _distance(answer.value, known.expected, known.tolerance))
        for variant in variants
        if (answer := variant.answers[known.case.id]).is_usable
        and not matches(answer.value, known.expected, tolerance=known.tolerance)
    ]
    return min(shown, key=lambda mistake: mistake[1], default=None)


def _distance(value: Any, expected: Any, tolerance: float) -> float:
    """The largest difference in units of what is allowed; infinite where shape or finiteness differ."""
    if isinstance(expected, tuple | list):
        if not isinstance(value, tuple | list) or len(value) != len(expected):
            return float("inf")
        return max(_distance(a, b, tolerance) for a, b in zip(value, expected, strict=True))
    left, right = as_array(value), as_array(expected)
    if left is None or right is None or left.shape != right.shape or not np.isfinite(left).all():
        return float("inf")
    allowed = allowed_difference(right, tolerance)
    return float(np.abs(left.astype(np.float64) - right.astype(np.float64)).max(initial=0.0) / allowed)
