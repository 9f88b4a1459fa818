"""The student's page by task: which checks give no points for which reason, and what shows it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from autograder.policy.grade import HomeworkGrade
from autograder.verdict.checks import CheckResult, Outcome
from autograder.verdict.results import groups_by_reason
from autograder.verdict.work import Exhibit


@dataclass(frozen=True)
class MissedChecks:
    """Checks of one task that give no points for one reason, and the public cases that show it.

    ``group`` are all checks of the homework that fail for this reason, first the one that states it.
    """

    checks: Sequence[CheckResult]
    group: Sequence[CheckResult]
    exhibits: Sequence[Exhibit]


@dataclass(frozen=True)
class TaskPart:
    """The part of a student's page about one task; ``exhibits`` are those that no single reason explains."""

    name: str
    checks: Sequence[CheckResult]
    missed: Sequence[MissedChecks]
    exhibits: Sequence[Exhibit]


def task_parts(homework: HomeworkGrade) -> list[TaskPart]:
    """Return a homework by task; where it gives no hints, there are no exhibits, and no groups that hint."""
    has_hints = homework.hints != "never"
    group_of: dict[str, Sequence[CheckResult]] = {}
    checks_of_task: dict[str, list[CheckResult]] = {}
    for check in homework.checks:
        group_of[check.check] = [check]
        checks_of_task.setdefault(check.task, []).append(check)
    if has_hints:
        for equal_checks in groups_by_reason(homework.checks):
            for check in equal_checks:
                group_of[check.check] = equal_checks

    parts = []
    for task, checks in checks_of_task.items():
        # Failed checks by the head of their group, others that give no points by their reason.
        missed = defaultdict[tuple[Outcome, str], list[CheckResult]](list)
        for check in checks:
            if check.outcome is Outcome.FAILED:
                head = group_of[check.check][0]
                missed[check.outcome, head.check].append(check)
            elif check.outcome is not Outcome.PASSED:
                missed[check.outcome, check.reason].append(check)

        # An exhibit belongs to a reason whose checks are all that failed on it.
        exhibits: list[Exhibit] = []
        if homework.work and has_hints:
            for exhibit in homework.work.shown:
                if exhibit.task == task:
                    exhibits.append(exhibit)
        parts_missed = []
        for missed_checks in missed.values():
            names = {check.check for check in missed_checks}
            of_reason = []
            others = []
            for exhibit in exhibits:
                if exhibit.checks and names.issuperset(exhibit.checks):
                    of_reason.append(exhibit)
                else:
                    others.append(exhibit)
            exhibits = others
            group = group_of[missed_checks[0].check]
            parts_missed.append(MissedChecks(missed_checks, group, of_reason))
        parts.append(TaskPart(task, checks, parts_missed, exhibits))
    return parts
