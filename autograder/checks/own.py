"""The student's own intermediate results, by which later steps are judged: one fault costs once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from autograder.checks.fixtures import SubmissionProxy
from autograder.comparison.compare import as_array
from autograder.reference.known import KnownCase
from autograder.worker.wire import Array


def part(submission: SubmissionProxy, known: KnownCase, index: int) -> Array | None:
    """Return one array of a returned tuple, or None where the answer is no such tuple."""
    value: Any = submission.answer(known).value
    is_whole = isinstance(value, Sequence) and len(value) == len(known.expected)
    return as_array(value[index]) if is_whole else None


def own_weights(submission: SubmissionProxy, known: KnownCase) -> Array | None:
    """The weights that a function returned first; None where their shape is wrong or all of them are 0."""
    weights = part(submission, known, 0)
    fits = weights is not None and weights.shape == known.expected[0].shape and weights.any()
    return weights if fits else None


def are_weights(own: Array) -> bool:
    """Whether an answer may be called attention weights: finite real numbers, not all zero."""
    return own.dtype.kind in "fiu" and bool(np.isfinite(own).all() and own.any())
