"""Benchmarks: the same submissions through this kit and through other ways of grading, in one run.

A benchmark is read and does not gate: limits that a test could hold against a machine are not here.
"""
