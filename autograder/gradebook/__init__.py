"""The gradebook: one SQLite file per output folder, the truth that every export is made from.

In this room: keeping results, what they were graded from, and what may be reused on the next run.
Not in this room: grading, and formats for people or other systems (``exports``).
"""
