"""A batch of sequences by which a decoder is judged: each differs from the first one in one respect."""

from __future__ import annotations

import enum

import numpy as np

from autograder.decoders.logits import SAME, differ
from autograder.worker.wire import Array


class TestedRow(enum.IntEnum):
    """The sequences of a batch, by what differs from the first one."""

    BASE = 0
    LATER = 1
    """All tokens of the second half."""
    FIRST = 2
    """The first token."""
    MIDDLE = 3
    """All tokens but the first and the last."""
    SWAPPED = 4
    """The first two tokens have changed places."""
    CONSTANT = 5
    """The first token everywhere."""
    AGAIN = 6
    """Nothing."""
    LAST = 7
    """The last token."""


def rows_differ(logits: Array, row: TestedRow, limit: float = SAME) -> Array:
    """Return for each token whether the logits of a row are other than those of the first one."""
    largest = np.abs(logits).max()
    base = logits[TestedRow.BASE]
    other = logits[row]
    return differ(base, other, largest, limit)


def first_later_token(batch: Array) -> int:
    """Return the index of the first token that the row with other later tokens has changed."""
    is_other_token = batch[TestedRow.BASE] != batch[TestedRow.LATER]
    return int(np.argmax(is_other_token))


def leaking_tokens(batch: Array, logits: Array) -> Array:
    """Return the indices of tokens whose logits depend on later tokens.

    Args:
        batch: the tokens of each sequence.
        logits: those of all sequences.
    """
    logits_differ = rows_differ(logits, TestedRow.LATER)
    return np.flatnonzero(logits_differ[: first_later_token(batch)])
