"""Files that are copied beside the other contestants; they know nothing of this kit.

In this room: the question as plain pytest, otter and nbgrader would ask it.
Not in this room: imports of the kit, for these files run where it is not installed.
"""
