"""What runs on the students' own machines: the public checks, their table, watching, and packing.

In this room: loading the student's file in this process, answers when they are asked for, words and tables.
A release copies what is used of this room and of those before it (`release`), so that students need NumPy
and pytest alone. Not in this room: hidden cases, other students' files, and any import that takes long.
"""
