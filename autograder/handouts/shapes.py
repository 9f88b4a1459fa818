"""What a picture consists of. Lengths are in units of the picture's own width and height."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from autograder.handouts.colours import INK, LINE, PAPER


@dataclass(frozen=True)
class Text:
    """Words at a point of their base line; ``anchor`` is ``start``, ``middle`` or ``end``."""

    x: float
    y: float
    words: str
    size: float = 16
    fill: str = INK
    anchor: str = "middle"
    bold: bool = False
    mono: bool = False


@dataclass(frozen=True)
class Box:
    """A rectangle, by its upper left corner."""

    x: float
    y: float
    width: float
    height: float
    fill: str = PAPER
    stroke: str = LINE
    radius: float = 0


@dataclass(frozen=True)
class Path:
    """A line through points, with a tip at its end if it is an arrow."""

    points: Sequence[tuple[float, float]]
    arrow: bool = True
    stroke: str = LINE
    dashed: bool = False


Shape = Text | Box | Path


@dataclass(frozen=True)
class Picture:
    """Shapes in drawing order on an opaque ground, with a title and a text alternative.

    ``description`` says what the picture shows to someone who does not see it, in whole sentences.

    Raises:
        ValueError: the title or the description is missing.
    """

    width: float
    height: float
    title: str
    description: str
    shapes: Sequence[Shape]

    def __post_init__(self) -> None:
        if not self.title.strip() or not self.description.strip():
            raise ValueError("a picture needs a title and a description, for those who do not see it")
