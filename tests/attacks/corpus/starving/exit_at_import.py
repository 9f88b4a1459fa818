"""starving: call sys.exit while it is imported

score: 0
status: import_failed
"""

import sys

sys.exit("goodbye")
