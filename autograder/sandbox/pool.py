"""The sandboxes of one grading thread, restarted when they die, and the threads that share the work."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import ExitStack
from dataclasses import replace
from itertools import islice
from typing import Protocol, TypeVar

from autograder.sandbox.cold import ColdSandbox
from autograder.sandbox.hearsay import verified
from autograder.sandbox.report import RunReport, Status
from autograder.sandbox.request import Request
from autograder.sandbox.warm import SandboxDied, WarmSandbox


class Sandbox(Protocol):
    """What a sandbox offers to the graders."""

    layers: tuple[str, ...]

    def run(self, request: Request) -> RunReport:
        """Run one submission and report on it."""

    def close(self) -> None:
        """Release what the sandbox holds."""


def open_sandbox(library: str) -> Sandbox:
    """Start the best sandbox of this platform: warm on Linux, a process per run elsewhere."""
    return WarmSandbox(library) if sys.platform == "linux" else ColdSandbox(library)


def _library_of(request: Request) -> str:
    """What to have imported. The first optimizer makes torch import for a second, so few sandboxes do."""
    if request.library == "numpy" and not request.code.mentions("torch"):
        return "numpy"
    trains = any(request.code.mentions(word) for word in ("torch.optim", "optim."))
    return "torch.optim" if trains else "torch"


class SandboxPool:
    """The sandboxes of one grading thread, opened when first needed; a context manager.

    There is one for each library. ``sign_of_life`` is called before each run with the seconds that it may
    take, and after it with 0.
    """

    def __init__(self, sign_of_life: Callable[[float], None] = lambda seconds: None) -> None:
        self._open: dict[str, Sandbox] = {}
        self._sign_of_life = sign_of_life

    def run(self, request: Request) -> RunReport:
        """Run a request; after a sandbox death once more in a new one, then report our own fault."""
        library = _library_of(request)
        request = replace(request, library=library)
        for _ in range(2):
            self._sign_of_life(request.limits.seconds)
            try:
                sandbox = self._sandbox(library)
                report = verified(sandbox.run(request), request.code)
                return replace(report, layers=sandbox.layers)
            except (SandboxDied, OSError) as error:
                trouble = str(error)
                self._discard(library)
            finally:
                self._sign_of_life(0)
        return RunReport(Status.INFRASTRUCTURE_ERROR, f"the sandbox died twice: {trouble}")

    def _sandbox(self, library: str) -> Sandbox:
        if library not in self._open:
            self._open[library] = open_sandbox(library)
        return self._open[library]

    def _discard(self, library: str) -> None:
        dead = self._open.pop(library, None)
        if dead is not None:
            dead.close()

    def __enter__(self) -> SandboxPool:
        return self

    def __exit__(self, *exc_info: object) -> None:
        for library in list(self._open):
            self._discard(library)


WAITING_PER_JOB = 2

Item = TypeVar("Item")
Result = TypeVar("Result")


def in_parallel(
    work: Callable[[Item, SandboxPool], Result], items: Iterable[Item], jobs: int
) -> Iterator[Result]:
    """Yield each result as it is ready, in no fixed order.

    Only a few items per job are under way at once, so that memory does not grow with their number. When
    the caller stops early, or an item raises, what is under way is finished and the rest is not begun.
    """
    waiting = iter(items)
    with ExitStack() as stack, ThreadPoolExecutor(jobs) as executor:
        pools = _ThreadPools(stack)
        running: set[Future[Result]] = set()
        try:
            while True:
                room = jobs * WAITING_PER_JOB - len(running)
                running |= {executor.submit(pools.run, work, item) for item in islice(waiting, room)}
                if not running:
                    return
                done, running = wait(running, return_when=FIRST_COMPLETED)
                for future in done:
                    yield future.result()
        finally:
            executor.shutdown(wait=True, cancel_futures=True)


class _ThreadPools:
    """Gives each thread its own sandboxes; they are closed together when the stack is."""

    def __init__(self, stack: ExitStack) -> None:
        self._stack = stack
        self._local = threading.local()
        self._lock = threading.Lock()

    def run(self, work: Callable[[Item, SandboxPool], Result], item: Item) -> Result:
        if not hasattr(self._local, "pool"):
            with self._lock:
                self._local.pool = self._stack.enter_context(SandboxPool())
        return work(item, self._local.pool)
