"""Facts about the code that reasons need: names, shapes, sizes and trainings. No grade depends on them.

They are collected beside the answers. Of an exception (``error_facts``): what a missing name may stand for
(``near_names``) and which arrays met (``operands``). Of a function: the global data that it reads
(``globals_read``). Of a training: its steps, its losses and what it compares (``watching``). A submission may forge
all of it.
"""
