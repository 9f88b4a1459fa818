"""The student's view of a grade: ``feedback.html`` and ``results.json``.

To read it, begin with ``pages.py`` and ``task_parts.py``. ``rendering.py`` fills in the templates of all pages
about submissions, also of those for the staff; ``words.py`` has the sentences that they share.
"""
