"""Kernel settings of a student's process, made before any of its code runs: limits, rights, its end."""

from __future__ import annotations

import ctypes
import mmap
import os
import resource
import signal
from collections.abc import Mapping

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_SET_NO_NEW_PRIVS = 38
OPEN_FILES = 64
PROCESSES = 64
CAPABILITY_VERSION = 0x20080522


def apply_limits(
    limits: Mapping[str, float],
    memory_in_use: int,
    *,
    count_processes: bool = False,
    threads_that_wait: int = 0,
) -> None:
    """Cap processor seconds, address space, file size, open files and core dumps of this process.

    The cap of address space comes on top of the bytes in use. ``count_processes``, where the whole user id is
    this sandbox's, also caps processes and threads, on top of those of processes that are held.
    """
    cpu = max(1, round(limits["cpu_seconds"]))
    _cap(resource.RLIMIT_CPU, cpu, cpu + 1)
    _cap(resource.RLIMIT_AS, memory_in_use + (int(limits["memory_mb"]) << 20))
    _cap(resource.RLIMIT_FSIZE, int(limits["answer_mb"]) << 20)
    _cap(resource.RLIMIT_NOFILE, OPEN_FILES)
    _cap(resource.RLIMIT_CORE, 0)
    if count_processes:
        _cap(resource.RLIMIT_NPROC, PROCESSES + threads_that_wait)


def limit_growth(megabytes: int) -> None:
    """Cap the address space of this process, for good, so many MiB above what it takes now.

    A sandbox has no /proc that says how much that is. It is found by bisection: the lowest cap under which
    one more page can be had.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    too_low, enough = 0, soft if soft != resource.RLIM_INFINITY else 1 << 47
    while enough - too_low > 1 << 20:
        middle = (too_low + enough) // 2
        resource.setrlimit(resource.RLIMIT_AS, (middle, hard))
        try:
            mmap.mmap(-1, mmap.PAGESIZE).close()
            enough = middle
        except (OSError, MemoryError):
            too_low = middle
    _cap(resource.RLIMIT_AS, enough + (megabytes << 20))


def _cap(which: int, soft: int, hard: int | None = None) -> None:
    """Lower one limit; a stricter limit that is already in force stays."""
    ceiling = resource.getrlimit(which)[1]
    wanted = hard or soft
    if ceiling != resource.RLIM_INFINITY:
        soft, wanted = min(soft, ceiling), min(wanted, ceiling)
    resource.setrlimit(which, (soft, wanted))


def die_with_parent(parent: int) -> None:
    """Have the kernel kill this process when its parent dies (Linux); where that one is gone already, end."""
    _prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def refuse_new_privileges() -> None:
    """Let no program started from here gain rights from a privileged file (Linux); filters need this."""
    _prctl(PR_SET_NO_NEW_PRIVS, 1)


def hide_memory() -> None:
    """Make this process's memory and descriptors unreadable for others of the same user (Linux)."""
    _prctl(PR_SET_DUMPABLE, 0)


def _prctl(option: int, value: int) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(option, value, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), f"prctl option {option} was refused")


def become(uid: int) -> None:
    """Change to a user and group id for good, and leave all other groups."""
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)


def drop_capabilities() -> None:
    """Give up every capability (Linux): root without any cannot raise a limit or touch others' files."""
    libc = ctypes.CDLL(None, use_errno=True)
    header = (ctypes.c_uint32 * 2)(CAPABILITY_VERSION, 0)
    none = (ctypes.c_uint32 * 6)()
    if libc.capset(header, none) != 0:
        raise OSError(ctypes.get_errno(), "the capabilities could not be given up")
