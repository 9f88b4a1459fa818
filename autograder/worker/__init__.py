"""The student's side of the wall: everything that runs in the process of a submission.

In this room: reading a request, loading a submission from memory, making the calls, packing the answer.
Not in this room: expected values, reference solutions, checks, other submissions, and any import from
another room of ``autograder`` (the worker runs where those rooms cannot be read).
"""
