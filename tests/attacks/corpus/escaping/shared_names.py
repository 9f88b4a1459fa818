"""escaping: leave something under a name that all processes share

score: 4
"""

import ctypes
from multiprocessing import shared_memory

libc = ctypes.CDLL(None)
for name, result in (
    ("shmget", libc.shmget(0x1234, 4096, 0o1666)),
    ("msgget", libc.msgget(0x1234, 0o1666)),
    ("semget", libc.semget(0x1234, 1, 0o1666)),
    ("shm_open", libc.shm_open(b"/@left@", 0o102, 0o666)),
    ("mq_open", libc.syscall(240, b"@left@", 0o102, 0o666, 0)),
):
    print("GOT" if result >= 0 else "refused", name)
try:
    print("GOT", shared_memory.SharedMemory("@left@", create=True, size=4096))
except OSError as error:
    print(error)
