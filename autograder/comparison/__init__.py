"""Judging one answer: type and arity, then shape, dtype kind, finite, and values last.

In this room: arrays in, findings out; what an exception of a student's code means; answers
to theory questions.
Not in this room: running code, points, and any method of a student's object (only decoded data comes here).
"""
