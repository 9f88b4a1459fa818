"""What differs between two gradebooks: whose points, on which check, and why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from autograder.gradebook.book import Gradebook
from autograder.gradebook.decisions import PolicyLine
from autograder.gradebook.fingerprint import Origin
from autograder.verdict.checks import CheckResult, Outcome
from autograder.verdict.results import HomeworkResult, SubmissionResult

POLICY = "policy"
"""The subject of a difference that does not come from a check."""


@dataclass(frozen=True)
class Difference:
    """A change of points: of a check, by the policy, or (blank subject) of a homework or submission.

    ``before`` and ``after`` are None where there are no points. ``why`` is what the student reads, ``cause``
    what was different between the two gradings.
    """

    submission: str
    homework: str
    subject: str
    before: float | None
    after: float | None
    why: str
    cause: str


@dataclass(frozen=True)
class Work:
    """One homework of one submission in one gradebook; either part may be missing."""

    result: HomeworkResult | None
    line: PolicyLine | None

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
        """How many of the points that count do not come from the checks."""
        return round((self.final or 0.0) - (self.raw or 0.0), 6)

    @property
    def checks(self) -> Mapping[str, CheckResult]:
        return (
            {}
            if self.result is None
            else {check.check: check for check in self.result.checks}
        )


@dataclass(frozen=True)
class Side:
    """One of the two gradebooks, read as a whole; works by submission and homework."""

    results: Mapping[str, SubmissionResult]
    origins: Mapping[tuple[str, str], Origin]
    works: Mapping[str, Mapping[str, Work]]

    def total(self, name: str) -> float | None:
        """The points of a submission that count, or None while the grader owes some, or there is none."""
        finals = [work.final for work in self.works.get(name, {}).values()]
        known = [points for points in finals if points is not None]
        is_fair = (
            name in self.results
            and not self.results[name].fault
            and len(known) == len(finals)
        )
        return round(sum(known), 6) if is_fair else None


def read_side(book: Gradebook) -> Side:
    """Read a gradebook for comparison."""
    results = {result.name: result for result in book.results()}
    works: dict[str, dict[str, Work]] = {
        name: {one.homework: Work(one, None) for one in result.homeworks}
        for name, result in results.items()
    }
    for line in book.lines():
        if line.submission in results:  # a grading run may be adding others meanwhile
            result = results[line.submission].homework(line.homework)
            works[line.submission][line.homework] = Work(result, line)
    return Side(results, book.origins(), works)


def compare(before: Side, after: Side) -> Iterator[Difference]:
    """Yield what differs, sorted by submission and homework."""
    nothing = Work(None, None)
    for name in sorted(before.results.keys() | after.results.keys()):
        if name not in before.results or name not in after.results:
            why = (
                "new submission"
                if name in after.results
                else "no such submission any more"
            )
            yield Difference(
                name, "", "", before.total(name), after.total(name), why, why
            )
        else:
            old, new = before.works[name], after.works[name]
            for homework in sorted(old.keys() | new.keys()):
                works = old.get(homework, nothing), new.get(homework, nothing)
                made = (
                    side.origins.get((name, homework), side.origins[name, ""])
                    for side in (before, after)
                )
                yield from _compare_works(name, homework, *works, _cause(*made))


def _compare_works(
    name: str, homework: str, before: Work, after: Work, cause: str
) -> Iterator[Difference]:
    if before.raw is None or after.raw is None:
        if (before.final, before.result is None) == (after.final, after.result is None):
            return
        if after.result is None:
            why = (
                "not handed in any more"
                if after.line is None
                else "points by hand alone"
            )
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
            yield Difference(name, homework, check, was, now, _why(old, new), cause)
    if before.by_policy != after.by_policy:
        why = (
            " ".join(after.line.reasons)
            if after.line and after.line.reasons
            else "nothing any more"
        )
        yield Difference(
            name,
            homework,
            POLICY,
            before.by_policy,
            after.by_policy,
            why,
            "policy or decisions",
        )


def _why(old: CheckResult | None, new: CheckResult | None) -> str:
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
        details = [
            f"{n} {old.get(n)} → {new.get(n)}"
            for n in known
            if old.get(n) != new.get(n)
        ]
        other.append(
            f"other graders ({', '.join(details)})" if details else "other graders"
        )
    return " and ".join(other) or "same code and graders"
