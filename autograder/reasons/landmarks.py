"""One number of a mutant's answer, which shows of nearly all other answers that they are not that mutant's."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from autograder.verdict.arrays import differences, is_plain, unit_of_tolerance

MARGIN = 3.0
"""So many tolerances from the landmark no answer is equal: ``same_answer`` says so from two on."""


@dataclass(frozen=True)
class Landmark:
    """The number of an answer that is farthest from the right one.

    Attributes:
        parts: how many arrays the answer has; None where it is one array.
        part: the place of the array that holds the number.
        shape: the shape of that array.
        place: the place of the number in the flattened array.
        number: the number.
        allowed: how far from it an equal answer may be there.
    """

    parts: int | None
    part: int
    shape: tuple[int, ...]
    place: int
    number: float
    allowed: float

    def is_missed_by(self, value: Any) -> bool:
        """Return whether a value is without a doubt another answer; False says nothing."""
        array = value
        if self.parts is not None:
            if type(value) is not tuple or len(value) != self.parts:
                return False
            array = value[self.part]
        if not is_plain(array) or array.shape != self.shape:
            return False
        return bool(abs(array.item(self.place) - self.number) > self.allowed)


def landmark_of(value: Any, expected: Any, tolerance: float) -> Landmark | None:
    """Return the landmark of an answer, None where it has other parts than finite arrays of floats.

    Args:
        value: the answer.
        expected: the right answer, whose parts have the same shapes.
        tolerance: the tolerance of the case.
    """
    parts = None
    arrays = [value]
    right_arrays = [expected]
    if type(value) is tuple and isinstance(expected, tuple):
        parts = len(value)
        arrays = list(value)
        right_arrays = list(expected)
    if len(arrays) != len(right_arrays) or not 0 < tolerance < 0.5:
        return None

    landmark = None
    farthest = -1.0
    for part, (array, right) in enumerate(zip(arrays, right_arrays, strict=True)):
        if not is_plain(array) or not np.isfinite(array).all():
            return None
        if not is_plain(right) or right.shape != array.shape or not array.size:
            return None
        distances = differences(array, right)
        place = int(distances.argmax())
        distance = float(distances.flat[place])
        unit = unit_of_tolerance(float(np.abs(array).max()))
        if math.isfinite(distance) and distance / unit > farthest:
            farthest = distance / unit
            number = float(array.item(place))
            allowed = MARGIN * tolerance * unit
            landmark = Landmark(parts, part, array.shape, place, number, allowed)
    return landmark
