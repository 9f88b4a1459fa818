"""The three values that a check receives: ``submission``, ``cases`` and ``compare``."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from autograder.course.calls import Call
from autograder.course.cases import Group
from autograder.course.homework import Homework
from autograder.language import say
from autograder.sandbox.report import (
    Answer,
    Answers,
    FunctionFacts,
    RunReport,
    Stop,
    StudentError,
)
from autograder.sandbox.request import Request
from autograder.verdict.arrays import as_entries
from autograder.verdict.comparison import compare_case
from autograder.verdict.conversion import KINDS, as_kind
from autograder.verdict.describe import describe
from autograder.verdict.explanation_faults import explaining
from autograder.verdict.failure import (
    NO_REASON,
    CheckFailed,
    Failure,
    FailureKind,
    Reason,
    called,
    is_unwritten,
    plain_fact,
)
from autograder.verdict.gradients import (
    AskParameters,
    judge_gradients,
    judge_unchanged,
)
from autograder.verdict.interface import Restored, value_key
from autograder.verdict.known import FailedCase, KnownCase
from autograder.verdict.names import DefinedNames

NUMBERS_IN_PLACE_OF_BOOLEANS = (
    "Also, its dtype is {dtype}, but it should be boolean: `.astype(bool)`."
)
WRONG = Failure(FailureKind.VALUES, "")
"""The failure of an answer of which nothing is said."""
Ask = Callable[[Sequence[Call]], list[Answer]]
"""Makes further calls of one program, all in one run, and returns their answers."""


@dataclass(eq=False, repr=False)
class SubmissionProxy:
    """A submission as a check sees it: its answers, never its code.

    Calls run in the worker, and only decoded arrays come back. Everything named ``ask_...`` is a function,
    because on a student's machine it is worked out only when somebody needs it.

    Attributes:
        answers: the answers to the cases, by id, and top-level values, in the form that the task asks for.
        ask_functions: facts about the functions that the code defines.
        ask_stops: cells or lines that stopped while the code was loaded.
        calls: makes more calls, all in one further run.
        ask_names: the names that the code defines.
        ask_openly: answers to the cases that students may see, whose exceptions may be quoted.
        looked_at: id of the case whose answer was read last.
        without_value: the cases whose answers a check has read although nothing was returned; those of one
            check, see ``checks.run_checks``.
        steady: functions that gave the same result twice.
        kept: answers to further calls that several checks ask for, by whether nothing was called before and
            by the checks' key, see ``calls_once`` and ``calls_anew``.
        ask_anew: makes further calls with nothing called before; None where ``calls`` does.
        ask_jointly: makes further calls together with those of other checks, while checks run that can wait.
    """

    answers: Restored
    ask_functions: Callable[[], Mapping[str, FunctionFacts]]
    ask_stops: Callable[[], Sequence[Stop]]
    calls: Ask
    ask_names: Callable[[], DefinedNames] = DefinedNames
    ask_openly: Callable[[], Mapping[str, Answer]] = dict
    looked_at: str = ""
    without_value: list[KnownCase] = field(default_factory=list)
    steady: set[str] = field(default_factory=set)
    kept: dict[tuple[bool, str], list[Answer]] = field(default_factory=dict)
    ask_anew: Ask | None = None
    ask_jointly: Ask | None = None

    @cached_property
    def functions(self) -> Mapping[str, FunctionFacts]:
        return self.ask_functions()

    def answer(self, known: KnownCase) -> Answer:
        """Return the submission's answer to a case."""
        self.looked_at = known.case.id
        answer = self.answers[known.case.id]
        if not answer.is_usable:
            self.without_value.append(known)
        return answer

    def last_looked_at(self) -> str:
        """Name the case whose answer was read last, and the kind of answer, for reports on grader faults."""
        answer = self.answers.get(self.looked_at)
        if answer is None:
            return "no answer yet"
        return f"{self.looked_at}: {describe(answer.value)}"

    def call(self, call: Call) -> Answer:
        """Make one more call, in a separate worker; slower than a case."""
        [answer] = self.calls([call])
        return answer

    def call_once(self, key: str, call: Call) -> Answer:
        """Make one more call, and keep its answer by this key for other checks that need it."""
        [answer] = self.calls_once(key, [call])
        return answer

    def calls_once(self, key: str, calls: Sequence[Call]) -> list[Answer]:
        """Make more calls in one run, and keep their answers by this key for other checks that need them."""
        return self._kept_answers(self.calls, key, calls, anew=False)

    def calls_anew(self, key: str, calls: Sequence[Call]) -> list[Answer]:
        """Make more calls with nothing called before, and keep their answers by this key."""
        ask = self.ask_anew or self.calls
        return self._kept_answers(ask, key, calls, anew=True)

    def _kept_answers(
        self, ask: Ask, key: str, calls: Sequence[Call], *, anew: bool
    ) -> list[Answer]:
        """Return the answers kept by this key for one way of calling; ask for them the first time."""
        if (anew, key) not in self.kept:
            self.kept[anew, key] = ask(calls)
        return self.kept[anew, key]

    def joint_calls(self, calls: Sequence[Call]) -> list[Answer]:
        """Make more calls, if possible in one run with those of the checks that come after the running one."""
        ask = self.ask_jointly or self.calls
        return ask(calls)

    def value(self, name: str) -> Answer:
        """Return a top-level value that the submission left behind."""
        return self.answers[value_key(name)]

    def facts(self, name: str) -> FunctionFacts:
        """Return facts about a function that are known without calling it."""
        return self.functions.get(name, FunctionFacts())


@dataclass(frozen=True, repr=False)
class Cases:
    """The homework's known cases; each method picks cases of one task.

    With ``public_only``, as on students' machines, there are no hidden and no fresh cases.
    """

    known: Sequence[KnownCase]
    public_only: bool = False

    def published(self, task: str, topic: str | None = None) -> list[KnownCase]:
        """Return the cases whose expected values are public."""
        return self._pick(task, topic, Group.PUBLISHED)

    def other_sizes(self, task: str, topic: str = "values") -> list[KnownCase]:
        """Return all cases except the published ones.

        In grading these are the stored and the fresh cases; students have the public ones.

        Raises:
            LookupError: grading lacks the stored or the fresh ones, or a student's folder the public ones.
        """
        stored = self.stored(task, topic)
        fresh = self.fresh(task, topic)
        if not stored or not (fresh or self.public_only):
            raise LookupError(
                f"there are no cases of {task!r} with the topic {topic!r} to pick from"
            )
        if self.public_only:
            return stored
        return [*stored, *fresh]

    def stored(self, task: str, topic: str | None = "values") -> list[KnownCase]:
        """Return the hidden and the public cases; on students' machines only the public ones."""
        return self._pick(task, topic, Group.PUBLIC, Group.HIDDEN)

    def fresh(self, task: str, topic: str | None = None) -> list[KnownCase]:
        """Return the cases drawn for this batch."""
        return self._pick(task, topic, Group.FRESH)

    def labelled(self, task: str, label: str) -> KnownCase | None:
        """Return the case ``task/label``, such as that of a step within another case.

        It is None where there is none: students do not have all of them.
        """
        return self._by_name.get(f"{task}/{label}")

    def _pick(self, task: str, topic: str | None, *groups: Group) -> list[KnownCase]:
        picked = []
        for known in self._by_task.get(task, ()):
            case = known.case
            is_of_topic = topic is None or case.topic == topic
            if case.group in groups and is_of_topic:
                picked.append(known)
        return picked

    @cached_property
    def _by_task(self) -> Mapping[str, list[KnownCase]]:
        cases: dict[str, list[KnownCase]] = {}
        for known in self.known:
            cases.setdefault(known.case.task, []).append(known)
        return cases

    @cached_property
    def _by_name(self) -> Mapping[str, KnownCase]:
        """The cases by name; of several of one name, the first."""
        cases: dict[str, KnownCase] = {}
        for known in self.known:
            cases.setdefault(known.case.name, known)
        return cases


@dataclass(frozen=True)
class Property:
    """What a check asks for that many answers have, such as that two ways to compute something agree.

    Attributes:
        name: tells searches for several properties of a submission apart; the same one is searched for once.
        small_call: a call that takes little time, and whose answer shows that the property is missing.
        fits: whether its answer shows nothing wrong.
        calls: the calls that the checks of the task look at.
        has_all: whether with the answers to these the task's checks all pass.
        has_own: whether the check passes that asks, with all that it builds on.
    """

    name: str
    small_call: Call
    fits: Callable[[Answer], bool]
    calls: Sequence[Call]
    has_all: Callable[[Sequence[Answer]], bool]
    has_own: Callable[[Sequence[Answer]], bool]


class Explain(Protocol):
    """Finds the reason behind a failure. The verdict stands before it is asked, and does not depend on it.

    Each method is given the comparison that failed: a check may compare other answers than the submission's.
    """

    def no_value(
        self, compare: Compare, known: KnownCase, error: StudentError | None
    ) -> Failure:
        """Explain why a call returned no value; ``error`` is None where the function is not defined."""

    def value_instead(self, compare: Compare, failure: Failure) -> Failure:
        """Explain a wrong top-level value that was judged because its function is missing."""

    def reason(
        self, compare: Compare, failed: Sequence[KnownCase], failure: Failure
    ) -> Failure:
        """Return the first failure of some failed cases with its reason, or unchanged if none is known."""

    def known_mistake(self, compare: Compare, task: str) -> Reason:
        """Return the known mistakes that give the same answers to a task as the submission."""

    def saying(self, label: str) -> Reason:
        """Return the sentence of a known mistake; no reason where none is known by that name."""

    def one_change(self, compare: Compare, wanted: Property) -> str:
        """Say with which one change the submission's own code has a property; nothing where none is found."""


@dataclass(frozen=True, repr=False)
class Compare:
    """Judges answers to cases. Calling it raises ``CheckFailed`` if one of them is wrong.

    Without ``explain`` the failure holds facts only: which case, and what is wrong with its answer.
    """

    homework: Homework
    submission: SubmissionProxy
    cases: Cases
    explain: Explain | None = None

    def __call__(self, cases: Sequence[KnownCase]) -> None:
        """Check that every case's value is right."""
        __tracebackhide__ = True  # pytest then shows the check's own line
        self.raise_if_failed(self.judge_all(cases))

    def judge_all(self, cases: Sequence[KnownCase]) -> dict[KnownCase, Failure | None]:
        """Return the failures of the answers to some cases by case; None for right answers.

        Only the first failure has a text.
        """
        return self._judge_each(cases, Compare.judge, Compare._judge_briefly)

    def gradients(self, cases: Sequence[KnownCase]) -> None:
        """Check that every case's gradients arrive and are right."""
        __tracebackhide__ = True
        judge = Compare._judge_gradients
        self.raise_if_failed(self._judge_each(cases, judge, judge))

    def unchanged(self, cases: Sequence[KnownCase]) -> None:
        """Check that no case's arguments were changed in place."""
        __tracebackhide__ = True
        judge = Compare._judge_unchanged
        self.raise_if_failed(self._judge_each(cases, judge, judge))

    def judge(self, known: KnownCase) -> Failure | None:
        """Return the failure of the answer to one case, or None.

        An answer to a published case is judged in the form in which the submission returned it: its first
        check is also about the form. All other cases are judged in the form that the task asks for.
        """
        judged, key = self.case_that_counts(known)
        answers = self.submission.answers
        answer = answers[key]
        if not answer.is_usable:
            failure = self.no_value(judged, answer.error)
            if answer.error is not None and judged.raises_at(answer.error.step):
                right = say("Here {exception} is right.", exception=judged.case.raises)
                failure = failure.followed_by(right)
            return replace(failure, failed_case=FailedCase(judged, answer))
        task = self.homework.task(known.case.task)
        wrong = compare_case(judged, answer.value, task.returns)
        if known.case.group is Group.PUBLISHED:
            wrong = answers.form_failure(key) or wrong or answers.wrong_dtype(key)
            if wrong is not None and task.dtype == "bool":
                wrong = _with_dtype(wrong, answers.as_returned[key].value)
        if wrong is not None and key != known.case.id and self.explain is not None:
            with explaining("why a top-level value was judged"):
                wrong = self.explain.value_instead(self, wrong)
        return wrong

    def case_that_counts(self, known: KnownCase) -> tuple[KnownCase, str]:
        """Return the case that counts, and the key of its answer.

        Where the function is missing or still the stub, and the task accepts a top-level value in its place,
        that value is the answer to the task's first published case.
        """
        task = self.homework.task(known.case.task)
        answer = self.submission.answer(known)
        is_missing = answer.not_defined or is_unwritten(answer.error)
        if task.value and is_missing and self.submission.value(task.value).is_usable:
            first_published, *_ = self.cases.published(task.name)
            return first_published, value_key(task.value)
        return known, known.case.id

    def answer_that_counts(self, known: KnownCase) -> tuple[KnownCase, Answer]:
        """Return the case that counts, and its answer."""
        judged, key = self.case_that_counts(known)
        return judged, self.submission.answers[key]

    def usable_answer(self, known: KnownCase) -> Answer:
        """Return the answer to a case.

        Raises:
            CheckFailed: nothing was returned.
        """
        answer = self.submission.answer(known)
        if not answer.is_usable:
            failure = self.judge(known)
            if failure is not None:
                raise CheckFailed(failure)
        return answer

    def answer_or_fail(self, known: KnownCase, kind: type | None = None) -> Any:
        """Return the value of the answer to a case, for a check that judges it itself.

        Where the function is missing and the task accepts a top-level value in its place, it is that value.

        Args:
            known: the case.
            kind: what the value must be: ``int``, ``float``, ``bool``, ``str``, ``list``, ``tuple``, ``dict``
                or ``numpy.ndarray``. A number may come as an array without axes, an array as nested lists;
                they are returned as the kind. A ``float`` may be whole, and a ``list`` a tuple.

        Raises:
            CheckFailed: nothing was returned, or a value of another kind.
        """
        __tracebackhide__ = True
        judged, answer = self.answer_that_counts(known)
        if not answer.is_usable:
            raise CheckFailed(self.no_value(judged, answer.error))
        if kind is None:
            return answer.value
        value = as_kind(answer.value, kind)
        if value is None:
            name = known.case.call.name
            text = say(
                "`{name}` returned {kind}; it should be {kind_2}.",
                name=name,
                kind=describe(answer.value),
                kind_2=say(KINDS[kind]),
            )
            fact = Failure(FailureKind.DTYPE, text)
            raise CheckFailed(replace(fact, failed_case=FailedCase(judged, answer)))
        return value

    def why_without_value(self) -> Failure | None:
        """Return why the first answer that the running check has read without a value has none, if one has."""
        for known in self.submission.without_value:
            judged, answer = self.answer_that_counts(known)
            if not answer.is_usable:
                failure = self.no_value(judged, answer.error)
                return replace(failure, failed_case=FailedCase(judged, answer))
        return None

    def with_answers(self, answers: Answers) -> Compare:
        """Return the comparison of these answers instead of the submission's, unchanged.

        A fault of form that was restored in them costs nothing here, also in a published case.
        """
        submission = replace(self.submission, answers=Restored(answers))
        return replace(self, submission=submission)

    def parameters(self, name: str) -> Sequence[str]:
        """Return the names of a function's parameters, or nothing where they cannot be found out."""
        with explaining(f"the parameters of {name}"):
            return self.submission.facts(name).parameters
        return ()

    def known_mistake(self, task: str) -> Reason:
        """Return the known mistakes that give the same answers to a task as the submission.

        Checks with a judgement of their own use it to name the reason; it is empty where none is known.
        """
        if self.explain is not None:
            with explaining(f"a known mistake of {task}"):
                return self.explain.known_mistake(self, task)
        return NO_REASON

    def named(self, label: str, failure: Failure) -> Failure:
        """Return a failure with the mistake that a check has proved, and its sentence before the facts."""
        if self.explain is not None:
            with explaining(f"the sentence about {label}"):
                reason = self.explain.saying(label)
                if reason:
                    return replace(
                        failure.explained_by(reason.says),
                        misconceptions=reason.labels,
                        made=((label,),),
                    )
        return replace(failure, misconceptions=(label,))

    def one_change(self, wanted: Property) -> str:
        """Say with which one change the submission's own code has a property; nothing where none is found."""
        if self.explain is not None:
            with explaining(f"a line of {wanted.small_call.name}"):
                return self.explain.one_change(self, wanted)
        return ""

    def no_value(self, known: KnownCase, error: StudentError | None) -> Failure:
        """Say why a call returned no value; if explaining it fails, the plain fact remains."""
        if self.explain is not None:
            with explaining(f"why there is no answer to {known.case.id}"):
                return self.explain.no_value(self, known, error)
        return plain_fact(called(known.case.call, error), error)

    def _judge_each(
        self, cases: Sequence[KnownCase], judge: Judge, judge_others: Judge
    ) -> dict[KnownCase, Failure | None]:
        """Judge one case after the other.

        Only the first failure is reported. The cases after it are judged without explaining them, by
        ``judge_others``.
        """
        failures: dict[KnownCase, Failure | None] = {}
        compare = self
        for known in cases:
            failure = judge(compare, known)
            failures[known] = failure
            if failure is not None:
                compare = replace(self, explain=None)
                judge = judge_others
        return failures

    def _judge_briefly(self, known: KnownCase) -> Failure | None:
        """Return a failure of a wrong answer, or None; to measure it takes less time than to find words for it."""
        answer = self.submission.answers[known.case.id]
        if answer.is_usable:
            if not known.has_right_value(answer):
                self.submission.looked_at = known.case.id
                return WRONG
        return self.judge(known)

    def raise_if_failed(self, failures: Mapping[KnownCase, Failure | None]) -> None:
        """Fail the check if a case has a failure, with the reason for the first one.

        Raises:
            CheckFailed: a case has failed.
            LookupError: there are no cases.
        """
        __tracebackhide__ = True
        if not failures:
            raise LookupError(
                "the check asked for no case at all; look at its task and topic"
            )
        failed = []
        fact = None
        for known, failure_of_case in failures.items():
            if failure_of_case is not None:
                failed.append(known)
                fact = fact or failure_of_case
        if fact is None:
            return

        # Its reason. Nothing from here on may change the verdict.
        failure = fact
        first = failed[0]
        with explaining(f"the reason for {first.case.id}"):
            if self.explain is not None:
                failure = self.explain.reason(self, failed, fact)
        with explaining(f"the case behind {first.case.id}"):
            names = ", ".join(known.case.id for known in failed)
            count = f"({len(failed)} of {len(failures)})"
            staff = f"{failure.staff}\nfailed cases: {names} {count}".strip()
            failed_case = failure.failed_case
            if failed_case is None:
                returns = self.homework.task(first.case.task).returns
                answer = self.submission.answer(first)
                failed_case = FailedCase(first, answer, returns)
            failure = replace(failure, staff=staff, failed_case=failed_case)
        raise CheckFailed(failure)

    def _judge_gradients(self, known: KnownCase) -> Failure | None:
        answer = self.submission.answer(known)
        failure = self.judge(known)
        if not answer.is_usable:
            return failure
        if failure is not None and failure.kind in (
            FailureKind.ARITY,
            FailureKind.SHAPE,
        ):
            return failure
        return judge_gradients(known, answer, self._ask_parameters(known))

    def _judge_unchanged(self, known: KnownCase) -> Failure | None:
        answer = self.submission.answer(known)
        return judge_unchanged(known, answer, self._ask_parameters(known))

    def _ask_parameters(self, known: KnownCase) -> AskParameters:
        """Return what asks for the names of the called function's parameters: they may cost a run."""
        return functools.partial(self.parameters, known.case.call.name)


Judge = Callable[[Compare, KnownCase], Failure | None]
"""Returns the failure of the answer to one case, or None."""


class Runner(Protocol):
    """Runs programs in workers, as ``sandbox.pool.SandboxPool`` does, which students' machines need not load."""

    def run(self, request: Request) -> RunReport: ...


@dataclass(frozen=True)
class Fixtures:
    """The values that checks may ask for by name.

    ``pool`` is for the checks of drills, which run the solution with a mistake; students have none.
    """

    submission: SubmissionProxy
    cases: Cases
    compare: Compare
    pool: Runner | None = None


def _with_dtype(failure: Failure, value: object) -> Failure:
    """Add to another failure that the answer holds numbers where booleans are asked for."""
    kinds = (FailureKind.VALUES, FailureKind.SHAPE, FailureKind.ARITY)
    if failure.kind not in kinds:
        return failure
    array = as_entries(value)
    if array is None or array.dtype.kind == "b" or not np.isin(array, (0, 1)).all():
        return failure
    hint = say(NUMBERS_IN_PLACE_OF_BOOLEANS, dtype=array.dtype)
    return failure.followed_by(hint)
