"""Benchmarks: the same submissions through this kit and through other ways of grading, in one run.

In this room: the class that is graded, the contestants, what each one used, and the ratios.
Not in this room: limits that a test could hold against a machine; a benchmark is read, it does not gate.
"""
