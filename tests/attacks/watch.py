"""What an attack must not change: processes, files, and the memory of the trusted side."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def statuses() -> dict[int, str]:
    """Read what the kernel says of each process, by id: the slow part of each look at them."""
    texts = {}
    for name in os.listdir("/proc"):
        if not name.isdecimal():
            continue
        try:
            with open(f"/proc/{name}/status", encoding="utf-8", errors="replace") as file:
                texts[int(name)] = file.read()
        except OSError:  # it ended between the two looks
            continue
    return texts


def descendants(pid: int, seen: dict[int, str] | None = None) -> set[int]:
    """Return the process ids of a process and of all that it started, and they started.

    Args:
        pid: the process.
        seen: what ``statuses`` has just read; without it, it is read now.
    """
    parents = {}
    for process_id, status in (seen or statuses()).items():
        match = re.search(r"^PPid:\t(\d+)$", status, re.MULTILINE)
        if match:
            parents[process_id] = int(match.group(1))
    pids = {pid}
    while True:
        more = {child for child, parent in parents.items() if parent in pids} - pids
        if not more:
            return pids
        pids |= more


def processes_of_user(uid: int, seen: dict[int, str]) -> set[int]:
    """Return the processes that run under a user id, among those of ``statuses``."""
    return {pid for pid, status in seen.items() if f"\nUid:\t{uid}\t" in status}


def is_running(pid: int) -> bool:
    """Whether a process exists and is more than a corpse."""
    status = statuses().get(pid)
    return status is not None and "\nState:\tZ" not in status


@contextmanager
def peak_memory() -> Iterator[list[int]]:
    """Yield a list that afterwards holds by how many MiB this process's memory had grown at its peak."""
    grown: list[int] = []
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    before = _memory("VmRSS")
    yield grown
    grown.append(_memory("VmHWM") - before)


def memory_of(pid: int) -> int:
    """Return the memory of a process in KiB that is its own and not a file's."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    return int(re.search(r"^RssAnon:\s+(\d+)", status, re.MULTILINE).group(1))  # type: ignore[union-attr]


def _memory(name: str) -> int:
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return int(re.search(rf"^{name}:\s+(\d+)", status, re.MULTILINE).group(1)) >> 10  # type: ignore[union-attr]
