"""Logits: read from what a decoder returned, and compared with others."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from autograder.verdict.arrays import as_array
from autograder.verdict.failure import fail
from autograder.worker.wire import Array, Shape

# Two logits are the same up to SAME, and visibly apart beyond VISIBLE, relative to the largest of all: rounding
# alone makes less of a difference, whatever is wrong makes more.
SAME = 1e-4
VISIBLE = 1e-6
LIMIT_OF_SMALL_CALL = 1e-5
"""Logits of a right model with and without a cache are this close in a small call; where a change of the code only
hides a fault, they are farther apart."""
SMALLEST_LARGEST = 1e-3
"""The least that the largest logit counts as."""
SUM_OF_FLOAT32 = 1e-4
"""How far sums of probabilities are from 1 by rounding at most."""
MOST_SYMBOLS = 1000
"""How many logits a token may have where their number is not known."""
MOST_NAMED = 3
"""How many tokens are named of those that something is wrong with."""


# Read


def first_part(value: Any) -> Any:
    """Return the first of several values, and a single one as it is."""
    if isinstance(value, tuple | list) and value:
        return value[0]
    return value


def finite_logits(value: Any, shape: Shape) -> Array:
    """Return the logits in what one call returned, alone or as the first of a tuple.

    Raises:
        CheckFailed: there are none of this shape, or some are NaN or infinite.
    """
    logits = as_array(first_part(value), prod(shape))
    if logits is None or logits.shape != shape:
        fault = "is not an array"
        if logits is not None:
            fault = f"has shape {logits.shape}"
        text = f"`forward` should return the logits, of shape {shape}, and the cache; what comes first {fault}."
        fail(text)
    if not np.isfinite(logits).all():
        fail(_where_not_finite(logits), "nan")
    return logits.astype(np.float64)


def _where_not_finite(logits: Array) -> str:
    """Say at which tokens logits are NaN or infinite."""
    is_wrong = ~np.isfinite(logits).all(axis=(0, 2))
    text = "The logits hold NaN or infinite numbers"
    if is_wrong.all():
        text += ", at all tokens. For example, is a mask multiplied with infinity (0 times infinity is NaN), is "
        text += (
            "something divided by 0, or does the mask forbid everything to some token?"
        )
        return text
    numbers = []
    for token in np.flatnonzero(is_wrong)[:MOST_NAMED]:
        numbers.append(str(token + 1))
    tokens = ", ".join(numbers)
    if is_wrong.sum() > MOST_NAMED:
        tokens += " and others"
    return f"{text} (at token {tokens}): for example, does the mask forbid everything to some token?"


def logits_or_none(value: Any, shape: Shape) -> Array | None:
    """Return an array of this shape as logits, and None in place of anything else."""
    logits = as_array(value, prod(shape))
    if logits is None or logits.shape != shape:
        return None
    return logits.astype(np.float64)


def likeliest_tokens(value: Any, tokens: Array) -> Array | None:
    """Return the likeliest token after each of these tokens; None where no logits were returned for them."""
    logits = as_array(first_part(value), tokens.size * MOST_SYMBOLS)
    if logits is None or logits.ndim != 3 or not logits.size:
        return None
    if logits.shape[:2] != tokens.shape:
        return None
    return np.asarray(logits.argmax(axis=-1))


# Compare


def differ(logits: Array, others: Array, largest: float, limit: float = SAME) -> Array:
    """Return for each token whether its logits are others.

    Args:
        logits: the symbols are on the last axis.
        others: logits of the same shape.
        largest: the largest of all logits, which differences are relative to.
        limit: the largest difference that is none.
    """
    with np.errstate(all="ignore"):
        change = np.abs(logits - others).max(axis=-1)
        allowed = limit * max(largest, SMALLEST_LARGEST)
        return np.asarray(change > allowed)


def have_moved(before: Array | None, after: Array | None) -> bool:
    """Whether logits have changed; those that are no longer finite have."""
    if before is None or after is None:
        return False
    with np.errstate(all="ignore"):
        change = float(np.abs(after - before).max())
        largest = float(np.abs(before).max())
        allowed = VISIBLE * max(largest, SMALLEST_LARGEST)
        return not change <= allowed


def are_probabilities(logits: Array) -> bool:
    """Whether no number is negative and each row of symbols sums to 1."""
    sums = logits.sum(axis=-1)
    return bool((logits >= 0).all() and np.allclose(sums, 1, atol=SUM_OF_FLOAT32))
