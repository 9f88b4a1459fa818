"""Settle a gradebook: what counts for each submission, computed from what is kept and never from code."""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from autograder.course.course import Course
from autograder.course.homework import Homework
from autograder.gradebook.book import Gradebook
from autograder.gradebook.decisions import Mark, Override, PolicyLine
from autograder.intake.naming import listed
from autograder.intake.submission import Owner
from autograder.policy.comments import comments_for
from autograder.policy.decision_input import EXTENSIONS, Names, load_policy
from autograder.policy.points import Decided, adjust, line_of
from autograder.policy.policy import Lateness, Policy, Rules
from autograder.sandbox.report import Status
from autograder.verdict.results import HomeworkResult, SubmissionResult

ALONE = "Late days are counted as if none had been used on another homework, so the final grade may differ."
MOST_QUOTED_BITS = 1 << 16
"""What all pages of a student's homework together may quote: about 40 gradings of 25 checks."""
SILENT = (
    "This homework was graded so often that its page gives points and no reasons any more. "
    "Your instructor sees them."
)
DAY = dt.timedelta(days=1)
Key = tuple[str, str]
"""A submission's name and a homework's id."""
Decision = TypeVar("Decision", Override, Mark)


@dataclass(frozen=True)
class Settlement:
    """Everything that decides which points count; ``apply`` settles one submission."""

    book: Gradebook
    policy: Policy
    homeworks: Mapping[str, Homework]
    owners: Mapping[str, Owner]
    decided: Mapping[Key, Decided]
    silent: frozenset[Key]

    def results(self) -> Iterator[SubmissionResult]:
        """Yield all results with the points that count, sorted by name; ``earned`` are those points."""
        return (self.apply(result)[0] for result in self.book.results())

    __iter__ = results  # read again at each iteration and never held as a whole

    def apply(
        self, result: SubmissionResult
    ) -> tuple[SubmissionResult, list[PolicyLine]]:
        """Return a result with the points that count, and a line per homework."""
        homeworks = list(result.homeworks)
        handed_in = {one.homework for one in homeworks}
        for homework_id, own in sorted(self.homeworks.items()):
            # One that was not handed in counts as well where a person gave points for it.
            decided = self.decided.get((result.name, homework_id))
            if decided and decided.grants and homework_id not in handed_in:
                homeworks.append(
                    HomeworkResult(
                        own.id, own.title, Status.GRADED, own.points, hints=own.hints
                    )
                )
        after, lines = [], []
        for one in homeworks:
            decided = self.decided[result.name, one.homework]
            after.append(
                replace(adjust(one, decided), shown=decided.rules.hidden_checks)
            )
            if (result.name, one.homework) in self.silent:
                after[-1] = replace(
                    after[-1],
                    hints="never",
                    shown="hidden",
                    notes=(*after[-1].notes, SILENT),
                )
            if self.policy.alone and decided.late.used:
                after[-1] = replace(after[-1], notes=(*after[-1].notes, ALONE))
            lines.append(line_of(result.name, one, after[-1], decided))
        person = _person(self.owners.get(result.name), lines)
        return replace(result, homeworks=tuple(after), person=person), lines


def settle(book: Gradebook, course: Course) -> Settlement:
    """Gather what decides the points that count; reads only."""
    policy, names = load_policy(book, course), Names(book)
    owners, handed, rules = book.owners(), [], {}
    # What was written about a student before they handed in may name the student.
    times = {
        (names.find(text), one): time
        for (text, one), time in book.decisions.times().items()
    }
    rows = (
        *policy.extensions.items(),
        *book.decisions.times("extensions").items(),
    )  # the last one counts
    extended = {
        (name, one): due for (text, one), due in rows for name in names.all(text)
    }
    for name, homework, submitted_at in book.homeworks():
        own_due = extended.get((name, homework), extended.get((name, "")))
        rules[name, homework] = policy.of(homework).extended(own_due)
        # A time that a person gave replaces the platform's.
        time = times.get((name, homework)) or times.get((name, "")) or submitted_at
        if time is not None:
            handed.append(
                Handed(
                    _student(owners, name), name, homework, time, rules[name, homework]
                )
            )
    homeworks = {homework.id: homework for homework in course.homeworks()}
    overrides, marks = (
        _by_key(book.decisions.overrides()),
        _by_key(book.decisions.marks()),
    )
    comments = comments_for(book, course, rules)
    lateness = spend(handed, policy.late_days, book.decisions.spent_elsewhere())
    extra = {
        one: homework.points - policy.maximum(homework)
        for one, homework in homeworks.items()
    }
    asked = {
        one: [question.id for question in own.questions]
        for one, own in homeworks.items()
    }
    decided = {
        key: Decided(
            rules=rules.get(key, policy.of(key[1])),
            late=lateness.get(key, Lateness()),
            overrides=overrides.get(key, ()),
            marks=marks.get(key, ()),
            comments=comments.get(key, ()),
            extra=extra.get(key[1], 0.0),
            questions=asked.get(key[1], ()),
        )
        for key in (overrides | marks | rules)
    }
    return Settlement(book, policy, homeworks, owners, decided, _silent(book, owners))


def _silent(book: Gradebook, owners: Mapping[str, Owner]) -> frozenset[Key]:
    """Return the homeworks of submissions whose pages have quoted all that they may.

    Each student has one budget per homework, however many submissions there are: what one page quotes
    may have been left behind in the machine's memory by an earlier one.
    """
    bits = book.quoted_bits()
    spent: defaultdict[Key, int] = defaultdict(int)
    for (name, homework), count in bits.items():
        spent[_student(owners, name), homework] += count
    silent = set()
    for name, homework in bits:
        if spent[_student(owners, name), homework] > MOST_QUOTED_BITS:
            silent.add((name, homework))
    return frozenset(silent)


def _student(owners: Mapping[str, Owner], name: str) -> str:
    """Return the id of the student who handed in, or else the submission's name."""
    owner = owners.get(name)
    return owner.student_id if owner and owner.student_id else name


def _person(owner: Owner | None, lines: Iterable[PolicyLine]) -> tuple[str, ...]:
    """Return an owner's name, id, e-mail address, and whether late (yes, no or blank); of nobody nothing."""
    if owner is None:
        return ()
    known = [line.days_late > 0 for line in lines if line.due and line.submitted_at]
    late = any(known) if known else owner.late
    return (
        owner.name,
        owner.student_id,
        owner.email,
        "" if late is None else "yes" if late else "no",
    )


def _by_key(decisions: Sequence[Decision]) -> dict[Key, list[Decision]]:
    found: dict[Key, list[Decision]] = {}
    for one in decisions:
        found.setdefault((one.submission, one.homework), []).append(one)
    return found


@dataclass(frozen=True)
class Handed:
    """One homework of one submission, handed in at a known time, and the rules that hold for it."""

    student: str
    submission: str
    homework: str
    submitted_at: dt.datetime
    rules: Rules


def days_late(submitted_at: dt.datetime, rules: Rules) -> int:
    """Return the days begun after due date and grace; 0 in time, or where nothing is due."""
    if rules.due is None:
        return 0
    over = submitted_at - rules.due - dt.timedelta(minutes=rules.grace_minutes)
    return max(0, -(-over // DAY))


def spend(
    handed: Iterable[Handed], budget: int, spent: Mapping[str, int]
) -> dict[Key, Lateness]:
    """Spend each student's late days in the order of submission time, then of due date, then of homework.

    Each student has ``budget`` late days, of which those in ``spent`` are gone already.
    """
    left: defaultdict[str, int] = defaultdict(lambda: budget)
    left.update({student: max(0, budget - days) for student, days in spent.items()})
    found = {}

    def order(one: Handed) -> tuple[dt.datetime, dt.datetime, str, str]:
        return (
            one.submitted_at,
            one.rules.due or one.submitted_at,
            one.homework,
            one.submission,
        )

    for one in sorted(handed, key=order):
        days = days_late(one.submitted_at, one.rules)
        used = min(days, left[one.student])
        left[one.student] -= used
        found[one.submission, one.homework] = Lateness(days, used, one.submitted_at)
    return found


def remarks(
    book: Gradebook, settlement: Settlement, lines: Iterable[PolicyLine]
) -> Iterator[str]:
    """Yield a sentence per open matter: missing times or marks, decisions that are outdated or useless."""
    # A time that nobody knows is never guessed: no penalty, and a note instead where lateness may cost.
    policy = settlement.policy
    costly = {
        key
        for key, own in policy.rules.items()
        if own.due and (own.penalty_per_day or policy.late_days)
    }
    owners, waiting = settlement.owners, list[str]()
    flagged, others = dict[str, None](), dict[str, None]()
    for line in lines:
        if line.submitted_at is None and line.homework in costly:
            owner = owners.get(line.submission)
            (flagged if owner and owner.late else others)[line.submission] = None
        if line.awaiting:
            waiting.append(f"{line.submission} ({', '.join(line.awaiting)})")
    if flagged:
        yield f"the platform says late but not when, so no late penalty: {listed([*flagged])} (see --times)"
    if others:
        yield f"no time of submission is known, so no late penalty: {listed([*others])} (see --times)"
    if waiting:
        yield f"points are provisional until these answers are marked (--manual): {listed(waiting, show=str)}"
    silent = sorted({name for name, _ in settlement.silent})
    if silent:
        yield (
            f"graded so often that their pages give points and no reasons any more: {listed(silent)} "
            "(`autograder explain` has the reasons)"
        )
    # A decision outlives the code that it was made on; whoever made it may want to look again.
    outdated = [f"{name} ({what})" for name, what in book.decisions.outdated()]
    if outdated:
        yield f"handed in again since this was decided, so check it: {listed(outdated, show=str)}"
    names = Names(book)
    for text in dict.fromkeys(
        text for text, _ in (*policy.extensions, *book.decisions.times("extensions"))
    ):
        if doubt := names.doubt(text):
            yield f"an extension was given to nobody: {doubt}"
    for text in dict.fromkeys(text for text, _ in book.decisions.times()):
        meant = names.all(text)
        if doubt := names.doubt(text):
            yield f"a time of submission counts for nobody: {doubt}"
        elif len(meant) > 1:
            yield f"a time of submission counts for nobody: {text!r} has the submissions {listed(meant)}"
    strangers = names.unknown(text for text, _ in policy.extensions)
    if strangers and not policy.alone:
        yield f"{EXTENSIONS} names {listed(strangers)}, but no submission is theirs"
    known, comments = book.names(), book.decisions.comments()
    members = book.groups.members() if comments else {}
    useless = [
        one.group or one.submission
        for one in comments
        if one.group not in members and one.submission not in known
    ]
    if useless:
        yield f"comments are kept for {listed(useless)}, but no submission is in that group or called so now"
    by_hand = {
        key: one
        for key, one in settlement.decided.items()
        if one.overrides or one.marks
    }
    gone = sorted({name for name, _ in by_hand} - known)
    if gone:
        yield f"overrides or marks are kept for {listed(gone)}, but no submission has that name now"
    for (name, homework), decided in by_hand.items():
        there = book.subjects(name, homework)
        for one in decided.overrides:
            if (
                name in known
                and not one.is_whole
                and (one.check or one.task) not in there
            ):
                yield f"override {one.id} has no effect: {name} has no {one.subject} in {homework}"
