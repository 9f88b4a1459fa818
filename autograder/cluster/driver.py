"""The driver's side: hand entries out to the workers, a few at a time, and collect the results."""

from __future__ import annotations

import contextlib
import secrets
from asyncio import CancelledError as LostError
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from itertools import islice, takewhile
from typing import Any

import distributed
from distributed import Future, KilledWorker

from autograder.cluster.duty import ClusterError, duty_of
from autograder.cluster.member import Member, grade_there, look
from autograder.intake import Entry, read_files
from autograder.judging import Plan, SubmissionResult, lost
from autograder.sandbox import Level

CONNECT_SECONDS = 20
WORKER_SECONDS = 120
QUIET_SECONDS = 30
AHEAD = 2
"""Entries under way per thread of the cluster, so that none waits for the driver."""

Under = dict["Future[SubmissionResult]", Entry]
Client: Any = distributed.Client  # it has no types
wait: Any = distributed.wait


class Cluster:
    """A connection to a scheduler, with the batch's member on every worker; a context manager."""

    def __init__(
        self,
        address: str,
        plan: Plan,
        level: Level | None,
        tell: Callable[[str], None],
        patience: float = WORKER_SECONDS,
    ) -> None:
        self._tell = tell
        self._closing = contextlib.ExitStack()
        self._batch = f"autograder-{secrets.token_hex(8)}"
        with contextlib.ExitStack() as unless_ready:
            try:
                client = Client(address, timeout=CONNECT_SECONDS, name="autograder")
            except (OSError, ValueError) as error:
                raise ClusterError(
                    f"no scheduler answers at {address} ({error}): check the address, such as tcp://HOST:8786"
                ) from error
            self._client = unless_ready.enter_context(client)
            try:
                client.wait_for_workers(1, timeout=patience)
            except TimeoutError as error:
                raise ClusterError(
                    f"the scheduler at {address} has had no worker for {patience:g} s: start workers, then "
                    "run the same command again"
                ) from error
            try:
                client.register_plugin(Member(duty_of(self._batch, plan, level)))
            except ImportError as error:
                raise ClusterError(
                    f"a worker cannot load the kit ({error}): install the same version of it on every worker"
                ) from error
            unless_ready.callback(client.unregister_worker_plugin, self._batch)
            answers = client.run(look, self._batch)
            unfit = [f"the worker {worker}: {why}" for worker, why in answers.items() if why]
            if unfit:
                raise ClusterError("; ".join(unfit))
            self._closing = unless_ready.pop_all()

    @property
    def threads(self) -> int:
        """How many entries the cluster can grade at once, as of now."""
        return sum(self._client.nthreads().values())

    def grade(
        self, entries: Sequence[Entry], go_on: Callable[[], bool] = lambda: True
    ) -> Iterator[SubmissionResult]:
        """Yield each result as it is ready, in no fixed order; the files are read here.

        The entries of a worker that is lost are graded again on another one. An entry that takes one
        worker after another with it is given up, as our fault.

        Raises:
            ClusterError: the scheduler is lost, or a worker that joined may not grade the batch.
        """
        waiting = takewhile(lambda _: go_on(), entries)
        under_way: Under = {}
        try:
            while True:
                for entry in islice(waiting, room(self.threads, len(under_way))):
                    files = read_files(entry.path, *entry.parts)
                    future = self._client.submit(grade_there, self._batch, entry, files, pure=False)
                    under_way[future] = entry
                if not under_way:
                    return
                for future in self._some_done(under_way):
                    yield result_of(future, under_way.pop(future))
        finally:
            self._client.cancel(list(under_way))

    def _some_done(self, under_way: Under) -> set[Future[SubmissionResult]]:
        while True:
            with _scheduler_loss_explained(), contextlib.suppress(TimeoutError):
                return set(wait(list(under_way), QUIET_SECONDS, "FIRST_COMPLETED").done)
            if not self._client.nthreads():
                self._tell("the cluster has no workers; grading goes on as soon as one joins")

    def __enter__(self) -> Cluster:
        return self

    def __exit__(self, *exc_info: object) -> None:
        with contextlib.suppress(OSError, CancelledError, LostError, TimeoutError):
            self._closing.close()


def room(threads: int, under_way: int) -> int:
    """How many more entries to hand out: none where a lost worker left too many under way."""
    return max(0, max(1, threads * AHEAD) - under_way)


def result_of(future: Future[SubmissionResult], entry: Entry) -> SubmissionResult:
    """Return the result of an entry, or that the cluster could not grade it.

    Raises:
        ClusterError: the scheduler is lost, or the worker may not grade the batch.
    """
    with _scheduler_loss_explained():
        try:
            return future.result()
        except KilledWorker as error:
            deaths = error.allowed_failures + 1
            return lost(entry, f"{deaths} workers of the cluster died at this submission")


@contextlib.contextmanager
def _scheduler_loss_explained() -> Iterator[None]:
    """Turn the cancellation of everything, which is how Dask reports a lost scheduler, into our error."""
    try:
        yield
    except (CancelledError, LostError) as error:
        raise ClusterError(
            "the scheduler is gone; every finished grade is kept: start it again, then run the same command"
        ) from error
