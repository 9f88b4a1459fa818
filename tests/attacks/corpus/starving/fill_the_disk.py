"""starving: fill every folder that can be written to

score: 4
status: graded
"""

import os

for folder in ("/tmp", "/var/tmp", "/dev/shm", "/run", "@writable@", ".", os.path.expanduser("~")):
    try:
        with open(os.path.join(folder, "@left@"), "wb") as file:
            print("GOT", folder, file.write(bytes(1 << 20)))
    except OSError as error:
        print(folder, error)
