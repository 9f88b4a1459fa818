"""The gradebook: results, their origin and history, and the decisions of people."""
