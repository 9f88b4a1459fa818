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

from autograder.course.cases import Call, FunctionCall, ModuleCall
from autograder.course.homework import CourseError, Homework, Task
from autograder.grading.grade import fixtures_for, grade_handin
from autograder.grading.runs import HandinRun, run_handin
from autograder.grading.suite import Suite
from autograder.sandbox.pool import SandboxPool
from autograder.sandbox.report import Answer, Answers, RunReport, Status
from autograder.sandbox.request import Code, Request
from autograder.verdict.checks import Check, run_checks
from autograder.verdict.interface import Restored
from autograder.verdict.known import KnownCase
from autograder.verdict.results import HomeworkResult

ODD_ANSWERS: Mapping[str, str] = {
    "None": "return None",
    "a text": 'return "a text"',
    "texts for numbers": "return _each(right, lambda one: _np.asarray(_plain(one)).astype(str))",
    "nested lists": "return [[1.0], [2.0, [3.0]], []]",
    "NaN": 'return _each(right, lambda one: one * float("nan"))',
    "an axis more": "return _each(right, lambda one: [one])",
    "one number": "return 0.5",
    "an empty array": "return _np.zeros((0, 3))",
    "complex numbers": "return _each(right, lambda one: one * 1j)",
    "booleans": "return _each(right, lambda one: one > 0)",
    "a dictionary": 'return {"result": right}',
    "a generator": "return (one for one in [right])",
    "an exception": 'raise ValueError("odd")',
}
"""How a task answers that has computed ``right``, by what the audit calls it."""
MODULE = "right_answers"
HEAD = f"""\
import numpy as _np
import {MODULE} as _right
from {MODULE} import *

def _each(value, change):
    if isinstance(value, (tuple, list)):
        return type(value)([_each(one, change) for one in value])
    return change(value)

def _plain(one):
    return one.tolist() if hasattr(one, "tolist") else one

"""
FUNCTION = """
def {name}(*args, **kwargs):
    {right}
    {answer}
"""
CLASS = """
class {name}(_right.{name}):
    def forward(self, *args, **kwargs):
        {right}
        {answer}
"""
CALLS = {
    False: "right = _right.{name}(*args, **kwargs)",
    True: "right = super().forward(*args, **kwargs)",
}
"""How the right answer is computed in a function, and in a class."""


@dataclass(frozen=True, eq=False)
class OddTask:
    """One task of a homework whose answers are exchanged, and what is right everywhere else.

    ``kept`` are sets of cases of the task, by id, that are answered right while all others are not.
    ``checks`` are those to which the task's answers matter, with what they require.
    """

    name: str
    is_class: bool
    right: Answers
    kept: tuple[frozenset[str], ...]
    checks: tuple[Check, ...]


def odd_tasks(suite: Suite, pool: SandboxPool) -> Iterator[OddTask]:
    """Yield the tasks of a homework that are called, with the reference solution's answers to its cases."""
    solution = solution_of(suite.homework)
    right = run_handin(solution, suite, pool)
    seen = _seen_by_checks(suite, solution, right, pool)
    for task in suite.homework.tasks:
        calls = {
            known.case.id: known.case.call
            for known in suite.known
            if known.case.task == task.name
        }
        if not calls or not all(
            isinstance(call, FunctionCall | ModuleCall) for call in calls.values()
        ):
            continue
        called = {call.name for call in calls.values()}
        kept, checks = {frozenset[str]()}, list[Check]()
        for check in suite.checks:
            # One that copies all answers looks at none in particular.
            copies_all = (
                check.task != task.name and seen[check.name] >= right.answers.keys()
            )
            if copies_all or not seen[check.name] & (calls.keys() | called):
                continue
            checks.append(check)
            required = frozenset[str]().union(*(seen[name] for name in check.requires))
            if (
                seen[check.name].intersection(calls) - required
            ):  # else nothing odd is left for it
                kept.add(required.intersection(calls))
        wanted = {check.name for check in checks}
        for check in reversed(suite.checks):
            if check.name in wanted:
                wanted |= set(check.requires)
        checks = [check for check in suite.checks if check.name in wanted]
        is_class = any(isinstance(call, ModuleCall) for call in calls.values())
        sets = tuple(sorted(kept, key=sorted))
        yield OddTask(task.name, is_class, right.answers, sets, tuple(checks))


def solution_of(homework: Homework) -> Code:
    """Return the reference solution as a submission."""
    return Code(homework.stub, {homework.stub: homework.solution.read_text("utf-8")})


def odd_submission(homework: Homework, task: OddTask, label: str) -> Code:
    """Return the reference solution with one task that answers oddly."""
    answer = ODD_ANSWERS[label]
    call = (
        CALLS[task.is_class].format(name=task.name) if "right" in answer else ""
    )  # it may take long
    template = CLASS if task.is_class else FUNCTION
    text = HEAD + template.format(name=task.name, right=call, answer=answer)
    solution = homework.solution.read_text("utf-8")
    return Code(homework.stub, {homework.stub: text, f"{MODULE}.py": solution})


def grade_odd(
    code: Code, suite: Suite, task: OddTask, pool: SandboxPool
) -> Iterator[HomeworkResult]:
    """Grade a submission of ``odd_submission``, once for each set of cases that it is to answer right.

    Raises:
        CourseError: the reference solution cannot be run beside the odd answer.
    """
    suite = replace(suite, checks=task.checks)  # the others see right answers alone
    odd = {
        known.case.id: known.case.call
        for known in suite.known
        if known.case.task == task.name
    }
    report = _run(code, suite, pool, [*suite.quiet_calls.values(), *odd.values()])
    if not report.answers:
        raise CourseError(
            f"{suite.homework.solution} cannot be imported by another file: {report.detail}"
        )
    count = len(suite.quiet_calls)
    quiet = dict(zip(suite.quiet_calls, report.answers[:count], strict=True))
    answers = dict(zip(odd, report.answers[count:], strict=True))
    for kept in task.kept:
        mixed = {**task.right, **answers, **{case: task.right[case] for case in kept}}
        opened = {**quiet, **{case: mixed[case] for case in suite.open_cases}}
        run = HandinRun(Status.GRADED, report, mixed, report, opened)
        yield grade_handin(code, suite, pool, run=run)


def _run(
    code: Code, suite: Suite, pool: SandboxPool, calls: Sequence[Call]
) -> RunReport:
    homework = suite.homework
    sent = [call.as_mapping() for call in calls]
    return pool.run(Request(code, sent, homework.library, homework.limits))


class _Noting(Restored):
    """Answers that note which of them are looked at."""

    def __init__(
        self, came: Answers, known: Sequence[KnownCase], tasks: Sequence[Task]
    ) -> None:
        super().__init__(came, known, tasks)
        self.noted: set[str] = set()

    def __getitem__(self, key: str) -> Answer:
        self.noted.add(key)
        return super().__getitem__(key)


def _seen_by_checks(
    suite: Suite, solution: Code, right: HandinRun, pool: SandboxPool
) -> dict[str, frozenset[str]]:
    """Return the cases that each check looks at in right answers, and the functions that it calls once more.

    Those of the checks that it requires are among them.
    """
    answers = _Noting(right.answers, suite.known, suite.homework.tasks)
    fixtures = fixtures_for(solution, suite, pool, right)

    def ask(calls: Sequence[Call]) -> list[Answer]:
        answers.noted |= {getattr(call, "name", "") for call in calls}
        return fixtures.submission.calls(calls)

    submission = replace(fixtures.submission, answers=answers, calls=ask)
    compare = replace(fixtures.compare, submission=submission)
    noting = replace(fixtures, submission=submission, compare=compare)
    seen: dict[str, frozenset[str]] = {}
    for check in suite.checks:
        answers.noted.clear()
        run_checks([replace(check, requires=())], noting)
        seen[check.name] = frozenset(answers.noted).union(
            *(seen[name] for name in check.requires)
        )
    return seen
