"""Find the reason behind the failed cases of one check: an ordered list of explanations.

The verdict is known before anything here runs. Each explanation looks at the failed cases and returns the
failure with a reason in front of its facts, or None; the first that returns something is reported. The order is
the heart of it, see ``EXPLANATIONS``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from autograder.course.cases import Group, ModuleCall, ObjectCall
from autograder.language import say
from autograder.reasons.agreement import (
    Diagnose,
    FindSlip,
    Sayings,
    diagnostic_cases,
    same_answer,
)
from autograder.reasons.axis_sizes import describe_axes
from autograder.reasons.blamed import BlamedTasks, right_without_changes
from autograder.reasons.code_facts import CodeFacts
from autograder.reasons.context import Context
from autograder.reasons.dependencies import depends_on_other_places
from autograder.reasons.differences import have_other_axes, what_differs
from autograder.reasons.errors import explain_missing, explain_no_value, name_stop
from autograder.reasons.failed_cases import cases_of_one_function
from autograder.reasons.first_nan import first_nan
from autograder.reasons.outside import (
    Proof,
    prove_beside_mistake,
    prove_outside_sizes,
    sizes_of,
)
from autograder.reasons.proofs import depends_on_earlier_calls, proved_by_runs
from autograder.reasons.repair_search import EarlierSearches, find_repair
from autograder.reasons.signs import shown_by_answers
from autograder.reasons.student_code import StudentCode
from autograder.reasons.turned import turned
from autograder.reasons.wrong import CHANGING_FACTOR
from autograder.sandbox.report import Answers, FunctionFacts, StudentError
from autograder.verdict.arrays import deviation, split
from autograder.verdict.explanation_faults import explaining
from autograder.verdict.failure import (
    NO_REASON,
    Failure,
    FailureKind,
    Reason,
    has_message,
)
from autograder.verdict.fixtures import CUTS_GRADIENTS, Ask, Compare, SubmissionProxy
from autograder.verdict.interface import Form
from autograder.verdict.known import OPEN, KnownCase
from autograder.verdict.titles import title_of

MOST_NAMES = 10
"""Of more names that a function reads from outside, the others are counted."""
MOST_AT_ONCE = 2
"""So many known mistakes at once are told without asking for a single wrong step."""
OUTSIDE = "depends-on-global"
TAKE_SIZES_FROM_SHAPES = "Take every size from the arguments' shapes."
RIGHT_FOR_PUBLISHED = "It is right for the published inputs and wrong for others"
WRITTEN_AS_NUMBER = (
    f"{RIGHT_FOR_PUBLISHED}: is a size or an axis written as a number, "
    "as in `[:3]` or `axis=1`?"
)
OF_GROUPS = {
    "both-per-row",
    "both-per-column",
    "offset-per-row",
    "offset-per-column",
}
"""Labels of a relation in which rows or columns are off by numbers of their own."""
VAGUE = OF_GROUPS | {
    "region-wrong",
    "argument-unused",
    "factor-per-row",
    "factor-per-column",
    "depends-on-other-place",
}
"""Labels of a relation that says less of the cause than a wrong step with the same results."""
GIVES_WAY = {"returns-transposed", "mask-additive"}
"""Labels of a comparison that are less certain than a known mistake which answers alike."""
EXPLAINABLE = frozenset(
    {
        FailureKind.ARITY,
        FailureKind.VALUES,
        FailureKind.NOT_FINITE,
        FailureKind.SHAPE,
        FailureKind.RAISED,
    }
)


FOUND_BY_REPAIR = frozenset({FailureKind.MODIFIED, FailureKind.GRADIENT})
"""What is said already, and becomes clear by the line that does it."""


@dataclass(frozen=True)
class TaskAnswers:
    """A submission's answers to the cases of one task that diagnosis looks at.

    Attributes:
        task: name of the task.
        cases: the cases, as they were judged.
        returned: the answers in the form in which the submission returned them, by case id.
        restored: the same answers in the form that the task asks for.
        form: the form in which they were returned; None where it is the one asked for, or unclear.
    """

    task: str
    cases: Sequence[KnownCase]
    returned: Answers
    restored: Answers
    form: Form | None


@dataclass(frozen=True)
class KnownMistake:
    """A known mistake that gives the submission's answers, and the further conditions for naming it.

    Attributes:
        reason: the mistake in words and labels; empty where none is known.
        form: the wrong form of the answers, besides which the mistake holds.
        proof: names from outside the function that stand for sizes, besides which the mistake holds.
    """

    reason: Reason = NO_REASON
    form: Form | None = None
    proof: Proof = ()


Mistakes = dict[tuple[str, str], KnownMistake]
"""The mistakes found so far, by task and kind of search: to look for pairs of mistakes may cost runs."""


@dataclass
class Explainer:
    """Finds the reasons for one submission's failures; see ``verdict.fixtures.Explain``.

    Attributes:
        diagnose: names the known mistake behind answers to some cases.
        ask_reference: makes further calls of the reference solution; None on students' machines.
        sayings: the explanation of each known mistake, by its id.
        find_slip: names one wrong step of the solution; None on students' machines.
        code: the submission's code as text; None where it is not known.
    """

    diagnose: Diagnose
    ask_reference: Ask | None = None
    sayings: Sayings = field(default_factory=dict)
    find_slip: FindSlip | None = None
    code: StudentCode | None = None
    _mistakes: Mistakes = field(default_factory=dict)
    _blamed: BlamedTasks = field(default_factory=BlamedTasks)
    _searches: EarlierSearches = field(default_factory=EarlierSearches)

    def no_value(
        self, compare: Compare, known: KnownCase, error: StudentError | None
    ) -> Failure:
        """Explain why a call returned no value; ``error`` is None where the function is not defined."""
        submission = compare.submission
        homework = compare.homework
        call = known.case.call
        stopped_before = _stopped_before(submission)
        if error is None:
            return explain_missing(
                call.name,
                submission.ask_names(),
                [task.name for task in homework.tasks],
                is_class=isinstance(call, ModuleCall | ObjectCall),
                stopped_before=stopped_before,
            )
        quoted = None
        if has_message(error):
            quoted = _same_error_in_the_open(compare, known, error)
        return explain_no_value(error, call, homework.limits, quoted, stopped_before)

    def value_instead(self, compare: Compare, failure: Failure) -> Failure:
        """Explain a wrong top-level value that was judged because its function is missing."""
        student = f"{failure.student} {_stopped_before(compare.submission)}".rstrip()
        return replace(failure, student=student)

    def reason(
        self, compare: Compare, failed: Sequence[KnownCase], failure: Failure
    ) -> Failure:
        """Return the failure with the first reason that explains it, or unchanged if none does."""
        labels = set(failure.misconceptions)
        if failure.kind is FailureKind.MODIFIED:
            self._blamed.changing.add(failed[0].case.call.name)
        if failure.kind is FailureKind.GRADIENT:
            failure = self._name_cuts(compare, failed[0], failure)
        if failure.kind in FOUND_BY_REPAIR:
            return self._with_line(compare, failed, failure)
        if failure.kind not in EXPLAINABLE and not labels:
            return failure
        if labels - GIVES_WAY:
            return failure
        self._blamed.failed.add(failed[0].case.call.name)
        context = self.context(compare)
        situation = Situation(
            context, failed, failure, self._mistakes, self._searches, self._blamed
        )
        explained = None
        for explanation in EXPLANATIONS:
            explained = explanation(situation)
            if explained is not None:
                break
        explained = explained or situation.failure
        self._blamed.note(
            context.submission.answer(failed[0]).error, failure, explained
        )
        if not explained.misconceptions:
            self._blamed.unexplained.add(failed[0].case.call.name)
        return explained

    def _name_cuts(
        self, compare: Compare, known: KnownCase, failure: Failure
    ) -> Failure:
        """Name what cuts gradients off in the student's own code, instead of all that may."""
        code = self.context(compare).code_facts(known.case.call.name)
        if code is None:
            return failure
        cuts = ", ".join(f"`{cut}`" for cut in code.cuts)
        examples = f" ({say(CUTS_GRADIENTS)})"
        named = f" ({cuts})" if cuts else ""
        return replace(failure, student=failure.student.replace(examples, named))

    def _with_line(
        self, compare: Compare, failed: Sequence[KnownCase], failure: Failure
    ) -> Failure:
        """Add the line in which one change sets right what is wrong."""
        repair = find_repair(
            self.context(compare), failed, failure.kind, self._searches
        )
        if not repair.says:
            return failure
        return replace(failure, student=f"{failure.student} {repair.says}")

    def known_mistake(self, compare: Compare, task: str) -> Reason:
        """Return the known mistakes that give the same answers to a task as the submission."""
        cases = diagnostic_cases(compare.cases.known, task)
        return self.diagnose(task, compare.submission.answers, cases)

    def saying(self, label: str) -> Reason:
        """Return the explanation of a known mistake; no reason where none is known by that name."""
        return self.sayings.get(label, NO_REASON)

    def context(self, compare: Compare) -> Context:
        """Return everything that a reason may look at."""
        facts_only = replace(compare, explain=None)
        return Context(
            facts_only,
            self.diagnose,
            self.ask_reference,
            self.find_slip,
            self.code,
        )


def task_answers(context: Context, task: str) -> TaskAnswers:
    """Collect the answers of a task in the form they were returned and in the form asked for."""
    answers = context.submission.answers
    cases = diagnostic_cases(context.cases.known, task)
    key_of_case = dict(map(context.judged, cases))
    returned = {}
    restored = {}
    for known, key in key_of_case.items():
        returned[known.case.id] = answers.came[key]
        restored[known.case.id] = answers[key]
    return TaskAnswers(task, [*key_of_case], returned, restored, answers.form(task))


def find_mistake(context: Context, task: str, *, pairs: bool) -> KnownMistake:
    """Return the known mistake that answers a task as the submission does; with ``pairs`` also two at once.

    Answers as they were returned come first: a mistake may look like the right answer transposed.
    """
    answers = task_answers(context, task)
    if pairs:
        turned_result = turned(context, task)
        if turned_result is not None:
            return KnownMistake(turned_result)
    reason = context.diagnose(task, answers.returned, answers.cases, pairs=pairs)
    if reason.says or answers.form is None:
        return KnownMistake(reason)
    reason = context.diagnose(task, answers.restored, answers.cases, pairs=pairs)
    return KnownMistake(reason, answers.form)


def find_mistake_besides_sizes(
    context: Context, task: str, facts: FunctionFacts
) -> KnownMistake:
    """Return a known mistake that shows once names from outside stand for the sizes of each input."""
    answers = task_answers(context, task)
    proof, reason = prove_beside_mistake(
        answers.cases,
        answers.restored,
        facts,
        context.submission.calls,
        context.submission.answers.restored,
        context.diagnose,
    )
    return KnownMistake(reason, answers.form, proof)


def find_slip(context: Context, task: str) -> KnownMistake:
    """Return the wrong step of the solution that answers a task as the submission does, if there is one."""
    if context.find_slip is None:
        return KnownMistake()
    answers = task_answers(context, task)
    reason = context.find_slip(task, answers.returned, answers.cases)
    if reason.says or answers.form is None:
        return KnownMistake(reason)
    reason = context.find_slip(task, answers.restored, answers.cases)
    return KnownMistake(reason, answers.form)


def _same_error_in_the_open(
    compare: Compare, known: KnownCase, error: StudentError
) -> StudentError | None:
    """Return the same exception, raised at the same line, in a case whose inputs students may see.

    An exception's message may quote hidden inputs; the message of this one cannot.
    """
    name = known.case.call.name
    open_cases = []
    for other in compare.cases.known:
        if other.case.group in OPEN and other.case.call.name == name:
            open_cases.append(other.case.id)
    # The case itself comes first.
    open_cases.sort(key=lambda case_id: case_id != known.case.id)

    answers = compare.submission.ask_openly()
    place = (error.type, error.file, error.line)
    for case_id in open_cases:
        if case_id not in answers:
            continue
        other_error = answers[case_id].error
        if other_error is None:
            continue
        if (other_error.type, other_error.file, other_error.line) == place:
            return other_error
    return None


def _stopped_before(submission: SubmissionProxy) -> str:
    """Name the first cell, or line of a file, that stopped while the code was loaded."""
    with explaining("what stopped while the code was loaded"):
        for stop in submission.ask_stops():
            return name_stop(stop)
    return ""


@dataclass(eq=False)
class Situation:
    """The failed cases of one check, and facts about them that several explanations need.

    Attributes:
        context: the submission, and what finds known mistakes.
        failed: the failed cases, all of one task.
        failure: the first failure. An explanation may add a fact to it for those that come later.
        mistakes_found: the mistakes found for other checks of this submission.
        searches: the searches in its code for other checks.
        blamed: what earlier checks of this submission have found in single functions.
    """

    context: Context
    failed: Sequence[KnownCase]
    failure: Failure
    mistakes_found: Mistakes
    searches: EarlierSearches
    blamed: BlamedTasks

    @cached_property
    def task(self) -> str:
        return self.failed[0].case.task

    @cached_property
    def is_published(self) -> bool:
        return self.failed[0].case.group is Group.PUBLISHED

    @cached_property
    def facts(self) -> FunctionFacts:
        """Facts about the function that the first failed case calls."""
        return self.context.submission.facts(self.failed[0].case.call.name)

    @cached_property
    def single(self) -> KnownMistake:
        """A reason that is proved regardless of other mistakes, or else a single known mistake."""
        proved = proved_by_runs(self.context, self.failed)
        if proved is not None:
            return KnownMistake(proved)
        key = (self.task, "single")
        if key not in self.mistakes_found:
            self.mistakes_found[key] = find_mistake(
                self.context, self.task, pairs=False
            )
        return self.mistakes_found[key]

    @cached_property
    def mistakes(self) -> KnownMistake:
        """The single mistake, or else a turned result or a pair of mistakes."""
        if self.single.reason.says:
            return self.single
        key = (self.task, "pairs")
        if key not in self.mistakes_found:
            self.mistakes_found[key] = find_mistake(self.context, self.task, pairs=True)
        return self.mistakes_found[key]

    @cached_property
    def mistake_here(self) -> Reason:
        """The known mistake behind some of the task's answers, if it explains all that this check compares."""
        partial_reason = self.mistakes.reason
        if len(partial_reason.made) != 1 or partial_reason.labels:
            return NO_REASON
        cases = diagnostic_cases(self.failed, self.task)
        answers = self.context.submission.answers
        returned = {known.case.id: answers.came[known.case.id] for known in cases}
        reason = self.context.diagnose(self.task, returned, cases, pairs=False)
        if reason.made != partial_reason.made:
            return NO_REASON
        return reason

    @cached_property
    def mistake_besides_sizes(self) -> KnownMistake:
        """A known mistake that shows once names from outside stand for the sizes of each input."""
        key = (self.task, "besides sizes")
        if key not in self.mistakes_found:
            self.mistakes_found[key] = find_mistake_besides_sizes(
                self.context, self.task, self.facts
            )
        return self.mistakes_found[key]

    @cached_property
    def slip(self) -> KnownMistake:
        """The wrong step of the solution that gives the same results."""
        key = (self.task, "slip")
        if key not in self.mistakes_found:
            self.mistakes_found[key] = find_slip(self.context, self.task)
        return self.mistakes_found[key]

    @cached_property
    def repair(self) -> Reason:
        """The place in the student's own code where one change sets everything right."""
        return find_repair(
            self.context, self.wrong_cases, self.failure.kind, self.searches
        )

    @cached_property
    def dependence(self) -> Reason:
        """A row or column of the result that depends on what it should not depend on."""
        key = (self.task, "dependence")
        if key not in self.mistakes_found:
            reason = depends_on_other_places(self.context, self.wrong_cases)
            self.mistakes_found[key] = KnownMistake(reason or NO_REASON)
        return self.mistakes_found[key].reason

    @cached_property
    def first_nan(self) -> str:
        """The words for the line in which the first NaN of the first wrong case arises; else nothing."""
        if self.failure.kind is not FailureKind.NOT_FINITE or not self.wrong_cases:
            return ""
        return first_nan(self.context, self.wrong_cases[0])

    @cached_property
    def wrong_task_called(self) -> str:
        """The name of a task that the wrong function calls and that has failed its own check, or nothing."""
        code = self.context.code
        if code is None:
            return ""
        name = self.failed[0].case.call.name
        for function in code.used_by(name)[1:]:
            if function.name in self.blamed.failed:
                return function.name
        return ""

    @cached_property
    def second_name(self) -> Reason:
        """The place where one object has two names, if that is behind a known mistake."""
        code = self.context.code
        if not self.wrong_cases or code is None or not code.may_share_objects():
            return NO_REASON
        return find_repair(
            self.context,
            self.wrong_cases,
            self.failure.kind,
            self.searches,
            only_objects=True,
        )

    @cached_property
    def only_published_right(self) -> bool:
        """Whether the published cases are right, and cases of other sizes are wrong.

        Huge numbers fail for another reason than their sizes, so only cases about values count.
        """
        published = self.context.cases.published(self.task)
        if not published or self.is_published:
            return False
        if self.failed[0].case.topic != "values":
            return False
        judge = self.context.compare.judge
        return all(judge(known) is None for known in published)

    @cached_property
    def right_beyond_published_sizes(self) -> bool:
        """Whether a case is right that has as many axes as the wrong one, and sizes above all published ones.

        A number that was written for a published size, or for an axis, would have been wrong there.
        """
        parameters = self.facts.parameters
        largest: dict[str, int] = {}
        for known in self.context.cases.published(self.task):
            for name, size in sizes_of(known.case.call, parameters).items():
                largest[name] = max(size, largest.get(name, size))
        failed_sizes = sizes_of(self.failed[0].case.call, parameters)
        if not largest or failed_sizes.keys() != largest.keys():
            return False
        judge = self.context.compare.judge
        cases = self.context.cases
        for known in [*cases.stored(self.task), *cases.fresh(self.task, "values")]:
            sizes = sizes_of(known.case.call, parameters)
            if sizes.keys() != largest.keys():
                continue
            is_larger = all(size > largest[name] for name, size in sizes.items())
            if is_larger and judge(known) is None:
                return True
        return False

    @cached_property
    def repeats_an_answer(self) -> bool:
        """Whether the first wrong case has the numbers of another case, for which they are right."""
        submission = self.context.submission
        failed = self.failed[0]
        answer = submission.answers[failed.case.id]
        if not answer.is_usable:
            return False
        for known in cases_of_one_function(self.context, failed):
            other_answer = submission.answers[known.case.id]
            if known.case.id != failed.case.id and known.is_right(other_answer):
                if same_answer(answer, other_answer, known.tolerance):
                    return True
        return False

    @cached_property
    def wrong_cases(self) -> list[KnownCase]:
        """The failed cases of the first one's function that are wrong in the form asked for.

        They are the homework's own cases: a check may have put other expected values in their place.
        """
        stored = {known.case.id: known for known in self.context.cases.known}
        wrong = []
        for failed in self.failed:
            if failed.case.call.name != self.failed[0].case.call.name:
                continue
            known = stored.get(failed.case.id, failed)
            if not known.is_right(self.context.submission.answer(known)):
                wrong.append(known)
        return wrong

    def explained(self, mistake: KnownMistake) -> Failure:
        """Put the reason, where there is one, before the facts about the numbers.

        In a published case answers are judged as they were returned, so the form comes first.
        """
        failure = self.failure
        reason = mistake.reason
        labels = reason.labels
        if not reason.says or (labels and labels == failure.misconceptions):
            return failure
        failure = replace(failure, made=reason.made)
        if self.is_published and mistake.form is not None:
            remedy = mistake.form.remedy(self.context.homework.task(self.task).returns)
            sentences = filter(None, (failure.student, remedy, reason.says))
            labels = tuple(filter(None, (mistake.form.label, *labels)))
            return replace(failure, student=" ".join(sentences), misconceptions=labels)
        if failure.kind is FailureKind.RAISED and not labels:
            # The exception is certain, and comes before a mere possibility.
            return replace(failure, student=f"{failure.student} {reason.says}")
        if "rounds-result" in labels:
            # The reason says that the numbers are right but rounded; the facts would say that they are wrong.
            return replace(failure, student=reason.says, misconceptions=labels)
        facts = failure.student
        if labels and failure.hint:
            facts = facts.replace(failure.hint, "")  # what might be done is known now
        facts = facts.strip().rstrip(".")
        return replace(
            failure, student=f"{reason.says} ({facts}.)", misconceptions=labels
        )


def raised_in_another_task(situation: Situation) -> Failure | None:
    """Repeat the reason of another task's check where the exception arose in that task's function."""
    if situation.failure.kind is not FailureKind.RAISED:
        return None
    error = situation.context.submission.answer(situation.failed[0]).error
    if error is None:
        return None
    reason = situation.blamed.reason_for(error, situation.failed[0].case.call.name)
    if reason is None:
        return None
    return situation.explained(KnownMistake(reason))


def changed_by_a_helper(situation: Situation) -> Failure | None:
    """Refer to a function that changes its arguments in place, where without that everything is right."""
    if not situation.wrong_cases:
        return None
    reason = right_without_changes(
        situation.context, situation.wrong_cases, situation.blamed.changing
    )
    if reason is None:
        return None
    return situation.explained(KnownMistake(reason))


def keeps_something(situation: Situation) -> Failure | None:
    """Say that earlier calls change later results, where a known mistake would say less than that.

    A mistake whose numbers are those of the submission needs no further run, unless it is one of answers that
    come back whatever goes in: so does the memory of an earlier call.
    """
    wrong_cases = situation.wrong_cases
    if not wrong_cases or wrong_cases[0] is situation.context.cases.known[0]:
        return None  # nothing was called before the first case
    reason = situation.single.reason
    if reason.labels and not reason.about_size and not situation.repeats_an_answer:
        return None
    earlier_calls = depends_on_earlier_calls(situation.context, wrong_cases)
    if earlier_calls is None:
        return None
    return situation.explained(KnownMistake(earlier_calls))


def proved_or_known_mistake(situation: Situation) -> Failure | None:
    """Give a reason that is certain, or a single known mistake.

    A mistake about a size waits: names outside the function may fix the size.
    """
    reason = situation.single.reason
    if reason.labels and not reason.about_size:
        mistake = situation.single
        second_name = situation.second_name
        if second_name.says:
            says = f"{reason.says} {second_name.says}"
            mistake = replace(mistake, reason=replace(reason, says=says))
        return situation.explained(mistake)
    return None


def wrong_dtype(situation: Situation) -> Failure | None:
    """Leave a wrong dtype as it is: it needs no other reason."""
    if situation.failure.kind is FailureKind.DTYPE:
        return situation.failure
    return None


def sizes_from_outside(situation: Situation) -> Failure | None:
    """Name variables outside the function that replace sizes: set to each input's sizes, all cases are right."""
    facts = situation.facts
    if not facts.sizes or not situation.wrong_cases:
        return None
    submission = situation.context.submission
    proof = prove_outside_sizes(
        situation.wrong_cases, facts, submission.calls, submission.answers.restored
    )
    if not proof:
        return None
    failure = situation.failure
    says = _reads_outside(proof, situation.only_published_right)
    return replace(
        failure, student=f"{says} {failure.student}", misconceptions=(OUTSIDE,)
    )


def sizes_from_outside_and_known_mistake(situation: Situation) -> Failure | None:
    """Name variables outside the function that replace sizes, if there is also a known mistake."""
    facts = situation.facts
    if not facts.sizes or situation.single.reason.says:
        return None
    mistake = situation.mistake_besides_sizes
    if not mistake.proof:
        return None
    outside = _reads_outside(mistake.proof, situation.only_published_right)
    both = Reason(
        labels=(OUTSIDE, *mistake.reason.labels),
        says=f"{outside} {mistake.reason.says}",
        made=mistake.reason.made,
    )
    return situation.explained(replace(mistake, reason=both))


def mention_globals(situation: Situation) -> Failure | None:
    """Add two facts to the failure, and explain nothing: other sizes are wrong, and names come from outside."""
    names = situation.facts.globals_read
    if not situation.only_published_right or not names:
        return None
    listed = ", ".join(f"`{name}`" for name in names[:MOST_NAMES])
    if len(names) > MOST_NAMES:
        listed = say(
            "{names} and {count} more", names=listed, count=len(names) - MOST_NAMES
        )
    failure = situation.failure
    text = say(
        "{fact}, and it reads {listed} from outside.",
        fact=say(RIGHT_FOR_PUBLISHED),
        listed=listed,
    )
    situation.failure = replace(
        failure, student=f"{text} {say(TAKE_SIZES_FROM_SHAPES)} {failure.student}"
    )
    return None


def mistake_about_size_or_pair(situation: Situation) -> Failure | None:
    """Give a known mistake about a size, a turned result, or known mistakes at once.

    Three mistakes that together give the same results are less likely than a single wrong step that does.
    """
    reason = situation.mistakes.reason
    if not reason.labels:
        return None
    are_many = any(len(mistakes) > MOST_AT_ONCE for mistakes in reason.made)
    if are_many and not situation.wrong_task_called and situation.slip.reason.says:
        return situation.explained(situation.slip)
    return situation.explained(situation.mistakes)


def relation_to_right_answer(situation: Situation) -> Failure | None:
    """Give a reason that the answers show without any known mistake, such as a constant factor."""
    if not situation.wrong_cases:
        return None
    reason = shown_by_answers(situation.context, situation.failed)
    if reason is None:
        return None
    is_vague = say(CHANGING_FACTOR) in reason.says
    is_vague = is_vague or not VAGUE.isdisjoint(reason.labels)
    if is_vague:
        if OF_GROUPS.intersection(reason.labels) and situation.dependence.says:
            reason = situation.dependence
        elif situation.slip.reason.says:
            says = situation.slip.reason.says
            return situation.explained(KnownMistake(replace(reason, says=says)))
    if (is_vague or "all-alike" in reason.labels) and situation.repair.says:
        reason = replace(reason, says=f"{reason.says} {situation.repair.says}")
    if situation.first_nan:
        reason = replace(reason, says=f"{reason.says} {situation.first_nan}")
    return situation.explained(KnownMistake(reason))


def possible_mistakes(situation: Situation) -> Failure | None:
    """Tell mistakes without a label: several that answer alike, or one that explains some of the answers.

    One that explains all answers of this check is told without reserve.
    """
    if situation.mistake_here.labels:
        return situation.explained(KnownMistake(situation.mistake_here))
    if situation.mistakes.reason.says:
        return situation.explained(situation.mistakes)
    return None


def one_change(situation: Situation) -> Failure | None:
    """Name the line of the student's code in which one change sets everything right."""
    if not situation.wrong_cases or not situation.repair.says:
        return None
    reason = situation.repair
    dependence = situation.dependence
    if dependence.says:
        reason = replace(dependence, says=f"{dependence.says} {reason.says}")
    return situation.explained(KnownMistake(reason))


def one_wrong_step(situation: Situation) -> Failure | None:
    """Say with which wrong step the solution gives the same results, where no known mistake does.

    Where the function calls a task that is wrong by itself, the step may be in that one.
    """
    if not situation.wrong_cases or situation.wrong_task_called:
        return None
    if not situation.slip.reason.says:
        return None
    return situation.explained(situation.slip)


def on_other_places(situation: Situation) -> Failure | None:
    """Name a row or column of the result that depends on what it should not depend on."""
    if not situation.wrong_cases or not situation.dependence.says:
        return None
    return situation.explained(KnownMistake(situation.dependence))


def right_for_published_sizes_only(situation: Situation) -> Failure | None:
    """Ask for a size written as a number: only the published sizes are right, and no name comes from outside."""
    failure = situation.failure
    if not situation.only_published_right or not situation.wrong_cases:
        return None
    if failure.kind is not FailureKind.VALUES or situation.facts.globals_read:
        return None
    if situation.right_beyond_published_sizes:
        return None
    if any(known.gradients is not None for known in situation.failed):
        return None
    if any(known.is_structured for known in situation.failed):
        return None
    says = say(WRITTEN_AS_NUMBER)
    code = situation.context.code_facts(situation.failed[0].case.call.name)
    if code is not None:
        says = _what_differs_from_published(situation, code)
        others = other_parts_are_right(situation)
        if not says and others is not None:
            return others
        says = says or say("{fact}.", fact=say(RIGHT_FOR_PUBLISHED))
    facts = failure.student.rstrip(".")
    return replace(failure, student=f"{says} ({facts}.)")


def _what_differs_from_published(situation: Situation, code: CodeFacts) -> str:
    """Quote a number in the student's code that stands for a size or an axis, or say what wrong inputs share."""
    context = situation.context
    right_cases = []
    for known in cases_of_one_function(context, situation.failed[0]):
        if known.is_right(context.submission.answer(known)):
            right_cases.append(known)
    parameters = situation.facts.parameters
    sentences = []
    places = list(code.sizes)
    if have_other_axes(situation.wrong_cases, right_cases, parameters):
        places += code.axes
    if places:
        sentences.append(
            say(
                "{fact}: is a size or an axis written as a number in `{place}`?",
                fact=say(RIGHT_FOR_PUBLISHED),
                place=places[0],
            )
        )
    difference = what_differs(situation.wrong_cases, right_cases, parameters)
    if difference and not places:
        sentences.append(
            say(
                "{fact}: it is wrong only where {difference}. Does your code allow for that?",
                fact=say(RIGHT_FOR_PUBLISHED),
                difference=difference,
            )
        )
    return " ".join(sentences)


def other_parts_are_right(situation: Situation) -> Failure | None:
    """Name the returned parts that are right in all wrong cases, so that the search is for the others alone."""
    failure = situation.failure
    names = situation.context.compare.homework.task(situation.task).returns
    if failure.kind is not FailureKind.VALUES or len(names) < 2:
        return None
    right_names = set(names)
    for known in situation.wrong_cases:
        value = situation.context.submission.answer(known).value
        right_names &= _right_parts(known, value, names)
    if not situation.wrong_cases or not right_names:
        return None

    titles = [title_of(name) for name in names]
    right_titles = []
    wrong_titles = []
    for name, title in zip(names, titles, strict=True):
        if name in right_names:
            right_titles.append(title)
        else:
            wrong_titles.append(title)
    text = say(
        "Right in all cases: {right}. Look at the lines that make the rest: {wrong}.",
        right=", ".join(right_titles),
        wrong=", ".join(wrong_titles),
    )
    facts = failure.student.rstrip(".")
    return replace(failure, student=f"{text} ({facts}.)")


def where_nan_arises(situation: Situation) -> Failure | None:
    """Name the line in which the first NaN arises."""
    if not situation.first_nan:
        return None
    return situation.explained(KnownMistake(Reason(says=situation.first_nan)))


def calls_a_wrong_task(situation: Situation) -> Failure | None:
    """Name a task of its own that the wrong function calls and that has failed its check."""
    failure = situation.failure
    helper = situation.wrong_task_called
    if failure.kind not in EXPLAINABLE or not helper:
        return None
    text = say(
        "`{name}` calls your `{helper}`, whose own check fails: set that right first.",
        name=situation.failed[0].case.call.name,
        helper=helper,
    )
    if failure.kind is FailureKind.RAISED:
        return replace(failure, student=f"{failure.student} {text}")
    facts = failure.student.rstrip(".")
    return replace(failure, student=f"{text} ({facts}.)")


def nan_of_a_wrong_task(situation: Situation) -> Failure | None:
    """Name the wrong task that the function calls, where NaN comes back: any mistake of that one gives the same.

    If the reason for that one is known, it is known here as well.
    """
    if situation.failure.kind is not FailureKind.NOT_FINITE:
        return None
    if situation.wrong_task_called not in situation.blamed.unexplained:
        return None
    return calls_a_wrong_task(situation)


def sizes_of_wrong_axes(situation: Situation) -> Failure | None:
    """Name the sizes that the axes of a wrong shape have, and should have."""
    failure = situation.failure
    if failure.kind is not FailureKind.SHAPE or failure.misconceptions:
        return None
    # Where only axes of length 1 differ, or two are to be merged, the comparison has said so.
    if ". " in failure.student:
        return None
    context = situation.context
    cases = {}
    for known in cases_of_one_function(context, situation.failed[0]):
        cases[known] = context.submission.answer(known)
    wrong_cases = []
    for known, answer in cases.items():
        if answer.is_usable and not known.is_right(answer):
            wrong_cases.append(known)
    if not wrong_cases:
        return None
    text = describe_axes(cases, wrong_cases, situation.facts.parameters)
    if not text:
        return None
    return replace(failure, student=f"{failure.student} {text}")


def _right_parts(known: KnownCase, value: Any, names: Sequence[str]) -> set[str]:
    """Return the names of the parts of an answer that are right."""
    if known.is_structured or not isinstance(known.expected, tuple | list):
        return set()
    parts = split(value, known.expected)
    if parts is None or len(parts) != len(names):
        return set()
    right_names = set()
    for name, part, expected in zip(names, parts, known.expected, strict=True):
        if deviation(part, expected) <= known.tolerance:
            right_names.add(name)
    return right_names


EXPLANATIONS: Sequence[Callable[[Situation], Failure | None]] = (
    # What another check has found is the reason here as well.
    raised_in_another_task,
    changed_by_a_helper,
    nan_of_a_wrong_task,
    # Whatever else is found is a chance where results depend on the calls before.
    keeps_something,
    proved_or_known_mistake,
    wrong_dtype,
    # A known mistake about a size gives way to the outside name that fixes the size, where that is proved.
    sizes_from_outside,
    sizes_from_outside_and_known_mistake,
    mention_globals,
    mistake_about_size_or_pair,
    relation_to_right_answer,
    one_wrong_step,
    one_change,
    calls_a_wrong_task,
    possible_mistakes,
    where_nan_arises,
    on_other_places,
    right_for_published_sizes_only,
    other_parts_are_right,
    sizes_of_wrong_axes,
)
"""All explanations, the most certain and most specific first.

``mention_globals`` explains nothing, but adds facts to the failure that the later ones explain.
"""


def _reads_outside(proof: Proof, only_published_right: bool) -> str:
    """Say which names from outside the function stand for which sizes."""
    start = (
        say("{fact}: it reads", fact=say(RIGHT_FOR_PUBLISHED))
        if only_published_right
        else say("It reads")
    )
    names = f" {say('and')} ".join(f"`{size.name}`" for size in proof)
    sizes = "; ".join(map(str, proof))
    return say(
        "{start} {names} from outside the function ({sizes}). {remedy}",
        start=start,
        names=names,
        sizes=sizes,
        remedy=say(TAKE_SIZES_FROM_SHAPES),
    )
