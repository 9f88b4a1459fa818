"""A worker's side: the course unpacked once, and for each thread a process that can be ended."""

from __future__ import annotations

import contextlib
import tempfile
import threading
from pathlib import Path
from typing import Any

from distributed import Worker, WorkerPlugin, get_worker

from autograder.cluster.duty import ClusterError, Duty, shortcoming
from autograder.intake import Entry, ReadResult
from autograder.judging import Plan, SubmissionResult, WorkerPool


class Member(WorkerPlugin):
    """The batch on one worker of the cluster; workers that join during the batch get one too.

    It does nothing before the first entry, so that an unfit worker can report itself to the driver.
    """

    def __init__(self, duty: Duty) -> None:
        self.name = duty.batch
        self._duty = duty

    def setup(self, worker: Worker) -> None:
        self._lock = threading.Lock()
        self._closing = contextlib.ExitStack()
        self._plan: Plan | None = None
        self._idle: list[WorkerPool] = []

    def teardown(self, worker: Worker) -> None:
        self._closing.close()

    def plan(self) -> Plan:
        """Return the batch's plan as it is here, where the course is unpacked once.

        Raises:
            ClusterError: this worker may not grade the batch.
        """
        with self._lock:
            if self._plan is None:
                folder = self._closing.enter_context(tempfile.TemporaryDirectory(prefix="autograder-"))
                plan = self._duty.plan(Path(folder))
                why = shortcoming(self._duty, plan)
                if why:
                    raise ClusterError(why)
                plan.open()
                self._plan = plan
            return self._plan

    def grade(self, entry: Entry, files: ReadResult) -> SubmissionResult:
        """Grade one entry in a worker process that no other thread uses meanwhile."""
        plan = self.plan()
        with self._lock:
            pool = self._idle.pop() if self._idle else self._closing.enter_context(WorkerPool(plan, 1))
        [result] = pool.grade([(entry, files)])
        with self._lock:
            self._idle.append(pool)
        return result

    def __getstate__(self) -> dict[str, Any]:
        return {"name": self.name, "_duty": self._duty}


def grade_there(batch: str, entry: Entry, files: ReadResult) -> SubmissionResult:
    """Grade one entry on the worker that runs this."""
    return _member(get_worker(), batch).grade(entry, files)


def look(batch: str, dask_worker: Worker) -> str:
    """Say why a worker may not grade a batch; "" where it may."""
    try:
        _member(dask_worker, batch).plan()
    except ClusterError as error:
        return str(error)
    return ""


def _member(worker: Worker, batch: str) -> Member:
    found: Any = worker.plugins[batch]
    member: Member = found
    return member
