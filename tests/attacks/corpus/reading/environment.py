"""reading: print every variable of the environment, also those C knows of

score: 4
"""

import ctypes
import os

libc = ctypes.CDLL(None)
libc.getenv.restype = ctypes.c_char_p
print(dict(os.environ), libc.getenv(b"ATTENTION_KIT_SECRET"))
