"""The output folder of a batch: everything in it is written from the gradebook."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from autograder.cli.console import note
from autograder.course import Course, Homework
from autograder.judging import SubmissionResult
from autograder.records import (
    Gradebook,
    Line,
    Settlement,
    has_submission,
    remarks,
    settle,
    write_class,
    write_submission,
)

CHOSEN = "homeworks"


def choose(book: Gradebook, homeworks: Sequence[str]) -> None:
    """Remember which homeworks were asked for by name; none means all."""
    book.set(CHOSEN, json.dumps(list(homeworks)))


@dataclass(frozen=True)
class Results:
    """What counts for each submission, sorted by name; read anew at each iteration, never held as a whole."""

    settlement: Settlement

    def __iter__(self) -> Iterator[SubmissionResult]:
        return self.settlement.results()


@dataclass(frozen=True)
class _Lines:
    """The lines of the gradebook, read anew at each iteration."""

    book: Gradebook

    def __iter__(self) -> Iterator[Line]:
        return self.book.lines()


@dataclass
class _Sums:
    """What one look at each result leaves behind."""

    finals: dict[str, float | None] = field(default_factory=dict)
    most: dict[str, float] = field(default_factory=dict)

    def add(self, result: SubmissionResult) -> None:
        self.finals[result.name] = result.earned
        for one in result.homeworks:
            self.most[one.homework] = max(self.most.get(one.homework, 0.0), one.points)


def publish(book: Gradebook, course: Course, folder: Path) -> Results:
    """Settle the gradebook, store what counts, write every file that shows it, and say what is open.

    Raises:
        PolicyError: the policy is wrong.
    """
    settlement = settle(book, course)
    sums = _Sums()
    book.keep_lines(_apply(book, settlement, sums))
    book.keep_finals(sums.finals)
    results = Results(settlement)
    _write_submissions(book, folder, results)
    chosen = json.loads(book.find_setting(CHOSEN) or "[]")
    homeworks = course.homeworks(chosen)
    maximum = _maximum(homeworks, sums, settlement, all_count=bool(chosen))
    lines = _Lines(book)
    write_class(folder, results, [one.id for one in homeworks], maximum, lines)
    for line in remarks(book, settlement, lines):
        note(line)
    return results


def _apply(book: Gradebook, settlement: Settlement, sums: _Sums) -> Iterator[Line]:
    for raw in book.results():
        result, lines = settlement.apply(raw)
        sums.add(result)
        yield from lines


def _write_submissions(book: Gradebook, folder: Path, results: Results) -> None:
    """Write the files of submissions whose adjustments they do not show yet, and files that are missing."""
    shown = book.shown()
    changed = {}
    for result in results:
        adjustments = _adjustments(result)
        if shown[result.name] != adjustments or not has_submission(folder, result.name):
            write_submission(folder, result)
            changed[result.name] = adjustments
    book.set_shown(changed)


def _adjustments(result: SubmissionResult) -> str:
    """Everything about a result that does not come from its checks, as text; "" when there is nothing."""
    found = [
        [one.homework, one.points, one.final, [asdict(change) for change in one.changes], one.awaiting]
        for one in result.homeworks
        if one.changes or one.awaiting
    ]
    return json.dumps(found) if found else ""


def _maximum(
    homeworks: Sequence[Homework],
    sums: _Sums,
    settlement: Settlement,
    *,
    all_count: bool,
) -> float:
    """Count the homeworks that anyone handed in, or all that were asked for by name.

    Of each homework, theory questions and marks by hand count where anyone has them; extra credit never.
    """
    counted = [one for one in homeworks if all_count or not sums.most or one.id in sums.most]
    return sum(sums.most.get(one.id, settlement.policy.maximum(one)) for one in counted)
