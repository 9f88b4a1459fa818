"""The numbers of a worked example, with their labels, as they will be printed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from autograder.handouts.rounding import printed
from autograder.worker.wire import Array

LABELS = {"rows": -2, "columns": -1}


@dataclass(frozen=True, eq=False)
class Matrix:
    """A named array of at most two dimensions.

    ``name`` is what placeholders call it. ``corner`` says what the labels of rows and columns are.
    ``code`` is a function of NumPy and its argument, where that is shorter to write than the numbers.

    Raises:
        ValueError: the labels do not fit the numbers, or a number cannot be printed reliably.
    """

    name: str
    numbers: Array
    caption: str = ""
    rows: Sequence[str] = ()
    columns: Sequence[str] = ()
    corner: str = ""
    decimals: int = 2
    code: tuple[str, Array] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "numbers", np.asarray(self.numbers))
        if self.numbers.ndim > 2:
            raise ValueError(f"{self.name} has {self.numbers.ndim} dimensions; a page has two")
        for side, axis in LABELS.items():
            self._check_labels(side, axis)
        self.texts()

    def texts(self) -> Any:
        """Return the printed numbers: a text, a list of texts, or a list of rows of texts."""
        return _nested(self.numbers, self.decimals, self.name)

    def grid(self) -> list[list[str]]:
        """Return the printed numbers as rows of texts, whatever the number of dimensions."""
        grid: list[list[str]] = _nested(np.atleast_2d(self.numbers), self.decimals, self.name)
        return grid

    @property
    def title(self) -> str:
        """The caption with the shape, as NumPy writes it."""
        return f"{self.caption or self.name}, shape {self.numbers.shape}"

    def _check_labels(self, side: str, axis: int) -> None:
        labels = getattr(self, side)
        size = np.atleast_2d(self.numbers).shape[axis]
        if labels and len(labels) != size:
            raise ValueError(f"{self.name} has {size} {side} and {len(labels)} labels for them")


def _nested(numbers: Array, decimals: int, name: str) -> Any:
    if numbers.ndim:
        return [_nested(part, decimals, name) for part in numbers]
    try:
        return printed(numbers, decimals)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from error
