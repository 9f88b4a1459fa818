"""escaping: change files that others use, by every way there is

score: 4
"""

import os
import tempfile

import numpy as np

target = "@writable@/@left@"
for step in (
    lambda: open("@secret@", "a").write("x"),
    lambda: os.truncate("@secret@", 0),
    lambda: os.open("@secret@", os.O_RDONLY | os.O_TRUNC),
    lambda: os.open("@secret@", 3 | os.O_TRUNC),
    lambda: os.rename("@secret@", target),
    lambda: os.link("@secret@", target),
    lambda: os.symlink("/etc/passwd", target),
    lambda: os.chmod("@secret@", 0),
    lambda: os.utime("@secret@"),
    lambda: os.setxattr("@secret@", "user.x", b"x"),
    lambda: os.mkfifo(target),
    lambda: os.remove("@secret@"),
    lambda: os.rmdir("@writable@"),
    lambda: np.save(target, np.ones(3)),
    lambda: tempfile.NamedTemporaryFile(delete=False),
    lambda: open(np.__file__, "a"),
    lambda: open("@root@/autograder/worker/zygote.py", "a"),
):
    try:
        print("GOT", step())
    except OSError as error:
        print(error)
