"""A new process per run, for platforms without ``fork``: slower, and only a guard against accidents."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from autograder.sandbox.report import MAX_OUTPUT_BYTES, Ending, RunReport, read_report
from autograder.sandbox.request import WORKER_ENVIRONMENT, Request, SharedCalls
from autograder.sandbox.warm import WORKER_FOLDER

_START_SECONDS = {"numpy": 5.0, "torch": 30.0, "torch.optim": 30.0}


class ColdSandbox:
    """Starts one Python per request; ``run`` has the contract of ``WarmSandbox.run``."""

    layers: tuple[str, ...] = ("process",)

    def __init__(self, library: str) -> None:
        self.library = library

    def run(self, request: Request) -> RunReport:
        """Run one submission in a process of its own."""
        calls = request.calls.calls if isinstance(request.calls, SharedCalls) else request.calls
        config = json.dumps({"library": self.library, "limits": vars(request.limits)})
        with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile() as output:
            asked, answered = Path(folder, "request"), Path(folder, "answer")
            asked.write_bytes(replace(request, calls=calls).pack())
            with answered.open("w+b") as answer:
                try:
                    done = subprocess.run(
                        [sys.executable, "-s", str(WORKER_FOLDER), "cold", str(asked), str(answered), config],
                        stdin=subprocess.DEVNULL,
                        stdout=output,
                        stderr=output,
                        timeout=request.limits.seconds + _START_SECONDS[self.library],
                        cwd=folder,
                        env={**os.environ, **WORKER_ENVIRONMENT, "PATH": os.environ.get("PATH", "")},
                        check=False,
                    )
                    ending = Ending(exit=done.returncode)
                except subprocess.TimeoutExpired:
                    ending = Ending(exit=-9, late=True)
                raw = answer.read(request.limits.answer_mb << 20)
            output.seek(0)
            return read_report(raw, output.read(MAX_OUTPUT_BYTES), ending, request)

    def close(self) -> None:
        """Nothing stays open between runs."""
