"""The student's side of the wall: everything that runs in the process of a submission.

The worker reads a request, loads a submission from memory, makes the calls and packs the answers. It imports no
other package of ``autograder``, because those cannot be read where it runs. The trusted side imports from here
only what both sides share, such as the wire format; so do the checks on students' machines.
"""
