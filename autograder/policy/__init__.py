"""The policy: from the points that the checks gave to the points that count.

In this room: lateness, late days, extra credit, all-or-nothing tasks, marks and overrides of people, all as
arithmetic on what the gradebook holds. Not in this room: running or judging code, files for people to read.
"""
