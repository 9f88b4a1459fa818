"""Why an answer is wrong: which known mistake would have produced it on the same inputs.

In this room: the catalogue of misconceptions, what each of them returns, and the match with an answer.
Not in this room: points, and guesses. An answer gets a label only if it agrees with the mistake on every
case of the task and no other mistake explains it as well; a wrong label is worse than none.
"""
