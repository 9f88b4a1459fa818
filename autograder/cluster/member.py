"""A worker's side: the course unpacked once, sandboxes that stay warm, one entry after another."""

from __future__ import annotations

import contextlib
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from distributed import Worker, WorkerPlugin, get_worker

from autograder.cluster.duty import Duty, shortcoming
from autograder.cluster.errors import ClusterError
from autograder.grading.results import SubmissionResult
from autograder.grading.session import GradingSession
from autograder.sandbox.pool import SandboxPool
from autograder.submissions.model import Entry, ReadResult


class Member(WorkerPlugin):
    """Comes to every worker of the cluster, also to those that join during the batch.

    Nothing is done before the first entry, so that a worker that is unfit says so to the driver.
    """

    def __init__(self, duty: Duty) -> None:
        self.name = duty.batch
        self._duty = duty

    def setup(self, worker: Worker) -> None:
        self._lock = threading.Lock()
        self._closing = contextlib.ExitStack()
        self._session: GradingSession | None = None
        self._idle: list[SandboxPool] = []

    def teardown(self, worker: Worker) -> None:
        self._closing.close()

    def session(self) -> GradingSession:
        """Open the batch's session here, once.

        Raises:
            ClusterError: this worker may not grade the batch.
        """
        with self._lock:
            if self._session is None:
                self._session = self._open()
            return self._session

    def _open(self) -> GradingSession:
        folder = self._closing.enter_context(tempfile.TemporaryDirectory(prefix="autograder-"))
        plan = self._duty.plan(Path(folder))
        why = shortcoming(self._duty, plan)
        if why:
            raise ClusterError(why)
        return plan.open()

    def grade(self, entry: Entry, files: ReadResult) -> SubmissionResult:
        """Grade one entry in sandboxes that no other thread uses meanwhile."""
        session = self.session()
        with self._pool() as pool:
            return session.grade(entry, pool, files)

    @contextlib.contextmanager
    def _pool(self) -> Iterator[SandboxPool]:
        with self._lock:
            pool = self._idle.pop() if self._idle else self._closing.enter_context(SandboxPool())
        yield pool
        with self._lock:
            self._idle.append(pool)

    def __getstate__(self) -> dict[str, Any]:
        return {"name": self.name, "_duty": self._duty}


def grade_there(batch: str, entry: Entry, files: ReadResult) -> SubmissionResult:
    """Grade one entry on the worker that runs this."""
    return _member(get_worker(), batch).grade(entry, files)


def look(batch: str, dask_worker: Worker) -> str:
    """Say why a worker may not grade a batch; "" where it may."""
    try:
        _member(dask_worker, batch).session()
    except ClusterError as error:
        return str(error)
    return ""


def _member(worker: Worker, batch: str) -> Member:
    found: Any = worker.plugins[batch]
    member: Member = found
    return member
