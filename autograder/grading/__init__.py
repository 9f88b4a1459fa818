"""Grading: run one submission, judge its answers, explain its failures, and keep the result.

To read it, begin with ``suite.py``, which prepares what a homework needs. ``runs.py`` makes the calls of a
submission, ``patience.py`` repeats those that a busy machine cut, and ``grade.py`` judges the answers. ``stale.py``
tells whether the stored outputs still belong to the homework.
"""
