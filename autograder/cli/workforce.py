"""Who grades a batch (worker processes of this machine, or of a cluster), and how Ctrl-C ends it."""

from __future__ import annotations

import os
import signal
import sys
import threading
import types
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from itertools import takewhile

from autograder.batch.session import GradingSession
from autograder.batch.workers import WorkerPool
from autograder.cli.console import err, note, say
from autograder.cluster import ClusterError
from autograder.intake.submission import Entry
from autograder.sandbox.levels import Level
from autograder.verdict.results import SubmissionResult

INTERRUPTED = 130
FIRST = "note: finishing what is under way; Ctrl-C again stops at once\n"
LAST = (
    "note: stopped at once; every finished grade is kept, the same command goes on from here, "
    "and `autograder report OUT` writes the files\n"
)
SHOW_CURSOR = "\x1b[?25h"
CLEAR_LINE = "\r\x1b[2K"  # takes away the bar, which is drawn again below

Results = Generator[SubmissionResult, None, None]
BatchGrader = Callable[[Sequence[Entry], Callable[[], bool]], Results]


def locally(session: GradingSession, jobs: int) -> BatchGrader:
    """Grade on this machine."""

    def grade(todo: Sequence[Entry], go_on: Callable[[], bool]) -> Results:
        if todo:
            with WorkerPool(session.plan, min(jobs, len(todo))) as workers:
                yield from workers.grade(takewhile(lambda _: go_on(), todo))

    return grade


def on_cluster(
    session: GradingSession, address: str, level: Level | None
) -> BatchGrader:
    """Grade on the workers of a Dask scheduler that reach a level; ``ClusterError`` if there is no Dask."""
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
                say(f"Cluster: {address}, {cluster.threads} at once", err)
                yield from cluster.grade(todo, go_on)

    return grade


@contextmanager
def until_interrupted() -> Iterator[Callable[[], bool]]:
    """Listen for Ctrl-C: the first one lets what is under way finish, the second one ends at once.

    Gives a function that says whether nobody has pressed it yet. Only the main thread can listen, and a
    process that was started to ignore Ctrl-C goes on ignoring it.
    """
    asked = False

    def hear(number: int, frame: types.FrameType | None) -> None:
        """Write past all buffers, because the signal may have come in the middle of a line.

        Ending at once is safe: every grade is committed when it is known, and sandboxes and worker
        processes end when this process is gone.
        """
        nonlocal asked
        if asked:
            os.write(2, (SHOW_CURSOR * sys.stderr.isatty() + LAST).encode())
            os._exit(INTERRUPTED)
        asked = True
        os.write(2, (CLEAR_LINE * sys.stderr.isatty() + FIRST).encode())

    before = signal.getsignal(signal.SIGINT)
    listens = (
        threading.current_thread() is threading.main_thread()
        and before is not signal.SIG_IGN
    )
    try:
        if listens:
            signal.signal(signal.SIGINT, hear)
        yield lambda: not asked
    finally:
        if listens:
            signal.signal(signal.SIGINT, before)
