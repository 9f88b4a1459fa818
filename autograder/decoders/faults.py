"""What is wrong with a decoder, as a check says it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NoReturn

from autograder.verdict.failure import fail


@dataclass(frozen=True)
class ModelFault:
    """What is wrong, and the label of the known mistake behind it where there is one."""

    says: str
    label: str = ""

    @property
    def labels(self) -> tuple[str, ...]:
        """The label, or nothing."""
        if self.label:
            return (self.label,)
        return ()

    def fail(self, begin: str = "") -> NoReturn:
        """Fail a check.

        Args:
            begin: what its text begins with.
        """
        fail(f"{begin}{self.says}", *self.labels)
