"""forging: send an answer with as many results as calls before anything is called

score: 0
status: crashed
"""

import os
import posix
import sys

from autograder.worker.wire import pack

frame = sys._getframe()
while "calls" not in frame.f_locals:
    frame = frame.f_back
results = [{"value": "passed", "modified": [], "seconds": 0.0} for call in frame.f_locals["calls"]]
os.write(201, pack({"error": None, "stops": [], "functions": {}, "results": results}))
posix._exit(0)
