"""Drills: a solution with a known mistake to be found, or inputs to be found that distinguish mistakes."""
