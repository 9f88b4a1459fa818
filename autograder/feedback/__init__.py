"""What a student reads of a submission: ``feedback.html`` and ``results.json``."""
