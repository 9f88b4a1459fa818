"""Work on many items with several threads, each of which has sandboxes of its own."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import ExitStack
from itertools import islice
from typing import TypeVar

from autograder.sandbox.pool import SandboxPool

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
