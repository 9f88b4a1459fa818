"""The zip that Gradescope builds its container from, so that it grades with this kit.

In this room: what goes into the zip, and the two scripts that Gradescope runs.
Not in this room: grading, and the format of ``results.json``; the container runs ``autograder grade``.
"""
