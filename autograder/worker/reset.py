"""The state in which each call begins, whatever the submission drew or switched on its way there."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

_seed_random = random.seed
FLOATING_POINT_ERRORS: dict[str, Any] = {
    "divide": "warn",
    "over": "warn",
    "under": "ignore",
    "invalid": "warn",
}
"""How NumPy treats them in a new process."""


def reset(seed: int) -> None:
    """Set the random generators, and what holds for the whole process in NumPy and torch, as in a new one.

    A submission may have bound a number to ``np.random.seed`` by mistake, so that it is not asked.
    """
    _seed_random(seed)
    np.seterr(**FLOATING_POINT_ERRORS)
    numpy_random, torch = sys.modules.get("numpy.random"), sys.modules.get("torch")
    if numpy_random is not None:
        numpy_random.mtrand._rand.seed(seed % 2**32)
    if torch is not None:
        torch.default_generator.manual_seed(seed)  # torch.manual_seed also seeds devices, which takes long
        torch.set_grad_enabled(True)
        torch.set_default_dtype(torch.float32)


def states() -> list[tuple[Callable[[Any], object], Any]]:
    """What ``reset`` sets in libraries that are in use, as it is now, each with the way to put it back."""
    found: list[tuple[Callable[[Any], object], Any]] = [
        (random.setstate, random.getstate()),
        (lambda errors: np.seterr(**errors), np.geterr()),
    ]
    numpy_random, torch = sys.modules.get("numpy.random"), sys.modules.get("torch")
    if numpy_random is not None:
        found.append((numpy_random.set_state, numpy_random.get_state()))
    if torch is not None:
        found.append((torch.set_rng_state, torch.get_rng_state()))
        found.append((torch.set_grad_enabled, torch.is_grad_enabled()))
        found.append((torch.set_default_dtype, torch.get_default_dtype()))
    return found
