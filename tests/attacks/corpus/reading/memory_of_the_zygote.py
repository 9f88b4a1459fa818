"""reading: read the memory of the process that started this one

score: 4
"""

import ctypes
import os

libc = ctypes.CDLL(None)
parent = os.getppid()
if libc.ptrace(16, parent, 0, 0) == 0:
    print("GOT attached")
vector = (ctypes.c_size_t * 2)(id(libc), 64)
print("GOT" if libc.process_vm_readv(parent, vector, 1, vector, 1, 0) > 0 else "refused")
try:
    print("GOT", open(f"/proc/{parent}/mem", "rb"))
except OSError as error:
    print(error)
