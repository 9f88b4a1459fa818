"""What an attack must not change: processes, files, and the memory of the trusted side."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def descendants(pid: int) -> set[int]:
    """Return the process ids of a process and of all that it started, and they started."""
    parents = dict(_parents())
    pids = {pid}
    while True:
        more = {child for child, parent in parents.items() if parent in pids} - pids
        if not more:
            return pids
        pids |= more


def processes_of_user(uid: int) -> set[int]:
    """Return the processes that run under a user id."""
    return {pid for pid, status in _statuses() if f"\nUid:\t{uid}\t" in status}


def is_running(pid: int) -> bool:
    """Whether a process exists and is more than a corpse."""
    return any(pid == process_id and "\nState:\tZ" not in status for process_id, status in _statuses())


def _parents() -> Iterator[tuple[int, int]]:
    for pid, status in _statuses():
        match = re.search(r"^PPid:\t(\d+)$", status, re.MULTILINE)
        if match:
            yield pid, int(match.group(1))


def _statuses() -> Iterator[tuple[int, str]]:
    for path in Path("/proc").glob("[0-9]*/status"):
        try:
            yield int(path.parent.name), path.read_text(encoding="utf-8", errors="replace")
        except OSError:  # it ended between the two looks
            continue


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
