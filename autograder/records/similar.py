"""Pairs of submissions whose code is alike beyond what their class makes likely.

Code is compared by winnowing (Schleimer, Wilkerson and Aiken, SIGMOD 2003): as tokens, without the names that
students choose and without its order. What the stub, the notebook and the solution hold counts for nothing. A
fragment weighs log(submissions / submissions that have it); rare is one that an eighth of them have at most.
Short right answers are alike by nature, so a pair is shown only if

- the rare fragments that it shares weigh ``OVERLAP`` × 2 log n. Of n submissions there are n²/2 pairs, so
  what two have in common by chance once in a class weighs 2 log n; four neighbouring fragments overlap, and
  tell the same.
- what it shares weighs ``SHARE`` of the shorter one, and twice as much as 95 % of pairs drawn at random do,
  as far as that is below ``CERTAIN``. In classes of independent right answers, random pairs share up to 0.6,
  and copies with other names, order and comments no less than 0.77.
"""

from __future__ import annotations

import builtins
import functools
import keyword
import math
import random
import re
import zlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from autograder.course import Homework, given_texts
from autograder.records.book import Gradebook
from autograder.records.pages import page, page_of
from autograder.sandbox import escaped
from autograder.worker import Array

SIMILAR = "report/similar.html"
OVERLAP, SHARE, CERTAIN = 4, 0.75, 0.85
TOKENS, WINDOW, NEAR = 10, 4, 12
"""A fragment is so many tokens, of so many in a row one is kept, and names so near are told from new ones."""
FEW, MANY = 5, 20
"""What so few have is rare in any class, and what more have in none."""
MOST_FRAGMENTS, CANDIDATES, SAMPLE, MOST_PAIRS, MOST_SHOWN = 1000, 2000, 2000, 50, 30_000
LETTERS = 16  # a comment or text of fewer is nobody's own
KEPT = frozenset(keyword.kwlist) | frozenset(dir(builtins))
DEFINED = re.compile(r"\b(?:def|class) +(\w+)")
TOKEN = re.compile(
    r"""(?P<name>[^\W\d]\w*)|\*\*|//|[^\w\s"'#\[]|\d[\w.]*|(?P<table>\[[-+\d.,eE\s\[\]]{8,4000}\])|\["""
    r"""|(?P<said>#[^\n]*|"{3}.*?(?:"{3}|\Z)|'{3}.*?(?:'{3}|\Z))"""
    r"""|(?P<text>"(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?)""",
    re.DOTALL,
)


@dataclass(frozen=True)
class Pair:
    """Two submissions whose code is alike, with the lines in each that are.

    They have ``rare`` rare fragments in common, ``alone`` of them with nobody else, and the comments and
    texts in ``said``. ``share`` is the part of the shorter one that the other has, too, by weight.
    """

    homework: str
    submissions: tuple[str, str]
    share: float
    rare: int
    alone: int
    said: tuple[str, ...]
    lines: tuple[tuple[int, ...], tuple[int, ...]]


@functools.lru_cache(maxsize=10_000)
def _number(text: str) -> int:
    return zlib.crc32(text.encode("utf-8", "replace"))


class _Code:
    """The fragments of a source in order, where its tokens begin, and its long comments and texts."""

    def __init__(self, source: str, kept: Collection[str]) -> None:
        tokens: list[int] = []
        self.starts: list[int] = []
        self.said: dict[int, re.Match[str]] = {}
        before, last = "", dict[str, int]()
        for match in TOKEN.finditer(source):
            kind, token, number = match.lastgroup, match[0], -1
            if kind == "name":
                if before != "." and token not in kept:
                    distance = len(tokens) - last.get(token, -NEAR)
                    last[token], number = len(tokens), distance if distance < NEAR else 0
            elif kind:
                words = "".join(filter(str.isalpha, token.lower()))
                if len(words) >= LETTERS:
                    self.said[_number(words)] = match
                if kind == "said":
                    continue
                token = kind
            tokens.append(_number(token) if number < 0 else number)
            self.starts.append(match.start())
            before = token
        count = max(0, len(tokens) - TOKENS + 1)
        codes, mixed = np.array(tokens, np.uint64), np.zeros(count, np.uint64)
        for place in range(TOKENS):
            mixed = mixed * np.uint64(0x100000001B3) + codes[place : place + count]
        self.fragments = (mixed ^ mixed >> np.uint64(29)) * np.uint64(0x9E3779B97F4A7C15)

    def prints(self, window: int) -> Array:
        """Return the least of so many fragments in a row, wherever that is, and what is said, as numbers."""
        window = min(window, max(1, len(self.fragments)))
        count = len(self.fragments) - window + 1
        least = np.minimum.reduce([self.fragments[place : place + count] for place in range(window)])
        return np.append(least, np.array([*self.said], np.uint64))

    def lines(self, source: str, shared: Array) -> tuple[int, ...]:
        """Return the lines of which most tokens are in shared fragments, or that say what is shared."""
        inside = np.zeros(len(self.starts) + TOKENS, bool)
        for place in range(TOKENS):
            inside[np.flatnonzero(np.isin(self.fragments, shared)) + place] = True
        said = [match.start() for number, match in self.said.items() if number in shared]
        ends = [match.start() for match in re.finditer("\n", source)]
        line = 1 + np.searchsorted(ends, self.starts + said)
        inside = np.append(inside[: len(self.starts)], np.ones(len(said), bool))
        most = 2 * np.bincount(line[inside], minlength=len(ends) + 2) > np.bincount(
            line, minlength=len(ends) + 2
        )
        return tuple(np.flatnonzero(most).tolist())


def similar_pairs(
    homework: Homework, sources: Mapping[str, str], owners: Mapping[str, str]
) -> Iterator[Pair]:
    """Yield the pairs of one homework that stand out, those with most in common first.

    ``owners`` says whose a submission is, where that is known: two of one person are no pair.
    """
    given = given_texts(homework)
    kept, names, count = KEPT.union(DEFINED.findall(given[0])), [*sources, "", ""], max(2, len(sources))
    common = np.concatenate([_Code(text, kept).prints(1) for text in given])
    each = [np.setdiff1d(_Code(sources.get(name, ""), kept).prints(WINDOW), common) for name in names]
    each = [one[:MOST_FRAGMENTS] for one in each]
    parts = [frozenset(one.tolist()) for one in each]
    fragments, times = np.unique(np.concatenate(each), return_counts=True)
    held_by = dict(zip(fragments.tolist(), times.tolist(), strict=True))
    weights = dict(zip(fragments.tolist(), np.log(count / times).tolist(), strict=True))
    rare_up_to = min(MANY, max(FEW, count // 8))

    def weight(prints: Collection[int]) -> float:
        return float(sum(map(weights.__getitem__, prints)))

    def share(one: int, other: int) -> float:
        return weight(parts[one] & parts[other]) / (min(weight(parts[one]), weight(parts[other])) or 1.0)

    chance = random.Random(0)
    usual = sorted(share(*chance.sample(range(count), 2)) for _ in range(SAMPLE if len(sources) > 1 else 1))
    least = min(CERTAIN, max(SHARE, 2 * usual[int(0.95 * len(usual))]))
    found = []
    for one, other in _candidates(each, rare_up_to):
        two, owner = (names[one], names[other]), owners.get(names[one])
        rare = [number for number in parts[one] & parts[other] if held_by[number] <= rare_up_to]
        if weight(rare) < OVERLAP * 2 * math.log(count) or share(one, other) < least:
            continue
        if not owner or owner != owners.get(two[1]):
            found.append((share(one, other) * weight(rare), two, share(one, other), rare))
    for _, two, part, rare in sorted(found, reverse=True)[:MOST_PAIRS]:
        codes = [_Code(sources[name], kept) for name in two]
        both = np.setdiff1d(np.intersect1d(codes[0].prints(1), codes[1].prints(1)), common)
        said = tuple(codes[0].said[number][0] for number in codes[0].said if number in both)
        first, second = (code.lines(sources[name], both) for code, name in zip(codes, two, strict=True))
        alone = sum(held_by[number] == 2 for number in rare)
        yield Pair(homework.id, two, round(part, 3), len(rare), alone, said, (first, second))


def _candidates(each: Sequence[Array], rare_up_to: int) -> list[tuple[int, int]]:
    """Return the pairs whose rare fragments weigh most, from an index of who has which."""
    order = np.argsort(np.concatenate(each), kind="stable")
    holders = np.repeat(np.arange(len(each)), [len(one) for one in each])[order]
    _, starts, times = np.unique(np.concatenate(each)[order], return_index=True, return_counts=True)
    pairs, weights = [], []
    for size in range(2, rare_up_to + 1):
        having = holders[starts[times == size][:, None] + np.arange(size)]
        one, other = np.triu_indices(size, 1)
        pairs.append((having[:, one] * len(each) + having[:, other]).ravel())
        weights.append(np.full(len(pairs[-1]), math.log(len(each) / size)))
    keys, place = np.unique(np.concatenate(pairs), return_inverse=True)
    score = np.bincount(place, np.concatenate(weights))
    best = keys[np.argsort(-score, kind="stable")[:CANDIDATES]]
    return [divmod(key, len(each)) for key in best.tolist()]


@dataclass(frozen=True)
class Alike:
    """What was found in one homework: how many handed it in, the pairs, and the code of those."""

    homework: Homework
    submissions: int
    pairs: Sequence[Pair]
    sources: Mapping[str, str]


def find_similar(book: Gradebook, homeworks: Sequence[Homework]) -> Iterator[Alike]:
    """Yield what is alike in each homework that anyone handed in."""
    owners = {name: one.student_id or one.email for name, one in book.owners().items()}
    for homework in homeworks:
        if sources := dict(book.sources(homework.id)):
            pairs = list(similar_pairs(homework, sources, owners))
            shown = {name: sources[name][:MOST_SHOWN] for pair in pairs for name in pair.submissions}
            yield Alike(homework, len(sources), pairs, shown)


def write_similar(path: Path, found: Sequence[Alike]) -> None:
    """Write the staff's page: both sources of each pair side by side, with what is alike marked."""
    path.parent.mkdir(exist_ok=True)
    data = [
        {
            "sources": {
                escaped(name): [page_of(name), escaped(text, keep="\n\t")]
                for name, text in one.sources.items()
            },
            "pairs": [[[*map(escaped, pair.submissions)], pair.lines] for pair in one.pairs],
        }
        for one in found
    ]
    page(path, "similar.html", found=found, data=data)
