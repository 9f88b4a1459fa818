"""Many submissions: the session that grades one after another, and grader processes that can be ended.

To read it, begin with ``session.py``; ``graders.py`` hands submissions to processes that open one each, and
``evidence.py`` runs one submission again for ``autograder explain``.
"""
