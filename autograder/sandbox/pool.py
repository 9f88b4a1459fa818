"""The sandboxes of one grading thread, replaced when they die, and threads that share the work."""

from __future__ import annotations

import importlib.util
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import AbstractContextManager, ExitStack
from dataclasses import replace
from typing import TypeVar

from autograder.sandbox.cold import ColdSandbox
from autograder.sandbox.hearsay import verified
from autograder.sandbox.report import RunReport, Status, in_two_stages
from autograder.sandbox.request import Request
from autograder.sandbox.warm import ProcessLetGo, SandboxDied, WarmSandbox

Sandbox = WarmSandbox | ColdSandbox
T = TypeVar("T")
Result = TypeVar("Result")


def open_sandbox(library: str) -> Sandbox:
    """Start the best sandbox for this platform: warm on Linux, a process per run elsewhere."""
    return WarmSandbox(library) if sys.platform == "linux" else ColdSandbox(library)


class SandboxPool(AbstractContextManager["SandboxPool"]):
    """The sandboxes of one grading thread, opened when first needed.

    There is one for each library. ``sign_of_life`` is called before each run with the seconds that it may
    take, and after it with 0.
    """

    def __init__(
        self, sign_of_life: Callable[[float], None] = lambda seconds: None
    ) -> None:
        self._open: dict[str, Sandbox] = {}
        self._sign_of_life = sign_of_life

    def run(self, request: Request) -> RunReport:
        """Run a request; if its sandbox dies, once more in a new one; after that, report our own fault.

        The first optimizer makes torch import for a second, so only code that seems to train has it warm.
        """
        library = request.library
        # Where torch is not installed, its import is one of the submission's lines that stop.
        if library != "numpy" or (
            request.code.mentions("torch") and importlib.util.find_spec("torch")
        ):
            trains = any(
                request.code.mentions(word) for word in ("torch.optim", "optim.")
            )
            library = "torch.optim" if trains else "torch"
        request = replace(
            request, library=library, before_later=self._alive_after(request)
        )
        first: RunReport | None = None
        for _ in range(2):
            self._sign_of_life(request.limits.seconds)
            try:
                sandbox = self._sandbox(library)
                report = sandbox.run(request)
                if first is not None:
                    report = in_two_stages(first, report)
                return replace(verified(report, request.code), layers=sandbox.layers)
            except (SandboxDied, OSError) as error:
                trouble = str(error)
                if library in self._open and not isinstance(error, ProcessLetGo):
                    self._open.pop(library).close()
                if (
                    isinstance(error, SandboxDied)
                    and error.first is not None
                    and request.later_calls
                ):
                    # The second stage had begun, so its inputs were there: the first is not asked again.
                    first = error.first
                    request = replace(
                        request, calls=request.later_calls.calls, later_calls=None
                    )
            finally:
                self._sign_of_life(0)
        return RunReport(
            Status.INFRASTRUCTURE_ERROR, f"the sandbox died twice: {trouble}"
        )

    def _alive_after(self, request: Request) -> Callable[[], object] | None:
        """What is to be done between two stages, with a sign of life behind it: runs in it end with 0."""
        if request.before_later is None:
            return None
        before_later = request.before_later

        def do() -> None:
            before_later()
            self._sign_of_life(request.limits.seconds)

        return do

    def _sandbox(self, library: str) -> Sandbox:
        if library not in self._open:
            self._open[library] = open_sandbox(library)
        return self._open[library]

    def __exit__(self, *exc_info: object) -> None:
        while self._open:
            self._open.popitem()[1].close()


def in_parallel(
    work: Callable[[T, SandboxPool], Result], items: Iterable[T], jobs: int
) -> Iterator[Result]:
    """Yield each result as it is ready, in no fixed order; each thread has sandboxes of its own.

    When the caller stops early, or an item raises, what is under way is finished and the rest is not begun.
    """
    own = threading.local()

    def open_pool() -> None:
        own.pool = pools.enter_context(SandboxPool())

    with (
        ExitStack() as pools,
        ThreadPoolExecutor(jobs, initializer=open_pool) as executor,
    ):
        try:
            for future in as_completed(
                [executor.submit(lambda one: work(one, own.pool), i) for i in items]
            ):
                yield future.result()
        finally:
            executor.shutdown(cancel_futures=True)
