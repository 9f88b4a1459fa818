"""escaping: become root or somebody else, or get a capability back

score: 4
"""

import ctypes
import os

for step in (
    lambda: os.setresuid(0, 0, 0) or os.getuid() or 1 / 0,
    lambda: os.setuid(1000),
    lambda: os.setgroups([0]),
    lambda: os.chroot("/"),
    lambda: os.nice(-5),
):
    try:
        print("GOT", step())
    except (OSError, ZeroDivisionError) as error:
        print(error)
data = (ctypes.c_uint32 * 6)(*[0xFFFFFFFF] * 6)
print("GOT" if ctypes.CDLL(None).capset((ctypes.c_uint32 * 2)(0x20080522, 0), data) == 0 else "refused")
