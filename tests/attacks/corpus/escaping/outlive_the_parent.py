"""escaping: take back the wish to die with the parent, and become readable

score: 4
"""

import ctypes

libc = ctypes.CDLL(None)
for option, value in (
    (1, 0),
    (4, 1),
    (0x59616D61, -1),
    (36, 1),
    (8, 1),
    (28, 0),
    (22, 2),
    (47, 2),
    ((1 << 32) | 1, 0),
):
    print("GOT" if libc.prctl(ctypes.c_ulong(option), value, 0, 0, 0) == 0 else "refused", option)
