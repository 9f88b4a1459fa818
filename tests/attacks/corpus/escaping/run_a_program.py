"""escaping: run a program by every way there is

score: 4
"""

import ctypes
import os
import pty
import subprocess

for step in (
    lambda: subprocess.run(["/bin/echo", "GOT"]).returncode,
    lambda: os.system("echo GOT") == 0,
    lambda: os.posix_spawn("/bin/echo", ["echo", "GOT"], {}),
    lambda: os.popen("echo GOT").read(),
    lambda: pty.fork(),
    lambda: ctypes.CDLL(None).system(b"echo GOT") == 0,
    lambda: os.execv("/bin/echo", ["echo", "GOT"]),
    lambda: os.execv("/lib64/ld-linux-x86-64.so.2", ["ld", "/bin/echo", "GOT"]),
):
    try:
        print("ended with", step(), flush=True)
    except OSError as error:
        print(error)
