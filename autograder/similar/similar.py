"""Pairs of submissions whose code is alike beyond what their class makes likely.

Code is compared by winnowing (Schleimer, Wilkerson and Aiken, SIGMOD 2003): as tokens, without the names that
students choose and without its order. What the stub, the notebook and the solution hold counts for nothing. A
fragment weighs log(submissions / submissions that have it); rare is one that an eighth of them have at most.
Short right answers are alike by nature, so a pair is shown only if

- the rare fragments that it shares weigh ``OVERLAP`` × 2 log n. Of n submissions there are n²/2 pairs, so
  what two have in common by chance once in a class weighs 2 log n; four neighbouring fragments overlap, and
  say the same.
- what it shares weighs ``SHARE`` of the shorter one, and twice as much as 95 % of pairs drawn at random do,
  as far as that is below ``CERTAIN``. In classes of independent right answers, random pairs share up to 0.6,
  and copies with other names, order and comments no less than 0.77.
"""

from __future__ import annotations

import builtins
import functools
import itertools
import keyword
import math
import random
import re
import zlib
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from autograder.course.homework import Homework
from autograder.feedback.pages import page, page_of
from autograder.gradebook.book import Gradebook
from autograder.intake.handed_out import handed_out_texts
from autograder.sandbox.report import escaped

SIMILAR = "report/similar.html"
OVERLAP, SHARE, CERTAIN = 4, 0.75, 0.85
TOKENS, WINDOW, NEAR = 10, 4, 12
"""Tokens in a fragment, fragments of which one is kept, and tokens after which a name counts as new."""
FEW, MANY = 5, 20
"""What so few have is rare in any class, and what more have in none."""
MOST_FRAGMENTS, SAMPLE, MOST_PAIRS, MOST_SHOWN = 1000, 2000, 50, 30_000
LETTERS = 16  # shorter comments and texts are too common to count
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
    """The fragments of a source in order, the lines of its tokens, and its long comments and texts."""

    def __init__(self, source: str, kept: Collection[str]) -> None:
        self.said: dict[int, tuple[int, str]] = {}
        self.lines, tokens = list[int](), list[int]()
        before, line, end, last = "", 1, 0, dict[str, int]()
        for match in TOKEN.finditer(source):
            kind, token, number = match.lastgroup, match[0], -1
            line, end = line + source.count("\n", end, match.start()), match.start()
            if kind == "name":
                if before != "." and token not in kept:
                    distance = len(tokens) - last.get(token, -NEAR)
                    last[token], number = (
                        len(tokens),
                        distance if distance < NEAR else 0,
                    )
            elif kind:
                words = "".join(filter(str.isalpha, token.lower()))
                if len(words) >= LETTERS:
                    self.said[_number(words)] = line, token
                if kind == "said":
                    continue
                token = kind
            tokens.append(_number(token) if number < 0 else number)
            self.lines.append(line)
            before = token
        count = max(0, len(tokens) - TOKENS + 1)
        codes, mixed = np.array(tokens, np.uint64), np.zeros(count, np.uint64)
        for place in range(TOKENS):
            mixed = mixed * np.uint64(0x100000001B3) + codes[place : place + count]
        mixed = (mixed ^ mixed >> np.uint64(29)) * np.uint64(0x9E3779B97F4A7C15)
        self.fragments: list[int] = mixed.tolist()

    def prints(self, window: int) -> set[int]:
        """Return the least of so many fragments in a row, wherever that is, and what is said, as numbers."""
        window = max(1, min(window, len(self.fragments)))
        rows = zip(*(self.fragments[place:] for place in range(window)), strict=False)
        return {min(row) for row in rows}.union(self.said)

    def lines_in(self, shared: Collection[int]) -> tuple[int, ...]:
        """Return the lines of which most tokens are in shared fragments, or that say what is shared."""
        starts = [
            place for place, number in enumerate(self.fragments) if number in shared
        ]
        inside = {start + place for start in starts for place in range(TOKENS)}
        every, alike = (
            Counter(self.lines),
            Counter(self.lines[place] for place in inside),
        )
        said = {line for number, (line, _) in self.said.items() if number in shared}
        return tuple(
            sorted(said.union(line for line in alike if 2 * alike[line] > every[line]))
        )


def similar_pairs(
    homework: Homework, sources: Mapping[str, str], owners: Mapping[str, str]
) -> Iterator[Pair]:
    """Yield the pairs of one homework that stand out, those with most in common first.

    ``owners`` says whose a submission is, where that is known: two of one person are not a pair.
    """
    given = [*handed_out_texts(homework), homework.solution.read_text("utf-8")]
    kept, count = KEPT.union(DEFINED.findall(given[0])), max(2, len(sources))
    common = set[int]().union(*(_Code(text, kept).prints(1) for text in given))
    parts, holders = dict[str, set[int]](), defaultdict[int, list[str]](list)
    for name, text in sources.items():
        parts[name] = {
            *sorted(_Code(text, kept).prints(WINDOW) - common)[:MOST_FRAGMENTS]
        }
        for number in parts[name]:
            holders[number].append(name)
    weights = {
        number: math.log(count / len(having)) for number, having in holders.items()
    }
    rare_up_to = min(MANY, max(FEW, count // 8))
    together = defaultdict[tuple[str, str], float](float)
    for number, having in holders.items():
        for two in (
            itertools.combinations(having, 2) if len(having) <= rare_up_to else ()
        ):
            together[two] += weights[number]

    def share(one: str, other: str) -> float:
        both, *own = (
            sum(map(weights.__getitem__, numbers))
            for numbers in (parts[one] & parts[other], parts[one], parts[other])
        )
        return both / (min(own) or 1.0)

    chance, names = random.Random(0), [*sources]
    usual = sorted(
        share(*chance.sample(names, 2)) for _ in range(SAMPLE if len(names) > 1 else 0)
    ) or [0.0]
    least = min(CERTAIN, max(SHARE, 2 * usual[int(0.95 * len(usual))]))
    found = []
    for two, weight in together.items():
        owner = owners.get(two[0])
        if weight >= OVERLAP * 2 * math.log(count) and (
            not owner or owner != owners.get(two[1])
        ):
            part = share(*two)
            found += [(part * weight, two, part)] if part >= least else []
    for _, two, part in sorted(found, reverse=True)[:MOST_PAIRS]:
        rare = [
            len(holders[one])
            for one in parts[two[0]] & parts[two[1]]
            if len(holders[one]) <= rare_up_to
        ]
        first, second = (_Code(sources[name], kept) for name in two)
        both = (first.prints(1) & second.prints(1)) - common
        said = tuple(text for number, (_, text) in first.said.items() if number in both)
        lines = first.lines_in(both), second.lines_in(both)
        yield Pair(
            homework.id, two, round(part, 3), len(rare), rare.count(2), said, lines
        )


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
            shown = {
                name: sources[name][:MOST_SHOWN]
                for pair in pairs
                for name in pair.submissions
            }
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
            "pairs": [
                [[*map(escaped, pair.submissions)], pair.lines] for pair in one.pairs
            ],
        }
        for one in found
    ]
    page(path, "similar.html", found=found, data=data)
