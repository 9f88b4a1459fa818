"""What is true of any decoder, a model that foretells the next token: for checks of homeworks that ask for one.

It reads logits, caches and trainings, and says in words what is wrong with them. The kit itself works without it:
only check files import it, from its modules.
"""
