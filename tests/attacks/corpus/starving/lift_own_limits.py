"""starving: raise this process's own limits

score: 4
status: graded
"""

import resource

for name in ("AS", "CPU", "FSIZE", "NOFILE", "NPROC", "CORE"):
    which = getattr(resource, "RLIMIT_" + name)
    soft, hard = resource.getrlimit(which)
    try:
        resource.setrlimit(which, (hard + 1, hard + 1))
        print("GOT", name, resource.getrlimit(which))
    except (OSError, ValueError) as error:
        print(name, error)
