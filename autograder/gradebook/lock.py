"""One writer per output folder: a lock of the operating system, which ends with the process that holds it."""

from __future__ import annotations

import datetime as dt
import json
import os
import platform
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from autograder.gradebook.errors import GradebookError

LOCK_FILE = "gradebook.lock"
SECONDS = 0.2
"""So long is tried: a holder that ends just now removes its file, and the new one is taken then."""


@contextmanager
def exclusive(folder: Path) -> Iterator[None]:
    """Hold the folder for this process; nothing stays locked after a killed one.

    Raises:
        GradebookError: another process holds it; the message names it.
    """
    path = folder / LOCK_FILE
    # Where the system has no locks, the library would fall back to a file that outlives a killed holder.
    lock = FileLock(path, timeout=SECONDS, fallback_to_soft=False)
    try:
        lock.acquire()
    except Timeout as error:
        holder = _name_of_holder(path)
        raise GradebookError(
            f"{folder} is in use by {holder}: wait until it ends or stop it, or choose another --out folder"
        ) from error
    except OSError as error:
        raise GradebookError(f"{path} cannot be locked ({error.strerror}): choose another --out") from error
    try:
        path.write_text(_holder(), "utf-8")
        yield
    finally:
        with suppress(OSError):  # Windows keeps an open file; a lock file that stays locks nothing
            path.unlink()  # while it is held, so that nobody else's is removed
        lock.release()


def _holder() -> str:
    since = dt.datetime.now(dt.UTC).astimezone().isoformat(timespec="seconds")
    command = " ".join(sys.argv[1:2])
    return json.dumps({"pid": os.getpid(), "host": platform.node(), "since": since, "command": command})


def _name_of_holder(path: Path) -> str:
    """Say who holds the lock; a holder that has not written its name yet stays anonymous."""
    try:
        held = json.loads(path.read_text("utf-8"))
        return "`autograder {command}`, process {pid} on {host}, since {since}".format_map(held)
    except (OSError, ValueError, KeyError, TypeError):
        return "another `autograder`"
