"""What a homework is: its metadata, its tasks, questions and input cases, its place in the course.

In this room: reading ``solutions/<homework>/`` and describing it in plain records.
Not in this room: anything about a particular homework, running a solution, or judging an answer.
"""
