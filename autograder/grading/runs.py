"""Run the code of one submission for one homework, in one process or, where that dies, in several."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from autograder.course.calls import Call
from autograder.grading.suite import NAMES, Suite
from autograder.sandbox.pool import SandboxPool
from autograder.sandbox.report import (
    Answer,
    Answers,
    RunReport,
    Status,
    Stop,
    StudentError,
)
from autograder.sandbox.request import Code, SharedCalls
from autograder.verdict.explanation_faults import is_explaining
from autograder.verdict.failure import (
    LEAST_SHARE_OF_A_LOOP,
    WAITED_IN_GRADING,
    as_waited,
)
from autograder.verdict.fixtures import Ask
from autograder.verdict.names import DefinedNames, read_names
from autograder.worker.load import LARGEST_PART

MORE_TIME = 3
"""How many times as much time a run is given again, where it was cut although it hardly ran."""
KEPT_WAITING = (
    "it was cut although it used little of the processor, also with more time: the code "
    "waits, or the machine that graded it was busy, and then it should be graded again"
)
"""What is said to everybody of a submission that a busy machine may have cost points."""
OUT_OF_TIME = Answer(
    error=StudentError("TimeLimit", "no time is left for further calls")
)
SPLIT = frozenset(
    {Status.TIME_LIMIT, Status.MEMORY_LIMIT, Status.CRASHED, Status.INVALID_ANSWER}
)
"""Ends of a run after which the tasks are run one by one."""
ERROR_OF_STATUS = {Status.TIME_LIMIT: "TimeLimit", Status.MEMORY_LIMIT: "MemoryError"}
"""The errors of calls that reached a limit, by the status of the submission; time comes before memory."""


@dataclass(frozen=True)
class HandinRun:
    """What the sandbox reported about one submission's code, from one run or put together from several.

    Whatever is quoted to the student (answers to questions, what stopped, names, what exceptions say,
    returned arrays) is in ``quiet`` and ``opened``. Both were in our hands before any process of this code
    was given a hidden input, so that it cannot smuggle one out.

    Attributes:
        status: how the submission's run ended.
        report: the report on the run.
        answers: the answers that it is judged by.
        quiet: the report on the code itself.
        opened: the answers to what is read of the code and to public cases.
    """

    status: Status
    report: RunReport
    answers: Answers
    quiet: RunReport
    opened: Answers = field(default_factory=dict)

    @property
    def names(self) -> DefinedNames:
        """The names that the code binds."""
        if NAMES not in self.opened:
            return DefinedNames()
        return read_names(self.opened[NAMES])

    @property
    def stops(self) -> Sequence[Stop]:
        """The cells, or lines outside the functions of a file, that stop."""
        return self.quiet.stops


def run_handin(
    code: Code,
    suite: Suite,
    pool: SandboxPool,
    before_hidden: Callable[[], object] | None = None,
) -> HandinRun:
    """Make all calls of the suite, in one run where that survives them.

    Where one task brings the process down, the tasks are run one by one, so that the others keep their
    answers. The order is always the same: first what is read of the code, then the public cases, and the
    hidden ones last. What a process answered in its first stage, before it died, is not asked again.

    Calls that were cut although they hardly ran are made once more with more time, for a busy machine is no
    fault of the submission. What is quoted stays that of the first run: the second may know hidden inputs.

    Args:
        code: the submission's code for this homework.
        suite: the homework with its calls.
        pool: runs the code.
        before_hidden: is called before any process of this code is given a hidden input. It may not be
            called where none is given, and must do nothing when it is called again.
    """
    # One run for everything.
    whole = _run_all(code, suite, pool, before_hidden)
    opened, hidden = _by_stage(whole, suite)
    if whole.status not in SPLIT or whole.load_error is not None:
        run = _whole_run(whole, suite)
        if run.status is not Status.TIME_LIMIT:
            return run
        if whole.load_error is not None:
            return _loaded_again(code, suite, pool, run, before_hidden)
        return _called_again(code, suite, pool, run)

    # The process died. What is known of the code itself is from its first stage, or from a run without calls.
    quiet = whole
    report = whole
    fatal: dict[str, RunReport] = {}
    if not opened:
        quiet = _run(code, suite, pool, list(suite.quiet_calls.values()))
        if quiet.status is not Status.GRADED:
            return HandinRun(quiet.status, quiet, {}, quiet)
        report = replace(
            quiet, detail=whole.detail, staff=whole.staff, output=whole.output
        )
        opened = dict(zip(suite.quiet_calls, quiet.answers, strict=True))
        opened |= _task_by_task(code, suite, pool, suite.open_cases, fatal)

    # Only now the hidden inputs, task by task.
    if before_hidden is not None:
        before_hidden()
    hidden = _task_by_task(code, suite, pool, suite.hidden_cases, fatal)
    for fatal_report in fatal.values():
        if fatal_report.status is Status.INFRASTRUCTURE_ERROR:
            return HandinRun(fatal_report.status, fatal_report, {}, quiet)
    answers = _judged_answers(suite, opened, hidden)
    return HandinRun(whole.status, report, answers, quiet, opened)


def run_handins(
    handins: Sequence[tuple[Code, Suite]], pool: SandboxPool
) -> list[HandinRun]:
    """Run the homeworks of one submission; output that may be quoted is produced before any hidden input.

    Each process waits after its first stage until the homeworks after it have been run, so that this costs no
    further run.
    """
    runs: dict[int, HandinRun] = {}
    if handins:
        _run_from(0, handins, pool, runs)
    return [runs[place] for place in range(len(handins))]


def _run_from(
    place: int,
    handins: Sequence[tuple[Code, Suite]],
    pool: SandboxPool,
    runs: dict[int, HandinRun],
) -> None:
    """Run the homeworks from this place on, and keep the runs by their places.

    A function within ``run_handins`` that calls itself would keep all answers until garbage is collected.
    """
    code, suite = handins[place]
    if place + 1 == len(handins):
        runs[place] = run_handin(code, suite, pool)
        return
    run_the_rest = functools.cache(lambda: _run_from(place + 1, handins, pool, runs))
    runs[place] = run_handin(code, suite, pool, run_the_rest)
    run_the_rest()  # where the code had no second stage, it was not called yet


def more_calls(code: Code, suite: Suite, pool: SandboxPool, seconds: float) -> Ask:
    """Return a function that makes the further calls of checks and of explanations, each time in one run.

    All calls of checks together have so many seconds; afterwards a call is answered as one that ran out of
    time. Explanations have as many seconds of their own: a long search for a reason must not let a check fail
    that comes after it. Calls with a limit of their own have their time on top in each run of checks.
    """
    limits = suite.homework.limits
    seconds_left = {"checks": seconds, "explanations": seconds}

    def ask(calls: Sequence[Call]) -> list[Answer]:
        purpose = "checks"
        if is_explaining():
            purpose = "explanations"
        if seconds_left[purpose] <= 0:
            return [OUT_OF_TIME] * len(calls)
        seconds = seconds_left[purpose]
        started = time.perf_counter()
        report = _run(code, suite, pool, calls, seconds)
        seconds_used = time.perf_counter() - started
        if purpose == "checks" and _has_waited(report, calls, suite):
            # The run that was cut does not count, and each second of the longer one counts for less: the
            # calls of other checks need time on a busy machine, too.
            started = time.perf_counter()
            report = _run_longer(code, suite, pool, calls, seconds)
            seconds_used = (time.perf_counter() - started) / MORE_TIME
        if purpose == "checks":
            seconds_used -= limits.more_seconds(call.name for call in calls)
        seconds_left[purpose] -= max(0.0, seconds_used)
        # Our fault must not look like a fault of the submission.
        if report.status.is_our_fault:
            raise RuntimeError(report.detail)
        return _answers_of(report, len(calls))

    return ask


def _task_by_task(
    code: Code,
    suite: Suite,
    pool: SandboxPool,
    calls: Mapping[str, Call],
    fatal: dict[str, RunReport],
) -> Answers:
    """Make the calls of each task in a separate run.

    ``fatal`` are the reports on runs without answers, by task: what brought one down is not run again, nor is
    anything once the sandbox is of no use.
    """
    calls_of_task: dict[str, dict[str, Call]] = {}
    for key, call in calls.items():
        calls_of_task.setdefault(call.name, {})[key] = call
    answers: dict[str, Answer] = {}
    for name, task_calls in calls_of_task.items():
        report = fatal.get(name)
        if report is None:
            made_calls = list(task_calls.values())
            report = _run(code, suite, pool, made_calls)
            if _has_waited(report, made_calls, suite):
                report = _run_longer(code, suite, pool, made_calls)
        if not report.answers:
            fatal[name] = report
        if report.status is Status.INFRASTRUCTURE_ERROR:
            break
        task_answers = _answers_of(report, len(task_calls))
        answers.update(zip(task_calls, task_answers, strict=True))
    return answers


def _judged_answers(suite: Suite, opened: Answers, hidden: Answers) -> Answers:
    """The answers that a submission is judged by, none where nothing of it could be called."""
    answers = {**opened, **hidden}
    in_order = {}
    for key in suite.calls:
        if key in answers:
            in_order[key] = answers[key]
    return in_order


def _run(
    code: Code,
    suite: Suite,
    pool: SandboxPool,
    calls: Sequence[Call] | SharedCalls,
    seconds: float = 0.0,
    later: SharedCalls | None = None,
    before_later: Callable[[], object] | None = None,
    times: float = 1,
) -> RunReport:
    """Make calls in one run, under the homework's limits, or in other seconds that are given.

    The wall-clock limits are multiplied by ``times``; that of processor time stays.
    """
    homework = suite.homework
    limits = homework.limits
    if seconds:
        limits = replace(limits, seconds=seconds)
    limits = limits.longer(times)
    if isinstance(calls, SharedCalls):
        request = homework.request(code, calls, limits, later, before_later)
    else:
        sent = [call.as_mapping() for call in calls]
        request = homework.request(code, sent, limits, later, before_later)
    return pool.run(request)


def _run_all(
    code: Code,
    suite: Suite,
    pool: SandboxPool,
    before_hidden: Callable[[], object] | None,
    times: float = 1,
) -> RunReport:
    """Make all calls of the suite in one run of two stages; the hidden inputs come with the second."""
    open_calls, hidden_calls = suite.stages
    return _run(
        code,
        suite,
        pool,
        open_calls,
        later=hidden_calls,
        before_later=before_hidden,
        times=times,
    )


def _whole_run(report: RunReport, suite: Suite) -> HandinRun:
    """Return a run of all calls that no task brought down."""
    opened, hidden = _by_stage(report, suite)
    answers = _judged_answers(suite, opened, hidden)
    return HandinRun(_status_with_limits(report), report, answers, report, opened)


def _by_stage(report: RunReport, suite: Suite) -> tuple[dict[str, Answer], Answers]:
    """Return the answers of a run of all calls by their keys: those of its first stage, and of its second."""
    open_keys = [*suite.quiet_calls, *suite.open_cases]
    opened = dict(zip(open_keys, report.answers, strict=False))
    hidden_answers = report.answers[len(open_keys) :]
    hidden = dict(zip(suite.hidden_cases, hidden_answers, strict=False))
    return opened, hidden


def _run_longer(
    code: Code,
    suite: Suite,
    pool: SandboxPool,
    calls: Sequence[Call],
    seconds: float = 0.0,
) -> RunReport:
    """Make calls once more with more time, after a run that was cut although it hardly ran."""
    report = _run(code, suite, pool, calls, seconds, times=MORE_TIME)
    return _as_waited(report, calls, suite)


def _loaded_again(
    code: Code,
    suite: Suite,
    pool: SandboxPool,
    run: HandinRun,
    before_hidden: Callable[[], object] | None,
) -> HandinRun:
    """Return the run of a file that was cut while it was loaded; where it hardly ran, that of a second loading.

    Nothing was called, so no process of this code was given a hidden input.
    """
    if not _has_waited(run.report, [], suite):
        return run
    again = _run_all(code, suite, pool, before_hidden, times=MORE_TIME)
    return _whole_run(_as_waited(again, [], suite), suite)


def _called_again(
    code: Code, suite: Suite, pool: SandboxPool, run: HandinRun
) -> HandinRun:
    """Return the run with the answers of a second one, where calls of it were cut that hardly ran."""
    calls = list(suite.calls.values())
    in_order = [run.answers[key] for key in suite.calls]
    first = replace(run.report, answers=in_order)
    if not _has_waited(first, calls, suite):
        return run
    again = _run(code, suite, pool, calls, times=MORE_TIME)
    if again.status.is_our_fault:
        return HandinRun(again.status, again, {}, run.quiet)
    if again.status is not Status.GRADED:
        if not _has_waited(again, calls, suite):
            return run
        again = first
    again = _as_waited(again, calls, suite)
    answers = dict(zip(suite.calls, again.answers, strict=True))

    # A case that was cut in the first run is not shown: it is not what the submission is judged by.
    opened = {}
    for key, answer in run.opened.items():
        if key not in suite.open_cases or not answer.is_cut:
            opened[key] = answer
    report = replace(run.report, detail=again.detail)
    return replace(
        run,
        status=_status_with_limits(again),
        report=report,
        answers=answers,
        opened=opened,
    )


def _has_waited(report: RunReport, calls: Sequence[Call], suite: Suite) -> bool:
    """Return whether a run was cut, or some of its calls, that used too little processor time to be blamed for it.

    The kernel measures that time. Where nobody does, as without a warm sandbox, nothing is known.
    """
    if not report.cpu_seconds:
        return False
    limits = suite.homework.limits
    seconds = 0.0
    if report.status is Status.TIME_LIMIT and report.load_error is None:
        seconds = min(limits.seconds, limits.cpu_seconds)
    elif any(stop.error.type == "TimeLimit" for stop in report.stops):
        seconds = LARGEST_PART * min(limits.loading)
    cut: set[str] = set()
    for call, answer in zip(calls, report.answers, strict=False):
        if answer.is_cut:
            cut.add(call.name)
    # A function that was cut is not called again. One with a limit of its own has its time on top.
    cut_with_own_limit = cut.intersection(limits.of_functions)
    seconds += len(cut - cut_with_own_limit) * limits.call_seconds
    seconds = min(seconds, limits.cpu_seconds)
    seconds += limits.more_seconds(cut_with_own_limit)
    return report.cpu_seconds < LEAST_SHARE_OF_A_LOOP * seconds


def _as_waited(report: RunReport, calls: Sequence[Call], suite: Suite) -> RunReport:
    """Return the report on a run with more time; if it was cut as well and hardly ran, its errors say so."""
    if not _has_waited(report, calls, suite):
        return report
    waited = functools.partial(as_waited, message=WAITED_IN_GRADING)
    return replace(report.with_errors(waited), detail=KEPT_WAITING)


def _status_with_limits(report: RunReport) -> Status:
    """Return the status of a submission. A limit that a call or a cell reached marks all of it."""
    if report.status is not Status.GRADED:
        return report.status
    errors = set()
    for answer in report.answers:
        if answer.error:
            errors.add(answer.error.type)
    for stop in report.stops:
        if stop.error.type == "TimeLimit":
            errors.add("TimeLimit")
    for status, error in ERROR_OF_STATUS.items():
        if error in errors:
            return status
    return report.status


def _answers_of(report: RunReport, count: int) -> list[Answer]:
    """Return the answers of a run; where it has none, as many errors that say how it ended."""
    if report.answers:
        return list(report.answers)
    if report.load_error is not None:  # nothing that was called in this run is defined
        return [Answer(not_defined=True)] * count
    message = f"{report.detail}\n{report.staff}".strip()
    if report.detail == KEPT_WAITING:
        message = WAITED_IN_GRADING
    error_type = ERROR_OF_STATUS.get(report.status, str(report.status))
    return [Answer(error=StudentError(error_type, message))] * count
