"""Checks: the decorator that marks them, the checks of a homework, and their results for one submission.

Nothing here needs pytest: the same functions run in `autograder grade`, in pytest, and for students.
"""

from __future__ import annotations

import enum
import functools
import hashlib
import inspect
import sys
import traceback
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from autograder.course.course_files import load_module
from autograder.course.homework import CourseError, Homework
from autograder.language import say
from autograder.verdict.arrays import without_warnings
from autograder.verdict.explanation_faults import NEVER_SWALLOWED, described
from autograder.verdict.failure import CheckFailed, Failure, FailureKind, Labels
from autograder.verdict.fixtures import Fixtures
from autograder.verdict.joint_calls import JointCalls

FIXTURES = frozenset({"submission", "cases", "compare"})
PREFIX = "test_"
MARKS = "check_marks"
REQUIRES = "it requires"
NOT_JUDGED = "This check could not be judged. The fault is ours, not yours, and it will be judged again."

CheckFunction = Callable[..., None]
_signature = functools.cache(inspect.signature)


class Outcome(enum.StrEnum):
    """How one check ended."""

    PASSED = "passed"
    FAILED = "failed"
    NOT_RUN = "not_run"
    COLLECTED = "collected"
    """A written answer that people mark; it gives no points by itself."""
    NOT_JUDGED = "not_judged"
    """The check itself raised, or one that it requires did: our fault, so nobody knows its points yet."""


@dataclass(frozen=True)
class CheckResult:
    """One check's outcome, its reason for the student, and what only the staff may read.

    ``answer`` is the student's own answer to a theory question. ``kind`` is the stage at which a check
    failed, and ``cause`` is equal where the reason is the same but for numbers; both may be blank. ``public``
    says that students have the check too. ``made`` are possible explanations, each a set of known mistakes
    that together give the submission's answers. ``form`` says in which form the right values came back, where
    the check only passes because they were put right.
    """

    check: str
    task: str
    sentence: str
    points: float
    outcome: Outcome
    reason: str = ""
    staff: str = ""
    misconceptions: Labels = ()
    answer: str = ""
    kind: str = ""
    cause: str = ""
    public: bool = False
    made: tuple[Labels, ...] = ()
    form: str = ""

    @property
    def counted_although(self) -> str:
        """Why the check counts although values came back in another form, for the student; blank otherwise."""
        if not self.form:
            return ""
        return say("counted, though {form}", form=self.form)

    @property
    def earned(self) -> float:
        if self.outcome is Outcome.PASSED:
            return self.points
        return 0.0

    @property
    def fault(self) -> str:
        """Why it was not judged, exception and line; blank where that is the fault of a check it requires."""
        if self.outcome is not Outcome.NOT_JUDGED or self.staff.startswith(REQUIRES):
            return ""
        return f"{self.check} was not judged: {self.staff.splitlines()[0]}"


Judgement = tuple[CheckResult, Failure | None]
"""The result of a check, and the failure that it found; unlike results, failures hold arrays."""


@dataclass(frozen=True)
class Check:
    """One check: its docstring is the line that a student reads."""

    name: str
    task: str
    points: float
    sentence: str
    requires: tuple[str, ...]
    function: CheckFunction
    public: bool = False

    def __call__(self, fixtures: Fixtures) -> None:
        """Run it with the fixtures that it asks for.

        Raises:
            CheckFailed: an answer is wrong.
        """
        names = _signature(self.function).parameters
        with without_warnings():
            self.function(**{name: getattr(fixtures, name) for name in names})

    def missing_requirements(self, names: Container[str]) -> list[str]:
        """Return the required checks whose names are not in ``names``."""
        missing_names = []
        for name in self.requires:
            if name not in names:
                missing_names.append(name)
        return missing_names

    def result(self, outcome: Outcome, reason: str = "") -> CheckResult:
        """Return its result where nothing was found wrong with an answer."""
        return CheckResult(
            check=self.name,
            task=self.task,
            sentence=self.sentence,
            points=self.points,
            outcome=outcome,
            reason=reason,
            public=self.public,
        )

    def not_judged(self, fault: BaseException, looked_at: str) -> CheckResult:
        """Return its result where it raised; for the staff, first the exception and the line of it."""
        trace = "".join(traceback.format_exception(fault)).rstrip()
        staff = f"{described(fault)}, after the answer to {looked_at}\n{trace}"
        return replace(self.result(Outcome.NOT_JUDGED, say(NOT_JUDGED)), staff=staff)

    def failed(self, failure: Failure) -> CheckResult:
        """Return its result where it failed for this reason."""
        # Wrong numbers that nothing explains may have different causes, so each check keeps its own.
        is_number = failure.kind in (FailureKind.VALUES, FailureKind.NOT_FINITE)
        cause = ""
        if failure.misconceptions or failure.cause or not is_number:
            text = failure.cause or failure.student
            if text:
                cause = hashlib.blake2b(text.encode(), digest_size=8).hexdigest()
        return replace(
            self.result(Outcome.FAILED, failure.student),
            staff=failure.staff,
            misconceptions=failure.misconceptions,
            made=failure.made,
            kind=str(failure.kind),
            cause=cause,
        )


def check(
    *, task: str, points: float, requires: Sequence[str] = (), public: bool = False
) -> Callable[[CheckFunction], CheckFunction]:
    """Mark a function as a check.

    Args:
        task: the public name whose points it gives.
        points: what passing it earns.
        requires: names of checks (without ``test_``) that must pass first; otherwise it is not run.
        public: whether students receive it too. There it sees only the published and the public cases, so
            it never asks for ``cases.fresh``.
    """

    def mark(function: CheckFunction) -> CheckFunction:
        name = function.__name__.removeprefix(PREFIX)
        sentence = " ".join((function.__doc__ or "").split())
        marked = Check(name, task, points, sentence, tuple(requires), function, public)
        earlier_marks = getattr(function, MARKS, ())  # more than one is an error
        setattr(function, MARKS, (*earlier_marks, marked))
        return function

    return mark


def with_required(checks: Sequence[Check], names: Iterable[str]) -> tuple[Check, ...]:
    """Return some of the checks, and all that these require, in their order."""
    needed = set(names)
    for check in reversed(checks):  # what a check requires is defined before it
        if check.name in needed:
            needed.update(check.requires)
    needed_checks = []
    for check in checks:
        if check.name in needed:
            needed_checks.append(check)
    return tuple(needed_checks)


def load_checks(homework: Homework) -> list[Check]:
    """Return the hidden checks of a homework in the order in which its ``test_<id>.py`` defines them.

    Raises:
        CourseError: the file is missing or does not run, or a check does not fit the homework.
    """
    path = checks_file(homework)
    checks = []
    for check in read_checks(path.stem, vars(load_module(path))):
        sentence = homework.language.translated(check.sentence)
        checks.append(replace(check, sentence=sentence))
    names: set[str] = set()
    for check in checks:
        homework.task(check.task)  # raises where there is no such task
        if not check.points >= 0:
            raise CourseError(
                f"{homework.id}: check {check.name} has points = {check.points}"
            )
        missing = check.missing_requirements(names)
        if missing:
            raise CourseError(
                f"{homework.id}: check {check.name} requires {missing}, not defined before it"
            )
        names.add(check.name)
    for task in homework.tasks:
        points_of_checks = []
        for check in checks:
            if check.task == task.name:
                points_of_checks.append(check.points)
        points = sum(points_of_checks)
        if abs(points - task.points) > 1e-9:
            raise CourseError(
                f"{homework.id}: the checks of {task.name} give {points:g} points, "
                f"but homework.toml says {task.points:g}"
            )
    return checks


def checks_file(homework: Homework) -> Path:
    """Return the path of a homework's hidden checks, a pytest module next to its solution."""
    return homework.folder / f"{PREFIX}{(homework.base or homework).id}.py"


def read_checks(name: str, namespace: Mapping[str, Any]) -> list[Check]:
    """Return the checks that a module of this name defines, in its order.

    Raises:
        CourseError: a function that is named like a check is not marked once, or has no docstring, or asks
            for a fixture that does not exist.
    """
    checks = []
    for key, function in namespace.items():
        if not key.startswith(PREFIX):
            continue
        marks: tuple[Check, ...] = getattr(function, MARKS, ())
        if len(marks) != 1:
            raise CourseError(f"{name}.{key} needs exactly one @check(...)")
        unknown = set(_signature(function).parameters) - FIXTURES
        if unknown or not marks[0].sentence:
            raise CourseError(
                f"{name}.{key} needs a docstring and takes only {', '.join(sorted(FIXTURES))}"
            )
        checks.append(replace(marks[0], name=key.removeprefix(PREFIX)))
    return checks


def run_checks(checks: Sequence[Check], fixtures: Fixtures) -> list[CheckResult]:
    """Run the checks in order, and return their results; see ``judge_checks``."""
    return [result for result, _ in judge_checks(checks, fixtures)]


def judge_checks(checks: Sequence[Check], fixtures: Fixtures) -> list[Judgement]:
    """Run the checks in order.

    A check that raises anything but a failure is not judged, and neither is a check that requires it.
    A check that asks for joint calls waits for their answers while those after it run, see ``JointCalls``.

    Args:
        checks: checks in the order in which the homework defines them.
        fixtures: the values that they ask for.

    Returns:
        For each check its result, and its failure if one was found.
    """
    judgements: dict[str, Judgement] = {}
    remaining = list(checks)

    def run_remaining() -> None:
        """Run the checks that are not begun yet, without those that require one that waits for answers."""
        for check in list(remaining):
            if check in remaining and not check.missing_requirements(judgements):
                remaining.remove(check)
                required = [judgements[name][0] for name in check.requires]
                judgements[check.name] = _judge(check, required, fixtures)

    submission = fixtures.submission
    submission.ask_jointly = JointCalls(submission.calls, run_remaining)
    try:
        run_remaining()
    finally:
        submission.ask_jointly = None
    return [judgements[check.name] for check in checks]


def _judge(
    check: Check, required: Sequence[CheckResult], fixtures: Fixtures
) -> Judgement:
    """Run a check if the checks that it requires have passed."""
    for result in required:
        # This holds whatever the checks that were not judged would say.
        if result.outcome not in (Outcome.PASSED, Outcome.NOT_JUDGED):
            reason = say(
                "not run because “{sentence}” must pass first", sentence=result.sentence
            )
            return check.result(Outcome.NOT_RUN, reason), None
    for result in required:
        if result.outcome is Outcome.NOT_JUDGED:
            not_judged = check.result(Outcome.NOT_JUDGED, say(NOT_JUDGED))
            staff = f"{REQUIRES} {result.check}, which was not judged"
            return replace(not_judged, staff=staff), None
    return _run_check(check, fixtures)


def _run_check(check: Check, fixtures: Fixtures) -> Judgement:
    failed_assertions: tuple[type[BaseException], ...] = (
        AssertionError,
        *_pytest_outcomes("Failed"),
    )
    submission = fixtures.submission
    looked_at = submission.last_looked_at
    # The check may run while another one waits.
    without_value = submission.without_value
    submission.without_value = []
    try:
        check(fixtures)
    except CheckFailed as failed:
        return check.failed(failed.failure), failed.failure
    except _pytest_outcomes("Skipped", "XFailed") as leaving:
        fault = TypeError(
            f"check {check.name} neither skips nor expects to fail; use `requires`"
        )
        fault = fault.with_traceback(leaving.__traceback__)
        return check.not_judged(fault, looked_at()), None
    except failed_assertions as failed_assertion:
        # A student whose code raised reads what it raised: None instead of a value explains nothing.
        if submission.without_value:
            failure = fixtures.compare.why_without_value()
            if failure is not None:
                return check.failed(failure), failure
        reason = str(failed_assertion) or say("the assertion of this check failed")
        return check.result(Outcome.FAILED, reason), None
    except NEVER_SWALLOWED:
        raise
    except (
        Exception
    ) as fault:  # our fault, which may cost no points: it is in the check's result
        return check.not_judged(fault, looked_at()), None
    finally:
        submission.without_value = without_value
    return check.result(Outcome.PASSED), None


def _pytest_outcomes(*names: str) -> tuple[type[BaseException], ...]:
    """The exceptions behind ``pytest.skip`` and its like; none is raised where pytest is not imported."""
    module = sys.modules.get("_pytest.outcomes")
    if module is None:
        return ()
    return tuple(getattr(module, name) for name in names)
