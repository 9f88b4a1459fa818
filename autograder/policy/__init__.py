"""Which points count: due dates, late days, marks, comments and overrides, applied to results."""
