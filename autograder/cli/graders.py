"""Who grades a batch (grader processes of this machine, or of a cluster), and how Ctrl-C ends it."""

from __future__ import annotations

import os
import signal
import sys
import threading
import types
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from itertools import takewhile

from autograder.batch.graders import Finish, GraderPool
from autograder.batch.session import GradingSession
from autograder.cli.console import ExitStatus, err, note, print_line
from autograder.cluster import ClusterError
from autograder.intake.submission import Submission
from autograder.sandbox.levels import Level
from autograder.verdict.results import SubmissionResult

FIRST = "note: finishing what is under way; Ctrl-C again stops at once\n"
LAST = (
    "note: stopped at once; every finished grade is kept, the same command goes on from here, "
    "and `autograder report OUT` writes the files\n"
)
SHOW_CURSOR = "\x1b[?25h"
CLEAR_LINE = "\r\x1b[2K"  # takes away the bar, which is drawn again below

Results = Generator[SubmissionResult, None, None]
BatchGrader = Callable[[Sequence[Submission], Callable[[], bool]], Results]
"""Grades submissions, for as long as a function says to go on, and yields each result as it is ready."""


def locally(
    session: GradingSession, jobs: int, finish: Finish | None = None
) -> BatchGrader:
    """Grade on this machine; the graders ``finish`` each result before they send it."""

    def grade(submissions: Sequence[Submission], go_on: Callable[[], bool]) -> Results:
        if submissions:
            count = min(jobs, len(submissions))
            with GraderPool(session.plan, count, finish=finish) as graders:
                yield from graders.grade(takewhile(lambda _: go_on(), submissions))

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

    def grade(submissions: Sequence[Submission], go_on: Callable[[], bool]) -> Results:
        if submissions:
            with Cluster(address, session.plan, level, note) as cluster:
                print_line(f"Cluster: {address}, {cluster.threads} at once", err)
                yield from cluster.grade(submissions, go_on)

    return grade


@contextmanager
def until_interrupted() -> Iterator[Callable[[], bool]]:
    """Listen for Ctrl-C: the first one lets running work finish, the second one ends at once.

    Gives a function that says whether nobody has pressed it yet. Only the main thread can listen, and a
    process that was started to ignore Ctrl-C goes on ignoring it.
    """
    is_pressed = False

    def handle(number: int, frame: types.FrameType | None) -> None:
        """Write past all buffers, because the signal may have come in the middle of a line.

        Ending at once is safe: every grade is committed when it is known, and sandboxes and grader
        processes end when this process is gone.
        """
        nonlocal is_pressed
        if is_pressed:
            cursor = SHOW_CURSOR if sys.stderr.isatty() else ""
            os.write(2, (cursor + LAST).encode())
            os._exit(ExitStatus.INTERRUPTED)
        is_pressed = True
        line = CLEAR_LINE if sys.stderr.isatty() else ""
        os.write(2, (line + FIRST).encode())

    handler_before = signal.getsignal(signal.SIGINT)
    is_main_thread = threading.current_thread() is threading.main_thread()
    can_listen = is_main_thread and handler_before is not signal.SIG_IGN
    if can_listen:
        signal.signal(signal.SIGINT, handle)
    try:
        yield lambda: not is_pressed
    finally:
        if can_listen:
            signal.signal(signal.SIGINT, handler_before)
