"""Many submissions: the session that grades one after another, and worker processes that can be ended."""
