"""The class as the learning platform knows it: who is in it, and whose a submission is.

In this room: rosters as CSV files, and matching submissions with students by what identifies them.
Not in this room: points, and guesses from names that only look alike.
"""
