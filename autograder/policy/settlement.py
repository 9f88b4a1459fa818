"""Settle a gradebook: compute the points that count from stored results, without running any code."""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeVar

from autograder.course.course import Course
from autograder.course.homework import Homework, by_number
from autograder.gradebook.book import Gradebook
from autograder.gradebook.decisions import Mark, Override, PolicyLine
from autograder.intake.naming import listed
from autograder.intake.submission import Owner
from autograder.language import Language, in_language, say
from autograder.policy.comments import comments_for
from autograder.policy.decision_input import EXTENSIONS, load_policy, outdated_times
from autograder.policy.grade import HomeworkGrade, SubmissionGrade
from autograder.policy.names import Names
from autograder.policy.points import Decided, adjust, line_of
from autograder.policy.policy import Lateness, Policy, Rules
from autograder.sandbox.report import Status
from autograder.verdict.results import HomeworkResult, SubmissionResult

ALONE = "Late days are counted as if none had been used on another homework, so the final grade may differ."
MOST_QUOTED_BITS = 1 << 16
"""What all pages of a student's homework together may quote: about 40 gradings of 25 checks."""
SILENT = (
    "This homework was graded so often that its page gives points but no longer the reasons. "
    "Your instructor can see them."
)
LATE_WITHOUT_TIME = "the platform reports lateness but no time, so no late penalty"
NO_TIME = "no submission time is known, so no late penalty"
LATE_ONLY_THERE = "late according to the platform, but on time by the time that counts"
LATE_ONLY_HERE = "on time according to the platform, but late by the time that counts"
ABOUT_TIMES = (LATE_WITHOUT_TIME, NO_TIME, LATE_ONLY_THERE, LATE_ONLY_HERE)
DAY = dt.timedelta(days=1)
Key = tuple[str, str]
"""A submission's name and a homework's id."""
Decision = TypeVar("Decision", Override, Mark)


@dataclass(frozen=True)
class Settlement:
    """Everything that decides which points count; ``apply`` settles one submission.

    By the policy alone, as in a worker, there is no ``book``, and so there are no ``grades`` to go through.
    """

    book: Gradebook | None
    policy: Policy
    homeworks: Mapping[str, Homework]
    owners: Mapping[str, Owner]
    decided: Mapping[Key, Decided]
    silent: frozenset[Key]
    outdated_times: Sequence[Key]
    late_flags: Mapping[Key, bool]
    course_title: str
    language: Language
    graded_on: Mapping[str, str]

    def grades(self) -> Iterator[SubmissionGrade]:
        """Yield the grades of all submissions but the withdrawn ones, sorted by name."""
        results = self.book.counted() if self.book else ()
        for result in results:
            grade, _ = self.apply(result)
            yield grade

    __iter__ = grades  # read again at each iteration and never held as a whole

    @in_language
    def apply(
        self, result: SubmissionResult
    ) -> tuple[SubmissionGrade, list[PolicyLine]]:
        """Return the grade of a submission, and the policy's line per homework."""
        homework_results = list(result.homeworks)
        handed_in = {homework.homework for homework in homework_results}
        for homework_id, homework in self.homeworks.items():
            # One that was not handed in counts as well where a person gave points for it.
            decided = self.decided.get((result.name, homework_id))
            if decided and decided.grants and homework_id not in handed_in:
                not_handed_in = HomeworkResult(
                    homework.id,
                    homework.title,
                    Status.GRADED,
                    homework.points,
                    hints=homework.hints,
                )
                homework_results.append(not_handed_in)
        homework_results.sort(key=lambda homework: by_number(homework.homework))

        grades: list[HomeworkGrade] = []
        lines = []
        for homework_result in homework_results:
            key = (result.name, homework_result.homework)
            decided = self.decided[key]
            grade = adjust(homework_result, decided)
            grade = replace(grade, shown=decided.rules.hidden_checks)
            notes = list(grade.notes)
            if key in self.silent:
                notes.append(say(SILENT))
                grade = replace(grade, hints="never", shown="hidden")
            if self.policy.alone and decided.late.used:
                notes.append(say(ALONE))
            grade = replace(grade, notes=tuple(notes))
            grades.append(grade)
            lines.append(line_of(result.name, homework_result, grade, decided))
        person = _person(self.owners.get(result.name), lines, self.late_flags)
        grade_of_submission = SubmissionGrade.of(
            result,
            grades,
            person,
            course=self.course_title,
            language=self.language,
            graded_on=self.graded_on.get(result.name, ""),
        )
        return grade_of_submission, lines


class _Undecided(dict[Key, Decided]):
    """What the policy alone decides about any homework of any submission."""

    def __init__(self, policy: Policy, homeworks: Mapping[str, Homework]) -> None:
        super().__init__()
        self._policy = policy
        self._homeworks = homeworks

    def __missing__(self, key: Key) -> Decided:
        _, homework_id = key
        return _decided(self._policy, self._homeworks, homework_id)


def _decided(
    policy: Policy, homeworks: Mapping[str, Homework], homework_id: str
) -> Decided:
    """Return what the policy alone decides about a homework, which may be none of the course."""
    decided = Decided(rules=policy.of(homework_id))
    homework = homeworks.get(homework_id)
    if homework is None:
        return decided
    return replace(
        decided,
        extra=homework.points - policy.maximum(homework),
        questions=[question.id for question in homework.questions],
    )


def undecided(book: Gradebook, course: Course) -> Settlement:
    """Return the settlement of submissions as they are graded: by the policy, without decisions and times.

    For most of a class ``settle`` comes to the same grades later, but it reads the whole gradebook.
    """
    return by_policy(load_policy(book, course), course)


def by_policy(policy: Policy, course: Course) -> Settlement:
    """Return the settlement of submissions of which nothing but the policy is known."""
    homeworks = {homework.id: homework for homework in course.homeworks()}
    return Settlement(
        book=None,
        policy=policy,
        homeworks=homeworks,
        owners={},
        decided=_Undecided(policy, homeworks),
        silent=frozenset(),
        outdated_times=(),
        late_flags={},
        course_title=course.title,
        language=course.language,
        graded_on={},
    )


def settle(book: Gradebook, course: Course) -> Settlement:
    """Gather what decides the points that count; reads only."""
    policy = load_policy(book, course)
    names = Names(book)
    owners = book.owners()
    homeworks = {homework.id: homework for homework in course.homeworks()}

    # Times and extensions. What was written about a student before they handed in may name the student.
    # A time holds for what was handed in when it was given.
    outdated = outdated_times(book, names)
    times: dict[Key, dt.datetime] = {}
    for key, time in book.decisions.times().items():
        if key not in outdated:
            text, homework_id = key
            submissions = names.all(text)
            if len(submissions) == 1:  # else it counts for nobody, and a remark says so
                times[submissions[0], homework_id] = time
    extensions: dict[Key, dt.datetime] = {}
    for written in (policy.extensions, book.decisions.times("extensions")):
        for (text, homework_id), due in written.items():  # the last one counts
            for name in names.all(text):
                extensions[name, homework_id] = due

    # The rules of each homework of each submission, and when it was handed in.
    rules: dict[Key, Rules] = {}
    handed: list[Handed] = []
    withdrawn = book.decisions.withdrawn()
    for name, homework_id, submitted_at in book.homeworks():
        if name in withdrawn:
            continue  # it spends no late days either
        key = (name, homework_id)
        for_all_homeworks = (name, "")
        due_for_all = extensions.get(for_all_homeworks)
        extended_due = extensions.get(key, due_for_all)
        rules[key] = policy.of(homework_id).extended(extended_due)
        # A time that a person gave replaces the platform's.
        time_given = times.get(key) or times.get(for_all_homeworks)
        time_known = time_given or submitted_at
        if time_known is not None:
            homework_handed_in = Handed(
                student=_student(owners, name),
                submission=name,
                homework=homework_id,
                submitted_at=time_known,
                rules=rules[key],
            )
            handed.append(homework_handed_in)
    lateness = spend(handed, policy.late_days, book.decisions.spent_elsewhere())

    # Everything that was decided about each.
    overrides = _by_key(book.decisions.overrides())
    marks = _by_key(book.decisions.marks())
    comments = comments_for(book, course, rules)
    by_policy = _Undecided(policy, homeworks)
    decided: dict[Key, Decided] = {}
    for key in overrides | marks | rules:
        from_policy = by_policy[key]
        decided[key] = replace(
            from_policy,
            rules=rules.get(key, from_policy.rules),
            late=lateness.get(key, Lateness()),
            overrides=overrides.get(key, ()),
            marks=marks.get(key, ()),
            comments=comments.get(key, ()),
        )
    silent = _silent(book, owners)
    return Settlement(
        book=book,
        policy=policy,
        homeworks=homeworks,
        owners=owners,
        decided=decided,
        silent=silent,
        outdated_times=outdated,
        late_flags=book.late_flags(),
        course_title=course.title,
        language=course.language,
        graded_on=book.graded_on(),
    )


def _silent(book: Gradebook, owners: Mapping[str, Owner]) -> frozenset[Key]:
    """Return the homeworks of submissions whose pages have quoted all that they may.

    Each student has one budget per homework, however many submissions there are: what one page quotes
    may have been left behind in the machine's memory by an earlier one.
    """
    bits = book.quoted_bits()
    spent: defaultdict[Key, int] = defaultdict(int)
    for (name, homework), count in bits.items():
        student = _student(owners, name)
        spent[student, homework] += count
    silent = set()
    for name, homework in bits:
        student = _student(owners, name)
        if spent[student, homework] > MOST_QUOTED_BITS:
            silent.add((name, homework))
    return frozenset(silent)


def _student(owners: Mapping[str, Owner], name: str) -> str:
    """Return the id of the student who handed in, or else the submission's name."""
    owner = owners.get(name)
    if owner and owner.student_id:
        return owner.student_id
    return name


def _person(
    owner: Owner | None, lines: Iterable[PolicyLine], late_flags: Mapping[Key, bool]
) -> tuple[str, ...]:
    """Return an owner's name, id, e-mail address, and whether late (yes, no or blank); of nobody nothing.

    Of each homework its time decides, or where that is not known the platform's flag.
    """
    if owner is None:
        return ()
    is_late = owner.late
    known = []
    for line in lines:
        flag = late_flags.get((line.submission, line.homework))
        if line.due and line.submitted_at:
            known.append(line.days_late > 0)
        elif flag is not None:
            known.append(flag)
    if known:
        is_late = any(known)
    late = ""
    if is_late is not None:
        late = "yes" if is_late else "no"
    return (owner.name, owner.student_id, owner.email, late)


def _by_key(decisions: Sequence[Decision]) -> dict[Key, list[Decision]]:
    by_key: dict[Key, list[Decision]] = {}
    for decision in decisions:
        key = (decision.submission, decision.homework)
        by_key.setdefault(key, []).append(decision)
    return by_key


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
    grace = dt.timedelta(minutes=rules.grace_minutes)
    over = submitted_at - rules.due - grace
    begun = -(-over // DAY)  # rounded up
    return max(0, begun)


def spend(
    handed: Iterable[Handed], budget: int, spent: Mapping[str, int]
) -> dict[Key, Lateness]:
    """Spend each student's late days in the order of submission time, then of due date, then of homework.

    Each student has ``budget`` late days, of which those in ``spent`` are gone already.
    """
    days_left: defaultdict[str, int] = defaultdict(lambda: budget)
    for student, days in spent.items():
        days_left[student] = max(0, budget - days)

    def order(handed: Handed) -> tuple[dt.datetime, dt.datetime, str, str]:
        due = handed.rules.due or handed.submitted_at
        return (handed.submitted_at, due, handed.homework, handed.submission)

    lateness: dict[Key, Lateness] = {}
    for homework in sorted(handed, key=order):
        days = days_late(homework.submitted_at, homework.rules)
        used = min(days, days_left[homework.student])
        days_left[homework.student] -= used
        key = (homework.submission, homework.homework)
        lateness[key] = Lateness(days, used, homework.submitted_at)
    return lateness


class Remark(NamedTuple):
    """An open matter: a sentence for every reader, and what helps at a terminal."""

    sentence: str
    hint: str = ""

    def __str__(self) -> str:
        """Return the sentence with its hint, as a terminal shows it."""
        if not self.hint:
            return self.sentence
        return f"{self.sentence} ({self.hint})"


def remarks(
    book: Gradebook, settlement: Settlement, lines: Iterable[PolicyLine]
) -> Iterator[Remark]:
    """Yield each open matter: missing times or marks, decisions that are outdated or useless."""
    # The lines pass by once, however many there are. A time that nobody knows is never guessed: there is no
    # penalty, and a note instead where lateness may cost.
    policy = settlement.policy
    homeworks_with_penalty = set()
    for homework_id, rules in policy.rules.items():
        if rules.due and (rules.penalty_per_day or policy.late_days):
            homeworks_with_penalty.add(homework_id)
    # The submissions of each remark, in their order, each once.
    names_of: dict[str, dict[str, None]] = {remark: {} for remark in ABOUT_TIMES}
    waiting = []
    for line in lines:
        flag = settlement.late_flags.get((line.submission, line.homework))
        if flag is not None and line.due and line.submitted_at:
            decided = settlement.decided[line.submission, line.homework]
            due_for_all = decided.rules.extended_from or line.due
            # The platform may or may not know of an extension.
            is_late_for_all = line.submitted_at > due_for_all
            is_late = line.submitted_at > line.due
            if flag and not is_late_for_all:
                names_of[LATE_ONLY_THERE][line.submission] = None
            if is_late and not flag:
                names_of[LATE_ONLY_HERE][line.submission] = None
        may_cost = line.homework in homeworks_with_penalty and line.override is None
        if line.submitted_at is None and may_cost:
            remark = LATE_WITHOUT_TIME if flag else NO_TIME
            names_of[remark][line.submission] = None
        if line.awaiting:
            waiting.append(f"{line.submission} ({', '.join(line.awaiting)})")
    for remark, names in names_of.items():
        if names:
            yield Remark(f"{remark}: {listed([*names])}", "see --times")
    if waiting:
        yield Remark(
            f"points are provisional until these answers are marked: {listed(waiting, show=str)}",
            "see --manual",
        )
    silent = sorted({name for name, _ in settlement.silent})
    if silent:
        yield Remark(
            f"graded so often that their pages give points but no longer the reasons: {listed(silent)}",
            "`autograder explain` has the reasons",
        )

    # A decision outlives the code that it was made on; whoever made it may want to look again.
    withdrawn = book.decisions.withdrawn()
    outdated = []
    for outdated_decision in book.decisions.outdated():
        if outdated_decision.submission not in withdrawn:
            outdated.append(
                f"{outdated_decision.submission} ({outdated_decision.decision})"
            )
    if outdated:
        yield Remark(
            f"handed in again since this was decided, so check it: {listed(outdated, show=str)}"
        )
    if settlement.outdated_times:
        times = [f"{text} ({homework})" for text, homework in settlement.outdated_times]
        yield Remark(
            f"handed in again since a time was given, so that time no longer counts: {listed(times, show=str)}",
            "see --times",
        )
    yield from map(Remark, _useless_times(book, settlement))
    yield from map(Remark, _useless_comments(book))
    yield from map(Remark, _useless_overrides_and_marks(book, settlement))


def _useless_times(book: Gradebook, settlement: Settlement) -> Iterator[str]:
    """Say which extensions and times of submission count for nobody."""
    policy = settlement.policy
    names = Names(book)
    extensions = (*policy.extensions, *book.decisions.times("extensions"))
    doubts = []
    extended_texts = [text for text, _ in extensions]
    for text in dict.fromkeys(extended_texts):
        doubt = names.doubt(text)
        if doubt:
            doubts.append(doubt)
    yield from _together("an extension applies to nobody", doubts)
    doubts = []
    dated_texts = [text for text, _ in book.decisions.times()]
    for text in dict.fromkeys(dated_texts):
        submissions = names.all(text)
        doubt = names.doubt(text)
        if doubt:
            doubts.append(doubt)
        elif len(submissions) > 1:
            doubts.append(f"{text!r} has the submissions {listed(submissions)}")
    yield from _together("a submission time applies to nobody", doubts)
    strangers = names.unknown(text for text, _ in policy.extensions)
    if strangers and not policy.alone:
        yield f"{EXTENSIONS} names {listed(strangers)}, but no submission is theirs"


def _together(what: str, cases: Sequence[str]) -> Iterator[str]:
    """Yield one sentence for all cases of a kind, if there are any."""
    if len(cases) == 1:
        yield f"{what}: {cases[0]}"
    elif cases:
        yield f"{what} (such cases: {len(cases)}): {listed(cases, show=str)}"


def _useless_comments(book: Gradebook) -> Iterator[str]:
    """Say which comments are on a group or a submission that is not there."""
    comments = book.decisions.comments()
    if not comments:
        return
    names = book.names()
    groups = book.groups.members()
    useless = []
    for comment in comments:
        if comment.group not in groups and comment.submission not in names:
            useless.append(comment.group or comment.submission)
    if useless:
        yield f"comments are kept for {listed(useless)}, but no submission is in that group or has that name now"


def _useless_overrides_and_marks(
    book: Gradebook, settlement: Settlement
) -> Iterator[str]:
    """Say which overrides and marks are on a submission, a task or a check that is not there."""
    names = book.names()
    by_hand: dict[Key, Decided] = {}
    for key, decided in settlement.decided.items():
        if decided.overrides or decided.marks:
            by_hand[key] = decided
    names_by_hand = {name for name, _ in by_hand}
    missing_names = sorted(names_by_hand - names)
    if missing_names:
        yield f"overrides or marks are kept for {listed(missing_names)}, but no submission has that name now"
    useless = {}
    for (name, homework), decided in by_hand.items():
        subjects = book.subjects(name, homework)
        for override in decided.overrides:
            subject = override.check or override.task
            if name in names and not override.is_whole and subject not in subjects:
                fact = f"{name} has no {override.subject} in {homework}"
                useless[override.id] = fact
    if len(useless) == 1:
        [(override_id, fact)] = useless.items()
        yield f"override {override_id} has no effect: {fact}"
    elif useless:
        facts = [f"{override_id} ({fact})" for override_id, fact in useless.items()]
        yield f"overrides have no effect: {listed(facts, show=str)}"
