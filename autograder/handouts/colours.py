"""The pictures' colours, and how well one can be read on another."""

from __future__ import annotations

INK = "#1a1a1a"
QUIET = "#4a4a4a"
PAPER = "#ffffff"
BLACK, WHITE = "#000000", "#ffffff"
LINE = "#555555"
BLUE, ORANGE, GREEN, GREY = "#d6e6f5", "#fbe3c4", "#d5eed8", "#eeeeee"
DEEP = "#08488a"
TOKENS = (BLUE, ORANGE, GREEN)


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours ``#rrggbb``, from 1 to 21 (WCAG 2.2, "contrast ratio")."""
    dark, light = sorted((_luminance(one), _luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def ink_on(background: str) -> str:
    """Return black or white, whichever is easier to read; one of them always reaches 4.5."""
    return max((BLACK, WHITE), key=lambda ink: contrast(ink, background))


def shade(share: float) -> str:
    """Return a colour from white, for a share of 0, to deep blue, for 1."""
    share = min(max(share, 0.0), 1.0)
    channels = (round(w + (d - w) * share) for w, d in zip(_channels(WHITE), _channels(DEEP), strict=True))
    return "#" + "".join(f"{channel:02x}" for channel in channels)


def _luminance(colour: str) -> float:
    """Relative luminance by WCAG 2.2: linear light of each channel, weighted by what the eye sees."""
    red, green, blue = (_linear(channel / 255) for channel in _channels(colour))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(channel: float) -> float:
    return channel / 12.92 if channel <= 0.04045 else float(((channel + 0.055) / 1.055) ** 2.4)


def _channels(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)
