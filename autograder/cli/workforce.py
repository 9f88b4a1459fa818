"""Who grades: threads or processes of this machine, or the workers of a cluster."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence

from autograder.cli.console import err, note
from autograder.cluster.errors import ClusterError
from autograder.grading.batch import grade_batch
from autograder.grading.plan import plan_of
from autograder.grading.results import SubmissionResult
from autograder.grading.session import GradingSession
from autograder.sandbox.levels import Level
from autograder.submissions.model import Entry

Results = Generator[SubmissionResult, None, None]
Grade = Callable[[Sequence[Entry], Callable[[], bool]], Results]


def locally(session: GradingSession, jobs: int) -> Grade:
    """Grade on this machine."""

    def grade(todo: Sequence[Entry], go_on: Callable[[], bool]) -> Results:
        yield from grade_batch(session, todo, min(jobs, max(1, len(todo))), go_on)

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
            with Cluster(address, plan_of(session), level, note) as cluster:
                err.print(f"Cluster: {address}, {cluster.threads} at once", markup=False, soft_wrap=True)
                yield from cluster.grade(todo, go_on)

    return grade
