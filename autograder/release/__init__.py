"""What students download: a zip for each homework, made of the generated files and the public checks.

In this room: copying the code that public checks use and nothing else, their data, and zips that have the
same bytes each time. Not in this room: solutions, hidden checks, hidden cases and what they expect.
"""
