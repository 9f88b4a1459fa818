"""Settle a gradebook: what counts for each submission, computed from what is kept and never from code."""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from autograder.course import Course, Homework
from autograder.intake import Owner
from autograder.judging import HomeworkResult, SubmissionResult
from autograder.records.book import Gradebook
from autograder.records.decisions import Mark, Override, Times
from autograder.records.ledger import Line
from autograder.records.points import Decided, Handed, adjust, line_of, spend
from autograder.records.policy import FILE_NAME, Lateness, Policy, parse_policy, read_policy
from autograder.sandbox import Status

SETTING = "policy"
Key = tuple[str, str]
"""A submission's name and a homework's id."""
Decision = TypeVar("Decision", Override, Mark)


@dataclass(frozen=True)
class Settlement:
    """Everything that decides which points count; ``apply`` settles one submission."""

    book: Gradebook
    policy: Policy
    homeworks: Mapping[str, Homework]
    lateness: Mapping[Key, Lateness]
    overrides: Mapping[Key, Sequence[Override]]
    marks: Mapping[Key, Sequence[Mark]]
    granted: Mapping[str, Set[str]]

    def results(self) -> Iterator[SubmissionResult]:
        """Yield all results with the points that count, sorted by name; ``earned`` are those points."""
        return (self.apply(result)[0] for result in self.book.results())

    def apply(self, result: SubmissionResult) -> tuple[SubmissionResult, list[Line]]:
        """Return a result with the points that count, and a line per homework."""
        before = [*result.homeworks, *self._only_decided(result)]
        decided = [self.decided(result.name, one.homework) for one in before]
        after = [adjust(one, what) for one, what in zip(before, decided, strict=True)]
        lines = [line_of(result.name, *three) for three in zip(before, after, decided, strict=True)]
        return replace(result, homeworks=tuple(after)), lines

    def decided(self, name: str, homework: str) -> Decided:
        """Return what bears on one homework of one submission."""
        key = (name, homework)
        own = self.homeworks.get(homework)
        return Decided(
            rules=self.policy.of(homework),
            late=self.lateness.get(key, Lateness()),
            overrides=self.overrides.get(key, ()),
            marks=self.marks.get(key, ()),
            extra=own.points - self.policy.maximum(own) if own else 0.0,
        )

    def _only_decided(self, result: SubmissionResult) -> Iterator[HomeworkResult]:
        """Yield homeworks that were not handed in, and yet a person gave points for."""
        granted = self.granted.get(result.name, frozenset()) & self.homeworks.keys()
        for homework_id in sorted(granted - {one.homework for one in result.homeworks}):
            own = self.homeworks[homework_id]
            yield HomeworkResult(own.id, own.title, Status.GRADED, own.points, hints=own.hints)


def settle(book: Gradebook, course: Course) -> Settlement:
    """Gather what decides the points that count; reads only.

    Raises:
        PolicyError: the policy is wrong.
        CourseError: the course is.
    """
    policy = load_policy(book, course)
    overrides, marks = book.decisions.overrides(), book.decisions.marks()
    granted: defaultdict[str, set[str]] = defaultdict(set)  # what has points even if it was never handed in
    counting = [mark for mark in marks if mark.points is not None]
    decisions: list[Override | Mark] = [*(one for one in overrides if one.is_whole), *counting]
    for one in decisions:
        granted[one.submission].add(one.homework)
    return Settlement(
        book=book,
        policy=policy,
        homeworks={homework.id: homework for homework in course.homeworks()},
        lateness=spend(_handed(book), policy.rules, policy.late_days, book.decisions.spent_elsewhere()),
        overrides=_by_key(overrides),
        marks=_by_key(marks),
        granted=dict(granted),
    )


def submitted_at(name: str, homework: str, times: Times, owner: Owner | None) -> dt.datetime | None:
    """Return when a homework was handed in: what a person said, else what the platform says."""
    told = times.get((name, homework)) or times.get((name, ""))
    return told or (owner.submitted_at if owner else None)


def _handed(book: Gradebook) -> Iterator[Handed]:
    times, owners = book.decisions.times(), book.owners()
    for name, homework in book.hand_ins():
        owner = owners.get(name)
        student = owner.student_id if owner and owner.student_id else name
        time = submitted_at(name, homework, times, owner)
        if time is not None:
            yield Handed(student, name, homework, time)


def _by_key(decisions: Sequence[Decision]) -> dict[Key, list[Decision]]:
    found: defaultdict[Key, list[Decision]] = defaultdict(list)
    for one in decisions:
        found[one.submission, one.homework].append(one)
    return dict(found)


def load_policy(book: Gradebook, course: Course) -> Policy:
    """Return the policy that holds for a gradebook.

    Raises:
        PolicyError: it is wrong; the message names the key.
    """
    kept = book.find_setting(SETTING)
    if kept:
        return parse_policy(kept, course, "the policy kept in the gradebook (name a new one with --policy)")
    own = course.root / FILE_NAME
    return read_policy(own, course) if own.is_file() else parse_policy("", course, "no policy")


def keep_policy(book: Gradebook, course: Course, path: Path) -> None:
    """Let a policy's file, as it is now, hold for a gradebook; the course's own holds as it will be then.

    Raises:
        PolicyError: it is wrong, and the gradebook keeps the one it had.
    """
    read_policy(path, course)
    is_own = path.resolve() == (course.root / FILE_NAME).resolve()
    book.set(SETTING, "" if is_own else path.read_text(encoding="utf-8"))
