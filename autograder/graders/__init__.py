"""The hidden graders: one plain pytest module per homework, read by teachers and shown to no student.

In this room: checks of one homework each, as short functions whose docstring is the student's line.
Not in this room: expected numbers (``reference_outputs``), inputs (``solutions/<homework>/cases.py``),
and code that another homework could use (``checks``).
"""
