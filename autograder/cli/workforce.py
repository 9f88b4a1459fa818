"""Who grades: worker processes of this machine, or the workers of a cluster."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from itertools import takewhile

from autograder.cli.console import err, note
from autograder.cluster import ClusterError
from autograder.intake import Entry
from autograder.judging import GradingSession, SubmissionResult, WorkerPool
from autograder.sandbox import Level

Results = Generator[SubmissionResult, None, None]
Grade = Callable[[Sequence[Entry], Callable[[], bool]], Results]


def locally(session: GradingSession, jobs: int) -> Grade:
    """Grade on this machine."""

    def grade(todo: Sequence[Entry], go_on: Callable[[], bool]) -> Results:
        if todo:
            with WorkerPool(session.plan, min(jobs, len(todo))) as workers:
                yield from workers.grade(takewhile(lambda _: go_on(), todo))

    return grade


def on_cluster(session: GradingSession, address: str, level: Level | None) -> Grade:
    """Grade on the workers of a Dask scheduler that reach at least a level of protection.

    Raises:
        ClusterError: Dask is not installed.
    """
    try:
        from autograder.cluster.driver import Cluster
    except ModuleNotFoundError as error:
        if error.name not in ("dask", "distributed"):
            raise
        raise ClusterError(
            "--scheduler needs Dask: pip install 'attention-homework-kit[cluster]' "
            "(from a clone: pip install -e '.[cluster]')"
        ) from error

    def grade(todo: Sequence[Entry], go_on: Callable[[], bool]) -> Results:
        if todo:
            with Cluster(address, session.plan, level, note) as cluster:
                err.print(f"Cluster: {address}, {cluster.threads} at once", markup=False, soft_wrap=True)
                yield from cluster.grade(todo, go_on)

    return grade
