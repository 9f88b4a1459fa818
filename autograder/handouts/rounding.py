"""Print a number so that every machine prints the same."""

from __future__ import annotations

import numpy as np

from autograder.worker.wire import Array

NEAR_A_TIE = 1e-3  # of a unit of the last decimal
NOISE = 64  # units in the last place that two machines' results may differ by


def printed(number: Array, decimals: int) -> str:
    """Return a scalar array as text, rounded; a zero has no sign.

    Raises:
        ValueError: the number is not finite, or so near to the middle between two roundings that another
            machine, whose result differs in the last bits, could print the other one.
    """
    value = float(number)
    if not np.isfinite(value):
        raise ValueError(f"{value} is no number to print")
    unit = 10.0**-decimals
    from_tie = abs(abs(value) / unit % 1 - 0.5)
    if from_tie <= NEAR_A_TIE + _noise(number) / unit:
        raise ValueError(
            f"{value!r} is too near to a tie between two roundings at {decimals} decimals: "
            "print more or fewer decimals, or choose other inputs"
        )
    text = f"{value:.{decimals}f}"
    return text.removeprefix("-") if float(text) == 0 else text


def _noise(number: Array) -> float:
    if not np.issubdtype(number.dtype, np.floating):
        return 0.0
    return float(NOISE * np.finfo(number.dtype).eps * max(1.0, abs(float(number))))
