"""Exhibits: the input, the answer and the expected value of wrong cases, for pages and terminals."""
