"""The page of a class: what needs a human, points and mistakes of each homework, and everybody's row."""

from __future__ import annotations

import itertools
import re
import statistics
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from autograder.feedback.pages import page, page_of, short_name
from autograder.gradebook.groups import AnswerGroup, examples_of, groups_of
from autograder.intake.matching import UNCLEAR
from autograder.policy.settlement import Settlement
from autograder.report.tally import Tally
from autograder.sandbox.report import Status, escaped
from autograder.verdict.checks import CheckResult, Outcome
from autograder.verdict.results import HomeworkResult, SubmissionResult
from autograder.verdict.work import Exhibit

OTHERS = {
    "written.html": "written answers",
    "report/similar.html": "similar code",
    "policy.csv": "policy.csv",
}
"""Files beside the page that it links to where they exist."""
NEEDS = {
    "failed": "no fair grade yet, because the grader failed: run the same command again",
    "stopped": "no points, because reading or judging it cost more than any may",
    "unclear": "unclear which file or which homework it is",
    "empty": "nothing in it that could be graded",
    "import": "could not be imported",
    "unmarked": "written answers are not marked yet",
    "double": "perhaps two submissions of one student: the same ID, address or name",
}
"""What of a submission a human should look at, most urgent first."""
SLOW, LEAST_SLOW = 5, 1.0
"""A submission is slow if it took so many times the median of its homework, and at least so many seconds."""
MOST_BARS = 21
MOST_REASON = 400
MOST_GROUPS, MOST_CODE = 60, 2_000
FIRST = 5
"""This many checks and mistakes of a homework are shown at once; the others are folded."""


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
    not_judged: Counter[str] = field(default_factory=Counter)
    collected: set[str] = field(default_factory=set)
    mistakes: Counter[str] = field(default_factory=Counter)
    reasons: defaultdict[str, Counter[tuple[bool, str]]] = field(
        default_factory=lambda: defaultdict(Counter)
    )
    seconds: list[tuple[float, int]] = field(default_factory=list)

    def add(self, row: int, one: HomeworkResult) -> Collection[str]:
        """Count one more result, and return the mistakes in it."""
        self.title, self.points = one.title, max(self.points, one.points)
        self.seconds.append((one.seconds, row))
        if one.earned is not None:
            self.scores.append(one.earned)
        found: dict[str, tuple[bool, str]] = {}
        for check in one.checks:
            if check.outcome is Outcome.COLLECTED:
                self.collected.add(check.check)
            elif check.outcome is Outcome.NOT_JUDGED:
                self.not_judged[check.check] += 1
            else:
                self.checks.setdefault(check.check, check)
                self.judged[check.check] += 1
                self.passed[check.check] += check.outcome is Outcome.PASSED
            for label in check.misconceptions:
                # its own words, and not those of several mistakes
                is_alone = len(check.misconceptions) == 1
                if is_alone or label not in found:
                    found[label] = is_alone, check.reason
        self.mistakes.update(found.keys())
        for label, (is_alone, reason) in found.items():
            self.reasons[label][is_alone, _without_numbers(reason)] += 1
        return found.keys()

    @property
    def bars(self) -> tuple[float, list[int]]:
        """How many points one bar stands for, and how many submissions have so many points."""
        top = max(self.points, *self.scores)
        steps = (
            one * 10.0**power for power in itertools.count() for one in (0.5, 1, 2)
        )
        step = next(step for step in steps if top / step < MOST_BARS)
        found = Counter(max(0, int(score / step + 1e-9)) for score in self.scores)
        return step, [found[number] for number in range(int(top / step) + 1)]

    @property
    def hardest(self) -> list[tuple[float, CheckResult]]:
        """The checks that somebody failed with the share that passed, the hardest first.

        Of what people mark, a check knows no more than who gave no answer.
        """
        judged = {
            name: count
            for name, count in self.judged.items()
            if name not in self.collected
        }
        rates = [
            (self.passed[name] / count, self.checks[name])
            for name, count in judged.items()
        ]
        return sorted((one for one in rates if one[0] < 1), key=lambda one: one[0])

    def told(self, label: str) -> str:
        """Return what most of those who made a mistake read about it."""
        (_, reason), _ = max(
            self.reasons[label].items(), key=lambda one: (one[0][0], one[1])
        )
        return reason

    @property
    def slow(self) -> list[tuple[float, int]]:
        """The seconds and rows that took far longer than the rest, the slowest first."""
        usual = statistics.median(seconds for seconds, _ in self.seconds)
        least = max(LEAST_SLOW, SLOW * usual)
        return sorted((one for one in self.seconds if one[0] > least), reverse=True)


@dataclass(frozen=True)
class ShownGroup:
    """A group of equal wrong answers, with a case in which that shows, code, and a comment."""

    group: AnswerGroup
    case: Exhibit | None
    examples: Sequence[tuple[str, str]]
    comment: str


def shown_groups(settlement: Settlement) -> list[ShownGroup]:
    """Return the largest groups of at least two submissions."""
    book, shown = settlement.book, []
    comments = {
        one.group: one.text
        for own in settlement.decided.values()
        for one in own.comments
    }
    for group in [one for one in groups_of(book.groups) if one.size > 1][:MOST_GROUPS]:
        work = book.groups.work(group.representative, group.homework)
        cases = [one for one in work.exhibits if one.task == group.task] if work else []
        telling = (
            one
            for one in cases
            if one.error or any(part.came.rows for part in one.parts)
        )
        examples = [
            (name, code[:MOST_CODE]) for name, code in examples_of(group, book.groups)
        ]
        shown.append(
            ShownGroup(group, next(telling, None), examples, comments.get(group.id, ""))
        )
    return shown


class Row(NamedTuple):
    """All that is held of a submission; ``head`` are name, page, status and person.

    ``problem`` is there of the first submissions alone that need a human for some reason.
    """

    head: tuple[object, ...]
    points: dict[str, object]
    total: object
    mistakes: list[int]
    problem: str


class Overview:
    """A class, counted while its results pass by one after the other, sorted by name."""

    def __init__(self, results: Iterable[SubmissionResult] = ()) -> None:
        self.counts: dict[str, Counts] = {}
        self.tally = Tally()
        self.statuses: Counter[str] = Counter()
        self.rows: list[Row] = []
        self.groups: Sequence[ShownGroup] = ()
        self._numbers: dict[str, int] = {}
        self.mistakes: dict[tuple[str, str], int] = {}
        self._needs: defaultdict[str, list[int]] = defaultdict(list)
        self._owners: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
        for result in results:
            self.add(result)

    def add(self, result: SubmissionResult) -> None:
        """Count one more submission."""
        self.tally.add(result)
        self.statuses[result.status] += 1
        number = self._numbers[result.name] = len(self.rows)
        points, mistakes = dict[str, object](), list[int]()
        for one in result.homeworks:
            points[one.homework] = _number(one.earned)
            for label in self.counts.setdefault(one.homework, Counts(one.homework)).add(
                number, one
            ):
                mistakes.append(
                    self.mistakes.setdefault((one.homework, label), len(self.mistakes))
                )
        problem = ""
        for need in _needs_of(result):
            self._needs[need].append(number)
            if len(self._needs[need]) <= FIRST and result.problems:
                problem = result.problems[0].staff
        for key in _owner_of(result):
            self._owners[key].append(number)
        person = [escaped(text) for text in result.person]
        head = (escaped(result.name), page_of(result.name), str(result.status), person)
        self.rows.append(Row(head, points, _number(result.earned), mistakes, problem))

    @property
    def needs(self) -> dict[str, list[int]]:
        """The rows of the submissions that a human should look at, by the reason."""
        doubles = {
            row for rows in self._owners.values() if len(rows) > 1 for row in rows
        }
        found = {**self._needs, "double": sorted(doubles)}
        return {need: found[need] for need in NEEDS if found.get(need)}

    def data(self, homeworks: Sequence[str], maximum: float) -> dict[str, object]:
        """Return what the page's script needs, in short: each text once, and otherwise its number."""
        counts = [self.counts[one] for one in homeworks]
        return {
            "homeworks": [
                {
                    "id": one.id,
                    "short": short_name(one.id),
                    "points": _number(one.points),
                }
                for one in counts
            ],
            "mistakes": [
                [
                    homeworks.index(homework),
                    escaped(label),
                    escaped(self.counts[homework].told(label)),
                ]
                for homework, label in self.mistakes
            ],
            "needs": {
                need: {"words": NEEDS[need], "rows": rows}
                for need, rows in self.needs.items()
            },
            "groups": [
                {
                    "id": one.group.id,
                    "rows": [self._numbers[name] for name in one.group.submissions],
                }
                for one in self.groups
            ],
            "maximum": _number(maximum),
            "rows": [
                [
                    *row.head,
                    [row.points.get(one, "") for one in homeworks],
                    row.total,
                    row.mistakes,
                ]
                for row in self.rows
            ],
        }


def write_report(
    path: Path,
    overview: Overview,
    homeworks: Sequence[str],
    maximum: float,
    remarks: Sequence[str] = (),
    unfinished: str = "",
) -> None:
    """Write the staff's page about a class: of these homeworks those that are handed in, and what is open."""
    tally, shown = overview.tally, [one for one in homeworks if one in overview.counts]
    page(
        path,
        "report.html",
        overview=overview,
        homeworks=[overview.counts[one] for one in shown],
        data=overview.data(shown, maximum),
        remarks=[*filter(None, [tally.recognition]), *tally.alarm, *remarks],
        needs=NEEDS,
        causes=tally.causes[Status.IMPORT_FAILED].most_common(1),
        unfinished=unfinished,
        others={
            file: words
            for file, words in OTHERS.items()
            if (path.parent / file).is_file()
        },
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
