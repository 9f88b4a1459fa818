"""The list of system calls that a student's process may make; every other call does not exist for it.

The list is short because a submission computes: it needs memory, threads, time, and reading of the Python
installation. Calls in ``REFUSED`` are the ones that ordinary code tries by accident; they answer "not
permitted", which Python turns into a ``PermissionError``. All others, also those of future kernels, answer "no
such call".

Calls that ask which pages of a file the kernel holds in memory, or that make it drop some, are not on the list
(``mincore``, ``preadv2``, ``fadvise64``, ``readahead``, most of ``madvise``): a submission could leave a message
for the next one in such pages. What remains of this channel are ordinary reads and a clock.

libseccomp compiles the filter once; each child loads the result. Compiling takes longer than all other layers
together, loading does not.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import importlib
import mmap
import os
import sys
import termios
from typing import Any

from autograder.worker.limits import LIBC

MEMORY = """
brk mmap mmap2 munmap mremap mprotect msync membarrier get_mempolicy mbind
"""
READING = """
read readv pread64 preadv close close_range lseek _llseek access faccessat faccessat2 stat
fstat lstat newfstatat fstatat64 statx readlink readlinkat getdents getdents64 getcwd chdir fchdir statfs
fstatfs umask
"""
WRITING_TO_OPEN_FILES = """
write writev pwrite64 pwritev ftruncate fsync fdatasync dup dup2 dup3 pipe pipe2
"""
WAITING = """
select pselect6 pselect6_time64 _newselect poll ppoll ppoll_time64 nanosleep clock_nanosleep
clock_nanosleep_time64 pause sched_yield wait4 waitid restart_syscall
"""
THREADS = """
futex futex_time64 futex_waitv futex_wake futex_wait futex_requeue set_robust_list get_robust_list rseq
set_tid_address gettid sched_getaffinity sched_getparam sched_getscheduler sched_get_priority_max
sched_get_priority_min sched_rr_get_interval getcpu arch_prctl riscv_flush_icache riscv_hwprobe exit
exit_group
"""
OWN_SIGNALS = """
rt_sigaction rt_sigprocmask rt_sigpending rt_sigsuspend rt_sigtimedwait rt_sigreturn sigreturn sigaltstack
alarm setitimer getitimer
"""
FACTS = """
getpid getppid getpgid getpgrp getsid getuid geteuid getgid getegid getresuid getresgid getgroups getpriority
getrlimit ugetrlimit setrlimit getrusage times time gettimeofday clock_gettime clock_gettime64 clock_getres
clock_getres_time64 uname sysinfo capget getrandom
"""
ALLOWED = tuple(
    (
        MEMORY
        + READING
        + WRITING_TO_OPEN_FILES
        + WAITING
        + THREADS
        + OWN_SIGNALS
        + FACTS
    ).split()
)

PROCESSES = "fork vfork execve execveat tkill setsid setpgid ptrace setpriority sched_setaffinity"
NETWORK = "socket socketpair connect bind listen accept accept4"
FILES = """
creat mkdir mkdirat rmdir unlink unlinkat rename renameat renameat2 link linkat symlink symlinkat truncate
chmod fchmod fchmodat fchmodat2 chown fchown lchown fchownat utime utimes utimensat futimesat mknod mknodat
mount umount2
"""
REFUSED = tuple(" ".join((PROCESSES, NETWORK, FILES)).split())

INDISPENSABLE = frozenset({"read", "write", "mmap", "futex", "close", "exit_group"})

CLONE_THREAD = 0x10000
OWN_PROCESS = 0x5EA1ED
"""A placeholder: the process that loads the filter puts its own process id in its place."""
OWN_GROUP = 0
# Python has no names for these, or lacks them where it was built for old systems.
MADV_FREE = 8
MADV_GUARD_INSTALL = 102
MADV_GUARD_REMOVE = 103
# Advice that allocators and NumPy give about their own memory. None of it brings pages of a file into the page
# cache or drops them.
MEMORY_ADVICE = (
    mmap.MADV_DONTNEED,
    MADV_FREE,
    mmap.MADV_HUGEPAGE,
    mmap.MADV_NOHUGEPAGE,
    mmap.MADV_DONTDUMP,
    mmap.MADV_DODUMP,
    MADV_GUARD_INSTALL,
    MADV_GUARD_REMOVE,
)
# No owner, no signal, no lock.
FCNTL_COMMANDS = (
    fcntl.F_DUPFD,
    fcntl.F_GETFD,
    fcntl.F_SETFD,
    fcntl.F_GETFL,
    fcntl.F_SETFL,
    fcntl.F_DUPFD_CLOEXEC,
    fcntl.F_GETPIPE_SZ,
)
IOCTL_REQUESTS = (
    termios.TCGETS,  # is it a terminal
    termios.TIOCGWINSZ,  # its size
    termios.FIONREAD,  # bytes waiting
    termios.FIONCLEX,
    termios.FIOCLEX,
)
PR_GET_DUMPABLE = 3
PR_SET_NAME = 15
PR_GET_NAME = 16
PR_CAPBSET_READ = 23
PR_SET_VMA = 0x53564D41  # name memory
PRCTL_OPTIONS = (
    PR_GET_DUMPABLE,
    PR_SET_NAME,
    PR_GET_NAME,
    PR_CAPBSET_READ,
    PR_SET_VMA,
)
ALLOWED_WITH = {  # the number of an argument, and the values it may have
    "kill": (0, (OWN_PROCESS, OWN_GROUP)),
    "tgkill": (0, (OWN_PROCESS,)),
    "prlimit64": (0, (0,)),  # 0 is this process
    "madvise": (2, MEMORY_ADVICE),
    "fcntl": (1, FCNTL_COMMANDS),
    "fcntl64": (1, FCNTL_COMMANDS),
    "ioctl": (1, IOCTL_REQUESTS),
    "prctl": (0, PRCTL_OPTIONS),
}
FLAGS_OF_OPENING = {"open": 1, "openat": 2}  # the number of the argument with flags

PR_SET_SECCOMP = 22
SECCOMP_MODE_FILTER = 2
INSTRUCTION_BYTES = 8
BINARY_TREE = 2
ACCESS_MODE = 3


class _Program(ctypes.Structure):
    """The kernel's ``struct sock_fprog``."""

    _fields_ = [("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p)]


def load_filter(compiled: bytes) -> None:
    """Put this process behind the filter for good; "no new privileges" must have been set before.

    Raises:
        OSError: the kernel refused the filter.
    """
    placeholder = OWN_PROCESS.to_bytes(4, sys.byteorder)
    own_id = os.getpid().to_bytes(4, sys.byteorder)
    instructions = compiled.replace(placeholder, own_id)
    program = _Program(len(instructions) // INSTRUCTION_BYTES, instructions)
    status = LIBC.prctl(
        PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(program), 0, 0
    )
    if status != 0:
        raise OSError(ctypes.get_errno(), "the kernel refused the system call filter")


def compile_filter() -> bytes:
    """Compile the lists above for this machine.

    Returns:
        The filter's instructions as the kernel reads them, with ``OWN_PROCESS`` as a placeholder.

    Raises:
        ImportError: pyseccomp is not installed.
        RuntimeError: libseccomp is not installed.
        OSError: libseccomp cannot build the filter.
    """
    pyseccomp: Any = importlib.import_module("pyseccomp")  # it has no types
    allow = pyseccomp.ALLOW
    refuse = pyseccomp.ERRNO(errno.EPERM)
    argument = pyseccomp.Arg
    equal = pyseccomp.EQ
    equal_under_mask = pyseccomp.MASKED_EQ
    rules = pyseccomp.SyscallFilter(pyseccomp.ERRNO(errno.ENOSYS))

    def add(action: int, name: str, *conditions: Any) -> None:
        try:
            rules.add_rule(action, name, *conditions)
        except (OSError, ValueError):
            # This libseccomp does not know the name, so the call stays out.
            if name in INDISPENSABLE:
                raise

    for name in ALLOWED:
        add(allow, name)
    for name in REFUSED:
        add(refuse, name)
    # The whole argument is compared, so that no high bits slip by.
    for name, (number, values) in ALLOWED_WITH.items():
        for value in values:
            add(allow, name, argument(number, equal, value))
    # New threads are allowed, new processes refused.
    add(allow, "clone", argument(0, equal_under_mask, CLONE_THREAD, CLONE_THREAD))
    add(refuse, "clone", argument(0, equal_under_mask, CLONE_THREAD, 0))
    # A file may be opened for anything but reading and emptying it at once: Landlock before Linux 6.2 would
    # let that pass.
    for name, number in FLAGS_OF_OPENING.items():
        for flags in (0, os.O_TRUNC | os.O_WRONLY, os.O_TRUNC | os.O_RDWR):
            mask = os.O_TRUNC
            if flags:
                mask |= ACCESS_MODE
            add(allow, name, argument(number, equal_under_mask, mask, flags))
    rules.set_attr(pyseccomp.Attr.CTL_OPTIMIZE, BINARY_TREE)
    with os.fdopen(os.memfd_create("filter"), "w+b") as file:
        rules.export_bpf(file)
        file.seek(0)
        return file.read()
