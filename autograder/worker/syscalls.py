"""The system calls that a student's process may make; every other one, known today or not, is not there.

The list is short because a submission computes: it needs memory, threads, time, and reading of the Python
installation. Calls in ``REFUSED`` are those that ordinary code tries by accident; they answer "not
permitted", which Python turns into a ``PermissionError``, and all others answer "no such call".
"""

MEMORY = """
brk mmap mmap2 munmap mremap mprotect madvise msync mincore membarrier get_mempolicy mbind
"""
READING = """
read readv pread64 preadv preadv2 close close_range lseek _llseek access faccessat faccessat2 stat
fstat lstat newfstatat fstatat64 statx readlink readlinkat getdents getdents64 getcwd chdir fchdir statfs
fstatfs fadvise64 readahead umask
"""
WRITING_TO_OPEN_FILES = """
write writev pwrite64 pwritev pwritev2 ftruncate fsync fdatasync dup dup2 dup3 pipe pipe2
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
    " ".join((MEMORY, READING, WRITING_TO_OPEN_FILES, WAITING, THREADS, OWN_SIGNALS, FACTS)).split()
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
FCNTL_COMMANDS = (0, 1, 2, 3, 4, 1030, 1032)  # duplicate, flags, size of a pipe; no owner, no signal, no lock
IOCTL_REQUESTS = (0x5401, 0x5413, 0x541B, 0x5450, 0x5451)  # terminal?, its size, bytes waiting, close on exec
PRCTL_OPTIONS = (3, 15, 16, 23, 0x53564D41)  # ask "dumpable", thread name, ask capabilities, name of memory
