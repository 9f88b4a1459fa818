"""Run the code of one submission for one homework, in one process or, where that dies, in several."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from autograder.course.calls import Call
from autograder.grading.patience import (
    KEPT_WAITING,
    MORE_TIME,
    run_calls,
    run_patiently,
    was_waiting,
    with_cause_of_waiting,
)
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
from autograder.sandbox.request import Code
from autograder.verdict.explanation_faults import is_explaining
from autograder.verdict.failure import WAITED_IN_GRADING
from autograder.verdict.fixtures import Ask
from autograder.verdict.names import DefinedNames, read_names

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
    whole = _run_both_stages(code, suite, pool, before_hidden)
    if whole.status not in SPLIT or whole.load_error is not None:
        run = _run_of_report(whole, suite)
        if run.status is not Status.TIME_LIMIT:
            return run
        if whole.load_error is not None:
            return _load_again_if_it_waited(code, suite, pool, run, before_hidden)
        return _call_again_if_it_waited(code, suite, pool, run)

    # The process died. What is known of the code itself is from its first stage, or from a run without calls.
    opened, _ = _by_stage(whole, suite)
    quiet = whole
    report = whole
    fatal: dict[str, RunReport] = {}
    if not opened:
        quiet = run_calls(code, suite, pool, list(suite.quiet_calls.values()))
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

    No process of a student that knows a hidden input may produce anything that is quoted: it could have left the
    input to a process of another homework. So the second homework runs its public calls while the first one waits,
    after its own, for its hidden inputs, and so on. This costs no further run.
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
    """Run the homeworks from this place on, and keep the runs by their places."""
    code, suite = handins[place]
    after = place + 1
    if after == len(
        handins
    ):  # nobody waits, so that the process is not stopped between its stages
        runs[place] = run_handin(code, suite, pool)
        return

    def run_the_rest() -> None:
        if after not in runs:
            _run_from(after, handins, pool, runs)

    runs[place] = run_handin(code, suite, pool, run_the_rest)
    run_the_rest()  # where the code had no second stage, it was not called yet


def more_calls(code: Code, suite: Suite, pool: SandboxPool, seconds: float) -> Ask:
    """Return a function that makes the further calls of checks and of explanations, each time in one run.

    All checks of a submission share so many seconds; afterwards a call is answered as one that ran out of time, so
    that the order of checks may decide which one fails. Explanations have as many seconds of their own: a long
    search for a reason must not let a check fail that comes after it. Calls with a limit of their own have their
    time on top in each run of checks.
    """
    limits = suite.homework.limits
    seconds_left = {"checks": seconds, "explanations": seconds}

    def ask(calls: Sequence[Call]) -> list[Answer]:
        purpose = "explanations" if is_explaining() else "checks"
        left = seconds_left[purpose]
        if left <= 0:
            return [OUT_OF_TIME] * len(calls)
        if purpose == "explanations":
            started = time.perf_counter()
            report = run_calls(code, suite, pool, calls, seconds=left)
            seconds_used = time.perf_counter() - started
        else:
            report, seconds_used = run_patiently(code, suite, pool, calls, left)
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
            report, _ = run_patiently(code, suite, pool, list(task_calls.values()))
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


def _run_both_stages(
    code: Code,
    suite: Suite,
    pool: SandboxPool,
    before_hidden: Callable[[], object] | None,
    times: float = 1,
) -> RunReport:
    """Make all calls of the suite in one run of two stages; the hidden inputs come with the second."""
    open_calls, hidden_calls = suite.stages
    return run_calls(
        code,
        suite,
        pool,
        open_calls,
        later=hidden_calls,
        before_later=before_hidden,
        times=times,
    )


def _run_of_report(report: RunReport, suite: Suite) -> HandinRun:
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


def _load_again_if_it_waited(
    code: Code,
    suite: Suite,
    pool: SandboxPool,
    run: HandinRun,
    before_hidden: Callable[[], object] | None,
) -> HandinRun:
    """Load a file once more that was cut while it was loaded and waited; else return the run as it is.

    Nothing was called, so no process of this code was given a hidden input.
    """
    if not was_waiting(run.report, [], suite):
        return run
    again = _run_both_stages(code, suite, pool, before_hidden, times=MORE_TIME)
    return _run_of_report(with_cause_of_waiting(again, [], suite), suite)


def _call_again_if_it_waited(
    code: Code, suite: Suite, pool: SandboxPool, run: HandinRun
) -> HandinRun:
    """Return the run with the answers of a second one, where calls of it were cut and waited."""
    calls = list(suite.calls.values())
    in_order = [run.answers[key] for key in suite.calls]
    first = replace(run.report, answers=in_order)
    if not was_waiting(first, calls, suite):
        return run
    again = run_calls(code, suite, pool, calls, times=MORE_TIME)
    if again.status.is_our_fault:
        return HandinRun(again.status, again, {}, run.quiet)
    if again.status is not Status.GRADED:
        if not was_waiting(again, calls, suite):
            return run
        again = first
    again = with_cause_of_waiting(again, calls, suite)
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
