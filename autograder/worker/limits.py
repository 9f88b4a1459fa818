"""Kernel settings of a student's process, made before its code runs: limits, rights and the parent's death."""

from __future__ import annotations

import ctypes
import math
import mmap
import os
import resource
import signal
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from time import process_time

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_SET_NO_NEW_PRIVS = 38
OPEN_FILES = 64
PROCESSES = 64
CAPABILITY_VERSION = 0x20080522
HIGHEST_ADDRESS = 1 << 47
MEBIBYTE = 1 << 20
LIBC = ctypes.CDLL(None, use_errno=True)
"""Opened once, and not by each fork: opening it makes a class."""


def apply_limits(
    limits: Mapping[str, float],
    memory_in_use: int | None,
    *,
    count_processes: bool = False,
    threads_that_wait: int = 0,
) -> None:
    """Cap processor time, address space, file size, open files and core dumps of this process.

    Args:
        limits: ``cpu_seconds``, ``more_cpu_seconds`` for calls with limits of their own, and ``memory_mb`` and
            ``answer_mb`` in MiB.
        memory_in_use: bytes of address space in use; the cap comes on top of them. None for no cap of memory.
        count_processes: also cap processes and threads. The kernel counts them by user id, so this needs a
            user id that only this sandbox has.
        threads_that_wait: threads of held processes of the same user id, which do not count.
    """
    cpu_seconds = max(1, round(limits["cpu_seconds"]))
    # A second between the soft and the hard limit: SIGXCPU distinguishes "time is up" from other deaths.
    most_cpu_seconds = cpu_seconds + math.ceil(limits["more_cpu_seconds"])
    _cap(resource.RLIMIT_CPU, cpu_seconds, most_cpu_seconds + 1)
    if memory_in_use is not None:
        _cap(resource.RLIMIT_AS, memory_in_use + int(limits["memory_mb"]) * MEBIBYTE)
    _cap(resource.RLIMIT_FSIZE, int(limits["answer_mb"]) * MEBIBYTE)
    _cap(resource.RLIMIT_NOFILE, OPEN_FILES)
    _cap(resource.RLIMIT_CORE, 0)
    if count_processes:
        _cap(resource.RLIMIT_NPROC, PROCESSES + threads_that_wait)


def limit_growth(megabytes: int) -> None:
    """Cap this process's address space, for good, at so many MiB above its present size.

    A sandbox has no /proc that says how large that is. Bisection finds it: the lowest cap under which one
    more page can be had.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    too_low = 0
    enough = soft if soft != resource.RLIM_INFINITY else HIGHEST_ADDRESS
    while enough - too_low > MEBIBYTE:
        middle = (too_low + enough) // 2
        resource.setrlimit(resource.RLIMIT_AS, (middle, hard))
        try:
            mmap.mmap(-1, mmap.PAGESIZE).close()
            enough = middle
        except (OSError, MemoryError):
            too_low = middle
    _cap(resource.RLIMIT_AS, enough + megabytes * MEBIBYTE)


@contextmanager
def more_processor_time(seconds: float) -> Iterator[None]:
    """Let a call have so much processor time on top of this process's limit.

    What the call does not use is taken away again, so that other code cannot.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_CPU)
    if soft == resource.RLIM_INFINITY:
        yield
        return
    _put_off(soft + math.ceil(seconds), hard)
    started = process_time()
    try:
        yield
    finally:
        _put_off(soft + math.ceil(process_time() - started), hard)


def _put_off(soft: int, hard: int) -> None:
    """Set the soft limit of processor time, a second below the hard one at most."""
    resource.setrlimit(resource.RLIMIT_CPU, (min(soft, hard - 1), hard))


def _cap(resource_number: int, soft: int, hard: int | None = None) -> None:
    """Lower one limit; a stricter limit that is already in force stays."""
    if hard is None:
        hard = soft
    ceiling = resource.getrlimit(resource_number)[1]
    if ceiling != resource.RLIM_INFINITY:
        soft = min(soft, ceiling)
        hard = min(hard, ceiling)
    resource.setrlimit(resource_number, (soft, hard))


def die_with_parent(parent: int) -> None:
    """Have the kernel kill this process when its parent dies (Linux); end now if the parent is gone already."""
    _prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    # The parent may have died before the kernel was asked.
    if os.getppid() != parent:
        os._exit(1)


def refuse_new_privileges() -> None:
    """Let no program started from here gain rights from a privileged file (Linux); filters need this."""
    _prctl(PR_SET_NO_NEW_PRIVS, 1)


def hide_memory() -> None:
    """Make this process's memory and descriptors unreadable for others of the same user (Linux)."""
    _prctl(PR_SET_DUMPABLE, 0)


def _prctl(option: int, value: int) -> None:
    if LIBC.prctl(option, value, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), f"prctl option {option} was refused")


def become(uid: int) -> None:
    """Change to a user and group id for good, and leave all other groups."""
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)


def drop_capabilities() -> None:
    """Give up every capability (Linux).

    Without capabilities even root cannot raise a limit or touch the files of other users.
    """
    header = (ctypes.c_uint32 * 2)(CAPABILITY_VERSION, 0)
    no_capabilities = (ctypes.c_uint32 * 6)()
    if LIBC.capset(header, no_capabilities) != 0:
        raise OSError(ctypes.get_errno(), "the capabilities could not be given up")
