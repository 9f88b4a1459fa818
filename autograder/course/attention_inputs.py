"""Arrays that input cases of several homeworks on attention are made of.

Import them into a ``cases.py``. Each function keeps the numbers that it draws, and their order, from release to
release: stored cases are drawn with them again.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from autograder.worker.wire import Array

FAR = 3000.0
"""How far from 0 scores lie where exp overflows or underflows, unless each row's maximum is subtracted."""
STEP = 1000.0
"""How far apart rows lie where exp underflows, if one maximum counts for all of them."""
GRID = 64


class AttentionSizes(NamedTuple):
    """The sizes of queries, keys and values, in the order in which ``queries_keys_values`` takes them."""

    n_q: int
    n_k: int
    d_k: int
    d_v: int


def queries_keys_values(
    rng: np.random.Generator,
    n_q: int,
    n_k: int,
    d_k: int,
    d_v: int,
    *,
    batch: tuple[int, ...] = (),
    spread: float = 1,
) -> tuple[Array, Array, Array]:
    """Draw Q, K and V, in this order, from the normal distribution.

    Args:
        rng: draws the numbers.
        n_q: the number of queries.
        n_k: the number of keys, and of values.
        d_k: the features of a query and of a key.
        d_v: the features of a value.
        batch: the sizes of the leading axes that all three have.
        spread: what queries are multiplied by; so the scores lie farther apart.
    """
    queries = spread * rng.normal(size=(*batch, n_q, d_k))
    keys = rng.normal(size=(*batch, n_k, d_k))
    values = rng.normal(size=(*batch, n_k, d_v))
    return queries, keys, values


def weight_matrix(rng: np.random.Generator, n_in: int, n_out: int) -> Array:
    """Draw weights whose products with rows of ``n_in`` numbers are about as large as these numbers."""
    weights = rng.normal(size=(n_in, n_out))
    return weights / math.sqrt(n_in)


def alternating(n: int) -> Array:
    """Return n numbers that are 1 and -1 in turn, the first one 1."""
    is_odd = np.arange(n) % 2
    return np.where(is_odd, -1.0, 1.0)


def exact(array: Array) -> Array:
    """Round to multiples of 1/64: sums of their products are exact, so equal keys have equal scores everywhere."""
    multiples = np.round(array * GRID)
    return multiples / GRID


def repeat_second_row(matrix: Array) -> None:
    """Put the second row midway between its neighbours, and let the last row be the same, in place.

    Two keys that lie there have the same scores, which are never the largest of a query.
    """
    matrix[1] = (matrix[0] + matrix[2]) / 2
    matrix[-1] = matrix[1]


def rows_far_apart(rng: np.random.Generator, scores: Array) -> Array:
    """Move each row of a matrix by a thousand more than another one, in a random order."""
    n_rows = len(scores)
    order: Array = rng.permutation(n_rows)
    heights = STEP * order
    return scores + heights[:, None]


def rows_on_both_sides(scores: Array) -> Array:
    """Move the first row of each matrix thousands below 0, the second one as far above it, and so on in turn."""
    n_rows = scores.shape[-2]
    heights = -FAR * alternating(n_rows)
    return scores + heights[:, None]
