"""Group texts that are worded nearly the same."""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import pairwise
from typing import TypeAlias

NEAR = 0.7
"""The share of common pairs of neighbouring words (Jaccard's index) from which two texts are near."""

Pairs: TypeAlias = frozenset[tuple[str, ...]]


def group_similar(texts: Sequence[str]) -> list[list[int]]:
    """Return the places of the texts in groups, in the order of each group's first text.

    A text joins the first group to whose first text it is near; case, spacing and punctuation do not count.
    """
    all_pairs = [_word_pairs(text) for text in texts]
    frequency = Counter(pair for pairs in all_pairs for pair in pairs)
    groups: list[list[int]] = []
    known: defaultdict[tuple[str, ...], list[int]] = defaultdict(list)
    for place, pairs in enumerate(all_pairs):
        rare = _rarest(pairs, frequency)
        candidates = sorted({number for pair in rare for number in known[pair]})
        found = next((number for number in candidates if _near(pairs, all_pairs[groups[number][0]])), None)
        if found is None:
            for pair in rare:
                known[pair].append(len(groups))
            groups.append([place])
        else:
            groups[found].append(place)
    return groups


def _word_pairs(text: str) -> Pairs:
    words = re.findall(r"\w+", unicodedata.normalize("NFKC", text).casefold())
    return frozenset(pairwise(words)) if len(words) > 1 else frozenset([tuple(words)])


def _rarest(pairs: Pairs, frequency: Counter[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Return enough of the rarest pairs that two near texts share at least one of them.

    The prefix filter of Bayardo, Ma and Srikant, *Scaling up all pairs similarity search* (2007).
    """
    ordered = sorted(pairs, key=lambda pair: (frequency[pair], pair))
    return ordered[: len(pairs) - math.ceil(NEAR * len(pairs)) + 1]


def _near(one: Pairs, other: Pairs) -> bool:
    return len(one & other) >= NEAR * len(one | other)
