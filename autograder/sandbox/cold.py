"""A new process per run, for platforms without ``fork``: slower, and only a guard against accidents."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

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
_START_SECONDS = {"numpy": 5.0, "torch": 30.0, "torch.optim": 30.0}


class ColdSandbox:
    """Starts one Python per request; ``run`` has the contract of ``WarmSandbox.run``."""

    layers: tuple[str, ...] = ("process",)

    def __init__(self, library: str) -> None:
        self.library = library

    def run(self, request: Request) -> RunReport:
        """Run one submission in a process of its own."""
        calls = (
            request.calls.calls
            if isinstance(request.calls, SharedCalls)
            else request.calls
        )
        limits, later_calls = request.limits, request.later_calls
        has_two_stages = later_calls is not None
        config = json.dumps(
            {
                "library": self.library,
                "limits": vars(limits),
                "two_stages": has_two_stages,
            }
        )
        deadline = time.monotonic() + limits.seconds + _START_SECONDS[self.library]
        with (
            tempfile.TemporaryDirectory() as folder,
            tempfile.TemporaryFile() as output,
        ):
            asked, answered = Path(folder, "request"), Path(folder, "answer")
            asked.write_bytes(replace(request, calls=calls).pack())
            done = Path(folder, "done")
            with answered.open("w+b") as answer, done.open("w+b") as is_done:
                process = subprocess.Popen(
                    [
                        sys.executable,
                        "-s",
                        str(WORKER_FOLDER),
                        "cold",
                        str(asked),
                        str(answered),
                        str(done),
                        config,
                    ],
                    stdin=subprocess.PIPE if has_two_stages else subprocess.DEVNULL,
                    stdout=output,
                    stderr=output,
                    cwd=folder,
                    env={
                        **os.environ,
                        **WORKER_ENVIRONMENT,
                        "PATH": os.environ.get("PATH", ""),
                    },
                )
                first, given = None, None
                if later_calls is not None:
                    given = b""
                    if _is_first_stage_done(process, is_done, deadline):
                        raw = _content(answer, limits)
                        first = read_answer_to_calls(raw, request)
                        if first.status is Status.GRADED:
                            given = later_calls.packed
                            if request.before_later is not None:
                                started = time.monotonic()
                                request.before_later()
                                deadline += time.monotonic() - started
                try:
                    process.communicate(
                        given, timeout=max(0.0, deadline - time.monotonic())
                    )
                    ending = Ending(exit=process.returncode)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.communicate()
                    ending = Ending(exit=-9, late=True)
                raw = _content(answer, limits)
            output.seek(0)
            return read_report(
                raw, output.read(MAX_OUTPUT_BYTES), ending, request, first
            )

    def close(self) -> None:
        """Nothing stays open between runs."""


def _is_first_stage_done(
    process: subprocess.Popen[bytes], is_done: BinaryIO, deadline: float
) -> bool:
    """Wait until the process says so in a file, has ended, or is out of time; True where it has said so."""
    while time.monotonic() < deadline:
        has_ended = process.poll() is not None
        is_done.seek(0)
        if is_done.read(1) == b"1":
            return True
        if has_ended:
            return False
        time.sleep(POLL_SECONDS)
    return False


def _content(answer: BinaryIO, limits: Limits) -> bytes:
    answer.seek(0)
    return answer.read(limits.answer_mb << 20)
