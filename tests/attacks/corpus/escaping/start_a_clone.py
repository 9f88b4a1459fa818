"""escaping: make a process by flags that look like those of a thread

score: 4
"""

import ctypes

libc = ctypes.CDLL(None, use_errno=True)
for flags in (17, 0x100 | 17, 0x4000 | 0x100 | 17, 0x10000000 | 17, 0x20000000 | 17, 1 << 32 | 17):
    if libc.syscall(56, ctypes.c_ulong(flags), 0, 0, 0, 0) >= 0:
        print("GOT", flags, flush=True)
arguments = (ctypes.c_uint64 * 11)(0, 0, 0, 0, 17)
print("GOT" if libc.syscall(435, arguments, 88) >= 0 else ctypes.get_errno(), flush=True)
