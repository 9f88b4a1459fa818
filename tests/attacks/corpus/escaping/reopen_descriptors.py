"""escaping: open descriptors once more by their names, one's own and those of others

score: 4
"""

import os

for number in range(300):
    for process in (os.getppid(), 1, int("@driver@")):
        try:
            print("GOT", process, os.open(f"/proc/{process}/fd/{number}", os.O_RDWR))
        except OSError as error:
            print(error.errno, end=" ")
for number in (0, 1, 2, 200, 201):
    try:
        os.write(os.open(f"/proc/self/fd/{number}", os.O_RDWR), b"rubbish")
    except OSError as error:
        print(error)
