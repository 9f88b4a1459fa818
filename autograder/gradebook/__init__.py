"""The gradebook: what was graded, when and from what, its history, and what people decided."""
