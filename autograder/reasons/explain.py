"""Explain a submission's failures: the calls that returned nothing, and the failed cases of each check.

The verdict is known before anything here runs. ``explanations.py`` lists what may explain failed cases.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from autograder.course.calls import ModuleCall, ObjectCall
from autograder.language import say
from autograder.reasons.agreement import Diagnose, FindSlip, Sayings, diagnostic_cases
from autograder.reasons.context import Context
from autograder.reasons.earlier import EarlierChecks
from autograder.reasons.errors import explain_missing, explain_no_value, name_stop
from autograder.reasons.explanations import EXPLAINABLE, EXPLANATIONS
from autograder.reasons.property_search import PropertySearch
from autograder.reasons.repair_search import find_repair, tell_change
from autograder.reasons.situation import Situation
from autograder.reasons.student_code import StudentCode
from autograder.sandbox.report import StudentError
from autograder.verdict.explanation_faults import explaining
from autograder.verdict.failure import (
    NO_REASON,
    Failure,
    FailureKind,
    Reason,
    has_message,
)
from autograder.verdict.fixtures import (
    Ask,
    Compare,
    Property,
    SubmissionProxy,
)
from autograder.verdict.gradients import CUTS_GRADIENTS
from autograder.verdict.known import OPEN, KnownCase, KnownCases

GIVES_WAY = {"returns-transposed", "mask-additive"}
"""Labels of a comparison that are less certain than a known mistake which answers alike."""
SAID_ALREADY = frozenset({FailureKind.MODIFIED, FailureKind.GRADIENT})
"""Failures that say what is wrong; the line that does it is added."""


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
    _earlier: EarlierChecks = field(default_factory=EarlierChecks)
    _changes: dict[str, str] = field(default_factory=dict)

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
            quoted = _same_error_in_an_open_case(compare, known, error)
        return explain_no_value(error, call, homework.limits, quoted, stopped_before)

    def value_instead(self, compare: Compare, failure: Failure) -> Failure:
        """Explain a wrong top-level value that was judged because its function is missing."""
        return failure.followed_by(_stopped_before(compare.submission))

    def reason(self, compare: Compare, failed: KnownCases, failure: Failure) -> Failure:
        """Return the failure with the first reason that explains it, or unchanged if none does."""
        context = self.context(compare)
        earlier = self._earlier
        function = failed[0].case.call.name
        if failure.kind is FailureKind.MODIFIED:
            earlier.changing.add(function)
        if failure.kind is FailureKind.GRADIENT:
            failure = _with_cuts(context, function, failure)
        if failure.kind in SAID_ALREADY:
            repair = find_repair(context, failed, failure.kind, earlier.searches)
            if repair is None:
                return failure
            change = tell_change(repair, function, failure.kind)
            return replace(failure.followed_by(change), cause=change)
        labels = set(failure.misconceptions)
        if failure.kind not in EXPLAINABLE and not labels:
            return failure
        if labels - GIVES_WAY:
            return failure
        earlier.failed.add(function)
        situation = Situation(context, failed, failure, earlier)
        explained = None
        for explanation in EXPLANATIONS:
            explained = explanation(situation)
            if explained is not None:
                break
        explained = explained or situation.failure
        earlier.note(context.answer(failed[0]).error, failure, explained)
        if not explained.misconceptions:
            earlier.unexplained.add(function)
        return explained

    def known_mistake(self, compare: Compare, task: str) -> Reason:
        """Return the known mistakes that give the same answers to a task as the submission."""
        cases = diagnostic_cases(compare.cases.known, task)
        return self.diagnose(task, compare.submission.answers, cases)

    def saying(self, label: str) -> Reason:
        """Return the explanation of a known mistake; no reason where none is known by that name."""
        return self.sayings.get(label, NO_REASON)

    def one_change(self, compare: Compare, wanted: Property) -> str:
        """Say with which one change the submission's own code has a property; nothing where none is found."""
        if wanted.name not in self._changes:
            search = PropertySearch(self.context(compare), wanted)
            self._changes[wanted.name] = search.sentence()
        return self._changes[wanted.name]

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


def _with_cuts(context: Context, function: str, failure: Failure) -> Failure:
    """Name what cuts gradients off in the student's own code, instead of all that may."""
    code = context.code_facts(function)
    if code is None:
        return failure
    cuts = ", ".join(f"`{cut}`" for cut in code.cuts)
    named = f" ({cuts})" if cuts else ""
    examples = f" ({say(CUTS_GRADIENTS)})"
    return replace(failure, fact=failure.fact.replace(examples, named))


def _same_error_in_an_open_case(
    compare: Compare, known: KnownCase, error: StudentError
) -> StudentError | None:
    """Return the same exception, raised at the same line, in a case whose inputs students may see.

    An exception's message may quote hidden inputs; the message of this one cannot.
    """
    open_cases = []
    for other in compare.cases.known:
        if other.case.group in OPEN and other.case.call.name == known.case.call.name:
            open_cases.append(other.case.id)
    # The case itself comes first.
    open_cases.sort(key=lambda case_id: case_id != known.case.id)

    answers = compare.submission.ask_openly()
    origin = (error.type, error.file, error.line)
    for case_id in open_cases:
        other_error = answers[case_id].error if case_id in answers else None
        if other_error is None:
            continue
        if (other_error.type, other_error.file, other_error.line) == origin:
            return other_error
    return None


def _stopped_before(submission: SubmissionProxy) -> str:
    """Name the first cell, or line of a file, that stopped while the code was loaded."""
    with explaining("what stopped while the code was loaded"):
        for stop in submission.ask_stops():
            return name_stop(stop)
    return ""
