"""Facts about the code that reasons need: names, shapes, sizes and trainings. No grade depends on them.

They are collected beside the answers: of an exception, what a missing name may stand for (``near_names``) and which
arrays met (``operands``); of a function, the global data that it reads (``globals_read``); of a training, what is
compared in its steps (``watching``). A submission may forge all of it.
"""
