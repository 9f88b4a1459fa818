"""starving: start a process that outlives this one

score: 4
status: graded
"""

import os

for step in (os.fork, os.setsid, os.fork):
    try:
        step()
        print("GOT", step)
    except OSError as error:
        print(error)
