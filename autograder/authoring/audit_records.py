"""What an audit records: one trial per mistake, pair, right answer and stub, and the violations."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field


class Kind(enum.StrEnum):
    """What was tried."""

    SINGLE = "single"
    PAIR = "pair"
    CORRECT = "correct"
    STUB = "stub"


@dataclass(frozen=True)
class Trial:
    """One graded text: what it was, what it lost, and which labels its failed checks carried."""

    homework: str
    kind: Kind
    name: str
    mistakes: tuple[str, ...]
    earned: float | None
    points: float
    labels: tuple[tuple[str, ...], ...] = ()
    failed: tuple[str, ...] = ()

    @property
    def loses_points(self) -> bool:
        """Whether it earned less than everything, and was graded at all."""
        return self.earned is not None and self.earned < self.points

    @property
    def wrong_labels(self) -> tuple[str, ...]:
        """Labels that name a mistake which was not made."""
        named = {label for labels in self.labels for label in labels}
        return tuple(sorted(named - set(self.mistakes)))

    @property
    def is_named(self) -> bool:
        """Whether the labels name the one mistake, or at least one of the two, and no other."""
        named = {label for labels in self.labels for label in labels}
        return bool(named & set(self.mistakes)) and not self.wrong_labels


@dataclass(frozen=True)
class Margin:
    """How far the closest visible mistake lies from the expected value of one case, in tolerances."""

    homework: str
    case: str
    mistake: str
    tolerances: float


@dataclass(frozen=True)
class Audit:
    """Everything one audit found."""

    trials: tuple[Trial, ...]
    margins: tuple[Margin, ...]
    violations: tuple[str, ...] = field(default=())

    def of(self, kind: Kind) -> list[Trial]:
        """The trials of one kind."""
        return [trial for trial in self.trials if trial.kind is kind]
