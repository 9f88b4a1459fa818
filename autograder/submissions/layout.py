"""How a folder of submissions is laid out, and what each layout makes of its items."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from autograder.submissions.model import Owner, Part


class Layout(StrEnum):
    """Where a folder of submissions comes from; ``auto`` looks at the names in it."""

    AUTO = "auto"
    PLAIN = "plain"
    CANVAS = "canvas"
    MOODLE = "moodle"
    GRADESCOPE = "gradescope"


@dataclass(frozen=True)
class Collected:
    """What one student handed in, put together; without an owner, what nobody could be found for."""

    name: str
    parts: tuple[Part, ...]
    owner: Owner | None = None


@dataclass(frozen=True)
class Reading:
    """A download understood: what was handed in, and what the caller should know."""

    layout: Layout
    collected: tuple[Collected, ...]
    notes: tuple[str, ...] = ()
