"""reading: search the memory around every live object for the marker

score: 4
"""

import ctypes
import gc
import re

gc.unfreeze()
for found in gc.get_objects():
    bytes_of_it = ctypes.string_at(id(found), 64)
    hit = re.search(rb"@marker@[0-9a-f]{32}", bytes_of_it)
    if hit:
        print("GOT", hit.group())
