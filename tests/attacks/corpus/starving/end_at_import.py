"""starving: end the process while it is imported

score: 0
status: crashed
"""

import posix

posix._exit(3)
