"""The grader pool: processes that read, judge and report submissions, each under a budget.

Reading a zip, judging an answer and wording a reason is our own code, but what it works on was made by a
submission, and so might cost any amount of time or memory, or end the process. So it happens in a process
that can be ended: this costs the one submission, and the others are still graded.

The first half of this module is the driver, which hands submissions to its graders; ``serve`` is a grader.
"""

from __future__ import annotations

import contextlib
import gc
import json
import math
import multiprocessing
import os
import signal
import subprocess
import sys
import time
import traceback
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from pathlib import Path

from autograder.batch.garbage import THRESHOLDS
from autograder.batch.session import Plan
from autograder.errors import KitError
from autograder.intake.submission import Problem, ReadResult, Submission
from autograder.language import say, speaking
from autograder.safe_path import HOME, WithoutCurrentFolder
from autograder.sandbox.pool import SandboxPool
from autograder.sandbox.report import Status
from autograder.verdict.results import SubmissionResult

Finish = Callable[[SubmissionResult], SubmissionResult]
"""What a grader makes of each result before it sends it; it is sent to the grader, and so it is plain data."""
SUBMISSIONS_PER_GRADER = 2
"""Submissions a grader holds: one under way, one to go on with while the driver writes the last result."""
MAX_DEATHS = 3
MAX_FAILED_STARTS = 5
LEAVE_SECONDS = 10.0
READY = "ready"
START = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[2]); "
    "from autograder.batch.graders import serve_at; serve_at(int(sys.argv[1]))"
)


@dataclass(frozen=True)
class QueuedSubmission:
    """A submission to be graded, and its files where these have been read already."""

    submission: Submission
    files: ReadResult | None = None


@dataclass(frozen=True)
class Budget:
    """What reading, judging and reporting one submission may cost this side; its own runs have other limits.

    ``cpu_seconds`` is processor time of the grader process, which a busy machine does not prolong.
    ``quiet_seconds`` is wall-clock time in which no run in a sandbox begins or ends. ``memory_mb`` is address
    space in MiB on top of what the grader used before.
    """

    cpu_seconds: float = 20.0
    quiet_seconds: float = 300.0
    memory_mb: int = 1024


class GraderPoolError(KitError):
    """The grader processes cannot be started; the message says what to try."""


class GraderPool:
    """Grader processes of one plan; a context manager that ends them."""

    def __init__(
        self,
        plan: Plan,
        jobs: int,
        budget: Budget | None = None,
        finish: Finish | None = None,
    ) -> None:
        self._plan = plan
        self._budget = budget or Budget()
        self._finish = finish
        self._graders = [self._new_grader() for _ in range(jobs)]
        self._again: deque[QueuedSubmission] = deque()
        self._deaths: Counter[str] = Counter()
        self._failed_starts = 0

    def grade(
        self, submissions: Iterable[Submission | QueuedSubmission]
    ) -> Iterator[SubmissionResult]:
        """Yield each result as it is ready, in no fixed order.

        A submission whose grader dies under it is graded again. When that happens too often, the grader is to
        blame; when the submission used up its budget, the submission is.

        Raises:
            GraderPoolError: no grader gets as far as its first submission.
            KitError: the course or the machine's protection is broken.
        """
        waiting = iter(submissions)
        while True:
            for grader in self._graders:
                while len(grader.held) < SUBMISSIONS_PER_GRADER:
                    queued = self._next(waiting)
                    if queued is None:
                        break
                    grader.take(queued)
            busy = {}
            for grader in self._graders:
                if grader.held:
                    busy[grader.pipe] = grader
            if not busy:
                return
            for pipe in wait(list(busy)):
                grader = busy[pipe]  # type: ignore[index]
                try:
                    message = grader.pipe.recv()
                except (EOFError, OSError):
                    yield from self._replace(grader)
                    continue
                if message == READY:
                    grader.is_ready = True
                    self._failed_starts = 0
                elif isinstance(message, Exception):
                    raise message
                else:
                    grader.held.popleft()
                    yield message

    def _new_grader(self) -> _Grader:
        return _Grader(self._plan, self._budget, self._finish)

    def _next(
        self, waiting: Iterator[Submission | QueuedSubmission]
    ) -> QueuedSubmission | None:
        """Return a submission whose grader died under it, or else the next that waits."""
        if self._again:
            return self._again.popleft()
        submission = next(waiting, None)
        if isinstance(submission, Submission):
            return QueuedSubmission(submission)
        return submission

    def _replace(self, dead: _Grader) -> Iterator[SubmissionResult]:
        """Start another grader, and blame the submission under way; the next one was not begun."""
        ending = dead.end(LEAVE_SECONDS)
        place = self._graders.index(dead)
        self._graders[place] = self._new_grader()
        if not dead.is_ready:
            self._failed_starts += 1
            if self._failed_starts == MAX_FAILED_STARTS:
                raise GraderPoolError(
                    f"{MAX_FAILED_STARTS} grader processes ended before their first submission (the last one "
                    f"with {_how(ending)}): the machine may be out of memory; run the same command again "
                    "with fewer --jobs"
                )
            self._again.extend(dead.held)
            return
        blamed, *others = dead.held
        self._again.extend(others)
        submission = blamed.submission
        self._deaths[submission.name] += 1
        if ending == -getattr(signal, "SIGPROF", 0):
            with speaking(self._plan.course.language):
                budget = say(
                    "{seconds:g} s of processor time", seconds=self._budget.cpu_seconds
                )
                result = over_budget(submission, Status.TIME_LIMIT, budget)
            yield result
        elif self._deaths[submission.name] < MAX_DEATHS:
            self._again.append(blamed)
        else:
            fault = f"the grader process ended {MAX_DEATHS} times with {_how(ending)}"
            yield result_of_lost_submission(submission, fault)

    def __enter__(self) -> GraderPool:
        return self

    def __exit__(self, kind: type[BaseException] | None, *exc_info: object) -> None:
        """Hang up, and give the graders time to close their sandboxes; after an error kill them at once."""
        for grader in self._graders:
            grader.pipe.close()
        for grader in self._graders:
            grader.end(LEAVE_SECONDS if grader.is_ready and kind is None else 0)


class _Grader:
    """One process, the driver's end of its pipe, and the submissions it holds, the one under way first."""

    def __init__(self, plan: Plan, budget: Budget, finish: Finish | None) -> None:
        self.held: deque[QueuedSubmission] = deque()
        self.is_ready = False
        self.pipe, graders_end = multiprocessing.Pipe()
        with graders_end:
            self.process = _start(graders_end)
        # Where it is dead already, the next look at its pipe says so.
        with contextlib.suppress(OSError):
            self.pipe.send((plan, budget, finish, os.getpid()))

    def take(self, queued: QueuedSubmission) -> None:
        self.held.append(queued)
        with contextlib.suppress(OSError):
            self.pipe.send(queued)

    def end(self, patience: float) -> int:
        """Wait so many seconds, then kill the process; return its exit status, negative for a signal."""
        self.pipe.close()
        try:
            return self.process.wait(patience)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.process.wait()


def _start(pipe: Connection) -> _Process:
    """Start a grader process that answers on this end of its pipe.

    Ctrl-C is blocked meanwhile, and the process inherits that: it is meant only for the driver.
    """
    can_block = hasattr(signal, "pthread_sigmask")
    if can_block:
        blocked_before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        if sys.platform == "linux":
            return _fork(pipe)
        return _spawn(pipe)
    finally:
        if can_block:
            signal.pthread_sigmask(signal.SIG_SETMASK, blocked_before)


def _fork(pipe: Connection) -> _Forked:
    """Start a grader as a copy of this process, which has imported already what a grader needs.

    A new Python would take half a second of processor time to import the same. Student code never runs in
    a grader, so it may hold what the driver holds; the sandboxes that it starts are programs of their own.
    """
    pid = os.fork()
    if pid != 0:
        return _Forked(pid)
    # This is the grader. It leaves only by os._exit: the caller's `with` blocks belong to the driver.
    status = 1
    try:
        _forget_signal_handlers()
        gc.freeze()  # nothing of the driver's is collected here: its files are closed below, by number
        _close_all_but(pipe.fileno())
        WithoutCurrentFolder().__enter__()
        serve(pipe)
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(status)


def _forget_signal_handlers() -> None:
    """Let the signals that end a grader end it, also where the program that grades handles or blocks them."""
    ending = {signal.SIGALRM, signal.SIGPROF, signal.SIGTERM}
    for number in ending:
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, ending)


def _close_all_but(descriptor: int) -> None:
    """Close all files but the standard streams and one more.

    Were the driver's end of another grader's pipe open here, that grader would not see the driver hang up.
    """
    last = max(int(name) for name in os.listdir("/proc/self/fd"))
    os.closerange(3, descriptor)
    os.closerange(descriptor + 1, last + 1)


class _Forked:
    """A forked process, with those methods of ``subprocess.Popen`` that are needed here."""

    POLL_SECONDS = 0.005

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._status: int | None = None

    def wait(self, timeout: float | None = None) -> int:
        """Return the exit status, negative for a signal, as ``Popen.wait`` does."""
        deadline = time.monotonic() + (math.inf if timeout is None else timeout)
        while self._status is None:
            is_last_look = time.monotonic() >= deadline
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid != 0:
                self._status = os.waitstatus_to_exitcode(status)
            elif is_last_look:
                raise subprocess.TimeoutExpired("worker", timeout or 0)
            else:
                time.sleep(self.POLL_SECONDS)
        return self._status

    def kill(self) -> None:
        if self._status is None:
            os.kill(self.pid, signal.SIGKILL)


_Process = _Forked | subprocess.Popen[bytes]


def _spawn(pipe: Connection) -> subprocess.Popen[bytes]:
    """Start Python without the current folder on its path, where a submission may be named ``json.py``."""
    with WithoutCurrentFolder():
        folders = []
        for folder in sys.path:
            if os.path.isabs(folder):
                folders.append(folder)
        path = json.dumps([*folders, HOME])
        command = [sys.executable, "-P", "-c", START, str(pipe.fileno()), path]
        if sys.platform == "win32":
            os.set_handle_inheritable(pipe.fileno(), True)
            return subprocess.Popen(command, close_fds=False)
        return subprocess.Popen(command, pass_fds=[pipe.fileno()])


def result_of_lost_submission(submission: Submission, fault: str) -> SubmissionResult:
    """Return the result of a submission that no grader could grade: our fault, and to be graded again."""
    return SubmissionResult(submission.name, str(submission.path), fault=fault)


def over_budget(
    submission: Submission, status: Status, budget: str
) -> SubmissionResult:
    """Return the result of a submission that cost more to read or judge than any submission may."""
    why = say(
        "Reading or judging this submission took more than {budget}, so it was stopped "
        "and has no points.",
        budget=budget,
    )
    remedy = say(
        "Hand in only the homework's files, and let each function return what its "
        "docstring asks for."
    )
    problem = Problem(f"{why} {remedy}", cause=why)
    return SubmissionResult(
        submission.name, str(submission.path), problems=(problem,), stopped=status
    )


def _how(ending: int) -> str:
    if ending == -getattr(signal, "SIGALRM", 0):
        return "no sign of life for too long"
    if ending >= 0:
        return f"exit status {ending}"
    try:
        return f"the signal {signal.Signals(-ending).name}"
    except ValueError:
        return f"the signal {-ending}"


def serve_at(descriptor: int) -> None:
    """Run a grader that was started as a program: its pipe is a file that it inherited."""
    serve(type(multiprocessing.Pipe()[0])(descriptor))


def serve(pipe: Connection) -> None:
    """Run a grader: grade each submission that arrives until the driver hangs up."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    with contextlib.suppress(EOFError, OSError):
        plan, budget, finish, parent = pipe.recv()
        if sys.platform == "linux":
            from autograder.worker.limits import die_with_parent

            die_with_parent(parent)

        # The pool says before each run how long it may take, and 0 when it has ended.
        def sign_of_life(seconds: float) -> None:
            _set_timers(seconds + budget.quiet_seconds)

        with SandboxPool(sign_of_life) as pool:
            try:
                session = plan.open()
            except Exception as error:  # a broken course: the driver raises it
                pipe.send(error)
                return
            # The course stays as long as this process: no search for garbage need look at it.
            gc.collect()
            gc.freeze()
            gc.set_threshold(*THRESHOLDS)
            pipe.send(READY)
            while True:
                queued = pipe.recv()
                submission = queued.submission
                try:
                    with _within(budget):
                        result = session.grade(submission, pool, queued.files).capped()
                    # Beyond the budget: what is drawn from a result is no fault of the submission.
                    message: object = finish(result) if finish else result
                except MemoryError:
                    with speaking(plan.course.language):
                        memory = say("{size} MiB of memory", size=budget.memory_mb)
                        message = over_budget(submission, Status.MEMORY_LIMIT, memory)
                except Exception as error:
                    # The course or the machine's protection is broken: the driver raises it.
                    message = error
                pipe.send(message)


@contextlib.contextmanager
def _within(budget: Budget) -> Iterator[None]:
    """Let the kernel end this process where one submission uses up its budget; nothing in Python could."""
    if sys.platform == "linux":
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_AS)
        pages, *_ = Path("/proc/self/statm").read_text().split()
        limit = int(pages) * resource.getpagesize() + (budget.memory_mb << 20)
        if hard >= 0:
            limit = min(limit, hard)
        # Sandboxes that are started meanwhile lift this again.
        resource.setrlimit(resource.RLIMIT_AS, (limit, hard))
    _set_timers(budget.quiet_seconds, budget.cpu_seconds)
    try:
        yield
    finally:
        _set_timers(0, 0)
        if sys.platform == "linux":
            resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def _set_timers(quiet_seconds: float, cpu_seconds: float | None = None) -> None:
    """End this process after so long, by wall-clock time and, where given, by processor time; 0 is never."""
    if hasattr(signal, "setitimer"):  # not on Windows, as `autograder doctor` says
        signal.setitimer(signal.ITIMER_REAL, quiet_seconds)
        if cpu_seconds is not None:
            signal.setitimer(signal.ITIMER_PROF, cpu_seconds)
