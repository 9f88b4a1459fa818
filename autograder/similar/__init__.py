"""Pairs of submissions whose code is suspiciously alike."""
