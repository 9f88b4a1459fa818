"""Proof that the graders grade: every known mistake is caught and named, every right answer passes.

In this room: grading the course's own misconceptions, corpora and stubs, and the report on what came out.
Not in this room: submissions of students, and any rule of grading; the audit calls the same code as a class.
"""
