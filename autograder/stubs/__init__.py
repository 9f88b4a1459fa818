"""What students receive, made from the solutions: stubs with TODOs, and all other files of a homework.

In this room: removing solution regions, the dictionary of answers still empty, writing and verifying
``assignments/``.
Not in this room: expected outputs, hidden cases and graders; nothing of them may reach ``assignments/``.
"""
