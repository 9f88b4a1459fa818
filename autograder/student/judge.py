"""Run the public checks on the names that a student's code defines."""

from __future__ import annotations

import contextlib
import types
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Any

from autograder.course.calls import ANSWERS_READ
from autograder.exhibits.exhibits import exhibits
from autograder.language import ENGLISH, Language, in_language, say
from autograder.reasons.agreement import proved_by_exceptions, single_mistakes, tell
from autograder.reasons.explain import Explainer
from autograder.reasons.student_code import StudentCode
from autograder.sandbox.report import Answer, Answers, Stop
from autograder.sandbox.request import Code
from autograder.student.answers import Around, LoadedAnew, OwnAnswers
from autograder.student.find import unknown_task
from autograder.student.homework import PublicHomework
from autograder.student.questions import about_answers, count_unanswered
from autograder.verdict.checks import (
    Check,
    CheckResult,
    Outcome,
    judge_checks,
    with_required,
)
from autograder.verdict.explanation_faults import explaining, recording_faults
from autograder.verdict.failure import Failure, Reason, is_unwritten
from autograder.verdict.fixtures import Cases, Compare, Fixtures, SubmissionProxy
from autograder.verdict.forms import with_forms
from autograder.verdict.interface import Restored
from autograder.verdict.known import FailedCase, KnownCase
from autograder.verdict.results import groups_by_reason, most_fundamental
from autograder.verdict.work import Exhibit
from autograder.worker.places import SUBMISSION_ROOT

LARGE = "large"
"""The topic of cases with numbers that leave the range of floating point where a softmax is unstable."""
NOT_WRITTEN = "not written yet"
WAITS = "not run: it calls a function that is not written yet"
OUR_FAULT = (
    "A check itself is broken, which is not your fault: please tell the course's staff."
)
NOT_EXPLAINED = "No reason could be found because of an error in the checks: please tell the course's staff."
NAMES_OF_STUBS = {NotImplementedError.__name__, "super", "__init__"}
LONGEST_FAULT = 200
NO_HINTS = "It does not return what is expected yet."
ON_REQUEST = "on_request"
"""The value of ``hints`` with which a table shows calls and numbers, and reasons only where they are asked for."""
LOOK_FIRST = (
    f"{NO_HINTS} Compare the results below. For a hint: `python check.py --all`, or "
    "`python check.py --watch` and h."
)


@dataclass(frozen=True)
class Report:
    """The results of the public checks, in their order; ``total`` counts the hidden ones' points as well.

    ``trouble`` says why nothing could be run, ``notes`` what else a student should know, ``after`` what comes
    next where every public check passes. ``shown`` are the cases behind the first thing to fix of each task,
    by the name of its check, and ``output`` is what their calls printed, by their ids. By task, ``places``
    says where its function begins, and ``raised`` is its first exception. ``chosen`` says that these are not
    all checks. ``questions`` says how many answers to theory questions can be read, and ``language`` in which
    language all of this is.
    """

    title: str
    results: tuple[CheckResult, ...]
    total: float
    trouble: str = ""
    notes: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    shown: tuple[Exhibit, ...] = ()
    questions: str = ""
    output: Mapping[str, str] = field(default_factory=dict)
    places: Mapping[str, str] = field(default_factory=dict)
    raised: Mapping[str, BaseException] = field(default_factory=dict, compare=False)
    chosen: bool = False
    language: Language = ENGLISH

    @property
    def earned(self) -> float:
        return sum(check.earned for check in self.results)

    @property
    def points(self) -> float:
        return sum(check.points for check in self.results)

    @property
    def passed(self) -> bool:
        if self.trouble:
            return False
        return all(check.outcome is Outcome.PASSED for check in self.results)

    @in_language
    def only(self, checks: Collection[str]) -> Report:
        """Return the report on the checks that have these names."""
        results = []
        for check in self.results:
            if check.check in checks:
                results.append(check)
        if len(results) == len(self.results):
            return self
        tasks = dict.fromkeys(check.task for check in results)
        title = f"{self.title}, {', '.join(tasks)}"
        total = sum(check.points for check in results)
        after = self.after
        for check in self.results:
            if check.check not in checks and check.outcome is not Outcome.PASSED:
                # Nothing is handed in while other tasks are not right.
                after = (
                    say(
                        "Next: {task}. `python check.py` shows all tasks.",
                        task=check.task,
                    ),
                )
                break
        return replace(
            self,
            title=title,
            results=tuple(results),
            total=total,
            after=after,
            chosen=True,
        )


@in_language
def judge(
    public: PublicHomework,
    namespace: dict[str, Any],
    stops: Sequence[Stop] = (),
    task: str | None = None,
    notes: Sequence[str] = (),
    around: Around = contextlib.nullcontext,
    code: Code | None = None,
    live: bool = False,
    loaded_anew: LoadedAnew | None = None,
) -> Report:
    """Run the public checks of a homework, or those of one task, each call within what ``around`` opens.

    With ``live``, the calls have this process's screen and keyboard. A check that raises is not judged, and
    an explanation that raises leaves the plain fact; notes say so, for the course's staff. ``loaded_anew`` loads
    the code once more, for calls with nothing called before.

    Raises:
        LookupError: the homework has no such task.
    """
    with recording_faults() as faults:
        report = _judge(
            public, namespace, stops, task, notes, around, code, live, loaded_anew
        )
    not_judged = []
    for check in report.results:
        if check.outcome is Outcome.NOT_JUDGED:
            not_judged.append(check)
    if not_judged:
        check = not_judged[0]
        first_line = check.staff.partition("\n")[0]
        note = f"{say(OUR_FAULT)} ({check.check}: {first_line[:LONGEST_FAULT]})"
        report = replace(report, notes=(note, *report.notes))
    if faults:
        note = f"{say(NOT_EXPLAINED)} ({faults[0][:LONGEST_FAULT]})"
        report = replace(report, notes=(*report.notes, note))
    return report


def _judge(
    public: PublicHomework,
    namespace: dict[str, Any],
    stops: Sequence[Stop],
    task: str | None,
    notes: Sequence[str],
    around: Around,
    code: Code | None,
    live: bool,
    loaded_anew: LoadedAnew | None,
) -> Report:
    answers = OwnAnswers(public, namespace, around, live, loaded_anew)
    submission = SubmissionProxy(
        answers=Restored(answers, public.known, public.homework.tasks),
        ask_functions=answers.facts,
        ask_stops=lambda: stops,
        calls=answers.ask,
        ask_names=answers.names,
        ask_openly=lambda: answers,
        ask_anew=answers.ask_anew,
    )

    def diagnose(
        task: str, answers: Answers, cases: Sequence[KnownCase], *, pairs: bool = True
    ) -> Reason:
        """Name the one known mistake that gives the same answers; no pair is looked for here.

        Many a softmax fails for large numbers too, which is then left aside: it is a second mistake.
        """
        mistakes = public.mistakes.get(task, ())
        moderate = []
        for case in cases:
            if case.case.topic != LARGE:
                moderate.append(case)
        reasons = public.diagnoses
        alike = single_mistakes(answers, cases, mistakes, reasons)
        if not alike:
            alike = single_mistakes(answers, moderate, mistakes, reasons)
        if not alike and pairs:
            alike = proved_by_exceptions(answers, cases, mistakes, reasons)
        return tell(alike, reasons)

    # The verdicts and their reasons.
    cases = Cases(public.known, public_only=True)
    explainer = Explainer(diagnose, sayings=public.diagnoses)
    if code is not None and not live:
        explainer.code = StudentCode(code)
    compare = Compare(public.homework, submission, cases, explainer)
    failures: dict[str, Failure] = {}
    fixtures = Fixtures(submission, cases, compare)
    results = []
    for result, failure in judge_checks(_needed(public, task), fixtures):
        if failure is not None:
            failures[result.check] = failure
        if task in (None, result.task):
            function = namespace.get(result.task)
            results.append(_for_student(public, result, answers, function))

    if public.homework.hints != "never":  # the form is a hint, too
        with explaining("the form in which right values come back"):
            results = with_forms(results, public.checks, fixtures)

    # The cases behind the first thing to fix of each task.
    failed_cases: list[tuple[str, FailedCase]] = []
    if public.homework.hints != "never":
        failed_cases = _cases_to_show(results, failures)
    public_exhibits: tuple[Exhibit, ...] = ()
    with explaining("what came out"):
        parameters = {}
        if failed_cases:
            for result in results:
                facts = submission.facts(result.task)
                parameters[result.task] = facts.parameters
        limits = public.homework.limits
        public_exhibits = exhibits(failed_cases, limits, parameters, public.known)

    places = {}
    total: float = 0
    for homework_task in public.homework.tasks:
        place = _place(namespace.get(homework_task.name))
        if place:
            places[homework_task.name] = place
        if task in (None, homework_task.name):
            total += homework_task.points
    report = Report(
        title=task or public.homework.title,
        results=tuple(results),
        total=total,
        notes=tuple(notes),
        shown=public_exhibits,
        output=answers.output,
        places=places,
        raised=answers.raised,
        language=public.homework.language,
    )
    if task:
        return report
    questions = ""
    unanswered = 0
    if public.questions:
        [given_answers] = answers.ask([ANSWERS_READ])
        questions = about_answers(public.questions, given_answers, namespace, code)
        unanswered = count_unanswered(public.questions, given_answers)
    return replace(report, after=public.after(unanswered), questions=questions)


def _cases_to_show(
    results: Sequence[CheckResult], failures: Mapping[str, Failure]
) -> list[tuple[str, FailedCase]]:
    """Return the case behind the first thing to fix of each task, with the name of its check.

    A check that judges no single case may share its reason with one that does.
    """
    group_of_check = {}
    for group in groups_by_reason(results):
        for check in group:
            group_of_check[check.check] = group
    cases = []
    for wrong in first_of_tasks(results):
        for check in (wrong, *group_of_check[wrong.check]):
            failure = failures.get(check.check)
            if check.task == wrong.task and failure and failure.failed_case is not None:
                cases.append((wrong.check, failure.failed_case))
                break
    return cases


def first_of_tasks(results: Sequence[CheckResult]) -> list[CheckResult]:
    """Return of each task the failed check to look at first."""
    first = []
    for _, group in groupby(results, key=lambda check: check.task):
        wrong = most_fundamental(list(group))
        if wrong is not None:
            first.append(wrong)
    return first


def unless_asked(public: PublicHomework, report: Report) -> Report:
    """Return the report without reasons where the homework gives these on request; calls and numbers stay."""
    if public.homework.hints != ON_REQUEST:
        return report
    results = []
    for result in report.results:
        if result.outcome is Outcome.FAILED:
            result = replace(result, reason=say(LOOK_FIRST), misconceptions=())
        results.append(result)
    return replace(report, results=tuple(results))


@in_language
def broken(public: PublicHomework, trouble: str, notes: Sequence[str] = ()) -> Report:
    """Return the report of code that could not be run at all."""
    results = []
    for check in public.checks:
        results.append(check.result(Outcome.NOT_RUN, say("nothing could be run")))
    return Report(
        title=public.homework.title,
        results=tuple(results),
        total=public.homework.points,
        trouble=trouble,
        notes=tuple(notes),
        language=public.homework.language,
    )


def unwritten(public: PublicHomework) -> Report:
    """Return the report of files that are as they were handed out."""
    results = [check.result(Outcome.NOT_RUN, NOT_WRITTEN) for check in public.checks]
    return Report(
        public.homework.title,
        tuple(results),
        public.homework.points,
        language=public.homework.language,
    )


def _place(value: object) -> str:
    """Say where a function or a class begins in the student's own file or notebook; nothing where unknown."""
    places = []
    for function in functions_of(value):
        code = function.__code__
        if code.co_filename.startswith(SUBMISSION_ROOT):
            file = code.co_filename.removeprefix(SUBMISSION_ROOT)
            places.append((code.co_firstlineno, file))
    if not places:
        return ""
    line, file = min(places)
    return say("line {line} of {file}", line=line, file=file)


def functions_of(value: object) -> list[types.FunctionType]:
    """Return a function, or the methods of a class, as far as they are written in Python."""
    members = vars(value).values() if isinstance(value, type) else (value,)
    functions = []
    for member in members:
        if isinstance(member, types.FunctionType):
            functions.append(member)
    return functions


def has_raise_of_stub(function: types.FunctionType) -> bool:
    """Return whether a function holds the `raise` with which stubs end."""
    return NotImplementedError.__name__ in function.__code__.co_names


def is_worked_on(function: types.FunctionType) -> bool:
    """Return whether a function does more than a stub: it uses names of its own, before the `raise` or after."""
    code = function.__code__
    parameters = code.co_argcount + code.co_kwonlyargcount
    own_names = set(code.co_names) - NAMES_OF_STUBS
    return bool(own_names) or code.co_nlocals > parameters


def _needed(public: PublicHomework, task: str | None) -> Sequence[Check]:
    """Return the checks of a task after those that they require; all where no task is named."""
    if task not in (None, *public.tasks):
        raise LookupError(unknown_task(str(task), public.tasks))
    names = set()
    for check in public.checks:
        if task in (None, check.task):
            names.add(check.name)
    return with_required(public.checks, names)


def _for_student(
    public: PublicHomework, result: CheckResult, answers: Answers, function: object
) -> CheckResult:
    """Return a check's result as a student reads it: a stub is not wrong, only not written yet.

    Nor is a function that calls a stub. Where the stub's `raise` was left in a function that is worked on, the
    reason says so.
    """
    if result.outcome is Outcome.PASSED:
        return result
    if result.outcome is Outcome.NOT_JUDGED:
        return replace(result, reason=say(OUR_FAULT))
    answer = Answer(not_defined=True)  # as where only inputs are handed in
    for known in public.known:
        if known.case.task == result.task:
            answer = answers[known.case.id]
            break
    is_blocked = result.outcome is Outcome.NOT_RUN
    returns_nothing = "returns-nothing" in result.misconceptions
    if is_unwritten(answer.error) and (is_blocked or returns_nothing):
        functions = functions_of(function)
        stubs = list(filter(has_raise_of_stub, functions))
        if any(map(is_worked_on, stubs)):
            return result
        reason = NOT_WRITTEN if stubs or not functions else say(WAITS)
        return replace(result, outcome=Outcome.NOT_RUN, reason=reason)
    if is_blocked:
        return result
    if public.homework.hints == "never" and answer.is_usable:
        reason = say(NO_HINTS)
        return replace(result, reason=reason, misconceptions=(), kind="", cause="")
    return result
