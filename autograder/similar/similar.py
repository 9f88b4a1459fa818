"""Submissions whose code is alike beyond what their class makes likely: pairs, in clusters.

Code is compared by winnowing (Schleimer, Wilkerson and Aiken, SIGMOD 2003): as tokens, without the names that
students choose and without its order. Code from the stub, the notebook and the solution is ignored. A
fragment weighs log(submissions / submissions that have it); rare is one that an eighth of them have at most.
Short right answers are alike by nature, so a pair is shown only if

- the rare fragments that it shares weigh ``OVERLAP`` × 2 log n. Of n submissions there are n²/2 pairs, so
  what two have in common by chance once in a class weighs 2 log n; four neighbouring fragments overlap, and
  say the same.
- what it shares weighs ``SHARE`` of the shorter one, and twice as much as 95 % of pairs drawn at random do,
  as far as that is below ``CERTAIN``. In classes of independent right answers, random pairs share up to 0.6,
  and copies with other names, order and comments no less than 0.77.

Pairs that share a submission are one cluster, so four equal files are one finding and not six.
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
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from autograder.course.homework import Homework
from autograder.feedback.rendering import page, page_of
from autograder.gradebook.book import Gradebook
from autograder.intake.handed_out import handed_out_texts
from autograder.untrusted_text import for_screen

SIMILAR = "report/similar.html"
OVERLAP = 4
SHARE = 0.75
CERTAIN = 0.85
TOKENS = 10
"""Tokens in a fragment."""
WINDOW = 4
"""Fragments in a row of which one is kept."""
NEAR_TOKENS = 12
"""Tokens after which a name counts as new."""
ALWAYS_RARE = 5
"""A fragment that so few submissions have is rare in any class."""
NEVER_RARE = 20
"""A fragment that more have is rare in no class."""
MOST_FRAGMENTS = 1000
SAMPLE = 2000
"""Pairs drawn at random, to see how much is shared by chance."""
MOST_CLUSTERS = 50
MOST_PAIRS = 500
MOST_SHOWN = 30_000
LETTERS = 16
"""Shorter comments and texts are too common to count."""
PYTHON_NAMES = frozenset(keyword.kwlist) | frozenset(dir(builtins))
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

    They have ``rare`` rare fragments in common, ``alone`` of them with nobody outside their cluster, and the
    comments and texts in ``said``. ``share`` is the part of the shorter one that the other has, too, by
    weight. ``cluster`` is the number of the cluster, equal for all its pairs.
    """

    homework: str
    submissions: tuple[str, str]
    share: float
    rare: int
    alone: int
    said: tuple[str, ...]
    lines: tuple[tuple[int, ...], tuple[int, ...]]
    cluster: int = 0


@dataclass(frozen=True)
class SimilarCluster:
    """Submissions that similar pairs connect.

    ``pairs`` are those that are shown, by their places among all pairs: as few as connect all submissions.
    ``share`` has the least and the greatest share of all its pairs, ``rare`` and ``alone`` are the most of any.
    """

    submissions: tuple[str, ...]
    pairs: tuple[int, ...]
    share: tuple[float, float]
    rare: int
    alone: int

    @property
    def percent(self) -> str:
        """The shares in per cent, one number or two."""
        least_share, most_share = self.share
        least = f"{100 * least_share:.0f}"
        most = f"{100 * most_share:.0f}"
        if least == most:
            return least
        return f"{least}–{most}"


@functools.lru_cache(maxsize=10_000)
def _number(text: str) -> int:
    return zlib.crc32(text.encode("utf-8", "replace"))


class _Code:
    """The fragments of a source in order, the lines of its tokens, and its long comments and texts."""

    def __init__(self, source: str, kept_names: Collection[str]) -> None:
        self.texts: dict[int, tuple[int, str]] = {}
        self.lines: list[int] = []
        tokens: list[int] = []
        last_place: dict[str, int] = {}  # of each name
        before = ""
        line = 1
        end = 0
        for match in TOKEN.finditer(source):
            kind = match.lastgroup
            token = match[0]
            line += source.count("\n", end, match.start())
            end = match.start()
            if kind == "name" and before != "." and token not in kept_names:
                # A name that a student chose: only how far back it stood before counts.
                place = len(tokens)
                number = place - last_place.get(token, -NEAR_TOKENS)
                last_place[token] = place
                if number >= NEAR_TOKENS:
                    number = 0
            elif kind is None or kind == "name":
                number = _number(token)
            else:
                letters = "".join(filter(str.isalpha, token.lower()))
                if len(letters) >= LETTERS:
                    self.texts[_number(letters)] = (line, token)
                if kind == "said":
                    continue
                token = kind
                number = _number(token)
            tokens.append(number)
            self.lines.append(line)
            before = token

        # A fragment is a hash of so many tokens in a row.
        count = max(0, len(tokens) - TOKENS + 1)
        codes = np.array(tokens, np.uint64)
        mixed = np.zeros(count, np.uint64)
        for place in range(TOKENS):
            mixed *= np.uint64(0x100000001B3)
            mixed += codes[place : place + count]
        mixed ^= mixed >> np.uint64(29)
        mixed *= np.uint64(0x9E3779B97F4A7C15)
        self.fragments: list[int] = mixed.tolist()

    def fingerprints(self, window: int) -> set[int]:
        """Return the least fragment of each window, and the long comments and texts, as numbers."""
        window = max(1, min(window, len(self.fragments)))
        shifted = [self.fragments[place:] for place in range(window)]
        neighbours = zip(*shifted, strict=False)
        return set(map(min, neighbours)).union(self.texts)

    def lines_in(self, shared: Collection[int]) -> tuple[int, ...]:
        """Return the lines of which most tokens are in shared fragments, or that hold a shared text."""
        shared_places: set[int] = set()
        for start, number in enumerate(self.fragments):
            if number in shared:
                shared_places.update(range(start, start + TOKENS))
        tokens_of_line = Counter(self.lines)
        shared_tokens_of_line = Counter[int]()
        for place in shared_places:
            line = self.lines[place]
            shared_tokens_of_line[line] += 1
        lines = set()
        for line, count in shared_tokens_of_line.items():
            if 2 * count > tokens_of_line[line]:
                lines.add(line)
        for number, (line, _) in self.texts.items():
            if number in shared:
                lines.add(line)
        return tuple(sorted(lines))


def similar_pairs(
    homework: Homework, sources: Mapping[str, str], owners: Mapping[str, str]
) -> Iterator[Pair]:
    """Yield the suspicious pairs of one homework, the most similar first.

    ``owners`` says whose a submission is, where that is known: two of one person are not a pair.
    """
    # Fragments from the homework itself are ignored.
    stub, *notebook = handed_out_texts(homework)
    solution = homework.solution.read_text("utf-8")
    kept_names = PYTHON_NAMES.union(DEFINED.findall(stub))
    common: set[int] = set()
    for text in (stub, *notebook, solution):
        common |= _Code(text, kept_names).fingerprints(1)

    # The fragments of each submission, and who has each.
    count = max(2, len(sources))
    fingerprints_of: dict[str, set[int]] = {}
    holders = defaultdict[int, list[str]](list)
    for name, text in sources.items():
        fingerprints = sorted(_Code(text, kept_names).fingerprints(WINDOW) - common)
        fingerprints_of[name] = set(fingerprints[:MOST_FRAGMENTS])
        for number in fingerprints_of[name]:
            holders[number].append(name)
    weights = {}
    for number, names in holders.items():
        weights[number] = math.log(count / len(names))
    most_holders = min(NEVER_RARE, max(ALWAYS_RARE, count // 8))

    # What two have in common of rare fragments, by weight.
    rare_weight = defaultdict[tuple[str, str], float](float)
    for number, names in holders.items():
        if len(names) <= most_holders:
            for pair in itertools.combinations(names, 2):
                rare_weight[pair] += weights[number]

    def weight_of(numbers: Collection[int]) -> float:
        return sum(weights[number] for number in numbers)

    def share(name: str, other: str) -> float:
        """Return the part of the shorter one that the other has, too, by weight."""
        fingerprints = fingerprints_of[name]
        other_fingerprints = fingerprints_of[other]
        both = weight_of(fingerprints & other_fingerprints)
        shorter = min(weight_of(fingerprints), weight_of(other_fingerprints))
        return both / (shorter or 1.0)

    least_share = max(SHARE, 2 * _share_by_chance(list(sources), share))
    least_share = min(CERTAIN, least_share)
    least_weight = OVERLAP * 2 * math.log(count)
    candidates = []
    for pair, weight in rare_weight.items():
        first, second = pair
        owner = owners.get(first)
        is_one_person = owner and owner == owners.get(second)
        if weight < least_weight or is_one_person:
            continue
        part = share(first, second)
        if part >= least_share:
            candidates.append((part * weight, pair, part))

    candidates.sort(reverse=True)
    candidate_pairs = [pair for _, pair, _ in candidates]
    connected = _connected(candidate_pairs)
    pair_count = 0
    codes: dict[str, _Code] = {}
    for _, (first, second), part in candidates:
        cluster, members = connected[first]
        if cluster >= MOST_CLUSTERS or pair_count >= MOST_PAIRS:
            continue
        pair_count += 1
        rare = 0
        alone = 0
        for number in fingerprints_of[first] & fingerprints_of[second]:
            if len(holders[number]) <= most_holders:
                rare += 1
                alone += members.issuperset(holders[number])
        for name in (first, second):
            if name not in codes:
                codes[name] = _Code(sources[name], kept_names)
        first_code = codes[first]
        second_code = codes[second]
        both = (first_code.fingerprints(1) & second_code.fingerprints(1)) - common
        shared_texts = []
        for number, (_, text) in first_code.texts.items():
            if number in both:
                shared_texts.append(text)
        yield Pair(
            homework=homework.id,
            submissions=(first, second),
            share=round(part, 3),
            rare=rare,
            alone=alone,
            said=tuple(shared_texts),
            lines=(first_code.lines_in(both), second_code.lines_in(both)),
            cluster=cluster,
        )


def _connected(
    pairs: Sequence[tuple[str, str]],
) -> dict[str, tuple[int, frozenset[str]]]:
    """Return for each name the number of its cluster, in the order of the pairs, and all names in it."""
    members: dict[str, set[str]] = {}
    for first, second in pairs:
        _join(members, first, second)
    connected: dict[str, tuple[int, frozenset[str]]] = {}
    count = 0
    for first, _ in pairs:
        if first in connected:
            continue
        cluster = (count, frozenset(members[first]))
        count += 1
        for name in members[first]:
            connected[name] = cluster
    return connected


def _join(group_of: dict[str, set[str]], first: str, second: str) -> None:
    """Make one group of those of two names."""
    joined = {first, second}
    for name in (first, second):
        joined |= group_of.get(name, set())
    for name in joined:
        group_of[name] = joined


def clusters_of(pairs: Sequence[Pair]) -> list[SimilarCluster]:
    """Return the clusters of one homework's pairs, in their order."""
    places_of = defaultdict[int, list[int]](list)
    for place, pair in enumerate(pairs):
        places_of[pair.cluster].append(place)
    clusters = []
    for places in places_of.values():
        # The first pairs have most in common; one whose submissions are connected already adds nothing.
        group_of: dict[str, set[str]] = {}
        connecting = []
        for place in places:
            first, second = pairs[place].submissions
            if second not in group_of.get(first, ()):
                connecting.append(place)
                _join(group_of, first, second)
        shares = []
        rare = 0
        alone = 0
        for place in places:
            pair = pairs[place]
            shares.append(pair.share)
            rare = max(rare, pair.rare)
            alone = max(alone, pair.alone)
        clusters.append(
            SimilarCluster(
                submissions=tuple(sorted(group_of)),
                pairs=tuple(connecting),
                share=(min(shares), max(shares)),
                rare=rare,
                alone=alone,
            )
        )
    return clusters


def _share_by_chance(names: Sequence[str], share: Callable[[str, str], float]) -> float:
    """Return the share that 95 % of random pairs do not exceed."""
    if len(names) < 2:
        return 0.0
    chance = random.Random(0)
    shares = []
    for _ in range(SAMPLE):
        first, second = chance.sample(names, 2)
        shares.append(share(first, second))
    shares.sort()
    return shares[int(0.95 * len(shares))]


@dataclass(frozen=True)
class SimilarSubmissions:
    """The similar pairs of one homework.

    Attributes:
        homework: the homework.
        submissions: how many submissions have code for it.
        pairs: the similar pairs.
        sources: the code of the submissions in these pairs.
        people: the names of students by submission, as far as they are known.
    """

    homework: Homework
    submissions: int
    pairs: Sequence[Pair]
    sources: Mapping[str, str]
    people: Mapping[str, str] = field(default_factory=dict)

    @property
    def clusters(self) -> list[SimilarCluster]:
        return clusters_of(self.pairs)


def find_similar(
    book: Gradebook, homeworks: Sequence[Homework]
) -> Iterator[SimilarSubmissions]:
    """Yield the similar pairs of each homework that anyone handed in."""
    owners = {}
    people = {}
    for name, owner in book.owners().items():
        owners[name] = owner.student_id or owner.email
        people[name] = owner.name
    for homework in homeworks:
        sources = dict(book.sources(homework.id))
        if not sources:
            continue
        pairs = list(similar_pairs(homework, sources, owners))
        shown_sources = {}
        for pair in pairs:
            for name in pair.submissions:
                shown_sources[name] = sources[name][:MOST_SHOWN]
        yield SimilarSubmissions(homework, len(sources), pairs, shown_sources, people)


def write_similar(
    path: Path,
    similarities: Sequence[SimilarSubmissions],
    withdrawn: Collection[str] = (),
) -> None:
    """Write the staff's page: both sources of each pair side by side, with what is alike marked.

    Withdrawn submissions are compared as well, but have no page of their own.
    """
    path.parent.mkdir(exist_ok=True)
    data = []
    for similarity in similarities:
        sources = {}
        for name, text in similarity.sources.items():
            page_name = page_of(name)
            if name in withdrawn:
                page_name = ""
            sources[for_screen(name)] = [page_name, for_screen(text, keep="\n\t")]
        pairs = []
        for pair in similarity.pairs:
            names = [for_screen(name) for name in pair.submissions]
            pairs.append([names, pair.lines])
        data.append({"sources": sources, "pairs": pairs})
    page(path, "similar.html", similarities=similarities, data=data)
