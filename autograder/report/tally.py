"""What the staff should know of a class as a whole: what was recognised, and whether most has no grade."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field

from autograder.intake.matching import UNCLEAR
from autograder.intake.naming import listed
from autograder.sandbox.report import Status, escaped
from autograder.verdict.results import SubmissionResult

LEAST = 10
"""Of fewer submissions it alarms nobody when most have no grade."""
UNGRADED = {
    Status.NOT_SUBMITTED: (
        "nothing to grade was found",
        "check the paths and --homework",
    ),
    Status.IMPORT_FAILED: (
        "importing failed",
        "are all modules that the homework allows installed here?",
    ),
}
"""What a status without points says of submissions, and what to do or ask."""


@dataclass
class Tally:
    """Counts over the results of a class, taken one by one."""

    total: int = 0
    recognised: Counter[str] = field(default_factory=Counter)
    unclear: list[str] = field(default_factory=list)
    explanation_faults: list[str] = field(default_factory=list)
    causes: dict[Status, Counter[str]] = field(
        default_factory=lambda: {key: Counter() for key in UNGRADED}
    )

    def add(self, result: SubmissionResult) -> SubmissionResult:
        """Count one more, and return it."""
        self.total += 1
        self.recognised.update(
            one.homework for one in result.homeworks if one.recognised
        )
        if any(problem.cause == UNCLEAR for problem in result.problems):
            self.unclear.append(result.name)
        for one in result.homeworks:
            self.explanation_faults += [
                f"{result.name}, {fault}" for fault in one.explanation_faults
            ]
        if result.status in self.causes:
            self.causes[result.status][_cause(result)] += 1
        return result

    @property
    def recognition(self) -> str:
        """How many files were recognised as which homework, and whose are unclear; mostly nothing."""
        found = [
            f"{count} recognised as {homework}"
            for homework, count in sorted(self.recognised.items())
        ]
        unclear = (
            [f"{len(self.unclear)} unclear ({listed(self.unclear)})"]
            if self.unclear
            else []
        )
        return ", ".join([*found, *unclear])

    @property
    def alarm(self) -> list[str]:
        """Where most of a class could not be graded: how many, the commonest reason, and what to do."""
        most = sorted(self.causes.items(), key=lambda item: -item[1].total())
        if (
            self.total < LEAST
            or 2 * sum(causes.total() for _, causes in most) <= self.total
        ):
            return []
        return [
            f"{what} in {causes.total()} of {self.total} submissions ({hint}); most often ({count}): {cause}"
            for status, causes in most
            for what, hint in [UNGRADED[status]]
            for cause, count in causes.most_common(1)
        ]


def _cause(result: SubmissionResult) -> str:
    """Why a submission has no grade, in words that are equal for equal reasons: without file and line."""
    own = (one for one in result.homeworks if one.status == result.status)
    errors = (check.staff for one in own for check in one.checks if check.staff)
    if error := next(errors, ""):
        return escaped(re.sub(r" \([^()]*line \d+\)$", "", error.partition("\n")[0]))
    return next(
        (problem.cause or problem.text for problem in result.problems),
        "no reason is known",
    )
