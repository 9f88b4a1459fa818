"""Code for students' machines: public checks in their own process, the table, watching and packing.

There are no hidden cases here and no solutions, and nothing that takes long to import.
"""
