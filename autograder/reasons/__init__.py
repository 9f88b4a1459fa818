"""Reasons: which known mistake, or which relation to the right answer, is behind a wrong one, in words.

Where to begin reading, and where to look. ``context`` is handed to all; beside it, each group needs little of those
above it.

1. What is tried in which order: ``explain`` (asked by a check that fails) goes through the list at the end of
   ``explanations``. They ask ``situation`` about the failed cases of one check, ``context`` about the submission,
   and ``earlier`` about what other checks have found. ``signs`` is a second such list: what answers show by
   themselves.
2. Exceptions: ``errors`` chooses between rows for habits (``remedies``, with the tables of ``habits``), what the
   shapes say (``shape_errors``), what a missing name may mean (``meant``) and rows for any code
   (``general_errors``).
3. One change of the student's own code: ``repair_search`` and ``property_search`` run the changes that
   ``repairs`` makes, with ``pitfalls`` (facts in place of questions) and ``moved_statements``. ``student_code``,
   ``code_facts`` and ``without_memory`` read the code without running it.
4. Known mistakes: ``diagnosis`` names those with the same answers (``agreement``, sped up by ``landmarks``). The
   ``catalogue`` lists them, ``mutation`` runs them, ``remembered`` keeps their answers. ``slip_search`` does the
   same with the wrong steps that ``slips`` makes of the solution.
5. Further calls of the submission: ``proofs`` (certain, before known mistakes), ``probes`` (after them),
   ``outside`` (sizes from outside), ``broadcasting``, ``dependencies``, ``first_nan``.
6. The answers alone: ``relations``, with the one-line changes of ``transforms``; ``weights``,
   ``forbidden_weights`` and ``large_numbers`` of a softmax; ``places``, ``turned``, ``axis_sizes``,
   ``differences``; ``wrong`` and ``parts`` put wrong and right arrays side by side.
7. Code as text and tree: ``source_text`` (functions, edits), ``sites`` (places where something else may stand),
   ``formulas`` (patterns with letters) and ``vocabulary`` (what expressions are called).
"""
