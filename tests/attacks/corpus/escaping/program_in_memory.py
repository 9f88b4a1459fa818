"""escaping: run a program that exists in memory only

score: 4
"""

import ctypes

libc = ctypes.CDLL(None)
for number in (libc.memfd_create(b"program", 0), 0, 1, 201):
    libc.fexecve(number, (ctypes.c_char_p * 2)(b"program"), (ctypes.c_char_p * 1)())
    print(libc.syscall(322, number, b"", None, None, 0x1000))
print("GOT" if libc.memfd_create(b"program", 0) >= 0 else "refused")
