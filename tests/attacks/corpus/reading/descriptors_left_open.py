"""reading: read every descriptor that is still open

score: 4
"""

import os
import stat

for number in range(3, 4096):
    try:
        kind = os.fstat(number).st_mode
        content = os.pread(number, 1000, 0)
    except OSError:
        continue
    print("GOT" if content or not stat.S_ISREG(kind) else "empty", number, content)
