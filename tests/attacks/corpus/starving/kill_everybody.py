"""starving: kill the parent, the group, the grader and everything else

score: 4
status: graded
"""

import os
import signal

for target in (os.getppid(), 1, -1, -os.getpgid(0), int("@driver@")):
    for number in (signal.SIGSTOP, signal.SIGKILL):
        try:
            os.kill(target, number)
            print("GOT", target)
        except OSError as error:
            print(error)
