"""Numbers in words."""

from __future__ import annotations

from collections.abc import Sequence


def listed(numbers: Sequence[object]) -> str:
    """Write numbers as in "1, 2 and 3"."""
    texts = list(map(str, numbers))
    if len(texts) == 1:
        return texts[0]
    return f"{', '.join(texts[:-1])} and {texts[-1]}"
