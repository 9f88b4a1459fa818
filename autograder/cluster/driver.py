"""Grade a batch on the workers of a Dask scheduler.

The driver hands submissions out, a few at a time, and collects the results. A member on each worker unpacks the
course once and keeps a grader process per thread, which can be ended.
"""

from __future__ import annotations

import contextlib
import io
import secrets
import tempfile
import threading
import zipfile
from asyncio import CancelledError as LostError
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from dataclasses import dataclass
from itertools import islice, takewhile
from pathlib import Path
from typing import Any

import distributed
from distributed import Future, KilledWorker, Worker, WorkerPlugin, get_worker

from autograder.archives import read_below, zipped
from autograder.batch.graders import (
    GraderPool,
    QueuedSubmission,
    result_of_lost_submission,
)
from autograder.batch.session import Plan
from autograder.cluster import ClusterError
from autograder.course.course import Course
from autograder.gradebook.fingerprint import fingerprint_graders, versions
from autograder.intake.files import read_files
from autograder.intake.submission import ReadResult, Submission
from autograder.sandbox.levels import LEVELS, Level, strongest_level
from autograder.verdict.results import SubmissionResult

CONNECT_SECONDS = 20
WORKER_SECONDS = 120
QUIET_SECONDS = 30
AHEAD = 2
"""So many submissions are under way per thread of the cluster, so that none waits for the driver."""

Client: Any = distributed.Client  # it has no types
wait: Any = distributed.wait


class Cluster(contextlib.AbstractContextManager["Cluster"]):
    """A connection to a scheduler, with the batch's member on every worker."""

    def __init__(
        self,
        address: str,
        plan: Plan,
        level: Level | None,
        tell: Callable[[str], None],
        patience: float = WORKER_SECONDS,
    ) -> None:
        self._tell = tell
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
            unfit = []
            for worker, why in answers.items():
                if why:
                    unfit.append(f"the worker {worker}: {why}")
            if unfit:
                raise ClusterError("; ".join(unfit))
            self._closing = unless_ready.pop_all()

    @property
    def threads(self) -> int:
        """How many submissions the cluster can grade at once, as of now."""
        return sum(self._client.nthreads().values())

    def grade(
        self, submissions: Sequence[Submission], go_on: Callable[[], bool]
    ) -> Iterator[SubmissionResult]:
        """Yield each result as it is ready, in no fixed order; the files are read here.

        The submissions of a worker that is lost are graded again on another one. A submission that takes one
        worker after another with it is given up, as our fault.

        Raises:
            ClusterError: the scheduler is lost, or a worker that joined may not grade the batch.
        """
        waiting = takewhile(lambda _: go_on(), submissions)
        under_way: dict[Future[SubmissionResult], Submission] = {}
        try:
            while True:
                for submission in islice(waiting, room(self.threads, len(under_way))):
                    files = read_files(submission.path, *submission.parts)
                    future = self._client.submit(
                        grade_there, self._batch, submission, files, pure=False
                    )
                    under_way[future] = submission
                if not under_way:
                    return
                finished: set[Future[SubmissionResult]] = set()
                while not finished:
                    with _scheduler_loss_explained(), contextlib.suppress(TimeoutError):
                        outcome = wait(
                            list(under_way), QUIET_SECONDS, "FIRST_COMPLETED"
                        )
                        finished = set(outcome.done)
                    if not finished and not self._client.nthreads():
                        self._tell(
                            "the cluster has no workers; grading goes on as soon as one joins"
                        )
                for future in finished:
                    yield result_of(future, under_way.pop(future))
        finally:
            self._client.cancel(list(under_way))

    def __exit__(self, *exc_info: object) -> None:
        with contextlib.suppress(OSError, CancelledError, LostError, TimeoutError):
            self._closing.close()


def room(threads: int, under_way: int) -> int:
    """How many more submissions to hand out; none where a lost worker left too many under way."""
    return max(0, max(1, threads * AHEAD) - under_way)


def result_of(
    future: Future[SubmissionResult], submission: Submission
) -> SubmissionResult:
    """Return the result of a submission, or that the cluster could not grade it."""
    with _scheduler_loss_explained():
        try:
            return future.result()
        except KilledWorker as error:
            deaths = error.allowed_failures + 1
            return result_of_lost_submission(
                submission, f"{deaths} workers of the cluster died at this submission"
            )


@contextlib.contextmanager
def _scheduler_loss_explained() -> Iterator[None]:
    """Turn the cancellation of everything, which is how Dask reports a lost scheduler, into our error."""
    try:
        yield
    except (CancelledError, LostError) as error:
        raise ClusterError(
            "the scheduler is gone; every finished grade is kept: start it again, then run the same command"
        ) from error


@dataclass(frozen=True)
class Duty:
    """The requirements of a batch on every worker: plain data that is sent to each of them once.

    ``course`` is the zipped course, ``graders`` the fingerprint that a worker must have too. ``weakest``
    is the isolation level that a worker must reach, or None where any will do.
    """

    batch: str
    course: bytes
    seed: int
    chosen: tuple[str, ...]
    graders: str
    versions: str
    weakest: Level | None

    def plan(self, folder: Path) -> Plan:
        """Unpack the course into an empty folder and return the batch's plan there."""
        with zipfile.ZipFile(io.BytesIO(self.course)) as archive:
            archive.extractall(folder)
        return Plan(Course(folder), self.seed, self.chosen)


def duty_of(batch: str, plan: Plan, level: Level | None) -> Duty:
    """Return the requirements of a plan on every worker, with the course's files that grading reads."""
    course = plan.course
    files = read_below(course.solutions, "solutions/")
    files |= read_below(course.reference_outputs, "reference_outputs/")
    graders = fingerprint_graders(course, plan.seed, plan.chosen)
    return Duty(
        batch, zipped(files), plan.seed, plan.chosen, graders, versions_here(), level
    )


def versions_here() -> str:
    """Name the versions that grades depend on."""
    return ", ".join(f"{name} {number}" for name, number in versions().items())


def shortcoming(duty: Duty, plan: Plan) -> str:
    """Say why this process may not grade the batch; empty where it may."""
    if versions_here() != duty.versions:
        return f"it has {versions_here()}; the driver has {duty.versions}: install the same versions"
    here = strongest_level()
    if duty.weakest and LEVELS.index(here) > LEVELS.index(duty.weakest):
        return (
            f"it protects only at the level {here.name}, and this batch asks for {duty.weakest.name}: see "
            "`autograder doctor` there, or grade with --unsafe"
        )
    if fingerprint_graders(plan.course, plan.seed, plan.chosen) != duty.graders:
        return "its graders are not the driver's, though the versions agree: install the same files"
    return ""


class Member(WorkerPlugin):
    """The batch on one worker of the cluster; workers that join during the batch get one too.

    It does nothing before the first submission, so that an unfit worker can report itself to the driver.
    """

    def __init__(self, duty: Duty) -> None:
        self.name = duty.batch
        self._duty = duty

    def setup(self, worker: Worker) -> None:
        self._lock = threading.Lock()
        self._closing = contextlib.ExitStack()
        self._plan: Plan | None = None
        self._idle: list[GraderPool] = []

    def teardown(self, worker: Worker) -> None:
        self._closing.close()

    def plan(self) -> Plan:
        """Return the plan here, where the course is unpacked once; ``ClusterError`` if it may not grade."""
        with self._lock:
            if self._plan is None:
                folder = self._closing.enter_context(
                    tempfile.TemporaryDirectory(prefix="autograder-")
                )
                plan = self._duty.plan(Path(folder))
                why = shortcoming(self._duty, plan)
                if why:
                    raise ClusterError(why)
                plan.open()
                self._plan = plan
            return self._plan

    def grade(self, submission: Submission, files: ReadResult) -> SubmissionResult:
        """Grade one submission in a grader process that no other thread uses meanwhile."""
        plan = self.plan()
        with self._lock:
            pool = (
                self._idle.pop()
                if self._idle
                else self._closing.enter_context(GraderPool(plan, 1))
            )
        [result] = pool.grade([QueuedSubmission(submission, files)])
        with self._lock:
            self._idle.append(pool)
        return result


def grade_there(
    batch: str, submission: Submission, files: ReadResult
) -> SubmissionResult:
    """Grade one submission on the worker that runs this."""
    members: Any = get_worker().plugins
    result: SubmissionResult = members[batch].grade(submission, files)
    return result


def look(batch: str, dask_worker: Any) -> str:
    """Say why a worker may not grade a batch; empty where it may."""
    try:
        dask_worker.plugins[batch].plan()
    except ClusterError as error:
        return str(error)
    return ""
