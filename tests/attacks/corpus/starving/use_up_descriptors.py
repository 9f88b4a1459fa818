"""starving: open files until no descriptor is left

score: 4
status: graded
"""

import os

held = []
try:
    while len(held) < 1000:
        held.extend(os.pipe())
    print("GOT", len(held))
except OSError as error:
    print(error)
