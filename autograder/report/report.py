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

from autograder.course.homework import short_id
from autograder.feedback.rendering import page, page_of
from autograder.gradebook.book import Gradebook
from autograder.gradebook.groups import AnswerGroup
from autograder.policy.grade import HomeworkGrade, SubmissionGrade
from autograder.policy.settlement import Settlement
from autograder.report.answer_groups import examples_of, groups_of
from autograder.report.needs import NEEDS, WITH_PROBLEM, needs_of
from autograder.report.praise import Improvement
from autograder.report.tally import Tally
from autograder.sandbox.report import Status
from autograder.untrusted_text import for_screen
from autograder.verdict.checks import CheckResult, Outcome
from autograder.verdict.work import Exhibit

OTHERS = {
    "written.html": "written answers",
    "report/similar.html": "similar code",
    "policy.csv": "policy.csv",
}
"""Files next to the page that it links to where they exist."""
SLOW = 5
"""A submission is slow if it took so many times the median of its homework."""
LEAST_SLOW = 1.0
"""And at least so many seconds."""
MOST_BARS = 21
MOST_REASON = 400
MOST_GROUPS = 60
MOST_CODE = 2_000
MOST_NAMES = 200
"""So many students without a submission are listed on the screen; on paper all are."""
MOST_PRAISED = 20
FIRST = 5
"""This many checks and mistakes of a homework are shown at once; the others are folded."""


@dataclass
class Counts:
    """The counts of one homework, added up result by result; rows are the numbers of submissions.

    ``points`` is the maximum, ``bonus`` what extra credit can give beyond it.
    """

    id: str
    title: str = ""
    points: float = 0.0
    bonus: float = 0.0
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

    def add(self, row: int, result: HomeworkGrade) -> Collection[str]:
        """Count one more result, and return the mistakes in it."""
        self.title = result.title
        self.points = max(self.points, result.points)
        bonus = 0.0
        for check in result.checks:
            if check.task in result.extra_credit:
                bonus += check.points
        self.bonus = max(self.bonus, bonus)
        self.seconds.append((result.seconds, row))
        if result.earned is not None:
            self.scores.append(result.earned)

        reason_of_mistake: dict[str, tuple[bool, str]] = {}
        for check in result.checks:
            if check.outcome is Outcome.COLLECTED:
                self.collected.add(check.check)
            elif check.outcome is Outcome.NOT_JUDGED:
                self.not_judged[check.check] += 1
            else:
                self.checks.setdefault(check.check, check)
                self.judged[check.check] += 1
                self.passed[check.check] += check.outcome is Outcome.PASSED
            # The words of a check with this mistake only count before those of several mistakes.
            is_only_mistake = len(check.misconceptions) == 1
            for label in check.misconceptions:
                if is_only_mistake or label not in reason_of_mistake:
                    reason_of_mistake[label] = (is_only_mistake, check.reason)
        self.mistakes.update(reason_of_mistake.keys())
        for label, (is_only_mistake, reason) in reason_of_mistake.items():
            self.reasons[label][is_only_mistake, _without_numbers(reason)] += 1
        return reason_of_mistake.keys()

    @property
    def bars(self) -> tuple[float, list[int]]:
        """How many points one bar stands for, and how many submissions have so many points."""
        top = max(self.points, *self.scores)
        for step in _steps():
            if top / step < MOST_BARS:
                break
        submissions_of_bar = Counter[int]()
        for score in self.scores:
            # A score on the border belongs to the upper bar.
            bar = int(score / step + 1e-9)
            submissions_of_bar[max(0, bar)] += 1
        bars = range(int(top / step) + 1)
        return step, [submissions_of_bar[bar] for bar in bars]

    @property
    def hardest(self) -> list[tuple[float, CheckResult]]:
        """The checks that somebody failed with the share that passed, the hardest first.

        Of what people mark, a check knows no more than who gave no answer.
        """
        rates = []
        for name, count in self.judged.items():
            rate = self.passed[name] / count
            if rate < 1 and name not in self.collected:
                rates.append((rate, self.checks[name]))
        return sorted(rates, key=lambda rated: rated[0])

    def told(self, label: str) -> str:
        """Return what most of those who made a mistake read about it."""
        counts = self.reasons[label]

        def order(reason: tuple[bool, str]) -> tuple[bool, int]:
            is_only_mistake, _ = reason
            return is_only_mistake, counts[reason]

        _, text = max(counts, key=order)
        return text

    @property
    def slow(self) -> list[tuple[float, int]]:
        """The seconds and rows that took far longer than the rest, the slowest first."""
        median = statistics.median(seconds for seconds, _ in self.seconds)
        limit = max(LEAST_SLOW, SLOW * median)
        slow = []
        for seconds, row in self.seconds:
            if seconds > limit:
                slow.append((seconds, row))
        return sorted(slow, reverse=True)


def _steps() -> Iterator[float]:
    """Yield widths of bars: 0.5, 1, 2, 5, 10, 20, 50 and so on."""
    for power in itertools.count():
        for factor in (0.5, 1, 2):
            yield factor * 10.0**power


@dataclass(frozen=True)
class ShownGroup:
    """A group of equal wrong answers, with a case in which that shows, code, and a comment."""

    group: AnswerGroup
    case: Exhibit | None
    examples: Sequence[tuple[str, str]]
    comment: str


def shown_groups(book: Gradebook, settlement: Settlement) -> list[ShownGroup]:
    """Return the largest groups of at least two submissions."""
    comments = {}
    for decided in settlement.decided.values():
        for comment in decided.comments:
            comments[comment.group] = comment.text
    large_groups = []
    for group in groups_of(book.groups):
        if group.size > 1:
            large_groups.append(group)
    shown_groups = []
    for group in large_groups[:MOST_GROUPS]:
        work = book.groups.work(group.representative, group.homework)
        case = None
        if work is not None:
            case = _telling_case(work.exhibits, group.task)
        examples = []
        for name, code in examples_of(group, book.groups):
            examples.append((name, code[:MOST_CODE]))
        text = comments.get(group.id, "")
        shown_groups.append(ShownGroup(group, case, examples, text))
    return shown_groups


def _telling_case(exhibits: Sequence[Exhibit], task: str) -> Exhibit | None:
    """Return the first case of a task for which there is an error or numbers."""
    for exhibit in exhibits:
        if exhibit.task != task:
            continue
        if exhibit.error:
            return exhibit
        for part in exhibit.parts:
            if part.came.rows:
                return exhibit
    return None


class ClassRow(NamedTuple):
    """The stored facts about a submission; ``head`` are name, page, status and person.

    Only the first submissions that need a human for some reason have a ``problem``.
    """

    head: tuple[object, ...]
    points: dict[str, object]
    total: object
    mistakes: list[int]
    problem: str


class Overview:
    """A class, counted while its results pass by one after the other, sorted by name.

    ``missing`` are the students in the roster without a submission, ``strangers`` the submissions that match
    nobody in it.
    """

    def __init__(
        self,
        results: Iterable[SubmissionGrade] = (),
        missing: Sequence[str] = (),
        strangers: Collection[str] = (),
    ) -> None:
        self.missing = list(map(for_screen, missing))
        self._strangers = frozenset(strangers)
        self.raw: dict[tuple[str, str], float] = {}
        self.full_marks: dict[str, list[int]] = {}
        self.improved: Sequence[Improvement] = ()
        self.course = ""
        self.graded_on = ""
        self.counts: dict[str, Counts] = {}
        self.tally = Tally()
        self.rows: list[ClassRow] = []
        self.groups: Sequence[ShownGroup] = ()
        self._numbers: dict[str, int] = {}
        self.mistakes: dict[tuple[str, str], int] = {}
        self._needs: defaultdict[str, list[int]] = defaultdict(list)
        self._owners: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
        for result in results:
            self.add(result)

    def add(self, result: SubmissionGrade) -> None:
        """Count one more submission."""
        self.course = result.course or self.course
        self.graded_on = max(self.graded_on, result.graded_on)
        self.tally.add(result)
        number = len(self.rows)
        self._numbers[result.name] = number
        points: dict[str, object] = {}
        mistakes: list[int] = []
        for homework in result.homeworks:
            homework_id = homework.homework
            points[homework_id] = _number(homework.earned)
            if homework.raw is not None:
                self.raw[result.name, homework_id] = homework.raw
            if _has_full_marks(homework):
                self.full_marks.setdefault(homework_id, []).append(number)
            counts = self.counts.setdefault(homework_id, Counts(homework_id))
            for label in counts.add(number, homework):
                mistake = (homework_id, label)
                next_number = len(self.mistakes)
                mistakes.append(self.mistakes.setdefault(mistake, next_number))
        problem = ""
        needs = [*needs_of(result)]
        if result.name in self._strangers:
            needs.append("stranger")
        for need in needs:
            rows = self._needs[need]
            rows.append(number)
            if len(rows) <= FIRST and result.problems:
                first_problem = result.problems[0]
                problem = first_problem.staff
                if first_problem.names_command:  # the submission's page names it
                    problem = first_problem.text
        for key in _owner_of(result):
            self._owners[key].append(number)
        head = (
            for_screen(result.name),
            page_of(result.name),
            str(result.status),
            list(map(for_screen, result.person)),
        )
        total = _number(result.earned)
        self.rows.append(ClassRow(head, points, total, mistakes, problem))

    def names_of(self, rows: Iterable[int]) -> list[str]:
        """Return the names of submissions by the numbers of their rows."""
        return [str(self.rows[row].head[0]) for row in rows]

    def row_of(self, name: str) -> ClassRow:
        """Return the row of a submission."""
        return self.rows[self._numbers[name]]

    @property
    def needs(self) -> dict[str, list[int]]:
        """The rows of the submissions that a human should look at, by the reason."""
        doubles: set[int] = set()
        for rows in self._owners.values():
            if len(rows) > 1:
                doubles.update(rows)
        rows_of_need = {**self._needs, "double": sorted(doubles)}
        needs = {}
        for need in NEEDS:
            if rows_of_need.get(need):
                needs[need] = rows_of_need[need]
        return needs

    def data(self, homeworks: Sequence[str], maximum: float) -> dict[str, object]:
        """Return the compact data of the page's script: each text once, then only its number."""
        heads = []
        for homework_id in homeworks:
            points = _number(self.counts[homework_id].points)
            short = short_id(homework_id)
            heads.append({"id": homework_id, "short": short, "points": points})
        mistakes = []
        for homework_id, label in self.mistakes:
            reason = self.counts[homework_id].told(label)
            place = homeworks.index(homework_id)
            mistakes.append([place, for_screen(label), for_screen(reason)])
        needs = {}
        for need, numbers in self.needs.items():
            needs[need] = {"words": NEEDS[need], "rows": numbers}
        groups = []
        for shown_group in self.groups:
            numbers = [self._numbers[name] for name in shown_group.group.submissions]
            groups.append({"id": shown_group.group.id, "rows": numbers})
        rows = []
        for row in self.rows:
            cells = [row.points.get(homework_id, "") for homework_id in homeworks]
            rows.append([*row.head, cells, row.total, row.mistakes])
        return {
            "homeworks": heads,
            "mistakes": mistakes,
            "needs": needs,
            "groups": groups,
            "maximum": _number(maximum),
            "rows": rows,
        }


def write_report(
    path: Path,
    overview: Overview,
    homeworks: Sequence[str],
    maximum: float,
    remarks: Sequence[str] = (),
    unfinished: str = "",
) -> None:
    """Write the staff's page about a class.

    Args:
        path: the file.
        overview: the class.
        homeworks: those to be shown, as far as anybody handed them in.
        maximum: the points of all of them.
        remarks: what is still open.
        unfinished: says how far grading got, if it was stopped.
    """
    tally = overview.tally
    handed_in = []
    for name in homeworks:
        if name in overview.counts:
            handed_in.append(name)
    notices = [*tally.alarm, *remarks]
    if tally.recognition:
        notices.insert(0, tally.recognition)
    others = {}
    for file, words in OTHERS.items():
        if (path.parent / file).is_file():
            others[file] = words
    page(
        path,
        "report.html",
        overview=overview,
        homeworks=[overview.counts[homework_id] for homework_id in handed_in],
        data=overview.data(handed_in, maximum),
        remarks=notices,
        needs=NEEDS,
        MOST_NAMES=MOST_NAMES,
        MOST_PRAISED=MOST_PRAISED,
        WITH_PROBLEM=WITH_PROBLEM,
        causes=tally.causes[Status.IMPORT_FAILED].most_common(1),
        unfinished=unfinished,
        others=others,
        FIRST=FIRST,
    )


def _has_full_marks(homework: HomeworkGrade) -> bool:
    """Return whether all points are earned, or more; provisional ones are not."""
    if homework.earned is None or homework.awaiting or not homework.points:
        return False
    return homework.earned >= homework.points


def _owner_of(result: SubmissionGrade) -> Iterator[tuple[str, str]]:
    """Yield the traits that two submissions of one student share: ID or address, or else the name."""
    padded_person = (*result.person, "", "", "")  # without a roster it is empty
    name, student_id, email = padded_person[:3]
    if student_id:
        yield "id", student_id
    if email:
        yield "email", email.casefold()
    if not (student_id or email):
        yield "name", re.sub(r"[\W_]+", "", name or result.name).casefold()


def _without_numbers(reason: str) -> str:
    """Return a reason without the bracketed facts about numbers, cut to a few lines."""
    short = re.sub(r" \((?:[^()]|\([^()]*\))*\)$", "", reason)
    if len(short) > MOST_REASON:
        return f"{short[:MOST_REASON]}…"
    return short


def _number(points: float | None) -> object:
    """Return points as short as JSON can have them; a dash where there is no fair grade yet."""
    if points is None:
        return "–"
    if points == int(points):
        return int(points)
    return points
