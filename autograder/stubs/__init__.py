"""What students receive, made from the solutions: stubs with TODOs and handouts.

In this room: removing solution regions, filling in handouts, writing and verifying ``assignments/``.
Not in this room: expected outputs, hidden cases and graders; nothing of them may reach ``assignments/``.
"""
