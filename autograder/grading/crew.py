"""Worker processes on this machine: each grades one entry after another in sandboxes of its own."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from itertools import islice
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess

from autograder.errors import KitError
from autograder.grading.plan import Plan
from autograder.grading.results import SubmissionResult
from autograder.safe_path import WithoutCurrentFolder
from autograder.sandbox.pool import SandboxPool
from autograder.submissions.model import Entry
from autograder.worker.limits import die_with_parent

AHEAD = 2
"""Entries a worker holds: one under way, one to go on with while the driver writes the last result."""
MAX_DEATHS = 3
MAX_DEATHS_IN_A_ROW = 10
LEAVE_SECONDS = 10.0


class CrewError(KitError):
    """One worker process after the other died, without any result; the message says what to try."""


def grade_in_processes(plan: Plan, entries: Iterable[Entry], jobs: int) -> Iterator[SubmissionResult]:
    """Yield each result as it is ready. A worker that dies is replaced and its entries are graded again.

    Raises:
        CrewError: no worker lives long enough to grade anything.
    """
    crew = _Crew(plan, jobs)
    try:
        yield from crew.grade(entries)
        crew.leave()
    finally:
        crew.kill()


class _Crew:
    """The workers of one batch, and the entries of workers that died."""

    def __init__(self, plan: Plan, jobs: int) -> None:
        self._plan = plan
        self._workers = [_Worker(plan) for _ in range(jobs)]
        self._again: deque[Entry] = deque()
        self._deaths: Counter[str] = Counter()
        self._in_a_row = 0

    def grade(self, entries: Iterable[Entry]) -> Iterator[SubmissionResult]:
        waiting = iter(entries)
        while True:
            for worker in self._workers:
                worker.take(self._next(waiting, AHEAD - len(worker.held)))
            busy = {worker.pipe: worker for worker in self._workers if worker.held}
            if not busy:
                return
            for pipe in wait(list(busy)):
                yield from self._hear(busy[pipe])  # type: ignore[index]

    def _next(self, waiting: Iterator[Entry], count: int) -> Iterator[Entry]:
        """Entries of dead workers go first."""
        for _ in range(min(count, len(self._again))):
            yield self._again.popleft()
            count -= 1
        yield from islice(waiting, count)

    def _hear(self, worker: _Worker) -> Iterator[SubmissionResult]:
        try:
            said = worker.pipe.recv()
        except (EOFError, OSError):
            yield from self._replace(worker)
            return
        self._in_a_row = 0
        worker.held.popleft()
        if isinstance(said, Exception):
            raise said
        yield said

    def _replace(self, dead: _Worker) -> Iterator[SubmissionResult]:
        """Blame the entry under way; the other has not been begun."""
        self._in_a_row += 1
        if self._in_a_row == MAX_DEATHS_IN_A_ROW:
            raise CrewError(
                f"{MAX_DEATHS_IN_A_ROW} worker processes died in a row: the machine may be out of memory; "
                "run the same command again with fewer --jobs"
            )
        blamed, *others = dead.held
        self._again.extend(others)
        self._deaths[blamed.name] += 1
        if self._deaths[blamed.name] < MAX_DEATHS:
            self._again.append(blamed)
        else:
            yield lost(blamed, f"the worker process died {MAX_DEATHS} times at this submission")
        dead.kill()
        self._workers[self._workers.index(dead)] = _Worker(self._plan)

    def leave(self) -> None:
        """Hang up, and give the workers time to close their sandboxes."""
        for worker in self._workers:
            worker.pipe.close()
        for worker in self._workers:
            worker.process.join(LEAVE_SECONDS)

    def kill(self) -> None:
        """End what still runs at once; the sandboxes end with their worker."""
        for worker in self._workers:
            worker.kill()


class _Worker:
    """One process, the driver's end of its pipe, and the entries it holds, the one under way first."""

    def __init__(self, plan: Plan) -> None:
        self.held: deque[Entry] = deque()
        self.pipe, theirs = multiprocessing.Pipe()
        context = multiprocessing.get_context("spawn")
        self.process: SpawnProcess = context.Process(
            target=_serve, args=(plan, theirs, os.getpid()), daemon=True
        )
        with theirs, _ctrl_c_waits(), WithoutCurrentFolder():
            self.process.start()

    def take(self, entries: Iterable[Entry]) -> None:
        """Hand entries over; where the process is dead, the next look at its pipe says so."""
        for entry in entries:
            self.held.append(entry)
            with contextlib.suppress(OSError):
                self.pipe.send(entry)

    def kill(self) -> None:
        self.pipe.close()
        self.process.kill()
        self.process.join()


def lost(entry: Entry, fault: str) -> SubmissionResult:
    """Return the result of an entry that no worker could grade: our fault, and to be graded again."""
    return SubmissionResult(entry.name, str(entry.path), fault=fault)


@contextlib.contextmanager
def _ctrl_c_waits() -> Iterator[None]:
    """Block Ctrl-C while a worker starts, which inherits that: it is meant for the driver alone."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _serve(plan: Plan, pipe: Connection, parent: int) -> None:
    """The life of a worker: grade what comes until the driver hangs up."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    die_with_parent(parent)
    with contextlib.suppress(EOFError, OSError), SandboxPool() as pool:
        session = plan.open()
        while True:
            entry = pipe.recv()
            try:
                said: object = session.grade(entry, pool)
            except Exception as error:  # a broken course or wall: the driver raises it
                said = error
            pipe.send(said)
