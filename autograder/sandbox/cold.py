"""A new process for each run, on systems other than Linux: slower, and only a guard against accidents."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import IO, BinaryIO

from autograder.sandbox.report import (
    MAX_OUTPUT_BYTES,
    Ending,
    RunReport,
    Status,
    read_answer_to_calls,
    read_report,
)
from autograder.sandbox.request import WORKER_ENVIRONMENT, Limits, Request, SharedCalls
from autograder.sandbox.warm import WORKER_FOLDER

POLL_SECONDS = 0.01
VARIABLES_OF_THE_SYSTEM = ("PATH", "SYSTEMROOT", "TEMP", "TMP")
"""Variables that Python and its libraries need on Windows. All others may be secrets of the grader."""
_START_SECONDS = {"numpy": 5.0, "torch": 30.0, "torch.optim": 30.0}


class ColdSandbox:
    """Starts one Python per request; ``run`` has the contract of ``WarmSandbox.run``."""

    layers: tuple[str, ...] = ("process",)

    def __init__(self, library: str) -> None:
        self.library = library

    def run(self, request: Request) -> RunReport:
        """Run one submission in a separate process."""
        limits = request.limits
        calls = request.calls
        if isinstance(calls, SharedCalls):
            calls = calls.calls
        deadline = time.monotonic() + request.seconds + _START_SECONDS[self.library]
        with (
            tempfile.TemporaryDirectory() as folder,
            tempfile.TemporaryFile() as output,
        ):
            request_file = Path(folder, "request")
            whole_request = replace(request, calls=calls)
            request_file.write_bytes(whole_request.pack(with_data=True))
            answer_file = Path(folder, "answer")
            done_file = Path(folder, "done")
            with (
                answer_file.open("w+b") as answer,
                done_file.open("w+b") as done_stream,
            ):
                process = self._start(request, Path(folder), output)
                first, later_input, deadline = _first_stage(
                    process, request, answer, done_stream, deadline
                )
                try:
                    patience = max(0.0, deadline - time.monotonic())
                    process.communicate(later_input, timeout=patience)
                    ending = Ending(exit=process.returncode)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.communicate()
                    ending = Ending(exit=-9, late=True)
                raw = _content(answer, limits)
            output.seek(0)
            printed = output.read(MAX_OUTPUT_BYTES)
        return read_report(raw, printed, ending, request, first)

    def _start(
        self, request: Request, folder: Path, output: IO[bytes]
    ) -> subprocess.Popen[bytes]:
        """Start the worker on the files in a folder; calls of a second stage go to its standard input."""
        has_two_stages = request.later_calls is not None
        config = {
            "library": self.library,
            "limits": request.process_limits,
            "two_stages": has_two_stages,
        }
        files = [str(folder / name) for name in ("request", "answer", "done")]
        worker = [sys.executable, "-s", str(WORKER_FOLDER), "cold"]
        environment = dict(WORKER_ENVIRONMENT)
        for name in VARIABLES_OF_THE_SYSTEM:
            if name in os.environ:
                environment[name] = os.environ[name]
        return subprocess.Popen(
            [*worker, *files, json.dumps(config)],
            stdin=subprocess.PIPE if has_two_stages else subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            cwd=folder,
            env=environment,
        )

    def close(self) -> None:
        """Nothing stays open between runs."""


def _first_stage(
    process: subprocess.Popen[bytes],
    request: Request,
    answer: BinaryIO,
    done_file: BinaryIO,
    deadline: float,
) -> tuple[RunReport | None, bytes | None, float]:
    """Wait for the first of two stages; of a run in one stage there is nothing to wait for.

    Returns:
        The report on the first stage, None if there is none; the bytes for the process's standard input, None
        if it has none; and the deadline, put off by the time in which the process had to wait.
    """
    if request.later_calls is None:
        return None, None, deadline
    if not _is_first_stage_done(process, done_file, deadline):
        return None, b"", deadline
    first = read_answer_to_calls(_content(answer, request.limits), request)
    if first.status is not Status.GRADED:
        return first, b"", deadline
    if request.before_later is not None:
        started = time.monotonic()
        request.before_later()
        deadline += time.monotonic() - started
    return first, request.later_calls.packed, deadline


def _is_first_stage_done(
    process: subprocess.Popen[bytes], done_file: BinaryIO, deadline: float
) -> bool:
    """Wait until the process says in a file that it is done, has ended, or is out of time."""
    while time.monotonic() < deadline:
        # Looked at before the file: a process may write into it just before it ends.
        has_ended = process.poll() is not None
        done_file.seek(0)
        if done_file.read(1) == b"1":
            return True
        if has_ended:
            return False
        time.sleep(POLL_SECONDS)
    return False


def _content(answer: BinaryIO, limits: Limits) -> bytes:
    answer.seek(0)
    return answer.read(limits.answer_mb << 20)
