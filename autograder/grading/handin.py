"""Grade one hand-in: the code of one submission for one homework."""

from __future__ import annotations

import functools
import time
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from autograder.checks.fixtures import Compare, SubmissionProxy, value_key
from autograder.checks.run import CheckResult, Fixtures, Outcome, run_checks
from autograder.checks.theory import Theory, judge_theory
from autograder.comparison.errors import explain_error
from autograder.comparison.finding import Finding, Kind
from autograder.diagnosis.diagnose import Diagnosis
from autograder.grading.results import HomeworkResult
from autograder.grading.suite import Suite
from autograder.homework.cases import Call
from autograder.homework.questions import ANSWERS
from autograder.sandbox.pool import SandboxPool
from autograder.sandbox.report import Answer, FunctionFacts, RunReport, StudentError
from autograder.sandbox.request import Code, Request, SharedCalls
from autograder.sandbox.status import Status

MOST_CELLS = 20
OUT_OF_TIME = Answer(error=StudentError("TimeLimit", "no time is left for further calls"))
SPLIT = frozenset({Status.TIME_LIMIT, Status.MEMORY_LIMIT, Status.CRASHED, Status.INVALID_ANSWER})


@dataclass(frozen=True)
class HandinRun:
    """The worker's news of one hand-in, whole or put together from several runs."""

    status: Status
    report: RunReport
    answers: Mapping[str, Answer]


@dataclass(frozen=True)
class Judged:
    """The results of checks and questions or, where judging itself broke, what our fault was."""

    checks: Sequence[CheckResult] = ()
    theory: Theory = field(default_factory=Theory)
    fault: str = ""


def grade_handin(code: Code, suite: Suite, pool: SandboxPool, notes: Sequence[str] = ()) -> HomeworkResult:
    """Run the code, judge its answers and return the result; never raises for a submission."""
    started = time.perf_counter()
    run = run_handin(code, suite, pool)
    judged = _judge(code, suite, pool, run)
    return HomeworkResult(
        homework=suite.homework.id,
        title=suite.homework.title,
        status=Status.INFRASTRUCTURE_ERROR if judged.fault else run.status,
        points=suite.homework.points + judged.theory.points,
        checks=(*judged.checks, *judged.theory.checks),
        detail=judged.fault or run.report.detail,
        hints=suite.homework.hints,
        notes=(*notes, *_cell_notes(run.report), *judged.theory.notes),
        output=run.report.output,
        layers=run.report.layers,
        seed=suite.seed,
        seconds=time.perf_counter() - started,
    )


@dataclass
class MoreCalls:
    """Makes the calls that checks and diagnosis ask for, all of them in as much time as one run may take.

    ``seconds`` is what is left. Afterwards every call is answered as one that ran out of time.
    """

    code: Code
    suite: Suite
    pool: SandboxPool
    seconds: float

    def __call__(self, calls: Sequence[Call]) -> list[Answer]:
        """Make calls in a run of their own; a fault of ours must not look like one of the submission."""
        if self.seconds <= 0:
            return [OUT_OF_TIME] * len(calls)
        homework, started = self.suite.homework, time.perf_counter()
        limits = replace(homework.limits, seconds=self.seconds)
        mappings = [call.as_mapping() for call in calls]
        report = self.pool.run(Request(self.code, mappings, homework.library, limits))
        self.seconds -= time.perf_counter() - started
        if report.status.is_our_fault:
            raise RuntimeError(report.detail)
        return _answers_of(report, len(calls))


def run_handin(code: Code, suite: Suite, pool: SandboxPool) -> HandinRun:
    """Make all calls of the suite; where the process is brought down, make them task by task."""
    report = _run(code, suite, pool, suite.shared_calls)
    if report.status not in SPLIT or report.load_error is not None:
        return HandinRun(_status_of(report), report, dict(zip(suite.calls, report.answers, strict=False)))
    return _run_by_task(code, suite, pool, report)


def open_fixtures(code: Code, suite: Suite, pool: SandboxPool, run: HandinRun) -> Fixtures:
    """Return what the checks of a hand-in are given."""
    more = MoreCalls(code, suite, pool, suite.homework.limits.seconds)
    submission = SubmissionProxy(run.answers, run.report.functions, run.report.failed_cells, more)

    @functools.cache
    def diagnose(task: str) -> Diagnosis:
        return suite.diagnostician.diagnose(task, run.answers, pool)

    return Fixtures(submission, suite.cases, Compare(suite.homework, suite.cases, diagnose))


def load_failure(suite: Suite, report: RunReport) -> Finding:
    """Return why nothing of a hand-in could be called."""
    if report.load_error is not None:
        return explain_error(report.load_error, f"Importing `{suite.homework.stub}`")
    return Finding(Kind.RAISED, f"The file could not be run: {report.detail}.")


def _ask(code: Code, suite: Suite, pool: SandboxPool, calls: Sequence[Call]) -> RunReport:
    return _run(code, suite, pool, [call.as_mapping() for call in calls])


def _run(
    code: Code, suite: Suite, pool: SandboxPool, calls: Sequence[Mapping[str, object]] | SharedCalls
) -> RunReport:
    return pool.run(Request(code, calls, suite.homework.library, suite.homework.limits))


def _status_of(report: RunReport) -> Status:
    """A call or a cell that ran out of time marks the whole hand-in, though its other calls count."""
    errors = {answer.error.type for answer in report.answers if answer.error}
    errors |= {"TimeLimit"} & {failure.error.type for failure in report.failed_cells}
    if report.status is Status.GRADED and "TimeLimit" in errors:
        return Status.TIME_LIMIT
    if report.status is Status.GRADED and "MemoryError" in errors:
        return Status.MEMORY_LIMIT
    return report.status


def _run_by_task(code: Code, suite: Suite, pool: SandboxPool, whole: RunReport) -> HandinRun:
    """One task brought the process down: run each task alone, so that the others keep their answers."""
    empty = _ask(code, suite, pool, [])
    if empty.status is not Status.GRADED:
        return HandinRun(empty.status, empty, {})
    answers: dict[str, Answer] = {}
    functions: dict[str, FunctionFacts] = {}
    names = dict.fromkeys(call.name for call in suite.calls.values())
    for name in names:
        own = {key: call for key, call in suite.calls.items() if call.name == name}
        report = _ask(code, suite, pool, list(own.values()))
        if report.status is Status.INFRASTRUCTURE_ERROR:
            return HandinRun(report.status, report, {})
        answers.update(zip(own, _answers_of(report, len(own)), strict=True))
        functions.update(report.functions)
    told = replace(empty, detail=whole.detail, output=whole.output, functions=functions)
    return HandinRun(whole.status, told, answers)


def _answers_of(report: RunReport, calls: int) -> list[Answer]:
    return list(report.answers) or [_no_answer(report)] * calls


def _no_answer(report: RunReport) -> Answer:
    types = {Status.TIME_LIMIT: "TimeLimit", Status.MEMORY_LIMIT: "MemoryError"}
    return Answer(error=StudentError(types.get(report.status, str(report.status)), report.detail))


def _judge(code: Code, suite: Suite, pool: SandboxPool, run: HandinRun) -> Judged:
    if run.status is Status.INFRASTRUCTURE_ERROR:
        return Judged(fault=run.report.detail)
    if not run.answers:
        return Judged(_all_failed(suite, load_failure(suite, run.report)))
    try:
        checks = run_checks(suite.checks, open_fixtures(code, suite, pool, run))
        return Judged(checks, _theory(suite, run))
    except Exception:  # a check that breaks is our fault and must never become a zero
        return Judged(fault=f"a check failed to run:\n{traceback.format_exc()}")


def _theory(suite: Suite, run: HandinRun) -> Theory:
    """Judge the answers to the homework's questions, if it has any."""
    answer = run.answers.get(value_key(ANSWERS))
    return Theory() if answer is None else judge_theory(suite.homework.questions, answer)


def _all_failed(suite: Suite, finding: Finding) -> list[CheckResult]:
    return [
        CheckResult(
            check=one.name,
            task=one.task,
            sentence=one.sentence,
            points=one.points,
            outcome=Outcome.FAILED,
            reason=finding.student,
            staff=finding.staff,
            misconceptions=finding.misconceptions,
        )
        for one in suite.checks
    ]


def _cell_notes(report: RunReport) -> list[str]:
    told, more = report.failed_cells[:MOST_CELLS], len(report.failed_cells) - MOST_CELLS
    notes = [explain_error(failure.error, f"Cell {failure.cell}").student for failure in told]
    return [*notes, f"{more} more cells stopped with an error."] if more > 0 else notes
