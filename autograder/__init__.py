"""The engine of the Attention Homework Kit: reads submissions, runs them behind a wall, judges and explains.

Data flows one way, room by room::

    submissions → sandbox (→ worker) → comparison → diagnosis → checks → grading → gradebook → exports

No room imports from a room to its right, and none knows a particular homework: these lie in a course.
"""

__version__ = "0.1.0"
