"""Where the grading of a class stands: what is graded, what waits for a person, and which rules hold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from autograder.gradebook.book import Gradebook, Unfinished
from autograder.gradebook.decisions import PolicyLine
from autograder.policy.decision_input import nobodys_decisions
from autograder.policy.grade import SubmissionGrade
from autograder.policy.policy import Policy
from autograder.policy.settlement import Settlement
from autograder.report.exports import asides_of
from autograder.report.last_exports import (
    TOTAL,
    LastExport,
    exports_of_points,
    last_exports,
    outdated_exports,
    outdated_feedback,
)
from autograder.report.needs import needs_of
from autograder.report.submission_page import state_of
from autograder.sandbox.report import Status


@dataclass(frozen=True)
class ClassSituation:
    """Where the grading of a class stands.

    Attributes:
        statuses: how many submissions have which status.
        graded: how many were graded in each homework.
        unmarked: how many written answers wait for a mark, by homework.
        failed: submissions without a fair grade, for our fault.
        unclear: submissions of which a person has to say what to grade.
        empty: submissions in which nothing could be graded.
        outdated: submissions that were handed in again after a decision.
        without_time: submissions whose lateness may cost points, and of which no time is known.
        nobodys: what kept times and extensions name that no submission has.
        withdrawn: submissions that count nowhere, with the reasons.
        unfinished: how far a run came that was stopped, if the last one was.
        policy: the rules in force.
        exports: the last exports, the latest at the end.
        outdated_exports: homeworks, or the total, whose points have changed since each was last exported.
        outdated_feedback: the exports of feedback since which points have changed.
        outdated_pages: submissions whose feedback does not show what counts now, such as after a change of
            the rules.
    """

    statuses: Mapping[Status, int]
    graded: Mapping[str, int]
    unmarked: Mapping[str, int]
    failed: Sequence[str]
    unclear: Sequence[str]
    empty: Sequence[str]
    outdated: Sequence[str]
    without_time: Sequence[str]
    nobodys: Sequence[str]
    withdrawn: Mapping[str, str]
    unfinished: Unfinished | None
    policy: Policy
    exports: Sequence[LastExport]
    outdated_exports: Sequence[str]
    outdated_feedback: Sequence[LastExport] = ()
    outdated_pages: Sequence[str] = ()

    @property
    def never_exported(self) -> Sequence[str]:
        """The homeworks that were graded and are in no export."""
        exported = {export.what for export in exports_of_points(self.exports)}
        if TOTAL in exported:
            return []
        never_exported = []
        for homework in self.graded:
            if homework not in exported:
                never_exported.append(homework)
        return never_exported


def situation_of(book: Gradebook, settlement: Settlement) -> ClassSituation:
    """Gather where the grading of a class stands; reads only."""
    statuses: Counter[Status] = Counter()
    graded: Counter[str] = Counter()
    unmarked: Counter[str] = Counter()
    failed = []
    unclear = []
    empty = []
    without_time = []
    grades: list[SubmissionGrade] = []
    states_shown = book.shown()
    asides = asides_of(book)
    outdated_pages = []
    for result in book.counted():
        grade, lines = settlement.apply(result)
        grades.append(grade)
        if states_shown[grade.name] != state_of(grade, asides.get(grade.name, {})):
            outdated_pages.append(grade.name)
        statuses[grade.status] += 1
        for line in lines:
            graded[line.homework] += 1
            unmarked[line.homework] += len(line.awaiting)
        if any(_lacks_time(settlement.policy, line) for line in lines):
            without_time.append(grade.name)

        needs = set(needs_of(grade))
        if "failed" in needs:
            failed.append(grade.name)
        elif "unclear" in needs:
            unclear.append(grade.name)
        elif "empty" in needs:
            empty.append(grade.name)

    withdrawn = book.decisions.withdrawn()
    outdated = []
    for decided in book.decisions.outdated():
        if decided.submission not in withdrawn:
            outdated.append(decided.submission)
    exports = last_exports(book)
    return ClassSituation(
        statuses=statuses,
        graded=graded,
        unmarked=+unmarked,
        failed=failed,
        unclear=unclear,
        empty=empty,
        outdated=list(dict.fromkeys(outdated)),
        without_time=without_time,
        nobodys=nobodys_decisions(book),
        withdrawn=withdrawn,
        unfinished=book.unfinished(),
        policy=settlement.policy,
        exports=exports,
        outdated_exports=outdated_exports(exports, grades),
        outdated_feedback=outdated_feedback(exports, grades),
        outdated_pages=outdated_pages,
    )


def _lacks_time(policy: Policy, line: PolicyLine) -> bool:
    """Return whether it is unknown when a homework was handed in, while lateness may cost points."""
    rules = policy.of(line.homework)
    may_cost = bool(rules.due and (rules.penalty_per_day or policy.late_days))
    return may_cost and line.submitted_at is None and line.override is None
