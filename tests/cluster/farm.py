"""A real Dask scheduler and real workers on loopback, each a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from subprocess import DEVNULL

SECONDS = 90  # far more than any start takes; only so that a broken one fails


@dataclass
class Farm:
    """A scheduler; a context manager that ends everything it started."""

    folder: Path
    _started: list[subprocess.Popen[bytes]] = field(default_factory=list)

    @property
    def address(self) -> str:
        """The scheduler's address, once it has one."""
        path = self.folder / "scheduler.json"
        until = time.monotonic() + SECONDS
        while not (path.is_file() and path.read_bytes().rstrip().endswith(b"}")):
            assert time.monotonic() < until, "the scheduler did not start"
            time.sleep(0.05)
        return str(json.loads(path.read_text("utf-8"))["address"])

    def __enter__(self) -> Farm:
        file = str(self.folder / "scheduler.json")
        self._start("dask_scheduler", "--port", "0", "--no-dashboard", "--scheduler-file", file)
        return self

    def worker(self, *options: str) -> subprocess.Popen[bytes]:
        """Start a worker that nobody starts again when it is killed."""
        settings = ("--no-nanny", "--nthreads", "1", "--no-dashboard")
        return self._start("dask_worker", self.address, *settings, *options)

    def _start(self, program: str, *options: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", f"distributed.cli.{program}", "--host", "127.0.0.1", *options]
        process = subprocess.Popen(command, cwd=self.folder, stdout=DEVNULL, stderr=DEVNULL)
        self._started.append(process)
        return process

    def __exit__(self, *exc_info: object) -> None:
        for process in reversed(self._started):
            process.kill()
            process.wait()
