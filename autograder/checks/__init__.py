"""Checks: plain functions with a mark, what they are given, and the order in which they run.

In this room: the mark, the three fixtures (``submission``, ``cases``, ``compare``), prerequisites, results;
the results of theory questions.
Not in this room: the checks of a particular homework (``solutions``), files of students, and the disk.
"""
