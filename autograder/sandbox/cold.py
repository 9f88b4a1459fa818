"""A new process per run, for platforms without ``fork``: slower, and only a guard against accidents."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from autograder.sandbox.report import MAX_OUTPUT_BYTES, Ending, RunReport, read_report
from autograder.sandbox.request import Request
from autograder.sandbox.warm import WORKER_ENVIRONMENT, WORKER_FOLDER

_START_SECONDS = {"numpy": 5.0, "torch": 30.0, "torch.optim": 30.0}


class ColdSandbox:
    """Starts one Python per request; ``run`` has the contract of ``WarmSandbox.run``."""

    layers: tuple[str, ...] = ("process",)

    def __init__(self, library: str) -> None:
        self.library = library

    def run(self, request: Request) -> RunReport:
        """Run one submission in a process of its own."""
        with tempfile.TemporaryDirectory() as folder:
            asked, answered, printed = (Path(folder, n) for n in ("request", "answer", "output"))
            asked.write_bytes(request.whole().pack())
            ending = self._start(asked, answered, printed, request)
            raw = _read(answered, request.limits.answer_mb << 20)
            output = _read(printed, MAX_OUTPUT_BYTES)
        return read_report(raw, output, ending, request)

    def _start(self, asked: Path, answered: Path, printed: Path, request: Request) -> Ending:
        config = json.dumps({"library": self.library, "limits": request.limits.as_mapping()})
        command = [sys.executable, "-s", str(WORKER_FOLDER), "cold", str(asked), str(answered), config]
        environment = {**os.environ, **WORKER_ENVIRONMENT, "PATH": os.environ.get("PATH", "")}
        with printed.open("wb") as output:
            try:
                done = subprocess.run(
                    command,
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=output,
                    timeout=request.limits.seconds + _START_SECONDS[self.library],
                    cwd=asked.parent,
                    env=environment,
                    check=False,
                )
            except subprocess.TimeoutExpired:
                return Ending(exit=-9, late=True)
        return Ending(exit=done.returncode)

    def close(self) -> None:
        """Nothing stays open between runs."""


def _read(path: Path, size: int) -> bytes:
    if not path.exists():
        return b""
    with path.open("rb") as file:
        return file.read(size)
