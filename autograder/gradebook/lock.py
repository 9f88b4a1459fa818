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

from autograder.gradebook.errors import GradebookError

FILE_NAME = "gradebook.lock"


@contextmanager
def exclusive(folder: Path) -> Iterator[None]:
    """Hold the folder for this process; nothing stays locked after a killed one.

    Raises:
        GradebookError: another process holds it; the message names it.
    """
    path = folder / FILE_NAME
    lock = _take(path)
    try:
        os.ftruncate(lock, 0)
        os.lseek(lock, 0, os.SEEK_SET)
        os.write(lock, _holder().encode())
        yield
    finally:
        with suppress(OSError):  # Windows keeps an open file; a lock file that stays locks nothing
            path.unlink()  # while it is held, so that nobody else's is removed
        os.close(lock)


def _take(path: Path) -> int:
    while True:
        lock = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        if not _try_lock(lock):
            os.close(lock)
            raise GradebookError(_refusal(path))
        if _is_still_there(path, lock):
            return lock
        os.close(lock)


def _is_still_there(path: Path, lock: int) -> bool:
    """Whether the path still leads to the locked file; its last holder may have removed it meanwhile."""
    try:
        return os.path.samestat(path.stat(), os.fstat(lock))
    except FileNotFoundError:
        return False


if sys.platform == "win32":

    def _try_lock(lock: int) -> bool:
        import msvcrt

        try:
            os.lseek(lock, 1 << 20, os.SEEK_SET)  # far behind the text, which others want to read
            msvcrt.locking(lock, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:

    def _try_lock(lock: int) -> bool:
        import fcntl

        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


def _holder() -> str:
    since = dt.datetime.now(dt.UTC).astimezone().isoformat(timespec="seconds")
    command = " ".join(sys.argv[1:2])
    return json.dumps({"pid": os.getpid(), "host": platform.node(), "since": since, "command": command})


def _refusal(path: Path) -> str:
    return (
        f"{path.parent} is in use by {_name_of_holder(path)}: wait until it ends or stop it, "
        "or choose another --out folder"
    )


def _name_of_holder(path: Path) -> str:
    """Say who holds the lock; a holder that has not written its name yet stays anonymous."""
    try:
        held = json.loads(path.read_text("utf-8"))
        return "`autograder {command}`, process {pid} on {host}, since {since}".format_map(held)
    except (OSError, ValueError, KeyError, TypeError):
        return "another `autograder`"
