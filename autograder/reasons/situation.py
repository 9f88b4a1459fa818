"""The failed cases of one check, and facts about them that several explanations need."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial

from autograder.course.cases import Group
from autograder.reasons.agreement import (
    breaks_down,
    diagnostic_cases,
    same_answer,
    without_cut_decimals,
)
from autograder.reasons.context import Context
from autograder.reasons.dependencies import depends_on_other_places
from autograder.reasons.earlier import Diagnosis, EarlierChecks
from autograder.reasons.first_nan import first_nan
from autograder.reasons.large_numbers import LARGE
from autograder.reasons.outside import prove_beside_mistake, sizes_of
from autograder.reasons.proofs import proved_by_runs
from autograder.reasons.repair_search import (
    Extent,
    RepairSearch,
    find_repair,
    tell_change,
    tell_place,
)
from autograder.reasons.repairs import CodeRepair
from autograder.reasons.turned import turned
from autograder.sandbox.report import Answer, Answers, FunctionFacts
from autograder.verdict.failure import NO_REASON, Failure, FailureKind, Reason, joined
from autograder.verdict.interface import Form
from autograder.verdict.known import KnownCase, KnownCases

NameCause = Callable[[str, Answers, KnownCases], Reason]
"""Names what is behind the answers to some cases of a task: a known mistake, or a slip."""

TIMES_RIGHT = 3
"""So many further runs must be right with a change of code whose results differ from call to call."""


@dataclass(eq=False)
class Situation:
    """The failed cases of one check.

    Attributes:
        context: the submission, and what finds known mistakes.
        failed: the failed cases, all of one task.
        failure: the first failure. An explanation may add a fact to it for those that come later.
        earlier: what earlier checks of this submission have found.
    """

    context: Context
    failed: KnownCases
    failure: Failure
    earlier: EarlierChecks

    @cached_property
    def first(self) -> KnownCase:
        return self.failed[0]

    @cached_property
    def task(self) -> str:
        return self.first.case.task

    @cached_property
    def function(self) -> str:
        """The name of the function that the first failed case calls."""
        return self.first.case.call.name

    @cached_property
    def is_published(self) -> bool:
        return self.first.case.group is Group.PUBLISHED

    @cached_property
    def facts(self) -> FunctionFacts:
        """Facts about the function that the first failed case calls."""
        return self.context.submission.facts(self.function)

    @cached_property
    def wrong_cases(self) -> list[KnownCase]:
        """The failed cases of the first one's function that are wrong in the form asked for.

        They are the homework's own cases: a check may have put other expected values in their place.
        """
        stored = {known.case.id: known for known in self.context.cases.known}
        wrong = []
        for failed in self.failed:
            known = stored.get(failed.case.id, failed)
            if failed.case.call.name == self.function:
                if not self.context.is_right(known):
                    wrong.append(known)
        return wrong

    # Known mistakes, and other wrong steps of the solution

    @cached_property
    def proved_or_single(self) -> Diagnosis:
        """A reason that is proved regardless of other mistakes, or else a single known mistake."""
        proved = proved_by_runs(self.context, self.failed)
        if proved is not None:
            return Diagnosis(proved)
        return self._once("single", partial(self._diagnosis, pairs=False))

    @cached_property
    def proved_or_known(self) -> Diagnosis:
        """The single mistake, or else a turned result or a pair of mistakes."""
        if self.proved_or_single.reason.says:
            return self.proved_or_single
        return self._once("pairs", self._turned_or_pair)

    def _turned_or_pair(self) -> Diagnosis:
        turned_result = turned(self.context, self.task)
        if turned_result is not None:
            return Diagnosis(turned_result)
        return self._diagnosis(pairs=True)

    @cached_property
    def slip(self) -> Diagnosis:
        """The wrong step of the solution that gives the same results."""
        find_slip = self.context.find_slip
        if find_slip is None:
            return Diagnosis()
        return self._once("slip", partial(self._diagnosed_by, find_slip))

    @cached_property
    def mistake_besides_sizes(self) -> Diagnosis:
        """A known mistake that shows once names from outside stand for the sizes of each input."""
        return self._once("besides sizes", self._mistake_besides_sizes)

    def _mistake_besides_sizes(self) -> Diagnosis:
        submission = self.context.submission
        proof, reason = prove_beside_mistake(
            list(self._judged_keys),
            self._task_answers(submission.answers),
            self.facts,
            submission.calls,
            submission.answers.restored,
            self.context.diagnose,
        )
        return Diagnosis(reason, submission.answers.form(self.task), proof)

    @cached_property
    def mistake_here(self) -> Reason:
        """The known mistake behind some of the task's answers, if it explains all that this check compares."""
        partial_reason = self.proved_or_known.reason
        if len(partial_reason.made) != 1 or partial_reason.labels:
            return NO_REASON
        cases = diagnostic_cases(self.failed, self.task)
        came = self.context.submission.answers.as_returned
        returned = {known.case.id: came[known.case.id] for known in cases}
        reason = self.context.diagnose(self.task, returned, cases, pairs=False)
        return reason if reason.made == partial_reason.made else NO_REASON

    def _once(self, search: str, find: Callable[[], Diagnosis]) -> Diagnosis:
        """Return what a search finds behind the task's answers, made once for all checks of the task."""
        diagnoses = self.earlier.diagnoses
        key = (self.task, search)
        if key not in diagnoses:
            diagnoses[key] = find()
        return diagnoses[key]

    def _diagnosis(self, *, pairs: bool) -> Diagnosis:
        return self._diagnosed_by(partial(self.context.diagnose, pairs=pairs))

    def _diagnosed_by(self, name_cause: NameCause) -> Diagnosis:
        """Return what is behind the answers as they were returned, or else in the form that the task asks for.

        Answers as they were returned come first: a mistake may look like the right answer transposed.
        """
        answers = self.context.submission.answers
        came = self._task_answers(answers.as_returned)
        cases = without_cut_decimals(came, list(self._judged_keys))
        reason = name_cause(self.task, came, cases)
        finite_cases = self._without_broken_large_numbers(cases)
        if not reason.labels and len(finite_cases) < len(cases):
            reason_of_finite = name_cause(self.task, came, finite_cases)
            if reason_of_finite.labels:
                reason = reason_of_finite
        form = answers.form(self.task)
        if reason.says or form is None:
            return Diagnosis(reason)
        reason = name_cause(self.task, self._task_answers(answers), cases)
        return Diagnosis(reason, form)

    @cached_property
    def _judged_keys(self) -> dict[KnownCase, str]:
        """The cases of the task that diagnosis looks at, as they were judged, with the keys of their answers.

        Where large numbers bring down a wrong task that the function calls, and the function with it, they are left
        out beside wrong answers that came back: what is NaN hides every other mistake.
        """
        cases = diagnostic_cases(self.context.cases.known, self.task)
        if self._large_numbers_break_helper:
            cases = self._without_broken_large_numbers(cases)
        return dict(map(self.context.judged, cases))

    def _without_broken_large_numbers(self, cases: KnownCases) -> list[KnownCase]:
        """Leave out cases with large numbers to which nothing finite came back, if wrong answers remain."""
        telling_cases = []
        for known in cases:
            is_large = known.case.topic == LARGE
            if not is_large or not breaks_down(self.context.answer(known)):
                telling_cases.append(known)
        if all(map(self.context.is_right, telling_cases)):
            return list(cases)
        return telling_cases

    @property
    def _large_numbers_break_helper(self) -> bool:
        """Whether a wrong task that the function calls returns nothing finite for large numbers."""
        other_failed = self.earlier.failed - {self.function}
        broken_tasks = set()
        for known in self.context.cases.known:
            if known.case.task in other_failed and known.case.topic == LARGE:
                if breaks_down(self.context.answer(known)):
                    broken_tasks.add(known.case.task)
        # The code is read as text only where it matters.
        return bool(broken_tasks) and self.wrong_task_called in broken_tasks

    def _task_answers(self, answers: Answers) -> dict[str, Answer]:
        """Pick the answers to the cases that diagnosis looks at, by case id."""
        keys = self._judged_keys.items()
        return {known.case.id: answers[key] for known, key in keys}

    # The student's own code

    @cached_property
    def repair(self) -> str:
        """The words for the place in the student's own code where one change sets everything right."""
        return self._tell_change(Extent.ALL)

    @cached_property
    def likely_repair(self) -> str:
        """The same words, after a brief search: something else is known already."""
        return self._tell_change(Extent.BRIEF)

    @cached_property
    def steady_repair(self) -> str:
        """The same words of a change with which the results are right again and again: they may be by chance.

        Generators that the code leaves without a seed differ from run to run; others are seeded before each call.
        """
        repair = self._find_repair(Extent.BRIEF)
        if repair is None:
            return ""
        search = RepairSearch(self.context, self.failure.kind)
        for _ in range(TIMES_RIGHT):
            if not search.right_for([repair], self.wrong_cases):
                return ""
        return tell_change(repair, self.function, self.failure.kind)

    @cached_property
    def second_name(self) -> str:
        """The words for the place where one object has two names, if that is behind a known mistake."""
        code = self.context.code
        if code is None or not code.may_share_objects:
            return ""
        return self._tell_change(Extent.NEW_OBJECTS)

    @cached_property
    def unset_memory(self) -> str:
        """The words for the place where memory is read that nothing was written into, if zeros there are right."""
        code = self.context.code
        if code is None or not code.may_leave_memory_unset:
            return ""
        return self._tell_change(Extent.MEMORY)

    @cached_property
    def place_to_change(self) -> str:
        """The words for the likely place alone, where it has been said what is wrong."""
        repair = self._find_repair(Extent.BRIEF)
        return tell_place(repair, self.function) if repair is not None else ""

    def _tell_change(self, extent: Extent) -> str:
        repair = self._find_repair(extent)
        if repair is None:
            return ""
        return tell_change(repair, self.function, self.failure.kind)

    def _find_repair(self, extent: Extent) -> CodeRepair | None:
        """Return the change of the student's own code that sets everything right; None where none is found."""
        if not self.wrong_cases:
            return None
        kind = self.failure.kind
        searches = self.earlier.searches
        return find_repair(self.context, self.wrong_cases, kind, searches, extent)

    @cached_property
    def wrong_task_called(self) -> str:
        """The name of a task that the wrong function calls and that has failed its own check, or nothing."""
        code = self.context.code
        if code is not None:
            for function in code.used_by(self.function)[1:]:
                if function.name in self.earlier.failed:
                    return function.name
        return ""

    # What further calls and other cases show

    @cached_property
    def dependence(self) -> Reason:
        """A row or column of the result that depends on what it should not depend on."""

        def find() -> Diagnosis:
            reason = depends_on_other_places(self.context, self.wrong_cases)
            return Diagnosis(NO_REASON if reason is None else reason)

        # Other checks of the task have other wrong cases.
        cases = [known.case.id for known in self.wrong_cases]
        return self._once(" ".join(["dependence", *cases]), find).reason

    @cached_property
    def first_nan(self) -> str:
        """The words for the line in which the first NaN of the first wrong case arises; else nothing."""
        if self.failure.kind is not FailureKind.NOT_FINITE or not self.wrong_cases:
            return ""
        return first_nan(self.context, self.wrong_cases[0])

    @cached_property
    def only_published_right(self) -> bool:
        """Whether the published cases are right, and cases of other sizes are wrong.

        Huge numbers fail for another reason than their sizes, so only cases about values count.
        """
        published = self.context.cases.published(self.task)
        if not published or self.is_published or self.first.case.topic != "values":
            return False
        return not any(map(self.context.compare.judge, published))

    @cached_property
    def right_beyond_published_sizes(self) -> bool:
        """Whether a case is right that has as many axes as the wrong one, and sizes above all published ones.

        A number that was written for a published size, or for an axis, would have been wrong there.
        """
        cases = self.context.cases
        parameters = self.facts.parameters
        largest: dict[str, int] = {}
        for known in cases.published(self.task):
            for name, size in sizes_of(known.case.call, parameters).items():
                largest[name] = max(size, largest.get(name, size))
        failed_sizes = sizes_of(self.first.case.call, parameters)
        if not largest or failed_sizes.keys() != largest.keys():
            return False
        for known in [*cases.stored(self.task), *cases.fresh(self.task, "values")]:
            sizes = sizes_of(known.case.call, parameters)
            if sizes.keys() != largest.keys():
                continue
            is_larger = all(size > largest[name] for name, size in sizes.items())
            if is_larger and self.context.compare.judge(known) is None:
                return True
        return False

    @cached_property
    def repeats_an_answer(self) -> bool:
        """Whether the first wrong case has the numbers of another case, for which they are right."""
        answer = self.context.answer(self.first)
        if not answer.is_usable:
            return False
        for known in self.context.cases_like(self.first):
            if known.case.id == self.first.case.id:
                continue
            other_answer = self.context.answer(known)
            # Most have another shape, which shows sooner than whether they are right.
            if same_answer(answer, other_answer, known.tolerance):
                if self.context.is_right(known):
                    return True
        return False

    # What the student reads

    def explained(
        self, reason: Reason | None, form: Form | None = None
    ) -> Failure | None:
        """Put a reason before the facts about the numbers; None where there is no reason.

        A reason with the labels that the comparison has given already leaves the failure as it is.

        In a published case answers are judged as they were returned, so their form comes first.
        """
        if reason is None:
            return None
        failure = self.failure
        labels = reason.labels
        if not reason.says or (labels and labels == failure.misconceptions):
            return failure
        failure = replace(failure, made=reason.made)
        if self.is_published and form is not None:
            remedy = form.remedy(self.context.homework.task(self.task).returns)
            labels = tuple(filter(None, (form.label, *labels)))
            explained = self.with_fact(joined(remedy, reason.says), failure)
            return replace(explained, misconceptions=labels)
        if failure.kind is FailureKind.RAISED and not labels:
            # The exception is certain, and comes before a mere possibility.
            return self.with_fact(reason.says, failure)
        if "rounds-result" in labels:
            # The reason says that the numbers are right but rounded; the facts would say that they are wrong.
            failure = failure.reworded(reason.says)
            return replace(failure, cause=reason.says, misconceptions=labels)
        if labels:
            # What might be done is known now.
            failure = replace(failure, hint="")
        return replace(self.before_facts(reason.says, failure), misconceptions=labels)

    def diagnosed(self, diagnosis: Diagnosis) -> Failure | None:
        """Put the reason of a diagnosis before the facts."""
        return self.explained(diagnosis.reason, diagnosis.form)

    def before_facts(self, text: str, failure: Failure | None = None) -> Failure:
        """Return the failure, or one like it, with a text before its facts."""
        return (failure or self.failure).explained_by(text)

    def with_fact(self, text: str, failure: Failure | None = None) -> Failure:
        """Return the failure, or one like it, with one more fact."""
        failure = failure or self.failure
        cause = joined(failure.context, text)
        return replace(failure.followed_by(text), cause=cause)
