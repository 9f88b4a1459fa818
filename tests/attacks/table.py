"""Families of attacks that differ in one line, written as tables."""

import importlib.util
from collections.abc import Iterable, Iterator

from autograder.worker.filter import ALLOWED

from .attack import HONEST, HONEST_POINTS, Attack

ARGUMENTS_CHECKED = ("clone", "fcntl", "ioctl", "kill", "madvise", "open", "openat", "prctl", "prlimit64")

PROBES = {335, 336}  # the kernel's own return from a probe, let past every filter; ends whoever else calls it

DOORS = {
    "open": "open('@secret@').read()",
    "os_open": "os.read(os.open('@secret@', 0), 99)",
    "pathlib": "pathlib.Path('@secret@').read_text()",
    "fromfile": "np.fromfile('@secret@', np.uint8).tobytes()",
    "memmap": "np.memmap('@secret@', mode='r').tobytes()",
    "np_load": "np.load('@secret_array@').tobytes()",
    "genfromtxt": "np.genfromtxt('@secret@', dtype=str)",
    "safetensors": "safetensors.numpy.load_file('@expected@')",
    "fopen": "libc.fopen(b'@secret@', b'r') or 1 / 0",
    "linecache": "linecache.getlines('@secret@')[0]",
    "run_path": "runpy.run_path('@solution@')",
    "loader": "importlib.machinery.SourceFileLoader('x', '@solution@').get_data('@solution@')",
    "sqlite": "sqlite3.connect('file:@expected@?mode=ro', uri=True).execute('select 1').fetchall()",
    "link": "os.readlink('/proc/@driver@/cwd')",
    "own_root": "open('/proc/self/root@secret@').read()",
    "root_of_zygote": "open('/proc/1/root@secret@').read()",
    "from_above": "open('../../../..@secret@').read()",
    "by_folder": "os.open('reference_outputs', 0, dir_fd=os.open('@root@', 0))",
    "path_only": "os.open('@secret@', os.O_PATH) and os.listdir('@root@/reference_outputs')",
    "listing": "os.listdir('@root@/solutions')",
    "scandir": "next(os.scandir('@root@'))",
    "raw_openat2": "libc.syscall(437, -100, b'@secret@', (ctypes.c_uint64 * 3)(), 24) + 1 or 1 / 0",
    "raw_by_handle": "libc.syscall(304, -100, b'@secret@', 0) + 1 or 1 / 0",
    "passwords": "open('/etc/passwd').read()",
    "shadow": "open('/etc/shadow').read()",
    "keys": "os.listdir('/root/.ssh')",
    "home": "os.listdir(os.path.expanduser('~'))",
    "kernel_memory": "open('/dev/mem', 'rb').read(99) or open('/proc/kcore', 'rb').read(99)",
    "kernel_log": "open('/dev/kmsg').readline()",
    "machine": "open('/proc/1/cgroup').read() or open('/proc/version').read()",
    "mounts": "open('/proc/mounts').read() or open('/proc/self/mountinfo').read()",
    "symbols": "open('/proc/kallsyms').readline()",
    "network": "open('/proc/net/tcp').read() or os.listdir('/sys/class/net')",
    "temporary": "os.listdir('/tmp') or os.listdir('/dev/shm')",
}

VALUES = {
    "nothing": ("None", 0),
    "empty": ("np.empty((0, 0))", 0),
    "empty_list": ("[]", 0),
    "scalar": ("0.0", 0),
    "one_by_one": ("np.zeros((1, 1))", 0),
    "one_row": ("(Q @ K.T)[:1]", 0),
    "too_many_dimensions": ("(Q @ K.T)[None]", 3),
    "not_a_number": ("np.full((len(Q), len(K)), np.nan)", 0),
    "infinite": ("np.full((len(Q), len(K)), np.inf)", 0),
    "a_single_nan": ("float('nan')", 0),
    "objects": ("(Q @ K.T).astype(object)", 0),
    "complex": ("(Q @ K.T).astype(complex)", 0),
    "complex_nan": ("(Q @ K.T) + 1j * np.nan", 0),
    "boolean": ("np.ones((len(Q), len(K)), bool)", 0),
    "text": ("(Q @ K.T).astype(str)", 0),
    "bytes": ("(Q @ K.T).tobytes()", 0),
    "dates": ("(Q @ K.T).astype('int64').astype('M8[s]')", 0),
    "records": ("np.zeros((len(Q), len(K)), [('a', float)])", 0),
    "generator": ("(row for row in Q @ K.T)", 0),
    "function": ("lambda: Q @ K.T", 0),
    "module": ("np", 0),
    "dictionary": ("{0: Q @ K.T}", 3),
    "set": ("{1.0, 2.0}", 0),
    "ragged": ("[[1.0], [2.0, 3.0]]", 0),
    "huge_integers": ("[[10**400] * len(K)] * len(Q)", 0),
    "huge_floats": ("[[1e308] * len(K)] * len(Q)", 0),
    "memory_view": ("memoryview(Q @ K.T)", 0),
    "thirty_dimensions": ("np.zeros((1,) * 30)", 0),
    "huge_shape_no_memory": ("np.broadcast_to(0.0, (1 << 30, 1 << 30))", 0),
    "no_columns": ("np.empty((1 << 40, 0))", 0),
    "half_precision": ("(Q @ K.T).astype(np.float16)", 1),
    "as_list": ("(Q @ K.T).tolist()", HONEST_POINTS),
    "as_matrix": ("np.matrix(Q @ K.T)", HONEST_POINTS),
    "masked": ("np.ma.masked_all_like(Q @ K.T)", 0),
    "other_byte_order": ("(Q @ K.T).astype('>f8')", HONEST_POINTS),
    "backwards": ("np.ascontiguousarray((Q @ K.T)[::-1])[::-1]", HONEST_POINTS),
    "extended_precision": ("(Q @ K.T).astype(np.longdouble)", HONEST_POINTS),
    "argument_itself": ("Q", 0),
}

SHIPPED = {
    "conftest.py": "def pytest_runtest_makereport(item, call):\n    print('GOT into pytest')\n",
    "pytest.ini": "[pytest]\naddopts = -p no:autograder\n",
    "numpy.py": "print('GOT in place of numpy')\n",
    "json.py": "print('GOT in place of json')\n",
    "safetensors.py": "print('GOT in place of safetensors')\n",
    "autograder.py": "print('GOT in place of the grader')\n",
    "sitecustomize.py": "print('GOT into the start')\n",
    "usercustomize.py": "print('GOT into the start')\n",
    "test_hw1_attention_scores.py": "def test_qk_scores_published():\n    print('GOT among the checks')\n",
    "../autograder/worker/wire.py": "print('GOT over the wire')\n",
}

HEADER = '{"dict": {"error": null, "stops": {"list": []}, "functions": {"dict": {}}, "results": %s}}'
RESULT = '{"dict": {"value": %s, "modified": {"list": []}, "seconds": 0.0}}'
ONE_ARRAY = '{"a": {"dtype": "F64", "shape": %s, "data_offsets": [0, 8]}}'

PAYLOADS = {
    "one_byte": "b'x'",
    "random": "bytes(range(256)) * 4096",
    "all_zero": "bytes(32 << 20)",
    "no_line_end": "b'[' * (32 << 20)",
    "deep": "b'[' * 100000 + b']' * 100000 + NEWLINE + save({})",
    "deep_lists": "b'{\"list\": [' * 50000 + b']}' * 50000 + NEWLINE + save({})",
    "bare_list": "b'[]' + NEWLINE + save({})",
    "bare_number": "b'1e999' + NEWLINE + save({})",
    "many_digits": "b'9' * 100000 + NEWLINE + save({})",
    "not_utf8": "bytes([0xff, 0xfe, 0x0a]) + save({})",
    "half_a_blob": "header('{\"array\": \"a\"}') + save({'a': np.ones(9)})[:-9]",
    "no_blob": 'header(\'{"array": "a"}\')',
    "dangling": "header('{\"array\": \"b\"}') + save({'a': np.ones(9)})",
    "huge_shape": 'header(\'{"array": "a"}\') + blob([1 << 62, 1 << 62])',
    "negative_shape": 'header(\'{"array": "a"}\') + blob([-1])',
    "wrong_offsets": 'header(\'{"array": "a"}\') + blob([9])',
    "huge_length": "header('{\"array\": \"a\"}') + b'\\xff' * 8 + b'{}'",
    "unknown_tag": 'header(\'{"pickle": "cos"}\') + save({})',
    "two_tags": 'header(\'{"array": "a", "list": []}\') + save({\'a\': np.ones(1)})',
    "pickle": "pickle.dumps(Bomb())",
    "pickle_after_header": "header('0') + pickle.dumps(Bomb())",
    "numbers_for_results": "message('1')",
    "text_for_results": "message('\"passed\"')",
    "no_results": "message('{\"list\": []}')",
    "too_many_results": "message('{\"list\": [' + ', '.join([RESULT % '0'] * 4000) + ']}')",
    "many_empty_arrays": "header('0') + many_empty_arrays(150_000)",
    "array_for_seconds": 'message(\'{"list": [{"dict": {"seconds": {"array": "a"}}}]}\')',
}

ODD_SOCKETS = {
    "tcp": "socket.socket().connect(('127.0.0.1', @port@))",
    "udp": "socket.socket(type=socket.SOCK_DGRAM).sendto(b'hi', ('127.0.0.1', @port@))",
    "listen": "socket.create_server(('127.0.0.1', 0))",
    "ipv6": "socket.socket(socket.AF_INET6)",
    "abstract": "socket.socket(socket.AF_UNIX).connect('\\0attention-homework-kit/sandbox-user/60800')",
    "unix": "socket.socket(socket.AF_UNIX).bind('/tmp/@left@')",
    "pair": "socket.socketpair()",
    "raw": "socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)",
    "packet": "socket.socket(17, socket.SOCK_RAW, 0)",
    "netlink": "socket.socket(16, socket.SOCK_RAW, 0)",
    "vsock": "socket.socket(40, socket.SOCK_STREAM)",
    "crypto": "socket.socket(38, socket.SOCK_SEQPACKET)",
    "inherited": "[socket.socket(fileno=number).send(b'{}') for number in range(3, 64)]",
    "asyncio": "asyncio.run(asyncio.open_connection('127.0.0.1', @port@))",
}

SYSTEM_CALLS = {
    "other_processes": """
    ptrace process_vm_readv process_vm_writev pidfd_open pidfd_getfd pidfd_send_signal kcmp tkill tgkill
    rt_sigqueueinfo rt_tgsigqueueinfo process_madvise process_mrelease move_pages migrate_pages
    """,
    "new_processes": "fork vfork execve execveat clone3 setsid setpgid",
    "mounts": """
    mount umount2 pivot_root chroot move_mount open_tree fsopen fsmount fsconfig fspick mount_setattr
    open_by_handle_at name_to_handle_at unshare setns
    """,
    "kernel": """
    bpf perf_event_open userfaultfd io_uring_setup io_uring_enter io_uring_register keyctl add_key request_key
    kexec_load init_module finit_module delete_module reboot swapon swapoff acct quotactl personality iopl
    ioperm syslog settimeofday clock_settime adjtimex modify_ldt seccomp landlock_create_ruleset
    landlock_add_rule landlock_restrict_self sethostname setdomainname vhangup
    """,
    "network": """
    socket socketpair connect bind listen accept accept4 sendmsg sendmmsg sendto recvfrom recvmsg recvmmsg
    """,
    "shared_things": """
    shmget shmat shmctl msgget msgsnd msgrcv semget semop mq_open mq_unlink memfd_create memfd_secret
    inotify_init1 fanotify_init eventfd2 splice vmsplice tee
    """,
    "files": """
    creat mkdir rmdir unlink rename link symlink chmod chown truncate utimensat mknod setxattr removexattr
    flock fallocate sync syncfs copy_file_range sendfile
    """,
}

CALL_THEM = """
import ctypes

libc = ctypes.CDLL(None, use_errno=True)
for number in {numbers}:
    if libc.syscall(number, 0, 0, 0, 0, 0, 0) != -1 or ctypes.get_errno() not in (1, 38):
        print("GOT", number, ctypes.get_errno(), flush=True)
"""


def table() -> Iterator[Attack]:
    """Yield the attacks of all families."""
    yield from map(_door, DOORS.items())
    yield from map(_value, VALUES.items())
    yield from map(_shipped, SHIPPED.items())
    yield from map(_payload, PAYLOADS.items())
    yield from map(_socket, ODD_SOCKETS.items())
    for name, names in SYSTEM_CALLS.items():
        yield _system_calls(name, _numbers(names.split()))
    free = set(range(1024)) - set(_numbers((*ALLOWED, *ARGUMENTS_CHECKED))) - PROBES
    yield _system_calls("every_number_there_is", sorted(free))


def _door(door: tuple[str, str]) -> Attack:
    name, expression = door
    modules = "ctypes, importlib.machinery, linecache, os, pathlib, runpy, sqlite3"
    source = (
        f"import {modules}\nimport numpy as np\nimport safetensors.numpy\n\nlibc = ctypes.CDLL(None)\n"
        f"try:\n    print('GOT', {expression})\nexcept Exception as error:\n    print(type(error))\n"
    )
    return Attack(f"reading/door/{name}", source + HONEST, HONEST_POINTS)


def _value(value: tuple[str, tuple[str, float]]) -> Attack:
    name, (expression, score) = value
    source = f"import numpy as np\n\n\ndef qk_scores(Q, K):\n    return {expression}\n"
    return Attack(f"fooling/value/{name}", source, score, "graded or invalid_answer")


def _shipped(file: tuple[str, str]) -> Attack:
    name, text = file
    source = "import json\n\nimport numpy as np\nimport safetensors.numpy\n"
    return Attack(f"fooling/shipped/{name}", source + HONEST, HONEST_POINTS, files={name: text})


def _payload(payload: tuple[str, str]) -> Attack:
    """The forged answer is sent by one task; the honest one is graded by itself."""
    name, expression = payload
    source = f"""
import os
import pickle

import numpy as np
from safetensors.numpy import save

NEWLINE = bytes([10])
HEADER = {HEADER!r}
RESULT = {RESULT!r}


def message(results):
    return (HEADER % results).encode() + NEWLINE + save({{"a": np.ones(3)}})


def header(value):
    return (HEADER % ('{{"list": [' + RESULT % value + ']}}')).encode() + NEWLINE


def blob(shape):
    text = ({ONE_ARRAY!r} % shape).encode()
    return len(text).to_bytes(8, "little") + text + bytes(8)


def many_empty_arrays(count):
    one = '"%x":{{"dtype":"F64","shape":[0],"data_offsets":[0,0]}}'
    text = ("{{" + ",".join(one % i for i in range(count)) + "}}").encode()
    return len(text).to_bytes(8, "little") + text


class Bomb:
    def __reduce__(self):
        return os.system, ("touch /tmp/@left@",)


def softmax(x):
    data = {expression}
    os.pwrite(201, data, 0)
    os._exit(0)
"""
    return Attack(f"forging/payload/{name}", source + HONEST, HONEST_POINTS, "invalid_answer")


def _socket(name_and_expression: tuple[str, str]) -> Attack:
    name, expression = name_and_expression
    source = (
        "import asyncio\nimport socket\n\ntry:\n"
        f"    print('GOT', {expression})\nexcept OSError as error:\n    print(error)\n"
    )
    return Attack(f"escaping/socket/{name}", source + HONEST, HONEST_POINTS)


def _system_calls(name: str, numbers: list[int]) -> Attack:
    return Attack(f"escaping/calls/{name}", CALL_THEM.format(numbers=numbers) + HONEST, HONEST_POINTS)


def _numbers(names: Iterable[str]) -> list[int]:
    """The numbers of system calls on this machine, as far as libseccomp knows their names."""
    if importlib.util.find_spec("pyseccomp") is None:
        return []
    import pyseccomp

    numbers = (pyseccomp.resolve_syscall(pyseccomp.Arch.NATIVE, name) for name in names)
    return [number for number in numbers if number >= 0]
