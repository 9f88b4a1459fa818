"""The student's view of a grade: ``feedback.html`` and ``results.json``."""
