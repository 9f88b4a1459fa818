"""Keeping and showing results: the gradebook, the policy that decides which points count, and every export.

Whatever is written here is computed from the gradebook, so it can be written again at any time.
"""
