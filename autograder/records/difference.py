"""What differs between two gradebooks: whose points, on which check, and why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from autograder.judging import CheckResult, HomeworkResult, Outcome, SubmissionResult
from autograder.records.book import Gradebook
from autograder.records.fingerprint import Origin
from autograder.records.points import Line

POLICY = "policy"
"""The subject of a difference that no check made."""


@dataclass(frozen=True)
class Difference:
    """Other points: of a check, by the policy, or (with a blank subject) of a homework or submission.

    ``before`` and ``after`` are None where there are no points. ``why`` tells what the student reads,
    ``cause`` what was different between the two gradings.
    """

    submission: str
    homework: str
    subject: str
    before: float | None
    after: float | None
    why: str
    cause: str


@dataclass(frozen=True)
class Side:
    """One of the two gradebooks, read as a whole."""

    results: Mapping[str, SubmissionResult]
    origins: Mapping[str, Origin]
    lines: Mapping[tuple[str, str], Line]


@dataclass(frozen=True)
class Work:
    """One homework of one submission in one gradebook; either part may be missing."""

    result: HomeworkResult | None
    line: Line | None

    @property
    def raw(self) -> float | None:
        """The points of the checks."""
        return None if self.result is None else self.result.raw

    @property
    def final(self) -> float | None:
        """The points that count."""
        return self.raw if self.line is None else self.line.final

    @property
    def by_policy(self) -> float:
        """How many of the points that count come from elsewhere than the checks."""
        return round((self.final or 0.0) - (self.raw or 0.0), 6)

    @property
    def checks(self) -> Mapping[str, CheckResult]:
        """The checks by name."""
        return {} if self.result is None else {check.check: check for check in self.result.checks}


def read_side(book: Gradebook) -> Side:
    """Read a gradebook for comparison."""
    lines = {(line.submission, line.homework): line for line in book.lines()}
    return Side({result.name: result for result in book.results()}, book.origins(), lines)


def compare(before: Side, after: Side) -> Iterator[Difference]:
    """Yield what differs, sorted by submission and homework."""
    for name in sorted(before.results.keys() | after.results.keys()):
        if name not in before.results:
            why = "new submission"
            yield Difference(name, "", "", None, _total(after, name), why, why)
        elif name not in after.results:
            why = "no such submission any more"
            yield Difference(name, "", "", _total(before, name), None, why, why)
        else:
            cause = _cause(before.origins[name], after.origins[name])
            for homework in _homeworks(name, before, after):
                works = (_work(before, name, homework), _work(after, name, homework))
                yield from _compare_works(name, homework, *works, cause)


def _total(side: Side, name: str) -> float | None:
    finals = [_work(side, name, homework).final for homework in _homeworks(name, side)]
    known = [points for points in finals if points is not None]
    return None if side.results[name].fault or len(known) < len(finals) else round(sum(known), 6)


def _homeworks(name: str, *sides: Side) -> list[str]:
    found = {one.homework for side in sides for one in side.results[name].homeworks}
    return sorted(found | {homework for side in sides for own, homework in side.lines if own == name})


def _work(side: Side, name: str, homework: str) -> Work:
    return Work(side.results[name].homework(homework), side.lines.get((name, homework)))


def _compare_works(name: str, homework: str, before: Work, after: Work, cause: str) -> Iterator[Difference]:
    if before.raw is None or after.raw is None:
        if (before.final, before.result is None) == (after.final, after.result is None):
            return
        if after.result is None:
            why = "not handed in any more" if after.line is None else "points by hand alone"
        elif before.result is None:
            why = "not handed in before"
        else:
            why = f"the grader itself failed {'after' if after.raw is None else 'before'}, not the student"
        yield Difference(name, homework, "", before.final, after.final, why, cause)
        return
    for check in dict.fromkeys([*before.checks, *after.checks]):
        old, new = before.checks.get(check), after.checks.get(check)
        was, now = (None if one is None else one.earned for one in (old, new))
        if was != now:
            yield Difference(name, homework, check, was, now, _reasons(old, new), cause)
    if before.by_policy != after.by_policy:
        why = " ".join(after.line.reasons) if after.line and after.line.reasons else "nothing any more"
        yield Difference(
            name, homework, POLICY, before.by_policy, after.by_policy, why, "policy or decisions"
        )


def _reasons(old: CheckResult | None, new: CheckResult | None) -> str:
    if new is None:
        return "the check is gone"
    if old is None:
        return f"new check. {new.reason}".strip()
    if new.outcome is Outcome.PASSED:
        return f"passes now; before: {old.reason}"
    return new.reason


def _cause(before: Origin, after: Origin) -> str:
    other = []
    if before.content != after.content:
        other.append("other code")
    if before.graders != after.graders:
        # Their own files are a fingerprint and no more; seed and versions are known by name.
        old, new = ({"seed": str(one.seed), **one.versions} for one in (before, after))
        known = old | new if before.seed is not None and after.seed is not None else ()
        details = [f"{n} {old.get(n)} → {new.get(n)}" for n in known if old.get(n) != new.get(n)]
        other.append(f"other graders ({', '.join(details)})" if details else "other graders")
    return " and ".join(other) or "same code and graders"
