"""The gradebook: results, their origin and history, and the decisions of people.

To read it, begin with ``schema.sql``, which has the tables, with comments. ``supersession.py`` has the rules of
which hand-in counts, and ``gradings.py`` stores and fetches results by them. ``decisions.py`` holds what people
decided, ``groups.py`` the wrong answers that are equal, and ``book.py`` the rest. ``opening.py`` opens the file.
"""
