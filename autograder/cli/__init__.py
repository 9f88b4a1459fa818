"""The ``autograder`` command: options, progress and exit statuses; no other program imports it."""
