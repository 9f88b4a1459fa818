"""Measure the graders: grade mutants of each reference solution, and list those that lose nothing.

A mutant that loses a point is killed. One that loses nothing is a survivor: a wrong solution that would earn
all points, unless ``equivalent_mutants.toml`` in the homework's folder says why it is right.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated

import msgspec
import numpy as np
from msgspec import Meta

from autograder.authoring.mutants import (
    WAS_APPLIED,
    Change,
    Mutant,
    mutants_of,
    solution_to_mutate,
)
from autograder.course.cases import Case, FunctionCall
from autograder.course.course import Course
from autograder.course.homework import CourseError, Homework
from autograder.course.schema import Record, Text, read_toml
from autograder.grading.grade import fixtures_for, grade_handin
from autograder.grading.runs import HandinRun
from autograder.grading.suite import Suite, prepare_suite
from autograder.reasons.catalogue import Solution
from autograder.reasons.mutation import run_edits
from autograder.sandbox.pool import SandboxPool, in_parallel
from autograder.sandbox.report import Answer, RunReport, Status, StudentError
from autograder.sandbox.request import Code
from autograder.verdict.checks import Outcome
from autograder.verdict.failure import CheckFailed
from autograder.verdict.fixtures import Fixtures
from autograder.verdict.reference import run_calls

EQUIVALENTS = "equivalent_mutants.toml"
SEED = 0
AT_ONCE = 60
"""How many mutants one process answers for; what they return has to fit into one report."""
CHEAP = 1.0
"""Cases that take the solution as many seconds are costly."""
MOST_SECONDS = 40.0
"""How long one process may take for its mutants, as long as each is as fast as the solution."""
APPLIED = Case(WAS_APPLIED, FunctionCall(WAS_APPLIED, ()))
"""Asked after all cases of a task."""


class Fate(enum.StrEnum):
    """What became of a mutant."""

    KILLED = "killed"
    SURVIVED = "survived"
    EQUIVALENT = "equivalent"
    INAPPLICABLE = "inapplicable"
    """In no case was there anything to change, such as an array to be transposed in place of a number."""


@dataclass(frozen=True)
class Verdict:
    """What became of one mutant; ``check`` is the first check that it lost, or why it cannot be called."""

    homework: str
    function: str
    operator: str
    fate: Fate
    change: Change
    diff: str
    check: str = ""


@dataclass(frozen=True)
class MutantAudit:
    """The verdicts on all mutants of some homeworks, and one line for each promise that is broken."""

    verdicts: tuple[Verdict, ...]
    violations: tuple[str, ...]

    def of(self, homework_id: str, fate: Fate) -> list[Verdict]:
        return [
            one
            for one in self.verdicts
            if one.homework == homework_id and one.fate is fate
        ]


class Equivalents(Record):
    """Mutants that are right, with the reason why."""

    reason: Annotated[
        Text, Meta(description="a sentence that says why these mutants are right")
    ]
    changes: Annotated[
        dict[str, tuple[tuple[str, str], ...]],
        Meta(
            description="for each function a list of [lines of the solution, lines of the mutant]"
        ),
    ]


class _EquivalentsFile(Record):
    equivalents: tuple[Equivalents, ...] = ()


def read_equivalents(homework: Homework) -> dict[tuple[str, Change], str]:
    """Return the reasons why mutants are equivalent, by function and change; empty without the file.

    Raises:
        CourseError: the file is malformed, or lists a change twice.
    """
    path = homework.folder / EQUIVALENTS
    reasons: dict[tuple[str, Change], str] = {}
    if not path.is_file():
        return reasons
    for group in read_toml(path, _EquivalentsFile).equivalents:
        for function, changes in group.changes.items():
            for change in changes:
                if (function, change) in reasons:
                    raise CourseError(
                        f"{path}: {function} lists this change twice: {change[1]}"
                    )
                reasons[function, change] = group.reason
    return reasons


def audit_mutants(
    course: Course,
    homeworks: Sequence[Homework],
    jobs: int,
    tell: Callable[[Verdict], None] = lambda verdict: None,
    every: int = 1,
) -> MutantAudit:
    """Grade each ``every``-th mutant of the homeworks; ``tell`` is called with each verdict as it is known.

    Raises:
        CourseError: a file of a homework is missing or wrong.
    """
    portions: list[Portion] = []
    listed: dict[str, dict[tuple[str, Change], str]] = {}
    existing: dict[str, set[tuple[str, Change]]] = {}
    with SandboxPool() as pool:
        for homework in homeworks:
            listed[homework.id] = read_equivalents(homework)
            judge = prepare_judge(course, homework, pool)
            mutants = mutants_of(judge.solution, [task.name for task in homework.tasks])
            existing[homework.id] = {
                (mutant.function, mutant.change) for mutant in mutants
            }
            sample = mutants[::every]
            portions += [
                (judge, sample[start : start + AT_ONCE])
                for start in range(0, len(sample), AT_ONCE)
            ]
    verdicts: list[Verdict] = []
    for portion_verdicts in in_parallel(_judge_portion, portions, jobs):
        for verdict in portion_verdicts:
            is_listed = (verdict.function, verdict.change) in listed[verdict.homework]
            if is_listed and verdict.fate is Fate.SURVIVED:
                verdict = replace(verdict, fate=Fate.EQUIVALENT)
            verdicts.append(verdict)
            tell(verdict)
    verdicts.sort(
        key=lambda verdict: (
            verdict.homework,
            verdict.function,
            verdict.operator,
            verdict.diff,
        )
    )
    violations = []
    for homework in homeworks:
        place = f"{homework.id}/{EQUIVALENTS}"
        fates = {
            (one.function, one.change): one
            for one in verdicts
            if one.homework == homework.id
        }
        for function, change in listed[homework.id]:
            mutant = f"{function}: {change[1]!r} for {change[0]!r}"
            known = fates.get((function, change))  # None where only a sample was tried
            if (function, change) not in existing[homework.id]:
                violations.append(
                    f"{place}: there is no such mutant: {mutant}; take the entry out"
                )
            elif known is not None and known.fate is Fate.KILLED:
                violations.append(
                    f"{place}: {known.check} kills this mutant: {mutant}; take the entry out"
                )
            elif known is not None and known.fate is Fate.INAPPLICABLE:
                violations.append(
                    f"{place}: this mutant changes nothing: {mutant}; take the entry out"
                )
    survivors = [verdict for verdict in verdicts if verdict.fate is Fate.SURVIVED]
    violations.extend(_told(survivor) for survivor in survivors)
    return MutantAudit(tuple(verdicts), tuple(violations))


def _told(survivor: Verdict) -> str:
    """Show a survivor, and the line to paste where it is right."""
    entry = msgspec.json.encode([survivor.change]).decode()
    return (
        f"{survivor.homework}: this mutant earns all points:\n{survivor.diff.rstrip()}\n"
        f"Add a case or a check that notices it or, if it is right, list it in {EQUIVALENTS} and say why:\n"
        f'changes."{survivor.function}" = {entry}'
    )


# Judging mutants


@dataclass(frozen=True)
class Judge:
    """A homework's suite, its solution with the helpers of mutants, and the solution's own answers."""

    suite: Suite
    solution: Solution
    right: Mapping[str, Answer]


Portion = tuple[Judge, Sequence[Mutant]]


def prepare_judge(course: Course, homework: Homework, pool: SandboxPool) -> Judge:
    """Read what mutants of a homework are judged by."""
    suite = prepare_suite(course, replace(homework, counted=False), SEED, pool)
    answers = run_calls(homework, homework.solution, list(suite.calls.values()), pool)
    right = dict(zip(suite.calls, answers, strict=True))
    judge = Judge(suite, solution_to_mutate(homework), right)
    check = lost_in_whole(judge, judge.solution.whole, pool)
    if check:
        raise CourseError(
            f"{homework.solution}: the solution itself fails {check}; see `autograder check`"
        )
    return judge


def lost_in_whole(judge: Judge, text: str, pool: SandboxPool) -> str:
    """Grade a text as a submission; return the first check that it fails, or the empty string."""
    homework = judge.suite.homework
    result = grade_handin(Code(homework.stub, {homework.stub: text}), judge.suite, pool)
    if result.earned is None:
        raise CourseError(
            f"{homework.id}: a mutant could not be graded: {result.detail}"
        )
    for check in result.checks:
        if check.outcome in (Outcome.FAILED, Outcome.NOT_RUN):
            return check.check
    return ""


def _judge_portion(portion: Portion, pool: SandboxPool) -> list[Verdict]:
    """Judge some mutants with the checks of each task in turn, until each of them has lost a point.

    For each task one process answers its cases for all mutants that are still alive. To cases that were not
    tried yet the solution's own answers stand in: what is lost then is lost with any answer to them.
    """
    judge, mutants = portion
    suite = judge.suite
    lost: dict[int, str] = {}
    applied = {
        number for number, mutant in enumerate(mutants) if not mutant.uses_helper
    }
    answers = [dict(judge.right) for _ in mutants]
    for task in suite.homework.tasks:
        for cases in cheap_first(judge, task.name):
            alive = []
            for number, mutant in enumerate(mutants):
                if number not in lost and task.name in mutant.reaches:
                    alive.append(number)
            for number, case_answers in _answer(judge, cases, mutants, alive, pool):
                if isinstance(case_answers, str):
                    lost[number] = case_answers
                    continue
                if was_applied(case_answers):
                    applied.add(number)
                answers[number].update(case_answers)
                check = first_lost_check(
                    judge, mutants[number], answers[number], task.name, pool
                )
                if check:
                    lost[number] = check
    verdicts = []
    for number, mutant in enumerate(mutants):
        check = lost.get(number, "")
        if check:
            fate = Fate.KILLED
        elif number in applied:
            fate = Fate.SURVIVED
        else:
            fate = Fate.INAPPLICABLE
        if fate is Fate.SURVIVED:
            # The whole truth: the mutant as a submission, in a process of its own.
            check = lost_in_whole(judge, mutant.text(judge.solution), pool)
            if check:
                fate = Fate.KILLED
        names = (suite.homework.id, mutant.function, mutant.operator)
        verdicts.append(
            Verdict(*names, fate, mutant.change, mutant.diff(judge.solution), check)
        )
    return verdicts


def was_applied(answers: Mapping[str, Answer]) -> bool:
    """Whether a helper of mutants had something to change in these cases."""
    value = answers[APPLIED.id].value
    return isinstance(value, np.ndarray) and bool(value.any())


def _code(judge: Judge, mutant: Mutant) -> Code:
    stub = judge.suite.homework.stub
    return Code(stub, {stub: mutant.text(judge.solution)})


def cheap_first(judge: Judge, task: str) -> list[list[Case]]:
    """Return the cases of a task in groups: all cheap ones, then each costly one, such as a training."""
    cheap, costly = list[Case](), list[Case]()
    for known in judge.suite.known:
        if known.case.task == task:
            is_cheap = judge.right[known.case.id].seconds < CHEAP
            (cheap if is_cheap else costly).append(known.case)
    groups = [cheap] if cheap else []
    return groups + [[case] for case in costly]


def _answer(
    judge: Judge,
    cases: Sequence[Case],
    mutants: Sequence[Mutant],
    numbers: Sequence[int],
    pool: SandboxPool,
) -> Iterator[tuple[int, Mapping[str, Answer] | str]]:
    """Answer cases with the mutants of these numbers; for one that cannot answer, say why.

    Where a mutant brings the process down, the others are run again without it.
    """
    seconds = sum(judge.right[case.id].seconds for case in cases)
    most = max(1, int(MOST_SECONDS / max(seconds, 1e-3)))
    if len(numbers) > most:
        for start in range(0, len(numbers), most):
            yield from _answer(
                judge, cases, mutants, numbers[start : start + most], pool
            )
        return
    if not numbers:
        return
    edits = [[mutants[number].edit] for number in numbers]
    try:
        answers = list(
            run_edits(
                judge.suite.homework, judge.solution, [*cases, APPLIED], edits, pool
            )
        )
    except CourseError as error:
        if len(numbers) == 1:
            yield numbers[0], f"its process: {str(error).partition(': ')[2]}"
            return
        middle = len(numbers) // 2
        yield from _answer(judge, cases, mutants, numbers[:middle], pool)
        yield from _answer(judge, cases, mutants, numbers[middle:], pool)
        return
    for place, (number, case_answers) in enumerate(zip(numbers, answers, strict=True)):
        if isinstance(case_answers, StudentError):
            yield number, case_answers.type
        elif reached_limit(case_answers) and len(numbers) > 1:
            # After a call that never ends, no other call of the process is made: what follows is run again.
            yield from _answer(judge, cases, mutants, [number], pool)
            yield from _answer(judge, cases, mutants, numbers[place + 1 :], pool)
            return
        else:
            yield number, case_answers


def reached_limit(answers: Mapping[str, Answer]) -> bool:
    """Whether a call ran out of time or memory, after which the process may make no other."""
    errors = {
        answer.error.type for answer in answers.values() if answer.error is not None
    }
    return not errors.isdisjoint({"TimeLimit", "MemoryError"})


def first_lost_check(
    judge: Judge,
    mutant: Mutant,
    answers: Mapping[str, Answer],
    task: str,
    pool: SandboxPool,
) -> str:
    """Return the first check of a task that these answers fail, or the empty string."""
    report = RunReport(Status.GRADED)
    run = HandinRun(Status.GRADED, report, answers, report)
    fixtures = fixtures_for(_code(judge, mutant), judge.suite, pool, run)
    compare = replace(fixtures.compare, explain=None)
    silent = Fixtures(fixtures.submission, fixtures.cases, compare, pool)
    for check in judge.suite.checks:
        if check.task == task and check.points:
            try:
                check(silent)
            except (CheckFailed, AssertionError):
                return check.name
            except (
                Exception
            ) as fault:  # a check must judge any answer; here is one that it cannot
                diff = mutant.diff(judge.solution)
                raise CourseError(
                    f"check {check.name} breaks: {fault!r}, on the answers of\n{diff}"
                ) from fault
    return ""
