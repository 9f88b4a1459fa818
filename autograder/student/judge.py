"""Run the public checks on what a student's code defines."""

from __future__ import annotations

import contextlib
import types
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby, islice
from typing import Any

from autograder.course.cases import ANSWERS_READ
from autograder.exhibits.exhibits import exhibits
from autograder.reasons.agreement import proved_by_exceptions, single_mistakes, tell
from autograder.reasons.explain import Explainer
from autograder.sandbox.report import Answer, Answers, Stop
from autograder.sandbox.request import Code
from autograder.student.answers import Around, OwnAnswers
from autograder.student.find import unknown_task
from autograder.student.homework import PublicHomework
from autograder.student.questions import about_answers
from autograder.verdict.checks import Check, CheckResult, Outcome, run_checks
from autograder.verdict.explanation_faults import explaining, recording_faults
from autograder.verdict.failure import Failure, Reason, is_unwritten
from autograder.verdict.fixtures import Cases, Compare, Fixtures, SubmissionProxy
from autograder.verdict.interface import Restored
from autograder.verdict.known import KnownCase
from autograder.verdict.results import alike, most_fundamental
from autograder.verdict.work import Exhibit
from autograder.worker.errors import SUBMISSION_ROOT

LARGE = "large"
"""The topic of cases with numbers that leave the range of floating point where a softmax is unstable."""
NOT_WRITTEN = "not written yet"
OUR_FAULT = "A check itself is broken, which is no fault of yours: please tell the course's staff."
NOT_EXPLAINED = (
    "A reason could not be found for a fault of ours: please tell the course's staff."
)
LONGEST_FAULT = 200
NO_HINTS = "It does not give what is expected yet."


@dataclass(frozen=True)
class Report:
    """The results of the public checks, in their order; ``total`` counts the hidden ones' points as well.

    ``trouble`` says why nothing could be run, ``notes`` what else a student should know, ``after`` what comes
    next where every public check passes. ``shown`` are the cases behind the first thing to fix of each task,
    by the name of its check, and ``output`` is what their calls printed, by their ids. By task, ``places``
    says where its function begins, and ``raised`` is its first exception. ``chosen`` says that these are not
    all checks. ``questions`` says how many answers to theory questions can be read.
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

    @property
    def earned(self) -> float:
        return sum(one.earned for one in self.results)

    @property
    def points(self) -> float:
        return sum(one.points for one in self.results)

    @property
    def passed(self) -> bool:
        return not self.trouble and all(
            one.outcome is Outcome.PASSED for one in self.results
        )

    def only(self, checks: Collection[str]) -> Report:
        """Return the report on those of the checks that have these names."""
        kept = tuple(one for one in self.results if one.check in checks)
        if len(kept) == len(self.results):
            return self
        title = f"{self.title}, {', '.join(dict.fromkeys(one.task for one in kept))}"
        total = sum(one.points for one in kept)
        return replace(self, title=title, results=kept, total=total, chosen=True)


def judge(
    public: PublicHomework,
    namespace: dict[str, Any],
    stops: Sequence[Stop] = (),
    task: str | None = None,
    notes: Sequence[str] = (),
    around: Around = contextlib.nullcontext,
    code: Code | None = None,
    live: bool = False,
) -> Report:
    """Run the public checks of a homework, or those of one task, each call within what ``around`` opens.

    With ``live``, the calls have this process's screen and keyboard. A check that raises is not judged, and
    an explanation that raises leaves the plain fact; notes say so, for the course's staff.

    Raises:
        LookupError: the homework has no such task.
    """
    with recording_faults() as faults:
        report = _judge(public, namespace, stops, task, notes, around, code, live)
    broken = [one for one in report.results if one.outcome is Outcome.NOT_JUDGED]
    if broken:
        first_line = broken[0].staff.partition("\n")[0]
        notes = (
            f"{OUR_FAULT} ({broken[0].check}: {first_line[:LONGEST_FAULT]})",
            *report.notes,
        )
        report = replace(report, notes=notes)
    if faults:
        note = f"{NOT_EXPLAINED} ({faults[0][:LONGEST_FAULT]})"
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
) -> Report:
    own = OwnAnswers(public, namespace, around, live)
    checks = _needed(public, task)
    cases = Cases(public.known, public_only=True)
    restored = Restored(own, public.known, public.homework.tasks)
    submission = SubmissionProxy(
        restored, own.facts, lambda: stops, own.ask, own.names, lambda: own
    )

    def diagnose(
        task: str, answers: Answers, cases: Sequence[KnownCase], *, pairs: bool = True
    ) -> Reason:
        """Name the one known mistake that gives the same answers; no pair is looked for here.

        Many a softmax fails for large numbers too, which is then left aside: it is a second mistake.
        """
        mistakes = public.mistakes.get(task, ())
        moderate = [one for one in cases if one.case.topic != LARGE]
        sayings = public.diagnoses
        alike = single_mistakes(answers, cases, mistakes, sayings)
        if not alike:
            alike = single_mistakes(answers, moderate, mistakes, sayings)
        if not alike and pairs:
            alike = proved_by_exceptions(answers, cases, mistakes, sayings)
        return tell(alike, public.diagnoses)

    compare = Compare(public.homework, submission, cases, Explainer(diagnose))
    findings: dict[str, Failure] = {}
    results = run_checks(checks, Fixtures(submission, cases, compare), findings)
    told = tuple(_told(public, one, own) for one in results if task in (None, one.task))
    points = sum(
        one.points for one in public.homework.tasks if task in (None, one.name)
    )
    title, after = (task, ()) if task else (public.homework.title, public.after)
    judged = {
        name: one.judged for name, one in findings.items() if one.judged is not None
    }
    failed, groups = [], alike(told)
    for wrong in first_of_tasks(told) if public.homework.hints != "never" else ():
        # A check that judges no single case may share its reason with one that does.
        group = next(group for group in groups if wrong in group)
        same = (
            one
            for one in (wrong, *group)
            if one.check in judged and one.task == wrong.task
        )
        failed += [(wrong.check, judged[one.check]) for one in islice(same, 1)]
    shown: tuple[Exhibit, ...] = ()
    with explaining("what came out"):
        names = (
            {one.task: submission.facts(one.task).parameters for one in told}
            if failed
            else {}
        )
        shown = exhibits(failed, public.homework.limits, names, public.known)
    asked = () if task else public.questions
    found = {one.name: _place(namespace.get(one.name)) for one in public.homework.tasks}
    return Report(
        title,
        told,
        points,
        notes=tuple(notes),
        after=after,
        shown=shown,
        output=own.output,
        places={name: place for name, place in found.items() if place},
        raised=own.raised,
        questions=about_answers(asked, own.ask([ANSWERS_READ])[0], namespace, code)
        if asked
        else "",
    )


def first_of_tasks(results: Sequence[CheckResult]) -> list[CheckResult]:
    """Return of each task the failed check to look at first."""
    groups = (list(group) for _, group in groupby(results, key=lambda one: one.task))
    return [wrong for wrong in map(most_fundamental, groups) if wrong]


def broken(public: PublicHomework, trouble: str, notes: Sequence[str] = ()) -> Report:
    """Return the report of code that could not be run at all."""
    results = [
        one.result(Outcome.NOT_RUN, "nothing could be run") for one in public.checks
    ]
    return Report(
        public.homework.title,
        tuple(results),
        public.homework.points,
        trouble,
        tuple(notes),
    )


def unwritten(public: PublicHomework) -> Report:
    """Return the report of files that are as they were handed out."""
    results = [one.result(Outcome.NOT_RUN, NOT_WRITTEN) for one in public.checks]
    return Report(public.homework.title, tuple(results), public.homework.points)


def _place(value: object) -> str:
    """Say where a function or a class begins in the student's own file or notebook; nothing where unknown."""
    functions = vars(value).values() if isinstance(value, type) else (value,)
    codes = [one.__code__ for one in functions if isinstance(one, types.FunctionType)]
    own = [one for one in codes if one.co_filename.startswith(SUBMISSION_ROOT)]
    first = min(own, key=lambda code: code.co_firstlineno, default=None)
    return (
        f"line {first.co_firstlineno} of {first.co_filename.removeprefix(SUBMISSION_ROOT)}"
        if first
        else ""
    )


def _needed(public: PublicHomework, task: str | None) -> Sequence[Check]:
    """The checks of a task after those that they require; all where no task is named."""
    if task not in (None, *public.tasks):
        raise LookupError(unknown_task(str(task), public.tasks))
    wanted = {one.name for one in public.checks if task in (None, one.task)}
    for one in reversed(public.checks):
        wanted |= set(one.requires) if one.name in wanted else set()
    return [one for one in public.checks if one.name in wanted]


def _told(public: PublicHomework, result: CheckResult, answers: Answers) -> CheckResult:
    """A check's result as a student reads it: a stub is not wrong, only not written yet."""
    if result.outcome is Outcome.PASSED:
        return result
    if result.outcome is Outcome.NOT_JUDGED:
        return replace(result, reason=OUR_FAULT)
    case = next(
        (one.case.id for one in public.known if one.case.task == result.task), None
    )
    answer = (
        answers[case] if case else Answer(not_defined=True)
    )  # where only inputs are handed in
    is_blocked = result.outcome is Outcome.NOT_RUN
    if is_unwritten(answer.error) and (
        is_blocked or "returns-nothing" in result.misconceptions
    ):
        return replace(result, outcome=Outcome.NOT_RUN, reason=NOT_WRITTEN)
    if is_blocked:
        return result
    if public.homework.hints == "never" and answer.is_usable:
        return replace(result, reason=NO_HINTS, misconceptions=(), kind="", cause="")
    return result
