"""Measure the graders: grade mutants of each reference solution, and list the survivors.

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
    LineChange,
    Mutant,
    mutants_of,
    solution_to_mutate,
)
from autograder.authoring.parallel import in_parallel
from autograder.course.calls import FunctionCall
from autograder.course.cases import Case
from autograder.course.course import Course
from autograder.course.homework import CourseError, Homework
from autograder.course.schema import Record, Text, read_toml
from autograder.grading.grade import fixtures_for, grade_handin
from autograder.grading.runs import HandinRun
from autograder.grading.suite import Suite, prepare_suite
from autograder.reasons.mutation import run_edits
from autograder.reasons.source_text import SourceText
from autograder.sandbox.pool import SandboxPool
from autograder.sandbox.report import Answer, RunReport, Status, StudentError
from autograder.sandbox.request import Code
from autograder.verdict.checks import Outcome
from autograder.verdict.failure import LIMIT_ERRORS, CheckFailed
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
    """The outcome of a mutant."""

    KILLED = "killed"
    SURVIVED = "survived"
    EQUIVALENT = "equivalent"
    INAPPLICABLE = "inapplicable"
    """In no case was there anything to change, such as an array to be transposed in place of a number."""


@dataclass(frozen=True)
class Verdict:
    """The outcome of one mutant; ``check`` is the first check that it lost, or why it cannot be called."""

    homework: str
    function: str
    operator: str
    fate: Fate
    change: LineChange
    diff: str
    check: str = ""


@dataclass(frozen=True)
class MutantAudit:
    """The verdicts on all mutants of some homeworks, and one line for each promise that is broken."""

    verdicts: tuple[Verdict, ...]
    violations: tuple[str, ...]

    def of(self, homework_id: str, fate: Fate) -> list[Verdict]:
        verdicts = []
        for verdict in self.verdicts:
            if verdict.homework == homework_id and verdict.fate is fate:
                verdicts.append(verdict)
        return verdicts


MutantKey = tuple[str, LineChange]
"""What mutants are listed by: the function and the change."""


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


def read_equivalents(homework: Homework) -> dict[MutantKey, str]:
    """Return the reasons why mutants are equivalent, by function and change; empty without the file.

    Raises:
        CourseError: the file is malformed, or lists a change twice.
    """
    path = homework.folder / EQUIVALENTS
    reasons: dict[MutantKey, str] = {}
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
    """Grade mutants of homeworks.

    Args:
        course: the course that the homeworks are from.
        homeworks: the homeworks.
        jobs: how many processes judge at once.
        tell: called with each verdict as it is known.
        every: only each n-th mutant is graded.

    Raises:
        CourseError: a file of a homework is missing or wrong.
    """
    portions: list[Portion] = []
    verdicts: list[Verdict] = []
    listed: dict[str, dict[MutantKey, str]] = {}
    existing: dict[str, set[MutantKey]] = {}
    with SandboxPool() as pool:
        for homework in homeworks:
            listed[homework.id] = read_equivalents(homework)
            judge = prepare_judge(course, homework, pool)
            tasks = [task.name for task in homework.tasks]
            mutants = mutants_of(judge.solution, tasks)
            keys = {(mutant.function, mutant.change) for mutant in mutants}
            existing[homework.id] = keys
            sample = mutants[::every]
            for start in range(0, len(sample), AT_ONCE):
                portions.append((judge, sample[start : start + AT_ONCE]))

        for portion_verdicts in in_parallel(_judge_portion, portions, jobs, pool):
            for verdict in portion_verdicts:
                is_listed = (verdict.function, verdict.change) in listed[
                    verdict.homework
                ]
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

    # Entries of the list that are out of date.
    violations = []
    for homework in homeworks:
        place = f"{homework.id}/{EQUIVALENTS}"
        verdict_of_mutant = {}
        for verdict in verdicts:
            if verdict.homework == homework.id:
                verdict_of_mutant[verdict.function, verdict.change] = verdict
        for function, change in listed[homework.id]:
            removed, added = change
            mutant = f"{function}: {added!r} for {removed!r}"
            judged = verdict_of_mutant.get((function, change))
            trouble = ""
            if (function, change) not in existing[homework.id]:
                trouble = "there is no such mutant"
            elif judged is None:
                continue  # only a sample was tried
            elif judged.fate is Fate.KILLED:
                trouble = f"{judged.check} kills this mutant"
            elif judged.fate is Fate.INAPPLICABLE:
                trouble = "this mutant changes nothing"
            if trouble:
                violations.append(f"{place}: {trouble}: {mutant}; take the entry out")

    # Survivors, each with the line to paste where it is right.
    for verdict in verdicts:
        if verdict.fate is not Fate.SURVIVED:
            continue
        diff = verdict.diff.rstrip()
        entry = msgspec.json.encode([verdict.change]).decode()
        violations.append(
            f"{verdict.homework}: this mutant earns all points:\n{diff}\n"
            f"Add a case or a check that notices it or, if it is right, list it in {EQUIVALENTS} and say why:\n"
            f'changes."{verdict.function}" = {entry}'
        )
    return MutantAudit(tuple(verdicts), tuple(violations))


# Judging mutants


@dataclass(frozen=True)
class Judge:
    """A homework's suite, its solution with the helpers of mutants, and the solution's own answers."""

    suite: Suite
    solution: SourceText
    right: Mapping[str, Answer]


Portion = tuple[Judge, Sequence[Mutant]]


def prepare_judge(course: Course, homework: Homework, pool: SandboxPool) -> Judge:
    """Prepare the cases and checks that judge the mutants of a homework."""
    suite = prepare_suite(course, replace(homework, questions_count=False), SEED, pool)
    calls = suite.calls
    answers = run_calls(homework, homework.solution, list(calls.values()), pool)
    right = dict(zip(calls, answers, strict=True))
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
    code = Code(homework.stub, {homework.stub: text})
    result = grade_handin(code, judge.suite, pool)
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
    lost: dict[int, str] = {}  # the check that each dead mutant lost, by its number
    applied = set()
    for number, mutant in enumerate(mutants):
        if not mutant.uses_helper:
            applied.add(number)
    answers = [dict(judge.right) for _ in mutants]
    for task in suite.homework.tasks:
        for cases in _groups_of_cases(judge, task.name):
            alive = []
            for number, mutant in enumerate(mutants):
                if number not in lost and task.name in mutant.reaches:
                    alive.append(number)
            for number, case_answers in _answer(judge, cases, mutants, alive, pool):
                if isinstance(case_answers, str):  # it cannot answer
                    lost[number] = case_answers
                    continue
                value = case_answers[APPLIED.id].value
                if isinstance(value, np.ndarray) and value.any():
                    applied.add(number)
                answers[number].update(case_answers)
                check = first_lost_check(
                    judge,
                    mutants[number],
                    answers[number],
                    task.name,
                    pool,
                )
                if check:
                    lost[number] = check

    verdicts = []
    for number, mutant in enumerate(mutants):
        check = lost.get(number, "")
        if check:
            fate = Fate.KILLED
        elif number not in applied:
            fate = Fate.INAPPLICABLE
        else:
            # The whole truth: the mutant as a submission, in its own process.
            check = lost_in_whole(judge, mutant.text(judge.solution), pool)
            fate = Fate.KILLED if check else Fate.SURVIVED
        verdict = Verdict(
            homework=suite.homework.id,
            function=mutant.function,
            operator=mutant.operator,
            fate=fate,
            change=mutant.change,
            diff=mutant.diff(judge.solution),
            check=check,
        )
        verdicts.append(verdict)
    return verdicts


def _groups_of_cases(judge: Judge, task: str) -> list[list[Case]]:
    """Return the cases of a task in groups: all cheap ones, then each costly one, such as a training."""
    cheap: list[Case] = []
    costly: list[Case] = []
    for known in judge.suite.known:
        if known.case.task != task:
            continue
        if judge.right[known.case.id].seconds < CHEAP:
            cheap.append(known.case)
        else:
            costly.append(known.case)
    groups = [[case] for case in costly]
    if cheap:
        groups.insert(0, cheap)
    return groups


def _answer(
    judge: Judge,
    cases: Sequence[Case],
    mutants: Sequence[Mutant],
    numbers: Sequence[int],
    pool: SandboxPool,
) -> Iterator[tuple[int, Mapping[str, Answer] | str]]:
    """Answer cases with the mutants of some numbers; for one that cannot answer, say why.

    Where a mutant brings the process down, the others are run again without it.
    """
    if not numbers:
        return

    # No more mutants than one process has time for.
    seconds = sum(judge.right[case.id].seconds for case in cases)
    most = max(1, int(MOST_SECONDS / max(seconds, 1e-3)))
    if len(numbers) > most:
        for start in range(0, len(numbers), most):
            some = numbers[start : start + most]
            yield from _answer(judge, cases, mutants, some, pool)
        return

    edits = [[mutants[number].edit] for number in numbers]
    try:
        homework = judge.suite.homework
        runs = run_edits(homework, judge.solution, [*cases, APPLIED], edits, pool)
        answers_of_mutants = list(runs)
    except CourseError as error:  # the process died
        if len(numbers) == 1:
            why = str(error).partition(": ")[2]
            yield numbers[0], f"its process: {why}"
            return
        middle = len(numbers) // 2
        yield from _answer(judge, cases, mutants, numbers[:middle], pool)
        yield from _answer(judge, cases, mutants, numbers[middle:], pool)
        return

    answered = zip(numbers, answers_of_mutants, strict=True)
    for place, (number, answers) in enumerate(answered):
        if isinstance(answers, StudentError):  # it does not load
            yield number, answers.type
            continue
        errors = set()
        for answer in answers.values():
            if answer.error is not None:
                errors.add(answer.error.type)
        if errors.isdisjoint(LIMIT_ERRORS) or len(numbers) == 1:
            yield number, answers
            continue
        # After a call that never ends, no other call of the process is made: what follows is run again.
        yield from _answer(judge, cases, mutants, [number], pool)
        yield from _answer(judge, cases, mutants, numbers[place + 1 :], pool)
        return


def first_lost_check(
    judge: Judge,
    mutant: Mutant,
    answers: Mapping[str, Answer],
    task: str,
    pool: SandboxPool,
) -> str:
    """Return the first check of a task that a mutant's answers fail, or the empty string."""
    stub = judge.suite.homework.stub
    code = Code(stub, {stub: mutant.text(judge.solution)})
    report = RunReport(Status.GRADED)
    run = HandinRun(Status.GRADED, report, answers, report)
    fixtures = fixtures_for(code, judge.suite, pool, run)
    compare = replace(fixtures.compare, explain=None)
    silent = Fixtures(fixtures.submission, fixtures.cases, compare, pool)
    for check in judge.suite.checks:
        if check.task != task or not check.points:
            continue
        try:
            check(silent)
        except (CheckFailed, AssertionError):
            return check.name
        except Exception as fault:
            # A check must judge any answer; here is one that it cannot.
            diff = mutant.diff(judge.solution)
            raise CourseError(
                f"check {check.name} breaks: {fault!r}, on the answers of\n{diff}"
            ) from fault
    return ""
