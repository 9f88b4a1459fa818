"""starving: end the process while it is imported

score: 0
status: crashed
"""

import os

os._exit(3)
