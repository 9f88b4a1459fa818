"""What checks of single homeworks may use besides cases and comparison; judging itself needs none of it.

``own_results`` excuses a step by the student's own wrong weights, ``modules`` asks about torch modules,
``random_answers`` judges draws by the ``laws`` they should follow, ``scripts`` runs the lines of a test as they
were written elsewhere.
"""
