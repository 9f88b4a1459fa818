"""Run a command and say what it used, it and every process below it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from benchmarks.records import BenchError, Measured

LAUNCHER = Path(__file__).resolve().parent / "launcher.py"
SHOWN_CHARACTERS = 2000


def measure(
    command: Sequence[str],
    submissions: int,
    *,
    cwd: Path,
    env: Mapping[str, str] | None = None,
    accept: Collection[int] = (0,),
) -> Measured:
    """Run a command to its end.

    Raises:
        BenchError: its exit status is none of those accepted; the message ends with what it printed.
    """
    with tempfile.TemporaryFile() as printed, tempfile.TemporaryFile() as result:
        launcher = [sys.executable, "-I", "-S", str(LAUNCHER), str(result.fileno())]
        process = subprocess.run(
            [*launcher, *command],
            cwd=cwd,
            env=env,
            pass_fds=[result.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=printed,
            stderr=subprocess.STDOUT,
            check=False,
        )
        written = os.pread(result.fileno(), os.fstat(result.fileno()).st_size, 0)
        used = json.loads(written) if written else {"returncode": 1}
        status = process.returncode or used["returncode"]
        if status not in accept:
            printed.seek(0)
            text = printed.read().decode("utf-8", "replace")[-SHOWN_CHARACTERS:]
            raise BenchError(f"`{' '.join(command)}` ended with {status}:\n{text}")
    return Measured(submissions, used["seconds"], used["cpu_seconds"], used["peak_mb"])
