"""Students' notebooks, made from the masters beside the solutions.

In this room: the parts of a solution that go into cells, masters expanded into what ``otter assign`` reads,
its notebooks made the same bytes each time.
Not in this room: a second copy of any solution, expected outputs, running a student's code.
"""
