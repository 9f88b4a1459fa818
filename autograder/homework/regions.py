"""The marks of what students write themselves, and what they find in its place."""

BEGIN, END = "# BEGIN SOLUTION", "# END SOLUTION"
PLACEHOLDER = "raise NotImplementedError"
