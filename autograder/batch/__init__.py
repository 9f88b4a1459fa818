"""Many submissions: the session that grades one after another, and grader processes that can be ended."""
