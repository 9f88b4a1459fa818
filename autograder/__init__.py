"""The engine of the Attention Homework Kit: reads submissions, runs them behind a wall, judges and explains.

Data flows one way, package by package::

    worker < sandbox < course < intake < verdict < reasons < exhibits < examples < grading < batch
        < gradebook < policy < feedback < report
        < platforms < similar < student < handouts < authoring < drills < otter < cluster < cli

A package imports only from packages before it. None of them knows a particular homework;
homeworks belong to a course.
"""

__version__ = "0.1.0"
