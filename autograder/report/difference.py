"""Differences between two gradebooks: whose points, on which check, and why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from autograder.course.homework import by_number
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
class GradedHomework:
    """One homework of one submission in one gradebook; either part may be missing."""

    result: HomeworkResult | None
    line: PolicyLine | None

    @property
    def raw(self) -> float | None:
        """The points of the checks."""
        if self.result is None:
            return None
        return self.result.raw

    @property
    def final(self) -> float | None:
        """The points that count."""
        if self.line is None:
            return self.raw
        return self.line.final

    @property
    def by_policy(self) -> float:
        """How many of the points that count do not come from the checks."""
        return round((self.final or 0.0) - (self.raw or 0.0), 6)

    @property
    def checks(self) -> Mapping[str, CheckResult]:
        if self.result is None:
            return {}
        return {check.check: check for check in self.result.checks}


MISSING = GradedHomework(None, None)


@dataclass(frozen=True)
class ComparedGradebook:
    """One of the two gradebooks, read as a whole, by submission and homework."""

    results: Mapping[str, SubmissionResult]
    origins: Mapping[tuple[str, str], Origin]
    homeworks: Mapping[str, Mapping[str, GradedHomework]]

    def origin(self, name: str, homework: str) -> Origin:
        """What the grade of a homework was made from, or else the submission's last grade."""
        return self.origins.get((name, homework), self.origins[name, ""])

    def total(self, name: str) -> float | None:
        """The points of a submission that count, or None while the grader owes some, or there is none."""
        if name not in self.results or self.results[name].fault:
            return None
        total = 0.0
        for homework in self.homeworks.get(name, {}).values():
            if homework.final is None:
                return None
            total += homework.final
        return round(total, 6)


def read_side(book: Gradebook) -> ComparedGradebook:
    """Read a gradebook for comparison."""
    results = {result.name: result for result in book.counted()}
    homeworks: dict[str, dict[str, GradedHomework]] = {}
    for name, submission in results.items():
        homeworks[name] = {}
        for homework in submission.homeworks:
            homeworks[name][homework.homework] = GradedHomework(homework, None)
    for line in book.lines():
        if line.submission in results:  # a grading run may be adding others meanwhile
            result = results[line.submission].homework(line.homework)
            graded = GradedHomework(result, line)
            homeworks[line.submission][line.homework] = graded
    return ComparedGradebook(results, book.origins(), homeworks)


def compare(
    before: ComparedGradebook, after: ComparedGradebook
) -> Iterator[Difference]:
    """Yield the differences, sorted by submission and homework."""
    for name in sorted(before.results.keys() | after.results.keys()):
        if name not in before.results or name not in after.results:
            why = "no such submission any more"
            if name in after.results:
                why = "new submission"
            old_total = before.total(name)
            yield Difference(name, "", "", old_total, after.total(name), why, why)
            continue
        old_homeworks = before.homeworks[name]
        new_homeworks = after.homeworks[name]
        homeworks = old_homeworks.keys() | new_homeworks.keys()
        for homework in sorted(homeworks, key=by_number):
            old = old_homeworks.get(homework, MISSING)
            new = new_homeworks.get(homework, MISSING)
            old_origin = before.origin(name, homework)
            new_origin = after.origin(name, homework)
            cause = _cause(old_origin, new_origin)
            yield from _compare_homeworks(name, homework, old, new, cause)


def _compare_homeworks(
    name: str, homework: str, before: GradedHomework, after: GradedHomework, cause: str
) -> Iterator[Difference]:
    if before.raw is None or after.raw is None:
        old_state = (before.final, before.result is None)
        if old_state == (after.final, after.result is None):
            return
        if after.result is None and after.line is None:
            why = "not handed in any more"
        elif after.result is None:
            why = "points by hand only"
        elif before.result is None:
            why = "not handed in before"
        elif after.raw is None:
            why = "the grader itself failed after, not the student"
        else:
            why = "the grader itself failed before, not the student"
        yield Difference(name, homework, "", before.final, after.final, why, cause)
        return

    for check in dict.fromkeys([*before.checks, *after.checks]):
        old = before.checks.get(check)
        new = after.checks.get(check)
        old_points = None
        if old is not None:
            old_points = old.earned
        new_points = None
        if new is not None:
            new_points = new.earned
        if old_points != new_points:
            why = _why(old, new)
            yield Difference(name, homework, check, old_points, new_points, why, cause)
    if before.by_policy != after.by_policy:
        why = "nothing any more"
        if after.line and after.line.reasons:
            why = " ".join(after.line.reasons)
        yield Difference(
            submission=name,
            homework=homework,
            subject=POLICY,
            before=before.by_policy,
            after=after.by_policy,
            why=why,
            cause="policy or decisions",
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
    causes = []
    if before.content != after.content:
        causes.append("other code")
    if before.graders != after.graders:
        # Of the graders' files there is only a fingerprint; seed and versions are known by name.
        details = []
        if before.seed is not None and after.seed is not None:
            old = {"seed": str(before.seed), **before.versions}
            new = {"seed": str(after.seed), **after.versions}
            for name in old | new:
                old_value = old.get(name)
                new_value = new.get(name)
                if old_value != new_value:
                    details.append(f"{name} {old_value} → {new_value}")
        listed = ""
        if details:
            listed = f" ({', '.join(details)})"
        causes.append(f"other graders{listed}")
    return " and ".join(causes) or "same code and graders"
