"""Odd answers to every task: no check of a homework may raise on any of them, and no explanation either.

A check is the author's own code, and works on what a student returned. One that raises blanks the homework
of whoever returns such a thing, so the author should meet it first. For each task there is one submission per
odd answer: the reference solution, with that one task answering oddly.

A check that requires others is reached only where these pass. So each is also tried with right answers to the
cases that those look at, and odd ones to all others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from autograder.course.calls import Call, FunctionCall, ModuleCall, ObjectCall
from autograder.course.homework import CourseError, Homework, Task
from autograder.grading.grade import fixtures_for, grade_handin
from autograder.grading.runs import HandinRun, run_handin
from autograder.grading.suite import Suite
from autograder.sandbox.pool import SandboxPool
from autograder.sandbox.report import Answer, Answers, Status
from autograder.sandbox.request import Code
from autograder.verdict.checks import Check, run_checks, with_required
from autograder.verdict.interface import Restored
from autograder.verdict.known import KnownCase
from autograder.verdict.results import HomeworkResult

ODD_ANSWERS: Mapping[str, str] = {
    "None": "return None",
    "a text": 'return "a text"',
    "texts for numbers": "return _each(right, lambda array: _np.asarray(_plain(array)).astype(str))",
    "nested lists": "return [[1.0], [2.0, [3.0]], []]",
    "NaN": 'return _each(right, lambda array: array * float("nan"))',
    "an axis more": "return _each(right, lambda array: [array])",
    "one number": "return 0.5",
    "an empty array": "return _np.zeros((0, 3))",
    "complex numbers": "return _each(right, lambda array: array * 1j)",
    "booleans": "return _each(right, lambda array: array > 0)",
    "a dictionary": 'return {"result": right}',
    "a generator": "return (value for value in [right])",
    "an exception": 'raise ValueError("odd")',
}
"""What a task does that has computed ``right``, by the name of its odd answer."""
MODULE = "right_answers"
HEAD = f"""\
import numpy as _np
import {MODULE} as _right
from {MODULE} import *

def _each(value, change):
    if isinstance(value, (tuple, list)):
        return type(value)([_each(part, change) for part in value])
    return change(value)

def _plain(array):
    return array.tolist() if hasattr(array, "tolist") else array

"""
FUNCTION = """
def {name}(*args, **kwargs):
    {right}
    {answer}
"""
CLASS = """
class {name}(_right.{name}):
    pass
"""
METHOD = """
    def {name}(self, *args, **kwargs):
        {right}
        {answer}
"""
RIGHT_IN_FUNCTION = "right = _right.{name}(*args, **kwargs)"
RIGHT_IN_METHOD = "right = super().{name}(*args, **kwargs)"
"""How the right answer is computed."""


@dataclass(frozen=True, eq=False)
class OddTask:
    """A task of a homework whose answers are replaced by odd ones; all other tasks are right.

    Attributes:
        name: the name of the task.
        methods: the methods that are called if it is a class; none of a function.
        right: the reference solution's answers to all cases.
        right_sets: sets of cases of the task, by id, that are answered right while all others are not.
        checks: the checks to which the task's answers matter, with the checks that they require.
    """

    name: str
    methods: tuple[str, ...]
    right: Answers
    right_sets: tuple[frozenset[str], ...]
    checks: tuple[Check, ...]


def odd_tasks(suite: Suite, pool: SandboxPool) -> Iterator[OddTask]:
    """Yield the tasks of a homework that are called, with the reference solution's answers to its cases."""
    solution = solution_of(suite.homework)
    right = run_handin(solution, suite, pool)
    seen_by_check = _seen_by_checks(suite, solution, right, pool)
    for task in suite.homework.tasks:
        calls = _calls_of_task(suite, task.name)
        if not calls:
            continue
        names = set(calls)
        is_called = True
        methods = dict[str, None]()
        for call in calls.values():
            names.add(call.name)
            is_called &= isinstance(call, FunctionCall | ModuleCall | ObjectCall)
            if isinstance(call, ModuleCall):
                methods["forward"] = None
            elif isinstance(call, ObjectCall):
                methods |= dict.fromkeys(call.methods)
        if not is_called:
            continue

        # The checks that look at answers to this task. For each, the cases are answered right that it looks
        # at only because it requires other checks.
        right_sets = {frozenset[str]()}
        needed: set[str] = set()
        for check in suite.checks:
            looked_at = seen_by_check[check.name]
            # A check of another task that copies all answers looks at none in particular.
            if check.task != task.name and looked_at >= right.answers.keys():
                continue
            if looked_at.isdisjoint(names):
                continue
            needed.add(check.name)
            required: set[str] = set()
            for name in check.requires:
                required |= seen_by_check[name]
            can_be_odd = looked_at.intersection(calls) - required
            if can_be_odd:
                right_sets.add(frozenset(required.intersection(calls)))

        yield OddTask(
            name=task.name,
            methods=tuple(methods),
            right=right.answers,
            right_sets=tuple(sorted(right_sets, key=sorted)),
            checks=with_required(suite.checks, needed),
        )


def _calls_of_task(suite: Suite, task: str) -> dict[str, Call]:
    """Return the calls of a task's cases, by the cases' ids."""
    calls = {}
    for known in suite.known:
        case = known.case
        if case.task == task:
            calls[case.id] = case.call
    return calls


def solution_of(homework: Homework) -> Code:
    """Return the reference solution as a submission."""
    return Code(homework.stub, {homework.stub: homework.solution.read_text("utf-8")})


def odd_submission(homework: Homework, task: OddTask, label: str) -> Code:
    """Return the reference solution with one task that answers oddly."""
    answer = ODD_ANSWERS[label]
    is_computed = "right" in answer  # otherwise it is not, which may take long

    def defined(template: str, name: str, right: str) -> str:
        right = right.format(name=name) if is_computed else ""
        return template.format(name=name, right=right, answer=answer)

    text = defined(FUNCTION, task.name, RIGHT_IN_FUNCTION)
    if task.methods:
        text = CLASS.format(name=task.name)
        for method in task.methods:
            text += defined(METHOD, method, RIGHT_IN_METHOD)
    files = {
        homework.stub: HEAD + text,
        f"{MODULE}.py": homework.solution.read_text("utf-8"),
    }
    return Code(homework.stub, files)


def grade_odd(
    code: Code,
    suite: Suite,
    task: OddTask,
    pool: SandboxPool,
) -> Iterator[HomeworkResult]:
    """Grade a submission of ``odd_submission``, once for each set of cases that it is to answer right.

    Raises:
        CourseError: the reference solution cannot be run next to the odd answer.
    """
    homework = suite.homework
    suite = replace(suite, checks=task.checks)  # the others see only right answers
    calls = _calls_of_task(suite, task.name)
    quiet_calls = suite.quiet_calls
    sent = []
    for call in [*quiet_calls.values(), *calls.values()]:
        sent.append(call.as_mapping())
    report = pool.run(homework.request(code, sent))
    if not report.answers:
        raise CourseError(
            f"{homework.solution} cannot be imported by another file: {report.detail}"
        )
    quiet_answers = report.answers[: len(quiet_calls)]
    odd_answers = report.answers[len(quiet_calls) :]
    quiet = dict(zip(quiet_calls, quiet_answers, strict=True))
    odd = dict(zip(calls, odd_answers, strict=True))
    for right_cases in task.right_sets:
        answers = {**task.right, **odd}
        for case in right_cases:
            answers[case] = task.right[case]
        opened = dict(quiet)
        for case in suite.open_cases:
            opened[case] = answers[case]
        run = HandinRun(Status.GRADED, report, answers, report, opened)
        yield grade_handin(code, suite, pool, run=run)


class _WatchedAnswers(Restored):
    """Answers that note which of them a check looks at, by key."""

    def __init__(
        self,
        answers: Answers,
        known: Sequence[KnownCase],
        tasks: Sequence[Task],
    ) -> None:
        super().__init__(answers, known, tasks)
        self.looked_at: set[str] = set()

    def __getitem__(self, key: str) -> Answer:
        self.looked_at.add(key)
        return super().__getitem__(key)


def _seen_by_checks(
    suite: Suite,
    solution: Code,
    right: HandinRun,
    pool: SandboxPool,
) -> dict[str, frozenset[str]]:
    """Return the cases that each check looks at in right answers, and the functions that it calls once more.

    Those of the checks that it requires are among them.
    """
    answers = _WatchedAnswers(right.answers, suite.known, suite.homework.tasks)
    fixtures = fixtures_for(solution, suite, pool, right)

    def ask(calls: Sequence[Call]) -> list[Answer]:
        answers.looked_at |= {getattr(call, "name", "") for call in calls}
        return fixtures.submission.calls(calls)

    submission = replace(fixtures.submission, answers=answers, calls=ask)
    compare = replace(fixtures.compare, submission=submission)
    watched = replace(fixtures, submission=submission, compare=compare)
    seen_by_check: dict[str, frozenset[str]] = {}
    for check in suite.checks:
        answers.looked_at.clear()
        run_checks([replace(check, requires=())], watched)
        looked_at = set(answers.looked_at)
        for name in check.requires:
            looked_at |= seen_by_check[name]
        seen_by_check[check.name] = frozenset(looked_at)
    return seen_by_check
