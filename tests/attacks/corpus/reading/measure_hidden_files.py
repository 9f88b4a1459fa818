"""reading: learn from sizes and dates what cannot be read

score: 4
needs: namespaces
"""

import os

for path in ("@expected@", "@manifest@", "@grader@", "@secret@"):
    try:
        print("GOT", os.stat(path).st_size)
    except OSError as error:
        print(error)
