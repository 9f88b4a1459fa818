"""Run one command and write what it used, with all processes below it, as JSON to a file descriptor.

A process of its own, for it adopts every process that the command leaves without a parent: what a sandbox
used is known only to whoever waits for its last process, and a sandbox outlives the one that started it.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import resource
import subprocess
import sys
import time

PR_SET_CHILD_SUBREAPER = 36


def main(result_fd: int, command: list[str]) -> None:
    """Run the command to its end and the end of everything that it started."""
    if ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0):
        sys.exit(
            "this system does not let a process adopt others (PR_SET_CHILD_SUBREAPER)"
        )
    started = time.perf_counter()
    returncode = subprocess.Popen(command, stdin=subprocess.DEVNULL).wait()
    seconds = time.perf_counter() - started
    with contextlib.suppress(ChildProcessError):  # nobody is left
        while True:
            os.wait()
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = {
        "returncode": returncode,
        "seconds": seconds,
        "cpu_seconds": usage.ru_utime + usage.ru_stime,
        "peak_mb": usage.ru_maxrss / 1024,
    }
    os.write(result_fd, json.dumps(used).encode())


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
