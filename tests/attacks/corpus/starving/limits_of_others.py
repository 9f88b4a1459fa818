"""starving: lower the limits and the priority of the process that started this one

score: 4
status: graded
"""

import os
import resource

for step in (
    lambda: resource.prlimit(os.getppid(), resource.RLIMIT_NOFILE, (0, 0)),
    lambda: resource.prlimit(int("@driver@"), resource.RLIMIT_CPU, (1, 1)),
    lambda: os.sched_setaffinity(os.getppid(), {0}),
    lambda: os.setpriority(os.PRIO_PROCESS, os.getppid(), 19),
    lambda: os.sched_setscheduler(os.getppid(), os.SCHED_IDLE, os.sched_param(0)),
):
    try:
        step()
        print("GOT it")
    except OSError as error:
        print(error)
