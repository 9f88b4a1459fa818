"""What a tolerance rests on: the noise of honest arithmetic, printed decimals, and the nearest known mistake.

All distances are in the comparison's own measure, see ``comparison.compare.deviation``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from autograder.homework.cases import Call, FunctionCall, ModuleCall
from autograder.worker.wire import Tensor

SAFETY = 20.0
"""How many times the noise of the course's own two ways a right answer of another style may stray."""
SEPARATION = 10.0
"""How many tolerances the nearest mistake that shows must lie away."""
STEADY = 5.0
"""Noise within this factor of what is stored is the same noise, measured on another machine."""
LEAST_NOISE = 1e-8
FLOOR_OF_ARRAYS, FLOOR_OF_TENSORS = 1e-5, 1e-4
"""The least tolerances: some inputs happen to be exact in float32, their neighbours are not."""


@dataclass(frozen=True)
class Evidence:
    """What was measured for one case.

    ``noise`` is how far float32 and float64 runs of the solution and the oracle stray, ``printed`` how far
    the printed decimals do (0 where nothing is printed). ``nearest`` is the mistake that shows least and
    ``margin`` its distance in tolerances: None where it has another shape or is not finite.
    """

    noise: float = LEAST_NOISE
    printed: float = 0.0
    nearest: str | None = None
    margin: float | None = None

    @property
    def honest(self) -> float:
        """How far an honest answer may stray; what lies beyond is a mistake that shows."""
        return max(SAFETY * self.noise, self.printed)


def least_tolerance(call: Call) -> float:
    """The tolerance below which no evidence leads; torch works in float32."""
    has_tensors = isinstance(call, ModuleCall) or (
        isinstance(call, FunctionCall) and any(isinstance(one, Tensor) for one in call.args)
    )
    return FLOOR_OF_TENSORS if has_tensors else FLOOR_OF_ARRAYS


def tolerance_of(evidence: Evidence, least: float) -> float:
    """The tolerance that the evidence asks for: 1, 2 or 5 times a power of ten."""
    return rounded_up(max(least, evidence.honest))


def rounded_up(number: float) -> float:
    """Return the next of 1, 2 and 5 times powers of ten that is not below a positive number."""
    power = math.floor(math.log10(number)) - 1
    steps = (float(f"{digit}e{power + more}") for more in range(3) for digit in (1, 2, 5))
    return next(step for step in steps if step >= number * (1 - 1e-9))


def steady_noise(measured: float, stored: float | None) -> float:
    """Return the noise to store: coarsely rounded, and the stored one where it is about the same."""
    noise = rounded_up(max(measured, LEAST_NOISE))
    if stored is not None and stored / STEADY <= noise <= stored * STEADY:
        return stored
    return noise
