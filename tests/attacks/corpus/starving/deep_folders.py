"""starving: make folders in folders, deeper than anybody can delete

score: 4
status: graded
"""

import os

for start in ("/tmp", "@writable@", "/dev/shm"):
    try:
        os.chdir(start)
        for _ in range(5000):
            os.mkdir("@left@")
            os.chdir("@left@")
        print("GOT", start)
    except OSError as error:
        print(start, error)
