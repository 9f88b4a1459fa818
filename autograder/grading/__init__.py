"""Grading: one hand-in, one submission, a whole class.

In this room: joining submissions, workers, cases and checks into results, and the order of the work.
Not in this room: files that are written for people (``exports``) and their formats.
"""
