"""The student's side of the wall: everything that runs in the process of a submission.

It reads a request, loads a submission from memory, makes the calls and packs the answer. It imports no other
package of ``autograder``, since it runs where those cannot be read. This face offers what it shares with the
trusted side, such as the wire format, and with the checks on students' machines.
"""
