"""Facts about a class as a whole: the recognised homeworks, and whether most submissions have no grade."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field, replace

from autograder.course.homework import by_number
from autograder.intake.matching import UNCLEAR
from autograder.intake.naming import listed
from autograder.policy.grade import SubmissionGrade
from autograder.report.needs import NEEDS, OF_FILES, needs_of
from autograder.sandbox.report import Status
from autograder.untrusted_text import for_screen
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
    """Counts over the results of a class, taken one by one.

    ``settled`` has the homeworks of submissions whose points a person has set, so that nobody looks again.
    """

    settled: Collection[tuple[str, str]] = ()
    statuses: Counter[Status] = field(default_factory=Counter)
    recognised: Counter[str] = field(default_factory=Counter)
    unclear: list[str] = field(default_factory=list)
    broken_checks: set[str] = field(default_factory=set)
    explanation_faults: list[str] = field(default_factory=list)
    of_files: dict[str, list[str]] = field(
        default_factory=lambda: {need: [] for need in OF_FILES}
    )
    causes: dict[Status, Counter[str]] = field(
        default_factory=lambda: {key: Counter() for key in UNGRADED}
    )

    def add(self, result: SubmissionResult) -> None:
        """Count one more."""
        self.statuses[result.status] += 1
        causes = {problem.cause for problem in result.problems}
        if UNCLEAR in causes:
            self.unclear.append(result.name)
        grade = result
        if not isinstance(grade, SubmissionGrade):
            grade = SubmissionGrade.of(result)
        homeworks = []
        for homework_grade in grade.homeworks:
            if (result.name, homework_grade.homework) in self.settled:
                homework_grade = replace(homework_grade, is_settled=True)
            homeworks.append(homework_grade)
        for need in needs_of(replace(grade, homeworks=tuple(homeworks))):
            if need in self.of_files:
                self.of_files[need].append(result.name)
        for homework in result.homeworks:
            if homework.recognised:
                self.recognised[homework.homework] += 1
            for check in homework.not_judged:
                if check.fault:
                    self.broken_checks.add(check.check)
            for fault in homework.explanation_faults:
                self.explanation_faults.append(f"{result.name}, {fault}")
        if result.status in self.causes:
            self.causes[result.status][_cause(result)] += 1

    @property
    def recognition(self) -> str:
        """How many files were recognised as which homework, and whose are unclear; mostly nothing."""
        facts = []
        for homework_id in sorted(self.recognised, key=by_number):
            facts.append(f"{self.recognised[homework_id]} recognised as {homework_id}")
        if self.unclear:
            facts.append(f"{len(self.unclear)} unclear ({listed(self.unclear)})")
        return ", ".join(facts)

    @property
    def doubts_about_files(self) -> list[str]:
        """Whose files are probably not what was meant: a line for each kind."""
        lines = []
        for need, names in self.of_files.items():
            if names:
                lines.append(f"{NEEDS[need]} ({len(names)}): {listed(names)}")
        return lines

    @property
    def alarm(self) -> list[str]:
        """If most of a class could not be graded: how many, the commonest reason, and the remedy."""
        ungraded = sum(map(Counter.total, self.causes.values()))
        total = self.statuses.total()
        if total < LEAST or 2 * ungraded <= total:
            return []
        lines = []
        most_frequent_first = sorted(
            self.causes.items(), key=lambda item: -item[1].total()
        )
        for status, causes in most_frequent_first:
            if not causes:
                continue
            fact, hint = UNGRADED[status]
            [(cause, count)] = causes.most_common(1)
            lines.append(
                f"{fact} in {causes.total()} of {total} submissions ({hint}); "
                f"most often ({count}): {cause}"
            )
        return lines


def _cause(result: SubmissionResult) -> str:
    """Why a submission has no grade, in words that are equal for equal reasons: without file and line."""
    for homework in result.homeworks:
        if homework.status != result.status:
            continue
        for check in homework.checks:
            if check.staff:
                error = check.staff.partition("\n")[0]
                return for_screen(re.sub(r" \([^()]*line \d+\)$", "", error))
    for problem in result.problems:
        return problem.cause or problem.text
    return "no reason is known"
