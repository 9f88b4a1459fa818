"""Threads that share work, each with sandboxes of its own."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import ExitStack
from typing import TypeVar

from autograder.sandbox.pool import SandboxPool

Item = TypeVar("Item")
Result = TypeVar("Result")


def in_parallel(
    work: Callable[[Item, SandboxPool], Result],
    items: Iterable[Item],
    jobs: int,
    pool: SandboxPool | None = None,
) -> Iterator[Result]:
    """Yield each result as it is ready, in no fixed order; each thread has its own sandboxes.

    When the caller stops early, or an item raises, work in progress is finished and no other begun.

    Args:
        work: called with an item and the pool of its thread.
        items: the items to work on.
        jobs: how many threads work.
        pool: the pool that the caller has used so far. A thread takes it over, because to start a sandbox with
            torch takes two seconds; the caller closes it.
    """
    thread = threading.local()
    open_pools = [pool] if pool is not None else []

    def open_pool() -> None:
        # `pop` is atomic; a second look at the list would not be.
        try:
            thread.pool = open_pools.pop()
        except IndexError:
            thread.pool = pools.enter_context(SandboxPool())

    def work_in_thread(item: Item) -> Result:
        return work(item, thread.pool)

    with (
        ExitStack() as pools,
        ThreadPoolExecutor(jobs, initializer=open_pool) as executor,
    ):
        try:
            futures = [executor.submit(work_in_thread, item) for item in items]
            for future in as_completed(futures):
                yield future.result()
        finally:
            executor.shutdown(cancel_futures=True)
