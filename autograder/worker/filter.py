"""The system call filter: compiled once by libseccomp, then loaded into each child as it is.

Compiling takes longer than all the other layers together; the loading of a compiled filter does not.
"""

from __future__ import annotations

import ctypes
import importlib
import os
import sys
from dataclasses import dataclass
from typing import Any

from autograder.worker.syscalls import (
    ALLOWED,
    CLONE_THREAD,
    FCNTL_COMMANDS,
    INDISPENSABLE,
    IOCTL_REQUESTS,
    PRCTL_OPTIONS,
    REFUSED,
)

EPERM, ENOSYS = 1, 38
PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 22, 2
INSTRUCTION_BYTES = 8
BINARY_TREE = 2
ACCESS_MODE = 3
OWN_PROCESS, OWN_GROUP = 0x5EA1ED, 0  # the first is replaced by the id of the process that loads the filter


class _Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p)]


@dataclass(frozen=True)
class Filter:
    """A compiled filter."""

    instructions: bytes

    def load(self) -> None:
        """Put this process behind the filter for good; "no new privileges" must have been set before."""
        own = self.instructions.replace(_bytes(OWN_PROCESS), _bytes(os.getpid()))
        program = _Program(len(own) // INSTRUCTION_BYTES, own)
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(program), 0, 0) != 0:
            raise OSError(ctypes.get_errno(), "the kernel refused the system call filter")


def compile_filter() -> Filter:
    """Compile the lists of ``syscalls`` for this machine.

    Raises:
        ImportError: pyseccomp is not installed.
        RuntimeError: libseccomp is not installed.
        OSError: libseccomp cannot build the filter.
    """
    pyseccomp: Any = importlib.import_module("pyseccomp")  # it has no types
    rules = pyseccomp.SyscallFilter(pyseccomp.ERRNO(ENOSYS))
    for name in ALLOWED:
        _add(rules, pyseccomp.ALLOW, name)
    for name in REFUSED:
        _add(rules, pyseccomp.ERRNO(EPERM), name)
    _add_by_argument(rules, pyseccomp)
    rules.set_attr(pyseccomp.Attr.CTL_OPTIMIZE, BINARY_TREE)
    return Filter(_export(rules))


def _add_by_argument(rules: Any, seccomp: Any) -> None:
    """Allow some calls with some arguments only; values are compared in full, so no high bits slip by.

    To open a file for reading and yet empty it is not allowed: Landlock before Linux 6.2 lets it pass.
    """
    thread = seccomp.Arg(0, seccomp.MASKED_EQ, CLONE_THREAD, CLONE_THREAD)
    process = seccomp.Arg(0, seccomp.MASKED_EQ, CLONE_THREAD, 0)
    _add(rules, seccomp.ALLOW, "clone", thread)
    _add(rules, seccomp.ERRNO(EPERM), "clone", process)
    _add(rules, seccomp.ALLOW, "prlimit64", seccomp.Arg(0, seccomp.EQ, 0))
    for name, place in (("open", 1), ("openat", 2)):
        for kind in (0, os.O_TRUNC | os.O_WRONLY, os.O_TRUNC | os.O_RDWR):
            mask = os.O_TRUNC | (ACCESS_MODE if kind else 0)
            _add(rules, seccomp.ALLOW, name, seccomp.Arg(place, seccomp.MASKED_EQ, mask, kind))
    for name, place, values in (
        ("kill", 0, (OWN_PROCESS, OWN_GROUP)),
        ("tgkill", 0, (OWN_PROCESS,)),
        ("fcntl", 1, FCNTL_COMMANDS),
        ("fcntl64", 1, FCNTL_COMMANDS),
        ("ioctl", 1, IOCTL_REQUESTS),
        ("prctl", 0, PRCTL_OPTIONS),
    ):
        for value in values:
            _add(rules, seccomp.ALLOW, name, seccomp.Arg(place, seccomp.EQ, value))


def _add(rules: Any, action: int, name: str, *arguments: Any) -> None:
    """Add a rule; a name that libseccomp does not know stays out, and the call with it."""
    try:
        rules.add_rule(action, name, *arguments)
    except (OSError, ValueError):
        if name in INDISPENSABLE:
            raise


def _bytes(number: int) -> bytes:
    return number.to_bytes(4, sys.byteorder)


def _export(rules: Any) -> bytes:
    with os.fdopen(os.memfd_create("filter"), "w+b") as file:
        rules.export_bpf(file)
        file.seek(0)
        return file.read()
