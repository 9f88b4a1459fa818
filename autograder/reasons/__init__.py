"""Reasons: which known mistake, or which relation to the right answer, is behind a wrong one, in words."""
