"""starving: keep kernel memory busy with full pipes

score: 4
status: graded
"""

import fcntl
import os

held = []
try:
    while True:
        reader, writer = os.pipe()
        os.set_blocking(writer, False)
        held.append(os.write(writer, bytes(1 << 20)))
        fcntl.fcntl(writer, 1031, 1 << 20)
        print("GOT a larger pipe")
except OSError as error:
    print("GOT" if sum(held) > 8 << 20 else error, sum(held))
