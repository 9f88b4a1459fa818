"""The page of a class: what needs a human, points and mistakes of each homework, and everybody's row."""

from __future__ import annotations

import itertools
import re
import statistics
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from autograder.intake import UNCLEAR
from autograder.judging import CheckResult, HomeworkResult, Outcome, SubmissionResult
from autograder.records.pages import page, page_of, short_name
from autograder.records.tally import Tally
from autograder.sandbox import Status, escaped

OTHERS = {
    "written.html": "written answers",
    "report/similar.html": "similar code",
    "policy.csv": "policy.csv",
}
"""Files beside the page that it links to where they exist."""
NEEDS = {
    "failed": "have no fair grade yet, because the grader failed: run the same command again",
    "stopped": "cost more to read or judge than any may, and have no points",
    "unclear": "hold files of which it is unclear what they are",
    "empty": "hold nothing that could be graded",
    "import": "could not be imported",
    "unmarked": "have written answers that nobody has marked yet",
    "double": "may be a student's second one: they share a student ID, an e-mail address or a name",
}
"""What of a submission a human should look at, most urgent first."""
SLOW, LEAST_SLOW = 5, 1.0
"""A submission is slow that took so many times the median of its homework, and at least so many seconds."""
MOST_BARS = 21
MOST_REASON = 400
FIRST = 5
"""So many checks and mistakes of a homework are shown at once; the others are folded."""


@dataclass
class Counts:
    """What is counted of one homework, result by result; rows are the numbers of submissions."""

    id: str
    title: str = ""
    points: float = 0.0
    scores: list[float] = field(default_factory=list)
    checks: dict[str, CheckResult] = field(default_factory=dict)
    passed: Counter[str] = field(default_factory=Counter)
    judged: Counter[str] = field(default_factory=Counter)
    mistakes: Counter[str] = field(default_factory=Counter)
    reasons: defaultdict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    seconds: list[tuple[float, int]] = field(default_factory=list)

    def add(self, row: int, one: HomeworkResult) -> Collection[str]:
        """Count one more result, and return the mistakes in it."""
        self.title, self.points = one.title, max(self.points, one.points)
        self.seconds.append((one.seconds, row))
        if one.earned is not None:
            self.scores.append(one.earned)
        found: dict[str, str] = {}
        for check in one.checks:
            if check.outcome is not Outcome.COLLECTED:
                self.checks.setdefault(check.check, check)
                self.judged[check.check] += 1
                self.passed[check.check] += check.outcome is Outcome.PASSED
            for label in check.misconceptions:  # words of its own come before those of a pair
                if label not in found or check.misconceptions == (label,):
                    found[label] = check.reason
        self.mistakes.update(found.keys())
        for label, reason in found.items():
            self.reasons[label][_without_numbers(reason)] += 1
        return found.keys()

    @property
    def mean(self) -> float:
        return statistics.mean(self.scores)

    @property
    def median(self) -> float:
        return statistics.median(self.scores)

    @property
    def bars(self) -> tuple[float, list[int]]:
        """How many points one bar stands for, and how many submissions have so many points."""
        top = max(self.points, *self.scores)
        step = next(step for step in _steps() if top / step < MOST_BARS)
        found = Counter(max(0, int(score / step + 1e-9)) for score in self.scores)
        return step, [found[number] for number in range(int(top / step) + 1)]

    @property
    def hardest(self) -> list[tuple[float, CheckResult]]:
        """The checks that somebody failed with the share that passed, the hardest first."""
        rates = [(self.passed[name] / count, self.checks[name]) for name, count in self.judged.items()]
        return sorted((one for one in rates if one[0] < 1), key=lambda one: one[0])

    @property
    def frequent(self) -> list[tuple[str, int, str]]:
        """The mistakes with how many made them and what most of these read, the most frequent first."""
        return [(label, count, self.told(label)) for label, count in self.mistakes.most_common()]

    def told(self, label: str) -> str:
        """Return what most of those who made a mistake read about it."""
        return self.reasons[label].most_common(1)[0][0]

    @property
    def slow(self) -> list[tuple[float, int]]:
        """The seconds and rows that took far longer than the rest, the slowest first."""
        usual = statistics.median(seconds for seconds, _ in self.seconds)
        least = max(LEAST_SLOW, SLOW * usual)
        return sorted((one for one in self.seconds if one[0] > least), reverse=True)


class Overview:
    """A class, counted while its results pass by one after the other; of each a row is all that is held."""

    def __init__(self, homeworks: Sequence[str]) -> None:
        self.counts = {one: Counts(one) for one in homeworks}
        self.tally = Tally()
        self.statuses: Counter[str] = Counter()
        self.rows: list[list[object]] = []
        self.names: list[str] = []
        self.needs: dict[str, list[int]] = {need: [] for need in NEEDS}
        self.mistakes: dict[tuple[str, str], int] = {}
        self._owners: defaultdict[tuple[str, str], list[int]] = defaultdict(list)

    def add(self, result: SubmissionResult) -> None:
        """Count one more submission."""
        self.tally.add(result)
        self.statuses[result.status] += 1
        number, points, mistakes = len(self.rows), dict[str, object](), list[int]()
        for one in result.homeworks:
            if one.homework in self.counts:
                points[one.homework] = _number(one.earned)
                for label in self.counts[one.homework].add(number, one):
                    mistakes.append(self.mistakes.setdefault((one.homework, label), len(self.mistakes)))
        for need in _needs_of(result):
            self.needs[need].append(number)
        for key in _owner_of(result):
            self._owners[key].append(number)
        own = [points.get(one, "") for one in self.counts]
        person = [escaped(text) for text in result.person]
        self.names.append(result.name)
        self.rows.append(
            [
                *(escaped(result.name), page_of(result.name), str(result.status), person, own),
                *(_number(result.earned), mistakes),
            ]
        )

    def close(self) -> None:
        """Find what shows when all have passed by: whose submissions may be of one student."""
        doubles = {row for rows in self._owners.values() if len(rows) > 1 for row in rows}
        self.needs["double"] = sorted(doubles)

    def data(self, maximum: float) -> dict[str, object]:
        """Return what the page's script needs, in short: each text once, and otherwise its number."""
        places = {homework: place for place, homework in enumerate(self.counts)}
        return {
            "homeworks": [
                {"id": one.id, "short": short_name(one.id), "points": _number(one.points)}
                for one in self.counts.values()
            ],
            "mistakes": [
                [places[homework], escaped(label), escaped(self.counts[homework].told(label))]
                for homework, label in self.mistakes
            ],
            "needs": {need: {"words": NEEDS[need], "rows": rows} for need, rows in self.needs.items()},
            "maximum": _number(maximum),
            "rows": self.rows,
        }


def write_report(
    path: Path,
    results: Iterable[SubmissionResult],
    homeworks: Sequence[str],
    maximum: float,
    unfinished: str = "",
) -> None:
    """Write the staff's page about a class; the results are sorted by name, and iterated once."""
    overview = Overview(homeworks)
    for result in results:
        overview.add(result)
    overview.close()
    tally = overview.tally
    page(
        path,
        "report.html",
        overview=overview,
        homeworks=[one for one in overview.counts.values() if one.seconds],
        remarks=[*filter(None, [tally.recognition]), *tally.alarm],
        needs=NEEDS,
        causes=tally.causes[Status.IMPORT_FAILED].most_common(1),
        maximum=maximum,
        unfinished=unfinished,
        others={file: words for file, words in OTHERS.items() if (path.parent / file).is_file()},
        FIRST=FIRST,
    )


def _needs_of(result: SubmissionResult) -> Iterator[str]:
    """Yield why a human should look at a submission."""
    is_unclear = any(problem.cause == UNCLEAR for problem in result.problems)
    told = {
        "failed": result.status.is_our_fault,
        "stopped": result.stopped is not None and not result.status.is_our_fault,
        "unclear": is_unclear,
        "empty": result.status is Status.NOT_SUBMITTED and not is_unclear,
        "import": result.status is Status.IMPORT_FAILED,
        "unmarked": any(one.awaiting for one in result.homeworks),
    }
    return (need for need, holds in told.items() if holds)


def _owner_of(result: SubmissionResult) -> Iterator[tuple[str, str]]:
    """Yield what two submissions of one student share: ID or address, or a name where neither is known."""
    name, student_id, email = (*result.person, "", "", "")[:3]
    if student_id:
        yield "id", student_id
    if email:
        yield "email", email.casefold()
    if not (student_id or email):
        yield "name", re.sub(r"[\W_]+", "", name or result.name).casefold()


def _without_numbers(reason: str) -> str:
    """Return a reason without what it adds in brackets about the numbers, cut to a few lines."""
    short = re.sub(r" \((?:[^()]|\([^()]*\))*\)$", "", reason)
    return short if len(short) <= MOST_REASON else f"{short[:MOST_REASON]}…"


def _number(points: float | None) -> object:
    """Return points as short as JSON can have them; a dash where there is no fair grade yet."""
    return "–" if points is None else int(points) if points == int(points) else points


def _steps() -> Iterator[float]:
    """Yield how many points a bar may stand for: 0.5, 1, 2, 5, 10 and so on."""
    yield 0.5
    for power in itertools.count():
        yield from (one * 10.0**power for one in (1, 2, 5))
